"""Elimination without branches, as expressions: factors of symmetric matrices, and Givens rotations."""

from __future__ import annotations

import casadi as ca
from casadi import SX

TINY = 1e-150
"""Turns a rotation of two zeros into none, and changes no other number."""


class Factors:
    """The factors M = L D L^T of a symmetric matrix; entries that are identically zero cost nothing.

    Elimination runs from the first row to the last, or with `from_leaves` from the last to the first, which
    fills in no entry of a mass matrix between branches. With `positive` the square roots of the pivots are
    part of L (Cholesky), so that a matrix that is not positive definite gives NaN. `pivots` is the diagonal
    of D, and `columns[k]` has the entries of column k of L off the diagonal, by row.
    """

    def __init__(self, M: SX, *, from_leaves: bool = False, positive: bool = False) -> None:
        n = M.size1()
        rest = [[M[i, j] for j in range(i + 1)] for i in range(n)]
        self.order = range(n)[::-1] if from_leaves else range(n)
        self.positive, self.summed = positive, not (positive or from_leaves)
        self.reciprocals: dict[int, SX] = {}
        self.columns: dict[int, dict[int, SX]] = {}
        for step, k in enumerate(self.order):
            self.reciprocals[k] = 1 / (ca.sqrt(rest[k][k]) if positive else rest[k][k])
            entries = {i: rest[max(i, k)][min(i, k)] for i in sorted(self.order[step + 1 :])}
            entries = {i: entry for i, entry in entries.items() if not entry.is_zero()}
            column = {i: entry * self.reciprocals[k] for i, entry in entries.items()}
            for i, factor in column.items():
                for j, other in (column if positive else entries).items():
                    if j <= i:
                        rest[i][j] = rest[i][j] - factor * other
            self.columns[k] = column
        self.pivots = [rest[k][k] for k in range(n)]

    def solve(self, b: SX) -> SX:
        """Return M^-1 b."""
        x = self._forward(b)
        for k in reversed(self.order):
            if not self.positive:
                x[k] = x[k] * self.reciprocals[k]
            x[k] = self._less(x[k], [factor * x[i] for i, factor in self.columns[k].items()])
            if self.positive:
                x[k] = x[k] * self.reciprocals[k]
        return ca.vertcat(*x)

    def solve_columns(self, B: SX) -> SX:
        """Return M^-1 B, column by column."""
        return ca.horzcat(SX(len(self.order), 0), *map(self.solve, ca.horzsplit(B)))

    def _forward(self, b: SX) -> list[SX]:
        """Return L^-1 b."""
        x = [b[k] for k in range(len(self.order))]
        for step, k in enumerate(self.order):
            before = [j for j in self.order[:step] if k in self.columns[j]]
            x[k] = self._less(x[k], [self.columns[j][k] * x[j] for j in before])
            if self.positive:
                x[k] = x[k] * self.reciprocals[k]
        return x

    def congruence(self, B: SX) -> SX:
        """Return B^T M^-1 B, every entry formed once, as sums of products with L^-1 B alone."""
        halves = [ca.vertcat(*self._forward(b)) for b in ca.horzsplit(B)]
        scale = ca.vertcat(*(SX(1) if self.positive else self.reciprocals[k] for k in range(B.size1())))
        scaled = [scale * half for half in halves]
        G = SX.zeros(B.size2(), B.size2())
        for i, half in enumerate(halves):
            for j in range(i + 1):
                G[i, j] = G[j, i] = (half.T @ scaled[j])[0]
        return G

    def inverse(self) -> SX:
        """Return M^-1, its lower triangle a copy of the upper one."""
        n = len(self.order)
        inverse = ca.horzcat(*map(self.solve, ca.horzsplit(SX.eye(n))))
        for r in range(n):
            for c in range(r):
                inverse[r, c] = inverse[c, r]
        return inverse

    def _less(self, value: SX, terms: list[SX]) -> SX:
        """Return a value less some terms; the two orders round differently, and each result keeps its own."""
        if self.summed:
            return value - sum(terms, SX(0))
        for term in terms:
            value = value - term
        return value


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
