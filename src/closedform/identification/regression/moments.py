"""What a regression needs of a log: moments of its rows, gathered on one machine or many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..logs.log import Log
from ..logs.signals import Filters
from .rows import Columns, Rows, Span, spans
from .split import HELD_OUT, Split
from .triangle import Triangle

LAGS = 16
"""Rows over which residuals may be correlated: four periods of the cutoff."""


class Moments:
    """What a regression needs of its rows: triangular factors by fold and joint, and lagged products.

    `active` are the columns of each joint. One pass over the rows, in memory that does not grow. `noise`
    holds products of the columns' noise, by fold and joint, of rows that have it; `outliers` how many
    fitted rows of each joint have a weight below one as outliers. Squares count as much as the user says.
    With `both` there are the moments of the same rows without these weights too, `plain`, which have no lags.
    """

    def __init__(
        self, active: Sequence[NDArray[np.intp]], width: int, lags: int = LAGS, both: bool = False
    ) -> None:
        self.active, self.width = tuple(active), width
        self.plain = Moments(active, width, 0) if both else None
        self.folds: dict[tuple[int, int], Triangle] = {}
        self.power: dict[tuple[int, int], float] = {}
        self.lagged = [np.zeros((lags + 1, len(a) + 1, len(a) + 1)) for a in active] if lags else []
        self.pairs = np.zeros((len(self.active), lags + 1))
        self.noise: dict[tuple[int, int], Array] = {}
        self.outliers = np.zeros(len(self.active), dtype=int)

    def add(self, rows: Rows) -> None:
        """Take in the rows of a segment."""
        if self.plain is not None:
            self.plain.add(replace(rows, weight=None))
        labels = np.unique(rows.label[rows.label >= HELD_OUT])
        for j, (W, importance) in enumerate(zip(rows.W, rows.counts.T, strict=True)):
            counted = importance > 0
            fitted = (rows.label >= 0) & counted
            root = np.sqrt(importance)[:, None]
            A = np.column_stack([W, rows.tau[:, j] - rows.given[:, j]]) * root
            if rows.weight is not None:
                weight = np.where(fitted, rows.weight[:, j], 1.0)
                self.outliers[j] += np.count_nonzero(weight < 1)
                A *= np.sqrt(weight)[:, None]
            for label in labels:
                key, here = (int(label), j), (rows.label == label) & counted
                total = float(np.sum(importance[here]))
                self.folds.setdefault(key, Triangle(A.shape[1])).add(A[here], total)
                power = float(np.sum(importance[here] * rows.tau[here, j] ** 2))
                self.power[key] = self.power.get(key, 0.0) + power
                if rows.noise is not None:
                    N = (rows.noise[j] * root)[here]
                    self.noise[key] = self.noise.get(key, 0.0) + N.T @ N
            if self.lagged:
                for lag in range(min(self.pairs.shape[1], len(fitted))):
                    self.pairs[j, lag] += np.count_nonzero(fitted[: len(fitted) - lag] & fitted[lag:])
                B = np.where(fitted[:, None], A, 0.0)
                for lag in range(min(len(self.lagged[j]), len(B))):
                    self.lagged[j][lag] += B[: len(B) - lag].T @ B[lag:]

    def join(self, other: Moments) -> Moments:
        """Take in the rows behind other moments, and return both: the step of a reduction tree."""
        for key, triangle in other.folds.items():
            self.folds.setdefault(key, Triangle(len(triangle.R))).join(triangle)
            self.power[key] = self.power.get(key, 0.0) + other.power[key]
        for key, products in other.noise.items():
            self.noise[key] = self.noise.get(key, 0.0) + products
        self.outliers = self.outliers + other.outliers
        self.lagged = [mine + theirs for mine, theirs in zip(self.lagged, other.lagged, strict=True)]
        self.pairs = self.pairs + other.pairs
        if self.plain is not None and other.plain is not None:
            self.plain.join(other.plain)
        return self

    @classmethod
    def joined(cls, parts: Sequence[Moments]) -> Moments:
        """Return the moments of all rows behind parts, which stay as they are."""
        first = parts[0]
        none = cls(first.active, first.width, first.pairs.shape[1] - 1, first.plain is not None)
        return reduce(Moments.join, parts, none)

    def summary(self) -> Moments:
        """Return the moments without lags and weights, of fitted rows as one fold, and of held-out rows."""
        if self.plain is not None:
            return self.plain.summary()
        found = Moments(self.active, self.width, 0)
        for (fold, joint), triangle in sorted(self.folds.items(), key=lambda item: item[0]):
            key = (min(fold, 0), joint)
            found.folds.setdefault(key, Triangle(len(triangle.R))).join(triangle)
            found.power[key] = found.power.get(key, 0.0) + self.power[fold, joint]
        return found

    @property
    def fitted(self) -> list[int]:
        """Folds that hold fitted rows."""
        return sorted({fold for fold, _ in self.folds if fold >= 0})

    def powers(self, folds: Iterable[int]) -> Array:
        """Return the squares of the torques of each joint, summed over the rows of some folds."""
        folds = list(folds)
        return np.array(
            [sum(self.power.get((fold, j), 0.0) for fold in folds) for j in range(len(self.active))]
        )

    def noises(self, folds: Iterable[int]) -> list[Array]:
        """Return the products of the columns' noise of each joint, summed over the rows of some folds."""
        folds = list(folds)
        return [
            sum(
                (self.noise[fold, j] for fold in folds if (fold, j) in self.noise), np.zeros((len(a), len(a)))
            )
            for j, a in enumerate(self.active)
        ]

    def triangles(self, folds: Iterable[int]) -> list[Triangle]:
        """Return one factor per joint of the rows of some folds."""
        joined = []
        for j, active in enumerate(self.active):
            total = Triangle(len(active) + 1)
            for fold in folds:
                if (fold, j) in self.folds:
                    total.join(self.folds[fold, j])
            joined.append(total)
        return joined


def gather(columns: Columns, log: Log, filters: Filters, split: Split, lags: int = LAGS) -> Moments:
    """Return the moments of all rows of a log: segment by segment, lazy logs as a tree of tasks."""
    ranges = spans(log, filters)
    if not log.lazy:
        parts = (
            _moments(columns, log, filters, split, lags, s, log.raw(slice(s.start, s.stop))) for s in ranges
        )
        return reduce(Moments.join, parts)
    from dask.delayed import delayed  # noqa: PLC0415 (an extra; there if a log is lazy)

    bare = replace(log, position=None, effort=None, velocity=None, rounding=log.steps)
    tasks = [
        delayed(_moments)(columns, bare, filters, split, lags, s, log.raw(slice(s.start, s.stop)))
        for s in ranges
    ]
    while len(tasks) > 1:
        pairs = (tasks[k : k + 2] for k in range(0, len(tasks), 2))
        tasks = [delayed(Moments.joined)(pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return tasks[0].compute()  # type: ignore[no-any-return]


def _moments(
    columns: Columns, log: Log, filters: Filters, split: Split, lags: int, span: Span, raw: Mapping[str, Any]
) -> Moments:
    """Return the moments of one segment, whose recorded rows are given: a task that can run anywhere."""
    moments = Moments(columns.active, columns.width, lags, columns.both)
    moments.add(columns.segment(log.converted(span.start, span.stop, raw), span, filters, split))
    return moments
