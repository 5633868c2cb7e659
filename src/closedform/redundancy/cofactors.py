"""Null-space rows without quotients: determinants in place of the inverse of J_m."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
from casadi import SX


def cleared_rows(J: SX, columns: Sequence[int], others: Sequence[int]) -> tuple[SX, SX]:
    """Return det(J_m) Z and det(J_m) for the Z of [Chang1987, Eq. (9)], polynomials in the entries of J.

    `columns` are the m joints of J_m, `others` the rest. By Cramer's rule the entry of Z for joint i of
    J_m and another joint k is the determinant of J_m with the column of i replaced by that of k, over
    det(J_m) [Chang1987, Eqs. (35)-(37)]; joint k itself has -1. For n = m + 1 and the first m joints this
    is (-1)^n n_J. (Eqs. (38) and (39) as printed hold for odd n; for even n both signs are opposite, and
    the quotients of Eq. (40) are right for all n.)
    """
    m, n = J.shape
    Jm = J[:, list(columns)]
    determinant = ca.det(Jm)
    Z = SX.zeros(n - m, n)
    for row, k in enumerate(others):
        for place, i in enumerate(columns):
            replaced = SX(Jm)
            replaced[:, place] = J[:, k]
            Z[row, i] = ca.det(replaced)
        Z[row, k] = -determinant
    return Z, determinant


def null_vector(J: SX) -> SX:
    """Return n_J = (Delta_1, ..., Delta_n) of a J with one column more than rows [Chang1987, Eq. (28)].

    Delta_i is (-1)^(i+1) times the determinant of J without column i; n_J spans the null space of J.
    """
    n = J.size2()
    Z, _ = cleared_rows(J, range(n - 1), (n - 1,))
    return Z.T if n % 2 == 0 else -Z.T
