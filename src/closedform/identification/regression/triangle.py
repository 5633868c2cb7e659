"""Triangular factors: least squares of any number of rows in the memory of one block."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array

PANEL = 8
"""Columns that LAPACK eliminates together; the fastest for rows of some tens of columns."""


class Triangle:
    """The factor R of stacked rows A = Q R, brought up to date block by block.

    QR of [R; block] replaces R, so that R^T R = A^T A always holds, with the accuracy of an
    orthogonal factorisation of all rows and the memory of one block. `rows` is their number, `weight` the
    sum of their weights.

    >>> import numpy as np
    >>> A = np.random.default_rng(0).normal(size=(1000, 3))
    >>> R = Triangle(3)
    >>> for block in np.split(A, 10):
    ...     R.add(block)
    >>> bool(np.allclose(R.R.T @ R.R, A.T @ A)), R.rows
    (True, 1000)
    """

    def __init__(self, width: int) -> None:
        self.R = np.zeros((width, width), order="F")
        self.rows, self.weight = 0, 0.0

    def add(self, block: Array, weight: float | None = None) -> None:
        """Take in rows (m, width), which have the roots of their weights in them; by default of one each."""
        self.rows += len(block)
        self.weight += len(block) if weight is None else weight
        self.R = updated(self.R, block)

    def join(self, other: Triangle) -> None:
        """Take in the rows behind another factor."""
        rows, weight = self.rows + other.rows, self.weight + other.weight
        self.add(other.R)
        self.rows, self.weight = rows, weight


def updated(R: Array, block: Array) -> Array:
    """Return the factor of the rows behind R and of the rows of the block."""
    if not len(block) or not R.size:
        return R
    from scipy.linalg import lapack  # noqa: PLC0415 (slow to import)

    fresh, *_ = lapack.dtpqrt(0, min(PANEL, len(R)), R, np.asfortranarray(block))
    return np.asarray(np.triu(fresh), order="F")


def widened(R: Array, columns: ArrayLike, width: int) -> Array:
    """Return a factor of some columns as rows of all `width` columns."""
    wide = np.zeros((len(R), width))
    wide[:, np.asarray(columns, dtype=int)] = R
    return wide


def factor(blocks: Iterable[Array], width: int) -> Array:
    """Return the triangular factor of stacked blocks."""
    R = np.zeros((width, width), order="F")
    for block in blocks:
        R = updated(R, block)
    return R
