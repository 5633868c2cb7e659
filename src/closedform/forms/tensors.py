"""Derivatives of M and C by the state: arrays with three axes, the derivative's last.

They come from CasADi's differentiation of the recursions, which for these tensors costs fewer
operations than moving wrenches for every triple of joints.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from .coriolis import coriolis_matrix
from .factorisation import CHRISTOFFEL
from .mass import mass_matrix
from .tree import Tree
from .velocity_maps import velocity_map_inverse


def mass_matrix_dq(tree: Tree, q: SX) -> SX:
    """Return dM / dq, entry [i, j, h] the derivative of M_ij along joint velocity h.

    That is the derivative for a body-frame (right) perturbation of joint h, T -> T exp(X_h s), by s
    at 0 [Garofalo2013, Eq. (24)]. Returns (nv, nv, nv).
    """
    return _symmetric_gradient(tree, mass_matrix(tree, q), q)


def coriolis_matrix_dq(tree: Tree, q: SX, qd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return dC / dq, entry [i, j, h] the derivative of C_ij along joint velocity h.

    The perturbation of joint h is a body-frame (right) one, T -> T exp(X_h s). With the `factorisation`
    "garofalo" it is [Garofalo2013, Eq. (24b)]. Returns (nv, nv, nv).
    """
    return ca.jacobian(_rows(coriolis_matrix(tree, q, qd, factorisation)), q) @ velocity_map_inverse(tree, q)


def coriolis_matrix_dqd(tree: Tree, q: SX, qd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return dC / dqd, constant in qd: for one-dof joints the Christoffel symbols.

    Entry [i, j, h] = (dM_ij/dq_h + dM_ih/dq_j - dM_jh/dq_i) / 2 there; for joints of several
    dofs, and for another `factorisation`, C is still linear in qd and is differentiated: for "garofalo"
    [Garofalo2013, Eq. (24c)]. Returns (nv, nv, nv).
    """
    if factorisation != CHRISTOFFEL or any(body.joint.nv > 1 for body in tree.model.bodies):
        return ca.jacobian(_rows(coriolis_matrix(tree, q, qd, factorisation)), qd)
    n = tree.nv
    D = mass_matrix_dq(tree, q)
    symbols = SX(n * n, n)
    for i in range(n):
        for j in range(n):
            for h in range(n):
                symbols[i * n + j, h] = 0.5 * (D[i * n + j, h] + D[i * n + h, j] - D[j * n + h, i])
    return symbols


def _symmetric_gradient(tree: Tree, M: SX, q: SX) -> SX:
    """Return the gradient of a symmetric matrix, each entry differentiated once."""
    n = M.size1()
    upper = [(i, j) for i in range(n) for j in range(i, n)]
    columns = ca.vertcat(*(M[i, j] for i, j in upper))
    D = ca.jacobian(columns, q) @ velocity_map_inverse(tree, q)
    where = {pair: k for k, pair in enumerate(upper)}
    order = [where[min(i, j), max(i, j)] for i in range(n) for j in range(n)]
    return D[order, :]


def _rows(M: SX) -> SX:
    """Return the entries of a matrix row by row, as a column."""
    return ca.vec(M.T)
