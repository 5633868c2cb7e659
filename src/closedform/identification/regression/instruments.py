"""Instruments: columns from two halves of the positions, whose noises are independent of each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array
from ..logs.signals import Filters, Samples, Signals, splined
from .rows import Columns, Rows, Span
from .split import Split


class Instrumented(Columns):
    """Columns as the mean of those from even and from odd rows of a log, with half their difference.

    The noise of a position is taken to be independent of that of the next; a motion changes slowly.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.width, self.active = columns.width, columns.active

    def carrying(self, payload: str | None) -> Columns:
        """Return the columns of logs with a payload."""
        return Instrumented(self.columns.carrying(payload))

    def rows(self, signals: Signals, filters: Filters) -> Rows:
        """Return the rows of a motion, without a difference: halves are told apart before the filters."""
        return self.columns.rows(signals, filters)

    def segment(self, samples: Samples, span: Span, filters: Filters, split: Split) -> Rows:
        """Return the rows of one segment, from both halves of its samples."""
        first, second = (
            self.columns.segment(_half(samples, start), span, filters, split) for start in (0, 1)
        )
        mean = tuple((a + b) / 2 for a, b in zip(first.W, second.W, strict=True))
        noise = tuple((a - b) / 2 for a, b in zip(first.W, second.W, strict=True))
        return replace(first, W=mean, given=(first.given + second.given) / 2, noise=noise)


def _half(samples: Samples, start: int) -> Samples:
    """Return samples whose positions and velocities come from every second row, by cubic splines."""
    some = slice(start, None, 2)
    if len(samples.time[some]) < 4:
        return samples

    def filled(values: Array) -> Array:
        return np.asarray(splined(samples.time[some], values[some], samples.time))

    velocity = None if samples.velocity is None else filled(samples.velocity)
    return replace(samples, position=filled(samples.position), velocity=velocity)
