"""Equations of a legged robot as rows of a regression: projected, averaged over windows, whitened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..logs.errors import LogError
from ..logs.signals import Filters, Signals, thin
from ..regression.design import Design
from ..regression.friction import axis_motion, term_columns
from ..regression.moments import LAGS, Moments
from ..regression.rows import Rows
from ..regression.split import UNUSED, Split
from .log import FloatingLog
from .noise import whitening
from .projection import contact_jacobian, null_bases, phases
from .states import States, states

STATES = 2000
"""States whose regressors are in memory together."""

MOST_NUMBERS = 2**28
"""Numbers of all rows: two gibibytes."""


@dataclass(frozen=True)
class Block:
    """Rows of one stretch: times (k,), bases Z (k, nv, m) and [columns, force] (k, m, width + 1)."""

    time: Array
    Z: Array
    A: Array

    def residuals(self, values: Array) -> Array:
        """Return the projected forces that some values leave unexplained (k, m)."""
        return np.asarray(self.A[..., -1] - self.A[..., :-1] @ values)


@dataclass(frozen=True)
class Window:
    """A Hann window one period of the cutoff long, that averages states into rows.

    Equations hold at every instant, and so in the mean over a window: rows of a short stance need
    nothing from outside it, as a recursive filter would.
    """

    weights: Array
    step: int

    @classmethod
    def of(cls, filters: Filters) -> Window:
        """Return the window of some filters, and the states from row to row: a quarter of it."""
        length = max(1, round(filters.rate / filters.first / filters.cutoff))
        weights = np.hanning(length + 2)[1:-1]
        return cls(weights / weights.sum(), max(1, length // 4))

    def averaged(self, x: Array) -> Array:
        """Return the means over windows that lie within consecutive states, (rows, ...)."""
        n = len(self.weights)
        count = (len(x) - n) // self.step + 1
        if count <= 0:
            return np.asarray(x[:0])
        parts = (w * x[k : k + (count - 1) * self.step + 1 : self.step] for k, w in enumerate(self.weights))
        return np.asarray(sum(parts))

    def middle(self, x: Array) -> Array:
        """Return what belongs to the middles of the windows."""
        n = len(self.weights)
        count = max(0, (len(x) - n) // self.step + 1)
        return np.asarray(x[n // 2 :: self.step][:count])

    def correlation(self, lags: int) -> Array:
        """Return the correlation of white noise at rows 0 to `lags` apart."""
        n = len(self.weights)
        whole = np.correlate(self.weights, self.weights, "full")[n - 1 :: self.step][: lags + 1]
        return np.asarray(np.append(whole, np.zeros(lags + 1 - len(whole))) / whole[0])


def blocks(design: Design, log: FloatingLog, filters: Filters, base_rows: bool) -> list[Block]:
    """Return the rows of a log: of all dofs without the forces of standing feet, or of the base alone."""
    window, found, size = Window.of(filters), list[Block](), 0
    for part in states(log, filters):
        drive = _drive(design, part.signals, filters)
        for phase in phases(part.contacts, len(part.q)):
            for start, stop in _stretches(part.valid, phase.start, phase.stop):
                found += _projected(design, log, part, drive, (start, stop), phase.feet, window, base_rows)
                size = sum(block.A.size for block in found[-1:]) + size
                if size > MOST_NUMBERS:
                    raise LogError(
                        f"{log.joints.source}: more rows than fit in memory; lower cutoff, or read a window="
                    )
    return found


def _drive(design: Design, signals: Signals, filters: Filters) -> Array:
    """Return the columns of the drives at the states."""
    columns = [
        thin(column[:, None], filters)[:, 0]
        for column in term_columns(design.drive, axis_motion(design.axes, signals))
    ]
    return np.stack(columns, axis=1) if columns else np.zeros((len(signals.time[:: filters.first]), 0))


def _stretches(valid: NDArray[np.bool_], start: int, stop: int) -> list[tuple[int, int]]:
    """Return the runs of valid states from start to stop, none longer than `STATES`."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], valid[start:stop].astype(int), [0]]))) + start
    found = []
    for a, b in zip(edges[::2], edges[1::2], strict=True):
        cuts = np.linspace(a, b, max(1, -(-(b - a) // STATES)) + 1).astype(int)
        found += list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
    return found


def _projected(
    design: Design,
    log: FloatingLog,
    part: States,
    drive: Array,
    stretch: tuple[int, int],
    feet: Sequence[str],
    window: Window,
    base_rows: bool,
) -> list[Block]:
    here = slice(*stretch)
    if stretch[1] - stretch[0] < len(window.weights):
        return []
    q, qd, qdd = part.q[here], part.qd[here], part.qdd[here]
    nv, count = design.robot.nv, design.base.count
    A = np.zeros((len(q), nv, design.width + 1))
    A[..., :count] = design.base.regressor(q, qd, qdd)
    for k, term in enumerate(design.drive):
        A[..., count + k] = drive[here, k, None] * design.axes[term.axis].direction
    A[..., -1] = part.force[here] - qdd * design.known
    if base_rows:
        bases = [(0, len(q), np.broadcast_to(np.eye(nv)[:, :6], (len(q), nv, 6)))]
    else:
        bases = list(null_bases(contact_jacobian(design.base.robot, q, feet, log.flat)))
    found = []
    for start, stop, Z in bases:
        rows = window.averaged(np.swapaxes(Z, 1, 2) @ A[start:stop])
        if len(rows) and Z.shape[2]:
            time = window.middle(part.time[here][start:stop])
            found.append(Block(time, window.middle(Z), rows))
    return found


def moments_of(found: Sequence[Block], variances: Array, split: Split, lags: int = LAGS) -> Moments:
    """Return the moments of all rows, whitened: each projected equation is a row of one kind.

    Series of different equations are kept apart by as many unused rows as residuals may be correlated over.
    """
    width = found[0].A.shape[2] - 1
    gap = lags + 1
    tables, labels, times = [], [], []
    for block in found:
        series = whitening(block.Z, variances) @ block.A
        k, m, _ = series.shape
        padded = np.zeros((m, k + gap, width + 1))
        padded[:, :k] = np.swapaxes(series, 0, 1)
        label = np.full((m, k + gap), UNUSED)
        label[:, :k] = split.labels(block.time)
        tables.append(padded.reshape(-1, width + 1))
        labels.append(label.ravel())
        times.append(np.tile(np.append(block.time, np.full(gap, block.time[-1])), m))
    table = np.concatenate(tables)
    moments = Moments([np.arange(width)], width, lags)
    moments.add(
        Rows(
            np.concatenate(times),
            (table[:, :-1],),
            table[:, -1:],
            np.zeros((len(table), 1)),
            np.concatenate(labels),
        )
    )
    return moments
