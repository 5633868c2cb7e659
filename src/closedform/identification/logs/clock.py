"""The clock of a log: stamps that jitter around rows that were sampled evenly."""
# ruff: noqa: PLC0415 (SciPy is imported where it is used: it takes half a second)

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array
from .cutoff import Spectrum
from .samples import Samples
from .signals import JITTER, sampling_rate

WINDOW = 1.0
"""Seconds over which stamps are averaged."""

QUIETER = 0.5
"""Noise floor of positions on the even clock over that on the stamps, below which stamps are not believed."""


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


def believed_time(time: Array, some: Samples) -> tuple[Array, str | None]:
    """Return the times of the rows, and a note where the stamps were not taken at their word.

    Positions decide: a stamp that is off by dt puts noise of speed times dt on a position. Where
    `some` of the rows are much quieter on an even clock, that is when they were sampled.
    """
    rate = sampling_rate(time)
    steps = np.diff(time) * rate
    if np.median(np.abs(steps - 1)) < JITTER:
        return time, None
    even = steady(time, rate)
    if (np.diff(even) <= 0).any():
        return time, None
    floors = [
        Spectrum.of(replace(some, time=clock), rate).floor for clock in (some.time, steady(some.time, rate))
    ]
    moving = (floors[0] > 0) & (floors[1] > 0)
    if not moving.any() or np.median(floors[1][moving] / floors[0][moving]) > QUIETER:
        return time, None
    jitter = 1e3 * float(np.std(time - even))
    return even, (
        f"time stamps jitter by {jitter:.2g} ms around rows that were sampled evenly (at averaged times "
        f"positions are smoother): {len(time)} rows are taken at those"
    )
