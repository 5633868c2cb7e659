"""Derivatives of the motion and of the forces of a robot with contacts by its state and torques.

With the joint forces f(q, qd, qdd) of a motion, the rows J of the contacts and their forces lambda,

    f(q, qd, qdd) - J^T lambda = tau,    J qdd + J' qd = 0.

At constant qdd and lambda let r be the change of the first and s that of the second, less that of tau. Then

    M d qdd - J^T d lambda = -r,    J d qdd = -s,

the equations of motion once more, with the same factors: D d lambda = J M^-1 r - s and
d qdd = M^-1 (J^T d lambda - r) [CarpentierMansard2018]. Columns of derivatives by q belong to body-frame
(right) perturbations of the joints, as those of trees.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from ..forms import state
from ..forms.loads import NO_LOADS, Loads
from ..forms.manifold import coordinate_map
from .forms import Held
from .touching import Touching


def forward_dynamics_derivatives(
    held: Held, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS
) -> tuple[SX, SX, SX]:
    """Return d qdd / dq, d qdd / dqd and d qdd / dtau while contacts hold, in one evaluation.

    Column h by q is the derivative for a body-frame (right) perturbation of joint h. The last is
    symmetric, M^-1 - M^-1 J^T D^-1 J M^-1 [CarpentierMansard2018]. `wrenches`, `friction` and `springs`
    as in `inverse_dynamics_derivatives` of trees. Returns (nv, nv) three times.
    """
    by_q, by_qd, by_tau = (motion for motion, _ in _changes(held, q, qd, tau, loads)[1])
    return by_q, by_qd, by_tau


def forward_dynamics_dq(held: Held, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return d qdd / dq of forward dynamics while contacts hold. Returns (nv, nv)."""
    return forward_dynamics_derivatives(held, q, qd, tau, loads=loads)[0]


def forward_dynamics_dqd(held: Held, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return d qdd / dqd of forward dynamics while contacts hold. Returns (nv, nv)."""
    return forward_dynamics_derivatives(held, q, qd, tau, loads=loads)[1]


def forward_dynamics_dtau(held: Held, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return d qdd / dtau of forward dynamics while contacts hold, symmetric. Returns (nv, nv)."""
    return forward_dynamics_derivatives(held, q, qd, tau, loads=loads)[2]


def contact_forces_derivatives(
    held: Held, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS
) -> tuple[SX, SX, SX]:
    """Return the derivatives of `contact_forces` by q, qd and tau, in one evaluation.

    Forces stay in the axes of their contact. If rows depend on each other, the derivatives are those of
    the forces of least norm. Otherwise as `forward_dynamics_derivatives`. Returns (rows, nv) three times.
    """
    known, changes = _changes(held, q, qd, tau, loads)
    at, x = held.at(q), SX.sym("x", held.tree.nq)
    forces, still = SX.sym("forces", len(held.model.rows)), Touching(held.model, held.tree, x)
    turned = ca.jtimes(still.shared(forces), x, ca.densify(coordinate_map(held.tree.model, x)))
    turned = ca.substitute(turned, ca.vertcat(x, forces), ca.vertcat(q, known))
    by_q, by_qd, by_tau = (at.shared(push) for _, push in changes)
    return by_q + turned, by_qd, by_tau


def contact_forces_dq(held: Held, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return the derivative of `contact_forces` by q. Returns (rows, nv)."""
    return contact_forces_derivatives(held, q, qd, tau, loads=loads)[0]


def contact_forces_dqd(held: Held, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return the derivative of `contact_forces` by qd. Returns (rows, nv)."""
    return contact_forces_derivatives(held, q, qd, tau, loads=loads)[1]


def contact_forces_dtau(held: Held, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return the derivative of `contact_forces` by tau. Returns (rows, nv)."""
    return contact_forces_derivatives(held, q, qd, tau, loads=loads)[2]


def _changes(held: Held, q: SX, qd: SX, tau: SX, loads: Loads) -> tuple[SX, list[tuple[SX, SX]]]:
    """Return the forces of the independent rows, and the changes of qdd and of them by q, qd and tau."""
    at, tree = held.at(q), held.tree
    free = at.free(qd, tau, loads)
    forces = at.held(qd, free)
    qdd = free + at.pushed(forces)
    by_q, by_qd = state.inverse_dynamics_derivatives(tree, q, qd, qdd, loads=loads)
    # at constant qdd and lambda: J^T lambda and J qdd + J' qd
    x, v, a, f = (
        SX.sym(name, size)
        for name, size in (("x", tree.nq), ("v", tree.nv), ("a", tree.nv), ("f", len(held.model.rows)))
    )
    J, Jd = (rows[list(held.model.rows), :] for rows in Touching(held.model, tree, x).rows(v))
    drift = ca.densify(J @ a + Jd @ v)
    E = ca.densify(coordinate_map(tree.model, x))
    found = [ca.jtimes(ca.densify(J.T @ f), x, E), ca.jtimes(drift, x, E), ca.jacobian(drift, v)]
    symbols, values = [x, v, a, f], [q, qd, ca.densify(qdd), ca.densify(forces)]
    pushed, drift_q, drift_qd = ca.substitute(found, symbols, values)
    zero, one = SX(len(held.model.rows), tree.nv), SX.eye(tree.nv)
    pairs = ((by_q - pushed, drift_q), (by_qd, drift_qd), (-one, zero))
    return forces, [at.changed(*each) for each in pairs]
