"""Derivatives of inverse and forward dynamics by the state, in closed form."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from .algebra import cross, cross_columns
from .armature import add_rotor_gradient, free_rotors
from .elimination import Factors
from .forward import forward_dynamics
from .mass import add_block, mass_matrix
from .newton_euler import Motion, body_wrench
from .pairs import Screw, pairs, plus, product, times
from .series import Series
from .subtree import composites, flows
from .tree import Posture, Tree
from .twists import TwistRates, minus_ad, motions, twist_rate


def inverse_dynamics_derivatives(tree: Tree, q: SX, qd: SX, qdd: SX) -> tuple[SX, SX]:
    """Return d tau / dq and d tau / dqd of inverse dynamics in one evaluation.

    With the screws P' = ad_{V_p} X and P'' = ad_{A_p} X + ad_{V_p} P' of a joint (V_p, A_p: twist
    and acceleration of its parent, gravity included), the inertia I, flow B and wrench F of a
    subtree, and i an ancestor of j,

        d tau_i / dq_j = X_i . (I_j P''_j + 2 B_j P'_j + X_j x F_j),
        d tau_j / dq_i = P''_i . I_j X_j + 2 P'_i . B_j^T X_j,
        d tau_i / dqd_j = X_i . (I_j (P'_j + X_j') + 2 B_j X_j),
        d tau_j / dqd_i = (P'_i + X_i') . I_j X_j + 2 X_i . B_j^T X_j

    [SinghRussellWensing2022]. Column h of d / dq is the derivative for a body-frame (right) perturbation
    of joint h, T -> T exp(X_h s), by s at 0; for one-dof joints that is d / dq_h. Returns (nv, nv) twice.
    """
    return _derivatives(tree.at(q), tree.nv, qd, qdd)


def inverse_dynamics_dq(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return d tau / dq of inverse dynamics, by body-frame (right) perturbations of the joints.

    Column h is the derivative by s of tau after T -> T exp(X_h s), along a unit velocity h; see
    `inverse_dynamics_derivatives`. Returns (nv, nv).
    """
    return inverse_dynamics_derivatives(tree, q, qd, qdd)[0]


def inverse_dynamics_dqd(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return d tau / dqd of inverse dynamics; see `inverse_dynamics_derivatives`. Returns (nv, nv)."""
    return inverse_dynamics_derivatives(tree, q, qd, qdd)[1]


def gravity_torque_dq(tree: Tree, q: SX) -> SX:
    """Return dg / dq, symmetric for one-dof joints: the Hessian of the potential energy.

    The derivatives of inverse dynamics at rest. Returns (nv, nv).
    """
    zero = SX(tree.nv, 1)
    return inverse_dynamics_derivatives(tree, q, zero, zero)[0]


def forward_dynamics_derivatives(tree: Tree, q: SX, qd: SX, tau: SX) -> tuple[SX, SX, SX]:
    """Return d qdd / dq, d qdd / dqd and d qdd / dtau = M^-1 in one evaluation.

    d qdd = -M^-1 (d tau / dq dq + d tau / dqd dqd) at the accelerations of forward dynamics
    [CarpentierMansard2018]. Returns (nv, nv) three times.
    """
    qdd = forward_dynamics(tree, q, qd, tau)
    by_q, by_qd = inverse_dynamics_derivatives(tree, q, qd, qdd)
    factors = Factors(mass_matrix(tree, q), from_leaves=True)
    inverse = ca.horzcat(*map(factors.solve, ca.horzsplit(SX.eye(tree.nv))))
    for r in range(tree.nv):
        for c in range(r):
            inverse[r, c] = inverse[c, r]
    by_q, by_qd = (-ca.horzcat(*map(factors.solve, ca.horzsplit(by))) for by in (by_q, by_qd))
    return by_q, by_qd, inverse


def forward_dynamics_dq(tree: Tree, q: SX, qd: SX, tau: SX) -> SX:
    """Return d qdd / dq of forward dynamics, by body-frame (right) perturbations of the joints.

    Column h is the derivative by s of qdd after T -> T exp(X_h s). Returns (nv, nv).
    """
    return forward_dynamics_derivatives(tree, q, qd, tau)[0]


def forward_dynamics_dqd(tree: Tree, q: SX, qd: SX, tau: SX) -> SX:
    """Return d qdd / dqd of forward dynamics. Returns (nv, nv)."""
    return forward_dynamics_derivatives(tree, q, qd, tau)[1]


def forward_dynamics_dtau(tree: Tree, q: SX, qd: SX, tau: SX) -> SX:
    """Return d qdd / dtau of forward dynamics, the inverse of the mass matrix. Returns (nv, nv)."""
    return forward_dynamics_derivatives(tree, q, qd, tau)[2]


def _derivatives(at: Posture, nv: int, qd: SX, qdd: SX) -> tuple[SX, SX]:
    nodes, moving = at.nodes, motions(at, qd, qdd)
    accelerations = _with_gravity(at, moving)
    total = composites(at)
    flow = flows(at, [twists[0] for twists, _ in moving])
    carried = _wrenches(at, moving, accelerations)
    drift, wrenches = [], []
    for i, node in enumerate(nodes):
        (V, _), (X, Xd) = moving[i][0], moving[i][1]
        v = node.twist(qd)
        V_p = (V[0] - v[0], V[1] - v[1])
        a = twist_rate(node, Xd, qd, qdd)
        A_p = (accelerations[i][0] - a[0], accelerations[i][1] - a[1])
        if node.parent < 0:
            V_p, A_p = (SX(3, 1), SX(3, 1)), (SX(3, 1), at.up[i])
        P1 = times(-1, minus_ad(V_p, X))
        P2 = times(-1, plus(minus_ad(A_p, X), minus_ad(V_p, P1)))
        rise = plus(total[i].momentum(P2), times(2, flow[i].wrench(P1)))
        by_rate = plus(total[i].momentum(plus(P1, Xd)), times(2, flow[i].wrench(X)))
        momentum, back = total[i].momentum(X), flow[i].transposed_wrench(X)
        drift.append((P1, P2, plus(P1, Xd)))
        wrenches.append([plus(rise, _cross_wrench(X, carried[i])), by_rate, momentum, back, rise])
    by_q, by_qd = SX.zeros(nv, nv), SX.zeros(nv, nv)
    for i, j, moved in pairs(at, wrenches):
        turned, by_rate, momentum, back, rise = moved
        X = nodes[i].screws
        add_block(by_q, nodes[i], nodes[j], product(X, rise if i == j else turned))
        add_block(by_qd, nodes[i], nodes[j], product(X, by_rate))
        if i != j:
            P1, P2, both = drift[i]
            lower = product(P2, momentum) + 2 * product(P1, back)
            add_block(by_q, nodes[j], nodes[i], lower.T)
            lower = product(both, momentum) + 2 * product(X, back)
            add_block(by_qd, nodes[j], nodes[i], lower.T)
    add_rotor_gradient(by_qd, free_rotors(nodes), qd)
    return by_q, by_qd


def _with_gravity(at: Posture, moving: list[TwistRates]) -> list[Screw]:
    """Return the spatial accelerations of the bodies over a base that accelerates upward."""
    return [(twists[1][0], twists[1][1] + lift) for (twists, _), lift in zip(moving, at.up, strict=True)]


def _wrenches(at: Posture, moving: list[TwistRates], accelerations: list[Screw]) -> list[Screw]:
    """Return the wrench that each joint transmits: f = m a + U ms, n = ms x a + axial(U S)."""
    total = []
    for node, (twists, _), (dw, dv) in zip(at.nodes, moving, accelerations, strict=True):
        w, v = twists[0]
        moments, forces = body_wrench(node, Motion.of(Series((w, dw)), Series((dv + cross(w, v),))))
        total.append((moments[0], forces[0]))
    for i, node, (R, p) in at.leaves_first():
        if node.parent >= 0:
            n, f = total[i]
            f = R.out(f)
            total[node.parent] = plus(total[node.parent], (R.out(n) + cross(p, f), f))
    return total


def _cross_wrench(X: Screw, wrench: Screw) -> Screw:
    """Return X x F = (w x n + v x f; w x f) for each screw of X."""
    (w, v), (n, f) = X, wrench
    return cross_columns(w, n) + cross_columns(v, f), cross_columns(w, f)
