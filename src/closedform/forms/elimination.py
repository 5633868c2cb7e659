"""Elimination without branches, as expressions: factors of symmetric matrices, and Givens rotations.

`factor_tree` starts from the leaves and keeps the zeros of a tree; `factors` starts from the first row and
gives the pivots; `solve_positive` refuses a matrix that is not positive definite.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

TINY = 1e-150
"""Turns a rotation of two zeros into none, and changes no other number."""

Factors = tuple[list[list[SX]], list[list[int]], list[SX]]
"""Rows of L, the columns where they are not zero, and the reciprocal pivots."""


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


def solve_positive(B: SX, b: SX) -> SX:
    """Return B^-1 b by Cholesky factors; a square root at each pivot makes NaN of a negative one."""
    n = B.size1()
    L = [[B[i, j] for j in range(i + 1)] for i in range(n)]
    inverse: list[SX] = []
    for k in range(n):
        inverse.append(1 / ca.sqrt(L[k][k]))
        for i in range(k + 1, n):
            L[i][k] = L[i][k] * inverse[k]
        for i in range(k + 1, n):
            for j in range(k + 1, i + 1):
                L[i][j] = L[i][j] - L[i][k] * L[j][k]
    x = [b[i] for i in range(n)]
    for i in range(n):
        for j in range(i):
            x[i] = x[i] - L[i][j] * x[j]
        x[i] = x[i] * inverse[i]
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            x[i] = x[i] - L[j][i] * x[j]
        x[i] = x[i] * inverse[i]
    return ca.vertcat(*x)


def factors(G: SX) -> tuple[list[list[SX]], list[SX]]:
    """Return the unit lower triangle L and the pivots d of G = L diag(d) L^T, G positive definite."""
    m = G.size1()
    A = [[G[i, j] for j in range(m)] for i in range(m)]
    L = [[SX(float(i == j)) for j in range(m)] for i in range(m)]
    for k in range(m):
        for i in range(k + 1, m):
            L[i][k] = A[i][k] / A[k][k]
            for j in range(k + 1, i + 1):
                A[i][j] = A[i][j] - L[i][k] * A[j][k]
    return L, [A[k][k] for k in range(m)]


def solve(G: SX, b: SX) -> SX:
    """Return G^-1 b for a positive definite G."""
    m = G.size1()
    L, pivots = factors(G)
    y = [b[i] for i in range(m)]
    for i in range(m):
        y[i] = y[i] - sum((L[i][j] * y[j] for j in range(i)), SX(0))
    y = [y[i] / pivots[i] for i in range(m)]
    for i in reversed(range(m)):
        y[i] = y[i] - sum((L[j][i] * y[j] for j in range(i + 1, m)), SX(0))
    return ca.vertcat(*y)


class Rotations:
    """J^T = Q1 R by Givens rotations: the range and the null space of J in orthonormal bases.

    `R` is upper triangular (m, m), `range` has the m rows of Q1^T and `null` the n - m rows N with
    J N^T = 0. Rotations need no choice of sign or pivot, and N is orthonormal at singularities too,
    where Z of [Chang1987, Eq. (9)] does not exist.
    """

    def __init__(self, J: SX) -> None:
        m, n = J.shape
        A = [[J[i, j] for i in range(m)] for j in range(n)]
        Q = [[SX(float(i == j)) for j in range(n)] for i in range(n)]
        for j in range(m):
            for i in range(n - 1, j, -1):
                a, b = A[j][j], A[i][j]
                if b.is_zero():
                    continue
                r = ca.sqrt(a * a + b * b + TINY * TINY)
                c, s = (a + TINY) / r, b / r
                for row, start in ((A, j), (Q, 0)):
                    for k in range(start, len(row[0])):
                        x, y = row[j][k], row[i][k]
                        row[j][k], row[i][k] = c * x + s * y, c * y - s * x
        self.R = [[A[i][k] for k in range(m)] for i in range(m)]
        self.range = ca.vertcat(*(ca.horzcat(*Q[i]) for i in range(m)))
        self.null = ca.vertcat(*(ca.horzcat(*Q[i]) for i in range(m, n))) if n > m else SX(0, n)

    def least_norm(self, b: SX) -> SX:
        """Return the smallest x with J x = b: Q1 R^-T b."""
        m = len(self.R)
        y: list[SX] = []
        for i in range(m):
            y.append((b[i] - sum((self.R[j][i] * y[j] for j in range(i)), SX(0))) / self.R[i][i])
        return self.range.T @ ca.vertcat(*y)

    def least_squares(self, h: SX) -> SX:
        """Return the x that brings J^T x nearest to h: R^-1 Q1^T h."""
        m = len(self.R)
        x = [SX(0)] * m
        y = self.range @ h
        for i in reversed(range(m)):
            x[i] = (y[i] - sum((self.R[i][j] * x[j] for j in range(i + 1, m)), SX(0))) / self.R[i][i]
        return ca.vertcat(*x)
