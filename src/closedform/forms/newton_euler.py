"""Inverse dynamics by the Newton-Euler recursion on second moments."""

from __future__ import annotations

import casadi as ca

from ..model import Model
from .algebra import SX, Rotation, constant, cross
from .tree import Node, recursion_tree


def inverse_dynamics(model: Model, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the joint forces tau = M qdd + C qd + g of a motion.

    With U = dw~ + w~ w~ and the acceleration a of its origin, a body needs the force
    f = m a + U ms and the moment n = ms x a + axial(U S), where S = int r r^T dm: the
    Newton-Euler equations about the frame origin, written on second moments. Gravity enters
    as an upward acceleration of the base. Inputs q (nq), qd, qdd (nv); returns (nv). The
    recursive Newton-Euler algorithm (RNEA), O(n).
    """
    nodes = recursion_tree(model)
    placements = [node.placement(q) for node in nodes]
    still = SX(3, 1)
    base = (still, still, -constant(model.gravity))
    motion: list[tuple[SX, SX, SX]] = []
    rates: list[SX] = []
    forces, moments = [], []
    for node, (R, p) in zip(nodes, placements, strict=True):
        w_p, dw_p, a_p = motion[node.parent] if node.parent >= 0 else base
        U_p = rates[node.parent] if node.parent >= 0 else SX(3, 3)
        w, dw, a = body_motion(node, R, p, (w_p, dw_p, a_p), U_p, node.rates(qd), node.rates(qdd))
        U = rate_matrix(w, dw)
        motion.append((w, dw, a))
        rates.append(U)
        ms, S = constant(node.ms), constant(node.S)
        forces.append(node.m * a + U @ ms)
        moments.append(cross(ms, a) + moment_of_rates(U, w, S))
    return _project(model, nodes, placements, forces, moments, qdd)


def gravity_torque(model: Model, q: SX) -> SX:
    """Return g(q), the joint forces that hold the robot still.

    The first moments of each subtree turn gravity into a moment about its joint:
    g_i = X_i . (ms x a; m a) with the upward acceleration a = -gravity in frame i. Returns (nv).
    """
    nodes = recursion_tree(model)
    placements = [node.placement(q) for node in nodes]
    up: list[SX] = []
    for node, (R, _) in zip(nodes, placements, strict=True):
        up.append(R.back(up[node.parent] if node.parent >= 0 else -constant(model.gravity)))
    m = [SX(node.m) for node in nodes]
    ms = [constant(node.ms) for node in nodes]
    g = SX.zeros(model.nv)
    for i in reversed(range(len(nodes))):
        node, (R, p) = nodes[i], placements[i]
        own = node.Xw.T @ cross(ms[i], up[i]) + m[i] * (node.Xv.T @ up[i])
        add_rates(g, node, own)
        if node.parent >= 0:
            m[node.parent] = m[node.parent] + m[i]
            ms[node.parent] = ms[node.parent] + R.out(ms[i]) + m[i] * p
    return g


def external_torque(model: Model, q: SX, wrenches: SX) -> SX:
    """Return J^T W, the joint forces equivalent to wrenches the environment applies to the bodies.

    The equations of motion are M qdd + C qd + g = tau + J^T W. `wrenches` is (bodies, 6), each
    (moment; force) in its body frame about its origin [MuellerKumar2021, Eq. (27), with W of
    the opposite sign]. Returns (nv).
    """
    nodes = recursion_tree(model)
    placements = [node.placement(q) for node in nodes]
    forces, moments = [], []
    for i, node in enumerate(nodes):
        R, c = constant(node.T_frame[:3, :3]), constant(node.T_frame[:3, 3])
        n, f = wrenches[i, :3].T, wrenches[i, 3:].T
        forces.append(R.T @ f)
        moments.append(R.T @ (n - cross(c, f)))
    return _project(model, nodes, placements, forces, moments, None)


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


def rate_matrix(w: SX, dw: SX) -> SX:
    """Return U = dw~ + w~ w~, with which points of a body accelerate: r'' = a + U r."""
    x, y, z = w[0], w[1], w[2]
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return ca.blockcat(
        [
            [-(yy + zz), xy - dw[2], xz + dw[1]],
            [xy + dw[2], -(xx + zz), yz - dw[0]],
            [xz - dw[1], yz + dw[0], -(xx + yy)],
        ]
    )


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
    factor = 1.0 if node.coupling is None else node.coupling.multiplier
    total[node.iv : node.iv + node.nv] += factor * own


def _project(
    model: Model,
    nodes: tuple[Node, ...],
    placements: list[tuple[Rotation, SX]],
    forces: list[SX],
    moments: list[SX],
    qdd: SX | None,
) -> SX:
    """Return the joint forces that carry the wrenches of all bodies, leaves first."""
    forces, moments = list(forces), list(moments)
    tau = SX.zeros(model.nv)
    for i in reversed(range(len(nodes))):
        node, (R, p) = nodes[i], placements[i]
        own = node.Xw.T @ moments[i] + node.Xv.T @ forces[i]
        if qdd is not None and node.armature:
            own = own + node.armature * node.rates(qdd)
        add_rates(tau, node, own)
        if node.parent >= 0:
            f = R.out(forces[i])
            forces[node.parent] = forces[node.parent] + f
            moments[node.parent] = moments[node.parent] + R.out(moments[i]) + cross(p, f)
    return tau
