"""Predicted torques and their errors: of rows that were fitted, left out in turn, or held out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..logs.log import PAUSE, Log
from ..logs.signals import Filters, between, splined
from ..regression.least_squares import Fit, residual_squares
from ..regression.moments import Moments
from ..regression.rows import Columns
from ..regression.split import HELD_OUT, Split


@dataclass(frozen=True)
class Errors:
    """Torque errors of some rows: root mean squares per joint (N m or N), and relative to the torques."""

    rms: Array
    relative: Array
    total: float
    rows: int

    @classmethod
    def of(cls, squares: Array, powers: Array, rows: int, weight: Array | None = None) -> Errors:
        """Return the errors of residual and torque squares summed over rows.

        `weight` sums up the rows' weights by joint, if these are not one each.
        """
        relative = np.sqrt(squares / np.where(powers > 0, powers, np.inf))
        total = float(np.sqrt(squares.sum() / powers.sum())) if powers.any() else 0.0
        count = np.full(len(squares), max(rows, 1.0)) if weight is None else np.where(weight > 0, weight, 1.0)
        return cls(np.sqrt(squares / count), relative, total, rows)

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
    return _errors(moments, folds, squares)


def _errors(moments: Moments, folds: Sequence[int], squares: Array) -> Errors:
    """Return the errors of squares summed over the rows of some folds; most rows that a joint has."""
    triangles = moments.triangles(folds)
    weight = np.array([t.weight for t in triangles])
    return Errors.of(squares, moments.powers(folds), max(t.rows for t in triangles), weight)


def cross_validation(
    moments: Moments,
    fit_of: Callable[[Sequence[int]], Fit],
    values_of: Callable[[Fit], Array] = lambda fit: fit.values,
) -> Errors | None:
    """Return the errors of fitted rows, each predicted by a fit to the other folds; None of one fold.

    `fit_of` is the fit to some folds, `values_of` are the values of the parameters that a fit leads to.
    """
    squares = left_out_squares(moments, fit_of, values_of)
    return None if squares is None else left_out_errors(moments, squares)


def left_out_squares(
    moments: Moments, fit_of: Callable[[Sequence[int]], Fit], values_of: Callable[[Fit], Array]
) -> Array | None:
    """Return the squared errors (folds, joints) of each fold, predicted by a fit to the others."""
    folds = moments.fitted
    if len(folds) < 2:
        return None
    fits = [fit_of([other for other in folds if other != fold]) for fold in folds]
    return np.array(
        [
            residual_squares(moments.triangles([fold]), moments.active, values_of(fit))
            for fold, fit in zip(folds, fits, strict=True)
        ]
    )


def left_out_errors(moments: Moments, squares: Array) -> Errors:
    """Return the errors of fitted rows whose squares (folds, joints) are given."""
    return _errors(moments, moments.fitted, squares.sum(axis=0))


@dataclass(frozen=True)
class Trace:
    """Measured and predicted torques at the rows of a log, and which rows were held out.

    Masked efforts are replaced by straight lines. `uncertainty` (rows, joints) are the standard errors of
    what is predicted that those of the parameters lead to; the noise of the efforts, and what the model
    lacks, are not in it.
    """

    time: Array
    measured: Array
    predicted: Array
    held_out: NDArray[np.bool_]
    uncertainty: Array

    @classmethod
    def of(
        cls, columns: Columns, values: Array, covariance: Array, log: Log, filters: Filters, split: Split
    ) -> Trace:
        """Return the torques of a log, and those that values of the parameters predict, with a covariance."""
        parts = _segments(columns, values, covariance, log, filters, split)
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def predicted_by(self, other: Trace) -> Trace:
        """Return this trace with the predictions of another, where it has rows on both sides."""
        near = between(other.time, self.time)
        time, predicted, uncertainty = self.time[near], self.predicted[near], self.uncertainty[near]
        if near.any():
            predicted = splined(other.time, other.predicted, time)
            uncertainty = np.maximum(splined(other.time, other.uncertainty, time), 0.0)
        return Trace(time, self.measured[near], predicted, self.held_out[near], uncertainty)

    @classmethod
    def joined(cls, parts: Sequence[Trace]) -> Trace | None:
        """Return the torques of several logs, one after the other on one clock; None of no log."""
        if not parts:
            return None
        times, end = [parts[0].time], parts[0].time[-1] if len(parts[0].time) else 0.0
        for part in parts[1:]:
            if len(part.time):
                times.append(part.time - part.time[0] + end + PAUSE)
                end = times[-1][-1]
        return cls(
            np.concatenate(times),
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("measured", "predicted", "held_out", "uncertainty")
            ),
        )

    @property
    def errors(self) -> Errors:
        """The torque errors over all rows."""
        squares = np.sum((self.measured - self.predicted) ** 2, axis=0)
        return Errors.of(squares, np.sum(self.measured**2, axis=0), len(self.time))


def _segments(
    columns: Columns, values: Array, covariance: Array, log: Log, filters: Filters, split: Split
) -> Iterator[tuple[Array, ...]]:
    for rows in columns.segments(log, filters, split):
        used = rows.label >= HELD_OUT
        predicted = columns.predicted(rows, values)
        variances = [
            quadratic_forms(W, covariance[np.ix_(a, a)]) for W, a in zip(rows.W, columns.active, strict=True)
        ]
        errors = np.sqrt(np.stack(variances, axis=1))
        yield rows.time[used], rows.tau[used], predicted[used], rows.label[used] == HELD_OUT, errors[used]


def quadratic_forms(W: Array, covariance: Array) -> Array:
    """Return the variances w^T C w of rows w of W; what round-off makes negative is zero."""
    return np.asarray(np.maximum(np.einsum("...i,...i->...", W @ covariance, W), 0.0))
