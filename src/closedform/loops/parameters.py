"""Regressors of a robot with loops: its equations as linear functions of the inertial parameters."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from ..forms import parameters
from ..forms.factorisation import CHRISTOFFEL
from .closed_tree import ClosedTree, Posture


def regressor(closed: ClosedTree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return Y with tau = Y phi for inverse dynamics of the actuated joints, without rotor inertias.

    `generalized_force_regressor`, turned into torques of the actuated joints as in `inverse_dynamics`.
    Returns (actuated, 10 bodies).
    """
    at = closed.at(q)
    return at.torques(_regressor(at, qd, qdd))


def generalized_force_regressor(closed: ClosedTree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return Y with A^T tau = Y phi, the generalised forces of a motion, without rotor inertias.

    G^T Y_tree over all bodies of the tree [Garofalo2013, Eq. (16)]. Returns (nv, 10 bodies).
    """
    return _regressor(closed.at(q), qd, qdd)


def _regressor(at: Posture, qd: SX, qdd: SX) -> SX:
    v, vd = at.velocities([qd, qdd])
    return at.G.T @ parameters.regressor(at.tree, at.x, v, vd)


def slotine_li_regressor(
    closed: ClosedTree, q: SX, qd: SX, qdr: SX, qddr: SX, factorisation: str = CHRISTOFFEL
) -> SX:
    """Return Y with M qddr + C qdr + g = Y phi for a reference motion, in generalised forces.

    C is that of `coriolis_matrix` with the same `factorisation`. Returns (nv, 10 bodies).
    """
    at = closed.at(q)
    v = at.G @ qd
    G, Gd = at.embedding_rates([v])
    Y = parameters.slotine_li_regressor(at.tree, at.x, v, G @ qdr, G @ qddr + Gd @ qdr, factorisation)
    return G.T @ Y


def mass_matrix_dphi(closed: ClosedTree, q: SX) -> SX:
    """Return dM / dphi, entry [i, j, h] = dM_ij / dphi_h. Returns (nv, nv, 10 bodies)."""
    at = closed.at(q)
    return ca.kron(at.G.T, at.G.T) @ parameters.mass_matrix_dphi(at.tree, at.x)


def coriolis_matrix_dphi(closed: ClosedTree, q: SX, qd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return dC / dphi, entry [i, j, h] = dC_ij / dphi_h. Returns (nv, nv, 10 bodies)."""
    at = closed.at(q)
    v = at.G @ qd
    G, Gd = at.embedding_rates([v])
    inertial = ca.kron(G.T, Gd.T) @ parameters.mass_matrix_dphi(at.tree, at.x)
    return inertial + ca.kron(G.T, G.T) @ parameters.coriolis_matrix_dphi(at.tree, at.x, v, factorisation)


def gravity_torque_dphi(closed: ClosedTree, q: SX) -> SX:
    """Return dg / dphi. Returns (nv, 10 bodies)."""
    at = closed.at(q)
    return at.G.T @ parameters.gravity_torque_dphi(at.tree, at.x)


def kinetic_energy_regressor(closed: ClosedTree, q: SX, qd: SX) -> SX:
    """Return the row y with kinetic energy = y . phi, without rotor inertias. Returns (10 bodies)."""
    at = closed.at(q)
    return parameters.kinetic_energy_regressor(at.tree, at.x, at.G @ qd)


def potential_energy_regressor(closed: ClosedTree, q: SX) -> SX:
    """Return the row y with potential energy = y . phi. Returns (10 bodies)."""
    return parameters.potential_energy_regressor(closed.tree, closed.assembled(q))
