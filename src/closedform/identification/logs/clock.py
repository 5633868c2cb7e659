"""The clock of a log: its stamps in seconds, and stamps that jitter around rows sampled evenly."""
# ruff: noqa: PLC0415 (SciPy is imported where it is used: it takes half a second)

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...checks import number, real_array
from ...errors import ArgumentError, shown
from .cutoff import Spectrum
from .errors import LogError
from .faults import FEW
from .signals import JITTER, Samples, sampling_rate

RATES = (1e-3, 1e8)
"""Samples per second that a clock may have."""

WINDOW = 1.0
"""Seconds over which stamps are averaged."""

QUIETER = 0.5
"""Noise floor of positions on the even clock over that on the stamps, below which stamps are not believed."""


SAME = 1e-3
"""Time from one stamp to the next over the usual one, below which the next repeats it."""

APART, ALONE = 100, 10
"""Usual steps that separate rows from others, and how few of them are alone then."""

GAP = 2.5
"""Samples from one to the next beyond which a column is not interpolated at the rows of another."""


def even_time(rate: float, count: int) -> Array:
    """Return the times of rows sampled at a rate in Hz."""
    rate = number("rate", rate)
    if not RATES[0] <= rate <= RATES[1]:
        raise ArgumentError(
            f"rate is {rate:g}; expected samples per second from {RATES[0]:g} to {RATES[1]:g}"
        )
    return np.arange(count) / rate


def scaled_time(column: Any, scale: Array) -> Array:
    """Return stamps in seconds."""
    return np.asarray(real_array("time", column) * scale[0])


def window_rows(time: Array, window: Any, name: str) -> tuple[slice | NDArray[np.bool_], str]:
    """Return the rows from one time to another, and what errors call this part of the log `name`."""
    if not isinstance(window, list | tuple) or len(window) != 2:
        raise ArgumentError(f"window is {shown(window)}; expected (from, to) in seconds")
    start, stop = (
        end if each is None else number("window", each)
        for each, end in zip(window, (-np.inf, np.inf), strict=True)
    )
    if not start < stop:
        raise ArgumentError(f"window is {shown(window)}; expected a time before another")
    inside = (time >= start) & (time <= stop)
    rows = np.flatnonzero(inside)
    if not len(rows):
        raise LogError(
            f"{name}: no row from {start:g} to {stop:g} s; its clock runs from {time[0]:g} to {time[-1]:g} s"
        )
    whole = len(rows) == rows[-1] - rows[0] + 1  # a slice is read lazily, and not copied
    words = f"{name} ({start:g} to {stop:g} s)"
    return slice(int(rows[0]), int(rows[-1]) + 1) if whole else inside, words


def in_order(column: Any, forgiving: bool) -> tuple[NDArray[np.bool_] | None, tuple[str, ...]]:
    """Return which rows to keep so that stamps are numbers that increase, and notes about the others.

    None if all stay, or if so many would go that the log itself is wrong. Stamps that are not numbers go
    only if it is `forgiving`.
    """
    if hasattr(column, "compute"):
        return None, ()
    time = real_array("time", column)
    keep, notes = np.ones(len(time), dtype=bool), []
    for find, words in (
        (_unstamped, "whose time stamp is not a number (a last row that is cut off?)"),
        (_straying, "whose time stamp is out of order"),
        (_repeated, "that repeat the time stamp before"),
    ):
        if find is _unstamped and not forgiving:
            continue
        rows = np.flatnonzero(keep)
        wrong = find(time[rows])
        count = int(np.count_nonzero(wrong))
        if 0 < count <= FEW * len(time):
            keep[rows[wrong]] = False
            notes.append(f"{count} row(s) {words} are left out")
    return (None, ()) if keep.all() else (keep, tuple(notes))


def _unstamped(time: Array) -> NDArray[np.bool_]:
    """Return which stamps are not finite."""
    return ~np.isfinite(time)


def _repeated(time: Array) -> NDArray[np.bool_]:
    """Return which stamps repeat the one before."""
    again = np.zeros(len(time), dtype=bool)
    steps = np.diff(time)
    again[1:] = (steps >= 0) & (steps <= SAME * np.median(steps)) if len(steps) else False
    return again


def _straying(time: Array) -> NDArray[np.bool_]:
    """Return which stamps are not in the longest sequence that never falls, or alone in it.

    Rows of a few that stand apart from all others by `APART` are as wrong as those out of order, but only
    in a log that has such: elsewhere they are pauses.
    """
    falls = np.count_nonzero(np.diff(time) < 0)
    if not 0 < falls <= 2 * FEW * len(time):  # one stray row makes two at most
        return np.zeros(len(time), dtype=bool)
    ends: list[float] = []  # the least last stamp of a sequence of each length
    lengths = np.empty(len(time), dtype=int)
    for row, stamp in enumerate(time.tolist()):
        lengths[row] = at = bisect_right(ends, stamp)
        ends[at : at + 1] = [stamp]
    wrong = np.ones(len(time), dtype=bool)
    wanted, most = len(ends) - 1, np.inf
    for row in range(len(time) - 1, -1, -1):
        if lengths[row] == wanted and time[row] <= most:
            wrong[row], wanted, most = False, wanted - 1, time[row]
    kept = np.flatnonzero(~wrong)
    steps = np.diff(time[kept])
    for run in np.split(kept, np.flatnonzero(steps > APART * np.median(steps)) + 1):
        wrong[run] = len(run) < ALONE
    return wrong


def seconds(column: Any, scale: Array, name: str) -> Array:
    """Return the stamps of the log `name` in seconds, which must increase."""
    time = scaled_time(column, scale)
    if not np.isfinite(time).all():
        raise LogError(f"{name}: time is not finite in row {int(np.flatnonzero(~np.isfinite(time))[0]) + 1}")
    steps = np.diff(time)
    if (steps == 0).any():
        rows = np.flatnonzero(steps == 0)
        raise LogError(
            f"{name}: {len(rows)} timestamp(s) repeat, the first in rows {rows[0] + 1} and {rows[0] + 2} "
            f"(t = {time[rows[0]]:g} s); remove such rows, or give rate= if the rows are evenly spaced"
        )
    if (steps < 0).any():
        row = int(np.flatnonzero(steps < 0)[0])
        raise LogError(
            f"{name}: time runs backwards from row {row + 1} to {row + 2}; sort the rows, or split the log"
        )
    step = float(np.median(steps))
    if not 1 / RATES[1] <= step <= 1 / RATES[0]:
        raise LogError(
            f"{name}: {step:.3g} s from row to row; expected {1 / RATES[1]:g} to {1 / RATES[0]:g} s: is the "
            'time in another unit? Say units={"time": "ms"}, or give rate= in Hz'
        )
    return time


def gap_notes(time: Array, runs: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """Return how many gaps and pauses the stamps of a log have, whose runs are what lies between pauses."""
    pauses = [float(time[start] - time[start - 1]) for start, _ in runs[1:]]
    steps = np.concatenate([np.diff(time[start:stop]) for start, stop in runs])
    gaps = steps[steps > GAP * np.median(steps)] if len(steps) else steps
    notes = []
    if pauses:
        notes.append(
            f"{len(pauses)} pause(s) between stamps, {sum(pauses):.3g} s in all: what lies between them is "
            "filtered by itself"
        )
    if len(gaps):
        notes.append(
            f"{len(gaps)} gap(s) between stamps, the longest of {1e3 * gaps.max():.3g} ms: short ones are "
            "interpolated, rows near those longer than a quarter of the cutoff's period are not used"
        )
    return tuple(notes)


def at_rows(
    time: Array, columns: Mapping[str, Array], rows: Array, name: str
) -> tuple[dict[str, Array], NDArray[np.bool_]]:
    """Return columns sampled at `time` at the times of other `rows`, and which of these lie within them.

    Cubic splines lead from sample to sample; of columns sampled faster than the rows it is the mean
    from half a row before to half a row after, so that noise above the rows' rate does not fold back. Rows
    in gaps, or beside a number that is not finite, are not within.
    """
    from scipy.interpolate import CubicSpline

    fine = np.all([np.isfinite(values.reshape(len(time), -1)).all(1) for values in columns.values()], axis=0)
    if np.count_nonzero(fine) < 4:
        raise LogError(f"{name}: {np.count_nonzero(fine)} usable row(s); is the recording complete?")
    time, step = time[fine], float(np.median(np.diff(time)))
    half = float(np.median(np.diff(rows))) / 2
    faster = step < 1.5 * half
    margin = half if faster else 0.0
    after = np.clip(np.searchsorted(time, rows), 1, len(time) - 1)
    inside = (rows >= time[0] + margin) & (rows <= time[-1] - margin)
    inside &= (time[after] - time[after - 1] <= GAP * step) | np.isin(rows, time)
    if not inside.any():
        raise LogError(
            f"{name}: its clock runs from {time[0]:g} to {time[-1]:g} s, that of the positions from "
            f"{rows[0]:g} to {rows[-1]:g} s: no row in common; put the files on one clock"
        )
    found = {}
    for column, values in columns.items():
        spline = CubicSpline(time, values[fine])
        if faster:
            whole = spline.antiderivative()
            found[column] = (whole(rows + half) - whole(rows - half)) / (2 * half)
        else:
            found[column] = spline(rows)
    return found, inside


def steady(time: Array, rate: float) -> Array:
    """Return the stamps averaged along their rows, from gap to gap: drift stays, jitter goes."""
    from scipy import signal

    steps = np.diff(time)
    scatter = 1.4826 * np.median(np.abs(steps * rate - 1))
    gaps = np.flatnonzero(steps * rate > 1 + max(0.5, 6 * scatter)) + 1
    even = time.copy()
    for part in np.split(np.arange(len(time)), gaps):
        length = min(len(part), int(WINDOW * rate)) // 2 * 2 - 1
        if length >= 11:
            lag = time[part] - np.arange(len(part)) / rate
            even[part] = np.arange(len(part)) / rate + signal.savgol_filter(lag, length, 1)
    return even


def believed_time(time: Array, some: Samples) -> tuple[Array, tuple[str, ...]]:
    """Return the times at which rows were sampled, with a note if these are not the stamps.

    Positions decide: a stamp that is off by dt puts noise of speed times dt on a position. If
    `some` of the rows are much quieter on an even clock, they were sampled by that clock.
    """
    rate = sampling_rate(time)
    steps = np.diff(time) * rate
    if np.median(np.abs(steps - 1)) < JITTER:
        return time, ()
    even = steady(time, rate)
    if (np.diff(even) <= 0).any():
        return time, ()
    floors = [
        Spectrum.of(replace(some, time=clock), rate).floor for clock in (some.time, steady(some.time, rate))
    ]
    moving = (floors[0] > 0) & (floors[1] > 0)
    if not moving.any() or np.median(floors[1][moving] / floors[0][moving]) > QUIETER:
        return time, ()
    jitter = 1e3 * float(np.std(time - even))
    note = (
        f"time stamps jitter by {jitter:.2g} ms around rows that were sampled evenly (at averaged times "
        f"positions are smoother): {len(time)} rows are taken at those"
    )
    return even, (note,)
