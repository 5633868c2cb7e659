"""Derivatives of the equations of motion of a robot with loops by its state.

A quantity is an expression of all joints' coordinates x, of which only those with closed loops count. Along
the independent velocity h they change by x' = E(x) G e_h, so that the derivative of any expression by the
independent coordinates is its derivative by x times E G. Independent ball and free joints are perturbed in
their body frames, as those of trees.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
from casadi import SX

from ..forms.elimination import Factors
from ..forms.factorisation import CHRISTOFFEL
from ..forms.loads import NO_LOADS, Loads
from . import dynamics
from .closed_tree import ClosedTree, Posture


def generalized_force_derivatives(
    closed: ClosedTree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS
) -> tuple[SX, SX]:
    """Return the derivatives of `generalized_force` by q and qd together. Returns (nv, nv) twice."""
    return _by_motion(closed, q, qd, lambda at: dynamics.forces_of(at, qd, qdd, loads))


def generalized_force_dq(closed: ClosedTree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return the derivative of `generalized_force` by q. Returns (nv, nv)."""
    return generalized_force_derivatives(closed, q, qd, qdd, loads=loads)[0]


def generalized_force_dqd(closed: ClosedTree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return the derivative of `generalized_force` by qd. Returns (nv, nv)."""
    return generalized_force_derivatives(closed, q, qd, qdd, loads=loads)[1]


def inverse_dynamics_derivatives(
    closed: ClosedTree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS
) -> tuple[SX, SX]:
    """Return d tau / dq and d tau / dqd of inverse dynamics in one evaluation.

    Column h is the derivative along a unit velocity h, all joints moving as the loops say; for one-dof
    joints that is d / dq_h. Returns (actuated, nv) twice.
    """
    return _by_motion(closed, q, qd, lambda at: at.torques(dynamics.forces_of(at, qd, qdd, loads)))


def inverse_dynamics_dq(closed: ClosedTree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return d tau / dq of inverse dynamics. Returns (actuated, nv)."""
    return inverse_dynamics_derivatives(closed, q, qd, qdd, loads=loads)[0]


def inverse_dynamics_dqd(closed: ClosedTree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return d tau / dqd of inverse dynamics. Returns (actuated, nv)."""
    return inverse_dynamics_derivatives(closed, q, qd, qdd, loads=loads)[1]


def forward_dynamics_derivatives(
    closed: ClosedTree, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS
) -> tuple[SX, SX, SX]:
    """Return d qdd / dq, d qdd / dqd and d qdd / dtau in one evaluation.

    With the generalised forces f(q, qd, qdd) of a motion, M d qdd = A^T d tau + d(A^T tau - f), the last
    at constant qdd and tau [CarpentierMansard2018]. Returns (nv, nv) twice and (nv, actuated).
    """
    at = closed.at(q)
    qdd = SX.sym("qdd", closed.nv)
    by_q, by_qd = _by_motion(
        closed, q, qd, lambda at: at.forces(tau) - dynamics.forces_of(at, qd, qdd, loads)
    )
    M = Factors(dynamics.embedded_mass(at), from_leaves=True)
    found = dynamics.forward_dynamics(closed, q, qd, tau, loads=loads)
    by_q, by_qd = ca.substitute([by_q, by_qd], [qdd], [ca.densify(found)])
    by_q, by_qd, by_tau = map(M.solve_columns, (by_q, by_qd, ca.densify(_actuation(at))))
    return by_q, by_qd, by_tau


def forward_dynamics_dq(closed: ClosedTree, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return d qdd / dq of forward dynamics. Returns (nv, nv)."""
    return forward_dynamics_derivatives(closed, q, qd, tau, loads=loads)[0]


def forward_dynamics_dqd(closed: ClosedTree, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return d qdd / dqd of forward dynamics. Returns (nv, nv)."""
    return forward_dynamics_derivatives(closed, q, qd, tau, loads=loads)[1]


def forward_dynamics_dtau(closed: ClosedTree, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return d qdd / dtau of forward dynamics, M^-1 A^T. Returns (nv, actuated)."""
    return forward_dynamics_derivatives(closed, q, qd, tau, loads=loads)[2]


def gravity_torque_dq(closed: ClosedTree, q: SX) -> SX:
    """Return dg / dq, the Hessian of the potential energy for one-dof joints. Returns (nv, nv)."""
    return _moved(closed, q, lambda at: dynamics.gravity_torque(_standing(at), at.x))


def mass_matrix_dq(closed: ClosedTree, q: SX) -> SX:
    """Return dM / dq, entry [i, j, h] = dM_ij / dq_h. Returns (nv, nv, nv)."""
    return _moved(closed, q, lambda at: _rows(dynamics.embedded_mass(at)))


def coriolis_matrix_dq(closed: ClosedTree, q: SX, qd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return dC / dq, entry [i, j, h] = dC_ij / dq_h. Returns (nv, nv, nv)."""
    return _moved(
        closed, q, lambda at: _rows(dynamics.coriolis_matrix(_standing(at), at.x, qd, factorisation))
    )


def coriolis_matrix_dqd(closed: ClosedTree, q: SX, qd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return dC / dqd, entry [i, j, h] = dC_ij / dqd_h. Returns (nv, nv, nv)."""
    return ca.jacobian(_rows(dynamics.coriolis_matrix(closed, q, qd, factorisation)), qd)


def _actuation(at: Posture) -> SX:
    return SX.eye(at.nv) if at.model.direct else at.A.T


def _moved(closed: ClosedTree, q: SX, build: Callable[[Posture], SX]) -> SX:
    """Return the derivative of an expression (a column) by the independent coordinates."""
    at = Posture(closed, SX.sym("x", closed.tree.nq))
    by_q = ca.jtimes(ca.densify(build(at)), at.x, ca.densify(at.tangent))
    return ca.substitute(by_q, at.x, ca.densify(closed.assembled(q)))


def _by_motion(closed: ClosedTree, q: SX, qd: SX, build: Callable[[Posture], SX]) -> tuple[SX, SX]:
    """Return the derivatives of an expression by the independent coordinates and velocities."""
    at = Posture(closed, SX.sym("x", closed.tree.nq))
    value = ca.densify(build(at))
    by_q = ca.jtimes(value, at.x, ca.densify(at.tangent))
    by_q, by_qd = ca.substitute([by_q, ca.jacobian(value, qd)], [at.x], [ca.densify(closed.assembled(q))])
    return by_q, by_qd


def _standing(at: Posture) -> ClosedTree:
    """Return the mechanism whose forms take the coordinates of all joints."""
    return at.closed.in_all_coordinates


def _rows(matrix: SX) -> SX:
    """Return the entries of a matrix, row by row."""
    return ca.vec(ca.densify(matrix).T)
