"""Square linear systems as expressions, solved by rotations: no pivot to choose, so no branch to get wrong.

A program cannot ask which pivot is large. Givens rotations need no pivots and are backward stable, and
blocks of one and two rows have formulas. The structure of the matrix is used first: permuted to block
triangular form, a mechanism's loops that do not share joints are solved apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from ..forms.elimination import TINY


@dataclass(frozen=True)
class Rotation:
    """A rotation of rows i and k by the angle of cosine c and sine s."""

    i: int
    k: int
    c: SX
    s: SX


class Block:
    """A square matrix A, factored once, for any number of right-hand sides.

    Columns with few entries are eliminated first: the legs of a platform before the platform.
    """

    def __init__(self, A: SX) -> None:
        self.n = A.size1()
        self.lengths = ca.sqrt(ca.dot(A[:, 0], A[:, 0])) if self.n else SX(1)
        for j in range(1, self.n):
            self.lengths = self.lengths * ca.sqrt(ca.dot(A[:, j], A[:, j]))
        rows = [{j: A[i, j] for j in range(self.n) if not A[i, j].is_zero()} for i in range(self.n)]
        self.rotations: list[Rotation] = []
        self.order: list[tuple[int, int]] = []
        self.R = rows
        self.cramer = self.n == 2 and all(len(row) == 2 for row in rows)
        if self.cramer:
            self.reciprocal = 1 / (rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0])
            return
        left, columns = set(range(self.n)), set(range(self.n))
        while columns:
            column = min(columns, key=lambda j: (sum(j in rows[i] for i in left), j))
            holding = sorted((i for i in left if column in rows[i]), key=lambda i: (len(rows[i]), i))
            pivot = holding[0]
            for other in holding[1:]:
                self._rotate(pivot, other, column)
            self.order.append((column, pivot))
            columns.remove(column)
            left.remove(pivot)
        self.reciprocals = {column: 1 / rows[pivot][column] for column, pivot in self.order}

    def _rotate(self, i: int, k: int, column: int) -> None:
        """Turn rows i and k so that row k has no entry in a column."""
        upper, lower = self.R[i], self.R[k]
        a, b = upper[column] + TINY, lower[column]  # two zeros are not turned
        r = 1 / ca.sqrt(a * a + b * b)
        turn = Rotation(i, k, a * r, b * r)
        self.rotations.append(turn)
        zero = SX(0)
        for j in sorted({*upper, *lower}):
            x, y = upper.get(j, zero), lower.get(j, zero)
            upper[j], lower[j] = turn.c * x + turn.s * y, turn.c * y - turn.s * x
        del lower[column]

    @property
    def determinant(self) -> SX:
        """The determinant of A by the lengths of its columns, but for a sign that is always the same.

        Between -1 and 1: rotations do not change it, so that it is a product of pivots.
        """
        if self.cramer:
            found = 1 / self.reciprocal
        else:
            found = SX(1)
            for column, pivot in self.order:
                found = found * self.R[pivot][column]
        return found / self.lengths

    def solve(self, B: SX) -> SX:
        """Return A^-1 B, column by column."""
        return ca.horzcat(SX(self.n, 0), *(self._column(b) for b in ca.horzsplit(B)))

    def solve_transposed(self, B: SX) -> SX:
        """Return A^-T B, column by column."""
        return ca.horzcat(SX(self.n, 0), *(self._transposed(b) for b in ca.horzsplit(B)))

    def _column(self, b: SX) -> SX:
        if b.is_zero():
            return SX(self.n, 1)
        if self.cramer:
            (p, q), (r, s) = ((row[0], row[1]) for row in self.R)
            return self.reciprocal * ca.vertcat(s * b[0] - q * b[1], p * b[1] - r * b[0])
        y = [b[k] for k in range(self.n)]
        for turn in self.rotations:
            x, z = y[turn.i], y[turn.k]
            y[turn.i], y[turn.k] = turn.c * x + turn.s * z, turn.c * z - turn.s * x
        found: dict[int, SX] = {}
        for column, pivot in reversed(self.order):
            rest = y[pivot]
            for j, entry in self.R[pivot].items():
                if j in found:
                    rest = rest - entry * found[j]
            found[column] = rest * self.reciprocals[column]
        return ca.vertcat(*(found[j] for j in range(self.n)))

    def _transposed(self, b: SX) -> SX:
        """Return A^-T b: R^T y = b, then the rotations backwards."""
        if self.cramer:
            (p, q), (r, s) = ((row[0], row[1]) for row in self.R)
            return self.reciprocal * ca.vertcat(s * b[0] - r * b[1], p * b[1] - q * b[0])
        y = [SX(0)] * self.n
        before: list[tuple[int, int]] = []
        for column, pivot in self.order:
            rest = b[column]
            for _, row in before:
                if column in self.R[row]:
                    rest = rest - self.R[row][column] * y[row]
            y[pivot] = rest * self.reciprocals[column]
            before.append((column, pivot))
        for turn in reversed(self.rotations):
            x, z = y[turn.i], y[turn.k]
            y[turn.i], y[turn.k] = turn.c * x - turn.s * z, turn.s * x + turn.c * z
        return ca.vertcat(*y)


class BlockSystem:
    """A square matrix in block lower triangular form, for A X = B and A^T X = B.

    >>> A = SX(ca.DM([[2, 0, 1], [0, 4, 0], [0, 0, 5]]))
    >>> ca.evalf(BlockSystem(A).solve(SX(ca.DM([3, 4, 5]))))
    DM([1, 1, 1])
    """

    def __init__(self, A: SX) -> None:
        self.A = ca.sparsify(A)
        self.n = A.size1()
        count, rows, columns, row_ends, column_ends, *_ = (
            self.A.sparsity().btf() if self.n else (0, [], [], [], [])
        )
        self.blocks: list[tuple[list[int], list[int], Block]] = []
        for k in range(count):
            i, j = rows[row_ends[k] : row_ends[k + 1]], columns[column_ends[k] : column_ends[k + 1]]
            if len(i) != len(j):
                raise ValueError("the matrix is structurally singular")
            self.blocks.append((i, j, Block(self.A[i, j])))

    @property
    def determinants(self) -> SX:
        """The determinants of the blocks, by the lengths of their columns; see `Block.determinant`."""
        return ca.vertcat(SX(0, 1), *(block.determinant for _, _, block in self.blocks))

    def solve(self, B: SX) -> SX:
        """Return A^-1 B, block by block: each needs those before it."""
        X = SX(self.n, B.size2())
        for i, j, block in self.blocks:
            X[j, :] = block.solve(B[i, :] - self.A[i, :] @ X)
        return ca.sparsify(X)

    def solve_transposed(self, B: SX) -> SX:
        """Return A^-T B, block by block from the last."""
        X = SX(self.n, B.size2())
        for i, j, block in reversed(self.blocks):
            X[i, :] = block.solve_transposed(B[j, :] - self.A[:, j].T @ X)
        return ca.sparsify(X)
