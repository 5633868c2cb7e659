"""The moments of a log: gathered segment by segment, on one machine or many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

from ..logs.log import Log
from ..logs.signals import Filters
from .design import Design, Span, spans
from .least_squares import LAGS, Moments
from .split import Split


def gather(design: Design, log: Log, filters: Filters, split: Split, lags: int = LAGS) -> Moments:
    """Return the moments of all rows of a log: segment by segment, lazy logs as a tree of tasks."""
    ranges = spans(log, filters)
    if not log.lazy:
        parts = (
            _moments(design, log, filters, split, lags, s, log.raw(slice(s.start, s.stop))) for s in ranges
        )
        return reduce(Moments.join, parts)
    from dask.delayed import delayed  # noqa: PLC0415 (an extra; present where the log is lazy)

    bare = replace(log, position=None, effort=None, velocity=None)
    tasks = [
        delayed(_moments)(design, bare, filters, split, lags, s, log.raw(slice(s.start, s.stop)))
        for s in ranges
    ]
    while len(tasks) > 1:
        pairs = (tasks[k : k + 2] for k in range(0, len(tasks), 2))
        tasks = [delayed(_joined)(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return tasks[0].compute()  # type: ignore[no-any-return]


def _moments(
    design: Design, log: Log, filters: Filters, split: Split, lags: int, span: Span, raw: Mapping[str, Any]
) -> Moments:
    """Return the moments of one segment, whose recorded rows are given: a task that can run anywhere."""
    moments = Moments(design.active, design.width, lags)
    moments.add(design.segment(log.converted(span.start, span.stop, raw), span, filters, split))
    return moments


def _joined(one: Moments, other: Moments) -> Moments:
    """Return the moments of both, which stay as they are: a cluster may run a task again."""
    return Moments(one.active, one.width, len(one.pairs) - 1).join(one).join(other)
