"""Rows of a regression: a log in segments, each filtered and turned into rows of every joint."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..logs.errors import LogError
from ..logs.log import Log
from ..logs.signals import Filters, Samples, Signals, condition_signals
from .split import UNUSED, Split

SEGMENT = 400_000
"""Samples conditioned together; a longer log is read in segments that overlap."""

SEGMENT_STATES = 50_000
"""States that a segment may hold: regressors are wide, and a high cutoff thins samples little."""


@dataclass(frozen=True)
class Rows:
    """Rows of the regression of one stretch of time.

    `W[j]` (rows, columns of joint j) holds the columns that can act on joint j; `tau` are the
    torques and `given` the part of them that is taken as known, both (rows, joints); `label` says
    what each row is for. `weight` (rows, joints) is less than one for outliers. `noise[j]` holds half
    the difference of the columns from two independent halves of the positions, of which W is the mean.
    `importance` (rows, joints) is the weight that the user gives; rows of a joint with zero do not count.
    """

    time: Array
    W: tuple[Array, ...]
    tau: Array
    given: Array
    label: NDArray[np.int_]
    weight: Array | None = None
    noise: tuple[Array, ...] | None = None
    importance: Array | None = None

    @property
    def counts(self) -> Array:
        """How much each row of each joint counts, (rows, joints): its importance, by default one."""
        return np.ones(self.tau.shape) if self.importance is None else self.importance

    @classmethod
    def none(cls, widths: Sequence[int]) -> Rows:
        """Return no rows, of joints with these numbers of columns."""
        joints = len(widths)
        W = tuple(np.zeros((0, width)) for width in widths)
        return cls(np.zeros(0), W, np.zeros((0, joints)), np.zeros((0, joints)), np.zeros(0, dtype=int))

    def part(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> Rows:
        """Return some of the rows."""
        return Rows(
            self.time[which],
            tuple(w[which] for w in self.W),
            self.tau[which],
            self.given[which],
            self.label[which],
            None if self.weight is None else self.weight[which],
            None if self.noise is None else tuple(w[which] for w in self.noise),
            None if self.importance is None else self.importance[which],
        )


@dataclass(frozen=True)
class Span:
    """A segment of a log: samples `start` to `stop`, and the times from `first` to `last` it answers for.

    Around those times it holds samples in which the filters and friction settle.
    """

    start: int
    stop: int
    first: float
    last: float


class Columns(ABC):
    """Columns of a regression: `width` parameters, of which `active[j]` act on joint j."""

    width: int
    active: tuple[NDArray[np.intp], ...]

    @abstractmethod
    def rows(self, signals: Signals, filters: Filters) -> Rows:
        """Return the rows of a motion, everything after the same filters; a label says if one is valid."""

    @property
    def both(self) -> bool:
        """Whether moments of rows with weights are wanted without them too."""
        return False

    def carrying(self, payload: str | None) -> Columns:
        """Return the columns of logs with a payload; as they are if they know of none."""
        return self

    def segment(self, samples: Samples, span: Span, filters: Filters, split: Split) -> Rows:
        """Return the rows of one segment, from its samples; none if the filters cannot settle in it."""
        if not filters.settle_in(samples.time):
            return Rows.none([len(columns) for columns in self.active])
        rows = self.rows(condition_signals(samples, filters), filters)
        label = np.where(rows.label == UNUSED, UNUSED, split.labels(rows.time))
        return replace(rows, label=label).part((rows.time >= span.first) & (rows.time < span.last))

    def segments(self, log: Log, filters: Filters, split: Split) -> Iterator[Rows]:
        """Yield the rows of a log, segment by segment."""
        for span in spans(log, filters):
            yield self.segment(log.samples(span.start, span.stop), span, filters, split)

    def predicted(self, rows: Rows, values: Array) -> Array:
        """Return the torques (rows, joints) that some values of the parameters predict."""
        parts = [W @ values[a] for W, a in zip(rows.W, self.active, strict=True)]
        return np.asarray(np.stack(parts, axis=1) + rows.given)


def spans(log: Log, filters: Filters) -> list[Span]:
    """Return the segments of a log, none of which reaches over a pause."""
    longest = max(min(SEGMENT, SEGMENT_STATES * filters.first), int(10 * filters.rate * filters.settling))
    margin = int(filters.rate * max(filters.settling, 2.0))
    found = []
    for start, stop in log.runs:
        count = max(1, round((stop - start) / longest))
        edges = [int(edge) for edge in np.linspace(start, stop, count + 1)]
        times = [float(log.time[min(edge, stop - 1)]) for edge in edges]
        found += [
            Span(max(start, a - margin), min(b + margin, stop), first, last)
            for (a, b), (first, last) in zip(pairwise(edges), pairwise(times), strict=True)
        ]
    return found


def nothing_left(log: Log, filters: Filters) -> LogError:
    """Return the error of a log that has no rows after the filters."""
    return log.too_few(
        "no rows are left; recordings without a pause must be longer than the "
        f"{2 * filters.settling:.3g} s in which filters settle at their ends"
    )
