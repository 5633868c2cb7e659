"""Regressors: equations of motion as linear functions of the inertial parameters.

Everything here runs in the user's body frames, so that parameters are the robot's own `phi`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

from .algebra import constant, cross_columns, skew
from .factorisation import CHRISTOFFEL, SKEW_CONSISTENT
from .kinematics import base_placements
from .pairs import Screw, plus, times
from .tree import Tree
from .twists import minus_ad

PHI = 10
"""Parameters per body: XX XY XZ YY YZ ZZ MX MY MZ M."""


@dataclass(frozen=True)
class Chain:
    """The joints that carry a body: columns of its Jacobian and their rates, and where they are in qd."""

    J: Screw
    Jd: Screw
    V: Screw
    up: SX
    columns: list[int]
    factors: list[float]


def regressor(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return Y with tau = Y phi for inverse dynamics without rotor inertias.

    Y = J^T (A(V' + G) - ad_V^T A(V)) over all bodies [Garofalo2013, Eqs. (8), (16)] with the
    parameters about the body frame origins, `robot.phi`. Returns (nv, 10 bodies).
    """
    return slotine_li_regressor(tree, q, qd, qd, qdd)


def slotine_li_regressor(
    tree: Tree, q: SX, qd: SX, qdr: SX, qddr: SX, factorisation: str = CHRISTOFFEL
) -> SX:
    """Return Y with M qddr + C qdr + g = Y phi for a reference motion, without rotor inertias.

    C is that of `coriolis_matrix` with the same `factorisation`; passivity-based adaptive control needs
    one with Mdot - 2 C skew-symmetric. With "garofalo" it is that of [Garofalo2013, Eqs. (15), (16)].
    Returns (nv, 10 bodies).
    """

    def wrenches(chain: Chain) -> SX:
        Vr = _twist(chain.J, chain, qdr)
        Ar = plus(_twist(chain.J, chain, qddr), _twist(chain.Jd, chain, qdr))
        A = plus(Ar, (SX(3, 1), chain.up))
        return momentum_matrix(A) + _coriolis_matrix(chain.V, Vr, factorisation)

    return _projected(tree, q, qd, wrenches)


def gravity_torque_dphi(tree: Tree, q: SX) -> SX:
    """Return dg / dphi: g = (dg / dphi) phi [Garofalo2013, Eq. (13c)]. Returns (nv, 10 bodies)."""
    zero = SX(tree.nv, 1)
    return _projected(tree, q, zero, lambda chain: momentum_matrix((SX(3, 1), chain.up)))


def mass_matrix_dphi(tree: Tree, q: SX) -> SX:
    """Return dM / dphi, entry [i, j, h] = J_i . A(J_j) column h [Garofalo2013, Eq. (13a)].

    Returns (nv, nv, 10 bodies).
    """
    zero = SX(tree.nv, 1)
    return _tensor(tree, q, zero, lambda chain, k: momentum_matrix(_column(chain.J, k)))


def coriolis_matrix_dphi(tree: Tree, q: SX, qd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return dC / dphi for the Christoffel or another `factorisation` of `coriolis_matrix`.

    Entry [i, j, h] = J_i . (A(Jd_j) + c(V) J_j) column h. For "garofalo" that is
    [Garofalo2013, Eq. (13b)], corrected: its second Jacobian is a rate. Returns (nv, nv, 10 bodies).
    """

    def wrenches(chain: Chain, k: int) -> SX:
        velocity = _coriolis_matrix(chain.V, _column(chain.J, k), factorisation)
        return momentum_matrix(_column(chain.Jd, k)) + velocity

    return _tensor(tree, q, qd, wrenches)


def kinetic_energy_regressor(tree: Tree, q: SX, qd: SX) -> SX:
    """Return the row y with kinetic energy = y . phi, without rotor inertias. Returns (10 bodies)."""
    rows = []
    for chain in _chains(tree, q, qd):
        rows.append(0.5 * ca.vertcat(*chain.V).T @ momentum_matrix(chain.V))
    return ca.horzcat(*rows).T


def potential_energy_regressor(tree: Tree, q: SX) -> SX:
    """Return the row y with potential energy = y . phi. Returns (10 bodies)."""
    zero = SX(tree.nv, 1)
    rows = []
    for chain, origin in zip(_chains(tree, q, zero), _origins(tree, q), strict=True):
        height = -(constant(tree.gravity).T @ origin)
        rows.append(ca.vertcat(SX(6, 1), chain.up, height))
    return ca.vertcat(*rows)


def momentum_matrix(V: Screw) -> SX:
    """Return the 6 x 10 matrix A(V) with A(V) phi = M V, the momentum (angular; linear) of a body.

    [Garofalo2013, Eqs. (8)-(12)] with phi in our order and the angular part first; the inertia in phi is
    about the origin of the body frame. `closedform.model.inertia.GAROFALO_ORDER` gives the paper's columns.
    """
    w, v = V
    x, y, z = w[0], w[1], w[2]
    zero = SX(1, 1)
    rotational = ca.blockcat(
        [[x, y, z, zero, zero, zero], [zero, x, zero, y, z, zero], [zero, zero, x, zero, y, z]]
    )
    moment = ca.horzcat(rotational, -skew(v), SX(3, 1))
    force = ca.horzcat(SX(3, 6), skew(w), v)
    return ca.vertcat(moment, force)


def _coriolis_matrix(V: Screw, U: Screw, factorisation: str = CHRISTOFFEL) -> SX:
    """Return the 6 x 10 matrix of c(V) U in phi: (M ad_V U - ad_V^T M U - ad_U^T M V) / 2.

    c(V) is the velocity part of the body's Coriolis matrix; at U = V it is -ad_V^T M V. That of other
    factorisations is M ad_V U - ad_V^T M U, or its second term alone.
    """
    if not SKEW_CONSISTENT[factorisation]:
        return -_dual(V, momentum_matrix(U))
    ad = times(-1, minus_ad(V, U))
    if factorisation != CHRISTOFFEL:
        return momentum_matrix(ad) - _dual(V, momentum_matrix(U))
    total = momentum_matrix(ad) - _dual(V, momentum_matrix(U)) - _dual(U, momentum_matrix(V))
    return 0.5 * total


def _dual(V: Screw, matrix: SX) -> SX:
    """Return ad_V^T applied to the columns (moment; force) of a matrix."""
    w, v = V
    n, f = matrix[:3, :], matrix[3:, :]
    return ca.vertcat(cross_columns(n, w) + cross_columns(f, v), cross_columns(f, w))


def _projected(tree: Tree, q: SX, qd: SX, wrenches: Callable[[Chain], SX]) -> SX:
    """Return J^T (wrenches) over all bodies, one block of ten columns each."""
    Y = SX(tree.nv, PHI * len(tree.own))
    for k, chain in enumerate(_chains(tree, q, qd)):
        block = wrenches(chain)
        rows = chain.J[0].T @ block[:3, :] + chain.J[1].T @ block[3:, :]
        for r, (row, factor) in enumerate(zip(chain.columns, chain.factors, strict=True)):
            Y[row, PHI * k : PHI * k + PHI] += factor * rows[r, :]
    return Y


def _tensor(tree: Tree, q: SX, qd: SX, wrenches: Callable[[Chain, int], SX]) -> SX:
    """Return the array [i, j, h] whose blocks are J_i^T (wrenches of column j)."""
    n = tree.nv
    T = SX(n * n, PHI * len(tree.own))
    for k, chain in enumerate(_chains(tree, q, qd)):
        for c, (column, factor_c) in enumerate(zip(chain.columns, chain.factors, strict=True)):
            block = wrenches(chain, c)
            rows = chain.J[0].T @ block[:3, :] + chain.J[1].T @ block[3:, :]
            for r, (row, factor) in enumerate(zip(chain.columns, chain.factors, strict=True)):
                T[row * n + column, PHI * k : PHI * k + PHI] += factor * factor_c * rows[r, :]
    return T


def _column(J: Screw, k: int) -> Screw:
    return J[0][:, k], J[1][:, k]


def _twist(J: Screw, chain: Chain, rates: SX) -> Screw:
    own = ca.vertcat(*(f * rates[c] for c, f in zip(chain.columns, chain.factors, strict=True)))
    return J[0] @ own, J[1] @ own


def _chains(tree: Tree, q: SX, qd: SX) -> list[Chain]:
    """Return the Jacobian, its rate and the twist of every body in the user's body frame."""
    chains: list[Chain] = []
    for node in tree.own:
        T = node.T_frame
        Rf, c = constant(T[:3, :3]), constant(T[:3, 3])
        R, p = node.placement(q)
        parent = chains[node.parent] if node.parent >= 0 else None
        if parent is None:
            J = Jd = (SX(3, 0), SX(3, 0))
            V: Screw = (SX(3, 1), SX(3, 1))
            up = -constant(tree.gravity)
            columns: list[int] = []
            factors: list[float] = []
        else:
            T_p = tree.own[node.parent].T_frame
            R_p, c_p = constant(T_p[:3, :3]), constant(T_p[:3, 3])
            J, Jd, V = (_into(R_p, c_p, s) for s in (parent.J, parent.Jd, parent.V))
            up = R_p.T @ parent.up
            columns, factors = parent.columns, parent.factors
        J, Jd, V = ((R.back(w), R.back(v + cross_columns(w, p))) for w, v in (J, Jd, V))
        up = R.back(up)
        v_own = node.twist(qd)
        Jd = plus(Jd, minus_ad(v_own, J))
        J, Jd = _beside(J, node.screws), _beside(Jd, (SX(3, node.nv), SX(3, node.nv)))
        V = plus(V, v_own)
        J, Jd, V = (_outof(Rf, c, s) for s in (J, Jd, V))
        chains.append(
            Chain(
                J,
                Jd,
                V,
                Rf @ up,
                [*columns, *range(node.iv, node.iv + node.nv)],
                [*factors, *([node.ratio] * node.nv)],
            )
        )
    return chains


def _beside(a: Screw, b: Screw) -> Screw:
    return ca.horzcat(a[0], b[0]), ca.horzcat(a[1], b[1])


def _into(R: SX, c: SX, s: Screw) -> Screw:
    """Return screws of a body frame in the frame of pose (R, c) in it."""
    w, v = s
    return R.T @ w, R.T @ (v + cross_columns(w, c))


def _outof(R: SX, c: SX, s: Screw) -> Screw:
    """Return screws of the frame of pose (R, c) in the body frame."""
    w, v = R @ s[0], R @ s[1]
    return w, v - cross_columns(w, c)


def _origins(tree: Tree, q: SX) -> list[SX]:
    """Return the origins of the user's body frames in the base frame."""
    origins = []
    for node, (R, p) in zip(tree.own, base_placements(tree.own_at(q)), strict=True):
        inverse = np.linalg.inv(node.T_frame)
        origins.append(p + R @ constant(inverse[:3, 3]))
    return origins
