"""Measured and predicted torques over time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..logs.log import Log
from ..logs.signals import Filters
from ..regression.rows import Columns
from ..regression.split import HELD_OUT, Split
from .errors import Errors


@dataclass(frozen=True)
class Trace:
    """Measured and predicted torques at the rows of a log, and which rows were held out."""

    time: Array
    measured: Array
    predicted: Array
    held_out: NDArray[np.bool_]

    @classmethod
    def of(cls, columns: Columns, values: Array, log: Log, filters: Filters, split: Split) -> Trace:
        """Return the torques of a log, and those that some values of the parameters predict."""
        return cls(*map(np.concatenate, zip(*_segments(columns, values, log, filters, split), strict=True)))

    @property
    def errors(self) -> Errors:
        """The torque errors over all rows."""
        squares = np.sum((self.measured - self.predicted) ** 2, axis=0)
        return Errors.of(squares, np.sum(self.measured**2, axis=0), len(self.time))


def _segments(
    columns: Columns, values: Array, log: Log, filters: Filters, split: Split
) -> Iterable[tuple[Array, Array, Array, NDArray[np.bool_]]]:
    for rows in columns.segments(log, filters, split):
        used = rows.label >= HELD_OUT
        predicted = columns.predicted(rows, values)
        yield rows.time[used], rows.tau[used], predicted[used], rows.label[used] == HELD_OUT
