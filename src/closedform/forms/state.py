"""Derivatives of inverse and forward dynamics by the state, in closed form."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from .algebra import cross
from .armature import add_rotor_gradient, free_rotors
from .environment import AppliedWrench, applied_wrenches, wrench_gradient
from .forward import factors, forward_dynamics
from .friction import friction_slope
from .loads import NO_LOADS, Loads
from .mass import add_block
from .newton_euler import Motion, body_wrench
from .pairs import Screw, cross_wrench, pairs, plus, product, times, with_carried
from .reference import BODY
from .series import Series
from .springs import spring_gradient
from .subtree import composites, flows
from .tree import Posture, Tree
from .twists import TwistRates, minus_ad, motions, twist_rate


def inverse_dynamics_derivatives(
    tree: Tree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS
) -> tuple[SX, SX]:
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

    `wrenches` (constant in the axes of their `reference`), `friction` (damping, in d / dqd) and
    `springs` (in d / dq) are as in `inverse_dynamics`. Dry friction adds nothing, at qd = 0 neither.
    """
    return _derivatives(tree, q, qd, qdd, loads)


def inverse_dynamics_dq(tree: Tree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return d tau / dq of inverse dynamics, by body-frame (right) perturbations of the joints.

    Column h is the derivative by s of tau after T -> T exp(X_h s), along a unit velocity h; see
    `inverse_dynamics_derivatives`. Returns (nv, nv).
    """
    return inverse_dynamics_derivatives(tree, q, qd, qdd, loads=loads)[0]


def inverse_dynamics_dqd(tree: Tree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return d tau / dqd of inverse dynamics; see `inverse_dynamics_derivatives`. Returns (nv, nv)."""
    return inverse_dynamics_derivatives(tree, q, qd, qdd, loads=loads)[1]


def gravity_torque_dq(tree: Tree, q: SX) -> SX:
    """Return dg / dq, symmetric for one-dof joints: the Hessian of the potential energy.

    The derivatives of inverse dynamics at rest. Returns (nv, nv).
    """
    zero = SX(tree.nv, 1)
    return inverse_dynamics_derivatives(tree, q, zero, zero)[0]


def forward_dynamics_derivatives(
    tree: Tree, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS
) -> tuple[SX, SX, SX]:
    """Return d qdd / dq, d qdd / dqd and d qdd / dtau = M^-1 in one evaluation.

    d qdd = -M^-1 (d tau / dq dq + d tau / dqd dqd) at the accelerations of forward dynamics
    [CarpentierMansard2018]. Returns (nv, nv) three times.

    `wrenches`, `friction` and `springs` as in `inverse_dynamics_derivatives`.
    """
    qdd = forward_dynamics(tree, q, qd, tau, loads=loads)
    by_q, by_qd = inverse_dynamics_derivatives(tree, q, qd, qdd, loads=loads)
    M = factors(tree, q)
    by_q, by_qd = (-M.solve_columns(by) for by in (by_q, by_qd))
    return by_q, by_qd, M.inverse()


def forward_dynamics_dq(tree: Tree, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return d qdd / dq of forward dynamics, by body-frame (right) perturbations of the joints.

    Column h is the derivative by s of qdd after T -> T exp(X_h s). Returns (nv, nv).
    """
    return forward_dynamics_derivatives(tree, q, qd, tau, loads=loads)[0]


def forward_dynamics_dqd(tree: Tree, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return d qdd / dqd of forward dynamics. Returns (nv, nv)."""
    return forward_dynamics_derivatives(tree, q, qd, tau, loads=loads)[1]


def forward_dynamics_dtau(tree: Tree, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return d qdd / dtau of forward dynamics, the inverse of the mass matrix. Returns (nv, nv)."""
    return forward_dynamics_derivatives(tree, q, qd, tau, loads=loads)[2]


def _derivatives(tree: Tree, q: SX, qd: SX, qdd: SX, loads: Loads) -> tuple[SX, SX]:
    at = tree.at(q)
    nodes, moving, nv = at.nodes, motions(at, qd, qdd), tree.nv
    accelerations = _with_gravity(at, moving)
    total = composites(at)
    flow = flows(at, [twists[0] for twists, _ in moving])
    acting = applied_wrenches(tree, at, (), loads)
    carried = _wrenches(at, moving, accelerations, acting if loads.reference == BODY else [])
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
        wrenches.append([plus(rise, cross_wrench(X, carried[i])), by_rate, momentum, back, rise])
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
    if acting and loads.reference != BODY:
        by_q -= wrench_gradient(at, nv, acting, loads.reference)
    if loads.friction:
        by_qd += ca.diag(friction_slope(tree, qd))
    if loads.springs:
        by_q += spring_gradient(tree, q)
    return by_q, by_qd


def _with_gravity(at: Posture, moving: list[TwistRates]) -> list[Screw]:
    """Return the spatial accelerations of the bodies over a base that accelerates upward."""
    return [(twists[1][0], twists[1][1] + lift) for (twists, _), lift in zip(moving, at.up, strict=True)]


def _wrenches(
    at: Posture, moving: list[TwistRates], accelerations: list[Screw], acting: list[AppliedWrench]
) -> list[Screw]:
    """Return the wrench that each joint transmits: f = m a + U ms, n = ms x a + axial(U S).

    The wrenches that act on the bodies are taken from it.
    """
    total = []
    for node, (twists, _), (dw, dv) in zip(at.nodes, moving, accelerations, strict=True):
        w, v = twists[0]
        moments, forces = body_wrench(node, Motion.of(Series((w, dw)), Series((dv + cross(w, v),))))
        total.append((moments[0], forces[0]))
    for each in acting:
        total[each.body] = plus(total[each.body], times(-1, each.screw))
    return with_carried(at, total)
