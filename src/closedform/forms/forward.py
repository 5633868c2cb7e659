"""Forward dynamics by the sparse factorisation of the mass matrix."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from .mass import mass_matrix
from .newton_euler import inverse_dynamics
from .tree import Tree

Factors = tuple[list[list[SX]], list[list[int]], list[SX]]
"""Rows of L, the columns where they are not zero, and the reciprocal pivots."""


def forward_dynamics(tree: Tree, q: SX, qd: SX, tau: SX) -> SX:
    """Return qdd = M^-1 (tau - C qd - g).

    M is factored as L^T D L from the leaves to the root, which fills in no entry between
    branches [Featherstone2008, section 6.5]. A sample whose M is singular gives NaN or inf in
    its own row. Inputs q (nq), qd, tau (nv); returns (nv).
    """
    bias = inverse_dynamics(tree, q, qd, SX.zeros(tree.nv))
    return solve_factored(factor_tree(mass_matrix(tree, q)), tau - bias)


def factor_tree(M: SX) -> Factors:
    """Return the factors of M = L^T D L, skipping entries that are identically zero."""
    n = M.size1()
    L = [[M[i, j] for j in range(i + 1)] for i in range(n)]
    lower = [[j for j in range(i) if not L[i][j].is_zero()] for i in range(n)]
    reciprocals: list[SX] = [SX(0)] * n
    for k in reversed(range(n)):
        reciprocals[k] = 1 / L[k][k]
        row = list(L[k])
        for position, i in enumerate(lower[k]):
            factor = row[i] * reciprocals[k]
            for j in lower[k][: position + 1]:
                L[i][j] = L[i][j] - factor * row[j]
                if j < i and j not in lower[i]:
                    lower[i] = sorted([*lower[i], j])
            L[k][i] = factor
    return L, lower, reciprocals


def solve_factored(factors: Factors, b: SX) -> SX:
    """Return M^-1 b from the factors of M."""
    L, lower, reciprocals = factors
    n = len(L)
    x = [b[i] for i in range(n)]
    for k in reversed(range(n)):
        for i in lower[k]:
            x[i] = x[i] - L[k][i] * x[k]
    for k in range(n):
        x[k] = x[k] * reciprocals[k]
        for i in lower[k]:
            x[k] = x[k] - L[k][i] * x[i]
    return ca.vertcat(*x)
