"""Outliers: rows that a fit predicts far worse than the others count less, joint by joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from ..logs.signals import Filters, Samples, Signals
from .rows import Columns, Rows, Span
from .split import Split

FAR = 6.0
"""Residual over the usual one (1.48 times the median) beyond which a row counts less."""

MOST = 0.05
"""Part of a joint's rows that may be outliers; if more are, it is the model that is wrong there."""

SMALLEST = 2e-3
"""Part of a joint's torques, root mean square, below which a residual does not matter."""


@dataclass(frozen=True)
class Usual:
    """The usual size of each joint's residual, infinite if its rows are to count alike; and if any is far."""

    size: Array
    any: bool


def usual_residuals(
    columns: Columns, values: Array, samples: Samples, filters: Filters, split: Split
) -> Usual:
    """Return how large residuals usually are, by the fitted rows of some samples of a log."""
    rows = columns.segment(samples, Span(0, 0, -np.inf, np.inf), filters, split)
    rows = rows.part(rows.label >= 0)
    if not len(rows.tau):
        return Usual(np.full(rows.tau.shape[1], np.inf), False)
    residual = np.abs(rows.tau - columns.predicted(rows, values))
    size, far = np.full(len(rows.W), np.inf), np.zeros(len(rows.W))
    for j, counted in enumerate((rows.counts > 0).T):
        if counted.any():
            own = residual[counted, j]
            least = SMALLEST * np.sqrt(np.mean(rows.tau[counted, j] ** 2))
            size[j] = max(1.4826 * np.median(own), least, 1e-12)
            far[j] = np.mean(own > FAR * size[j])
    return Usual(np.where(far > MOST, np.inf, size), bool(((far > 0) & (far <= MOST)).any()))


class Weighed(Columns):
    """Columns whose rows count (limit / residual)^2 if the residual exceeds `FAR` times the usual one.

    The influence of a row then falls with its residual, unlike with Huber's weights limit / residual,
    which bound it [Huber1964]: wrong positions spoil the columns too. With `both`, moments of the
    rows without these weights are gathered beside.
    """

    def __init__(self, columns: Columns, values: Array, size: Array, both: bool = False) -> None:
        self.columns, self.values, self.size, self._both = columns, values, size, both
        self.width, self.active = columns.width, columns.active

    @property
    def both(self) -> bool:
        """Whether moments of rows with weights are wanted without them too."""
        return self._both

    def carrying(self, payload: str | None) -> Columns:
        """Return the columns of logs with a payload."""
        return Weighed(self.columns.carrying(payload), self.values, self.size, self.both)

    def rows(self, signals: Signals, filters: Filters) -> Rows:
        """Return the rows of a motion, all of the same weight."""
        return self.columns.rows(signals, filters)

    def segment(self, samples: Samples, span: Span, filters: Filters, split: Split) -> Rows:
        """Return the rows of one segment, with their weights."""
        rows = self.columns.segment(samples, span, filters, split)
        residual = np.abs(rows.tau - self.columns.predicted(rows, self.values))
        ratio = FAR * self.size / np.maximum(residual, 1e-300)
        return replace(rows, weight=np.minimum(ratio, 1.0) ** 2)


def outlier_notes(joints: Sequence[str], outliers: Array, rows: int) -> tuple[str, ...]:
    """Return how many rows count less, by joint."""
    names = ", ".join(f"{name} ({count})" for name, count in zip(joints, outliers, strict=True) if count)
    note = (
        f"rows that the model misses by more than {FAR:g} times the usual residual (outliers, contacts, "
        f"standstill) count less, of {rows} fitted rows: {names}"
    )
    return (note,) if names else ()
