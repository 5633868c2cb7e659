"""The clock of a log: its stamps in seconds, and stamps that jitter around rows sampled evenly."""
# ruff: noqa: PLC0415 (SciPy is imported where it is used: it takes half a second)

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import Array
from ...checks import number, real_array
from ...errors import ArgumentError
from .cutoff import Spectrum
from .signals import JITTER, Samples, sampling_rate
from .tables import LogError

RATES = (1e-3, 1e8)
"""Samples per second that a clock may have."""

WINDOW = 1.0
"""Seconds over which stamps are averaged."""

QUIETER = 0.5
"""Noise floor of positions on the even clock over that on the stamps, below which stamps are not believed."""


def even_time(rate: float, count: int) -> Array:
    """Return the times of rows sampled at a rate in Hz."""
    rate = number("rate", rate)
    if not RATES[0] <= rate <= RATES[1]:
        raise ArgumentError(
            f"rate is {rate:g}; expected samples per second from {RATES[0]:g} to {RATES[1]:g}"
        )
    return np.arange(count) / rate


def seconds(column: Any, scale: Array, name: str) -> Array:
    """Return the stamps of the log `name` in seconds, which must increase."""
    time = np.asarray(real_array("time", column) * scale[0])
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
