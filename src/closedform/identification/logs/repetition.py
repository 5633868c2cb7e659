"""Motions that repeat: the period of a log, by what its positions differ from themselves some time later."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from .signals import SPARSE, Samples, even_samples

RATE = 25.0
"""Samples per second that are enough to find a period."""

SHORTEST = 2.5
"""Seconds; in a shorter period there is hardly anything to fit."""

OVERLAP = 0.25
"""Part of the log, at least, that a later part must repeat."""

ALIKE = 0.2
"""Difference between repetitions, root mean square over that of unrelated positions, up to which they are the
same motion: that of the joint that differs most."""

SEEN = 0.1
"""Part of the rows held out, from which on it is told that they repeat what is fitted."""


def repetition(samples: Samples, rate: float) -> float | None:
    """Return the seconds after which the motion of all joints repeats; None if it does not.

    Of each joint D(T) = mean (q(t + T) - q(t))^2 / (2 var q) is 1 where positions are unrelated and 0 where
    they repeat; the period is at the first minimum of the joints' largest D that is small.

    >>> t = np.arange(0, 30, 0.01)
    >>> q = np.stack([np.sin(0.2 * np.pi * t) - np.cos(0.8 * np.pi * t), np.cos(0.4 * np.pi * t)], axis=1)
    >>> round(repetition(Samples(t, q, q), 100.0), 3)
    10.0
    >>> repetition(Samples(t, q + t[:, None] / 3, q), 100.0) is None
    True
    """
    span = float(samples.time[-1] - samples.time[0])
    if span * rate > SPARSE * len(samples.time):  # hardly any rows
        return None
    step = max(1, int(rate / RATE))
    position = even_samples(samples, rate).position[::step]
    moving = position[:, np.ptp(position, axis=0) > 0]
    first, last = int(SHORTEST * rate / step), int((1 - OVERLAP) * len(moving))
    if not moving.size or last < first + 3:
        return None
    D = _differences(moving, last + 1)
    worst = D.max(axis=1)
    bottoms = 1 + np.flatnonzero((worst[1:-1] <= worst[:-2]) & (worst[1:-1] < worst[2:]))
    bottoms = bottoms[(bottoms >= first) & (worst[bottoms] < ALIKE**2)]
    if not len(bottoms):
        return None
    at = int(bottoms[0])
    before, here, after = D[at - 1 : at + 2].mean(axis=1)
    bend = before - 2 * here + after
    return float((at + (0.5 * (before - after) / bend if bend > 0 else 0.0)) * step / rate)


def repetition_notes(period: float | None) -> tuple[str, ...]:
    """Return what is to be said of a motion that repeats."""
    if period is None:
        return ()
    return (
        f"the motion repeats every {period:.3g} s: cross validation leaves out the same part of every "
        "repetition together",
    )


def held_out_notes(repeated: float) -> tuple[str, ...]:
    """Return what is to be said of rows held out of which a part repeats what is fitted."""
    if repeated < SEEN:
        return ()
    return (
        f"{100 * repeated:.0f} % of what is held out repeats what is fitted: its errors say little about "
        "other motions, hold out a recording of one",
    )


def _differences(x: Array, count: int) -> Array:
    """Return D (count, joints) at shifts of 0, 1, ... samples: by correlations, sums of squares and means."""
    n = len(x)
    x = x - x.mean(axis=0)
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.fft.rfft(x, size, axis=0)
    products = np.fft.irfft(np.abs(spectrum) ** 2, size, axis=0)[:count]
    squares = np.concatenate([np.zeros((1, x.shape[1])), np.cumsum(x**2, axis=0)])
    shift = np.arange(count)
    both = squares[n - shift] + squares[n] - squares[shift]
    return np.asarray((both - 2 * products) / (n - shift)[:, None] / (2 * np.var(x, axis=0)))
