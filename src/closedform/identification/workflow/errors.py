"""Torque errors: of rows that were fitted, left out in turn, or held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array
from ..regression.least_squares import residual_squares, solve
from ..regression.moments import Moments


@dataclass(frozen=True)
class Errors:
    """Torque errors of some rows: root mean squares per joint (N m or N), and relative to the torques."""

    rms: Array
    relative: Array
    total: float
    rows: int

    @classmethod
    def of(cls, squares: Array, powers: Array, rows: int) -> Errors:
        """Return the errors of residual and torque squares summed over rows."""
        relative = np.sqrt(squares / np.where(powers > 0, powers, np.inf))
        total = float(np.sqrt(squares.sum() / powers.sum())) if powers.any() else 0.0
        return cls(np.sqrt(squares / max(rows, 1)), relative, total, rows)

    def table(self) -> dict[str, Any]:
        """Return the errors as lists, for a file."""
        return {
            "rms": self.rms.tolist(),
            "relative": self.relative.tolist(),
            "total": self.total,
            "rows": self.rows,
        }

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Errors:
        """Return the errors that `table` wrote."""
        return cls(np.array(table["rms"]), np.array(table["relative"]), table["total"], table["rows"])


def torque_errors(moments: Moments, folds: Sequence[int], values: Array) -> Errors:
    """Return the errors of the rows of some folds, predicted with some values of the parameters."""
    triangles = moments.triangles(folds)
    squares = residual_squares(triangles, moments.active, values)
    return Errors.of(squares, moments.powers(folds), triangles[0].rows)


def cross_validation(moments: Moments, method: str, prior: tuple[Array, Array] | None) -> Errors | None:
    """Return the errors of fitted rows, each predicted by a fit to the other folds; None of one fold."""
    folds = moments.fitted
    if len(folds) < 2:
        return None
    squares = np.zeros(len(moments.active))
    for fold in folds:
        rest = moments.triangles([other for other in folds if other != fold])
        fit = solve(rest, moments.active, moments.width, method, prior)
        squares += residual_squares(moments.triangles([fold]), moments.active, fit.values)
    rows = sum(moments.folds[fold, 0].rows for fold in folds)
    return Errors.of(squares, moments.powers(folds), rows)
