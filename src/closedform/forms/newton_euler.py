"""Inverse dynamics by the Newton-Euler recursion on second moments."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from .algebra import Rotation, constant, cross, rate_matrix
from .armature import free_rotors
from .node import Node
from .tree import Posture, Tree


def inverse_dynamics(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the joint forces tau = M qdd + C qd + g of a motion.

    With U = dw~ + w~ w~ and the acceleration a of its origin, a body needs the force
    f = m a + U ms and the moment n = ms x a + axial(U S), where S = int r r^T dm: the
    Newton-Euler equations about the frame origin, written on second moments. Gravity enters
    as an upward acceleration of the base. Inputs q (nq), qd, qdd (nv); returns (nv). The
    recursive Newton-Euler algorithm (RNEA), O(n).
    """
    at = tree.at(q)
    still = SX(3, 1)
    base = (still, still, at.upward)
    motion: list[tuple[SX, SX, SX]] = []
    rates: list[SX] = []
    forces, moments = [], []
    for node, (R, p) in at:
        w_p, dw_p, a_p = motion[node.parent] if node.parent >= 0 else base
        U_p = rates[node.parent] if node.parent >= 0 else SX(3, 3)
        w, dw, a = body_motion(node, R, p, (w_p, dw_p, a_p), U_p, node.rates(qd), node.rates(qdd))
        U = rate_matrix(w, dw)
        motion.append((w, dw, a))
        rates.append(U)
        n, f = body_wrench(node, w, dw, a)
        forces.append(f)
        moments.append(n)
    tau = _project(tree, at, forces, moments, qdd)
    for iv, armature in free_rotors(at.nodes):
        tau[iv + 3 : iv + 6] += armature * cross(qd[iv : iv + 3], qd[iv + 3 : iv + 6])
    return tau


def body_motion(
    node: Node,
    R: Rotation,
    p: SX,
    parent: tuple[SX, SX, SX],
    U_p: SX,
    v: SX,
    dv: SX,
) -> tuple[SX, SX, SX]:
    """Return (w, dw, a) of a body: angular velocity and acceleration, acceleration of its origin."""
    w_p, dw_p, a_p = parent
    w_in = R.back(w_p)
    w_joint, v_joint = node.Xw @ v, node.Xv @ v
    w = w_in + w_joint
    dw = R.back(dw_p) + node.Xw @ dv + cross(w_in, w_joint)
    a = R.back(a_p + U_p @ p)
    if node.X[3:].any():
        a = a + node.Xv @ dv + cross(w + w_in, v_joint)
    return w, dw, a


def body_wrench(node: Node, w: SX, dw: SX, a: SX) -> tuple[SX, SX]:
    """Return (n, f), the wrench about its origin that moves a body so (Newton and Euler)."""
    U = rate_matrix(w, dw)
    ms, S = constant(node.ms), constant(node.S)
    return cross(ms, a) + moment_of_rates(U, w, S), node.m * a + U @ ms


def moment_of_rates(U: SX, w: SX, S: SX) -> SX:
    """Return axial(U S) = int r x (U r) dm, its diagonal terms from differences of squares."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    return ca.vertcat(
        U[2, 1] * S[1, 1] - U[1, 2] * S[2, 2] + (zz - yy) * S[1, 2] + U[2, 0] * S[0, 1] - U[1, 0] * S[0, 2],
        U[0, 2] * S[2, 2] - U[2, 0] * S[0, 0] + (xx - zz) * S[0, 2] + U[0, 1] * S[1, 2] - U[2, 1] * S[0, 1],
        U[1, 0] * S[0, 0] - U[0, 1] * S[1, 1] + (yy - xx) * S[0, 1] + U[1, 2] * S[0, 2] - U[0, 2] * S[1, 2],
    )


def add_rates(total: SX, node: Node, own: SX) -> None:
    """Add the joint's own generalised forces to the vector over all velocities."""
    total[node.velocities] += node.ratio * own


def _project(tree: Tree, at: Posture, forces: list[SX], moments: list[SX], qdd: SX) -> SX:
    """Return the joint forces that carry the wrenches of all bodies, leaves first."""
    forces, moments = list(forces), list(moments)
    tau = SX.zeros(tree.nv)
    for i, node, (R, p) in at.leaves_first():
        own = node.Xw.T @ moments[i] + node.Xv.T @ forces[i]
        if node.has_armature:
            own = own + node.armature * node.rates(qdd)
        add_rates(tau, node, own)
        if node.parent >= 0:
            f = R.out(forces[i])
            forces[node.parent] = forces[node.parent] + f
            moments[node.parent] = moments[node.parent] + R.out(moments[i]) + cross(p, f)
    return tau
