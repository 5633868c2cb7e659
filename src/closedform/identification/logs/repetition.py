"""Motions that repeat: the period of a log, and logs of one motion, by how much their positions differ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Array
from .signals import SPARSE, Samples

RATE = 25.0
"""Samples per second that are enough to find a period."""

SHORTEST = 2.5
"""Seconds; in a shorter period there is hardly anything to fit."""

OVERLAP = 0.25
"""Part of the log, at least, that a later part must repeat."""

ALIKE = 0.2
"""Difference between repetitions, root mean square over that of unrelated positions, up to which they are the
same motion: that of the joint that differs most."""

SLIGHT = 0.02
"""Part of the spread of the joint that moves most, that a joint at rest and its noise are taken to have."""

INSTANTS = 256
"""Instants of a log at which its positions are compared with those of another one."""

OFFSET = 12
"""Instants by which one of two logs of the same motion may have begun later."""

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
    rate = min(rate, RATE)
    position = _at(samples, samples.time[0] + np.arange(int(span * rate) + 1) / rate)
    first, last = int(SHORTEST * rate), int((1 - OVERLAP) * len(position))
    if not np.ptp(position, axis=0).any() or last < first + 3:
        return None
    D = _differences(position, last + 1)
    worst = D.max(axis=1)
    bottoms = 1 + np.flatnonzero((worst[1:-1] <= worst[:-2]) & (worst[1:-1] < worst[2:]))
    bottoms = bottoms[(bottoms >= first) & (worst[bottoms] < ALIKE**2)]
    if not len(bottoms):
        return None
    at = int(bottoms[0])
    before, here, after = D[at - 1 : at + 2].mean(axis=1)
    bend = before - 2 * here + after
    return float((at + (0.5 * (before - after) / bend if bend > 0 else 0.0)) / rate)


def repetition_notes(period: float | None) -> tuple[str, ...]:
    """Return what is to be said of a motion that repeats."""
    if period is None:
        return ()
    return (
        f"the motion repeats every {period:.3g} s: cross validation leaves out the same part of every "
        "repetition together",
    )


def sketch(samples: Samples) -> Array:
    """Return positions (instants, joints) at even instants from the first row to the last, in few bytes."""
    return _at(samples, np.linspace(samples.time[0], samples.time[-1], INSTANTS)).astype(np.float32)


def _at(samples: Samples, time: Array) -> Array:
    """Return the positions (instants, joints) on straight lines between rows."""
    return np.stack([np.interp(time, samples.time, column) for column in samples.position.T], axis=1)


def motions(sketches: Sequence[Array], durations: Sequence[float]) -> list[int]:
    """Return which motion each of some logs is of, numbered in their order.

    >>> t = np.linspace(0, 1, INSTANTS)[:, None]
    >>> motions([np.sin(9 * t), np.cos(9 * t), np.sin(9 * t - 0.1), np.sin(9 * t)], [20, 20, 20.1, 30])
    [0, 1, 0, 2]
    """
    means = np.array([x.mean(axis=0) for x in sketches])
    spreads = np.array([_spreads(x) for x in sketches])
    lasting = np.asarray(durations, dtype=float)
    found: list[int] = []
    firsts: list[int] = []
    for k, x in enumerate(sketches):
        first = np.array(firsts, dtype=int)
        near = np.abs(means[first] - means[k]) <= ALIKE * (spreads[first] + spreads[k])
        near &= np.abs(spreads[first] - spreads[k]) <= ALIKE * (spreads[first] + spreads[k])
        alike = near.all(axis=1) & (np.abs(lasting[first] - lasting[k]) <= OFFSET / INSTANTS * lasting[k])
        own = next((m for m in np.flatnonzero(alike) if _same(sketches[firsts[m]], x)), len(firsts))
        if own == len(firsts):
            firsts.append(k)
        found.append(int(own))
    return found


def _spreads(x: Array) -> Array:
    """Return the standard deviations of columns, at least `SLIGHT` times the largest one."""
    found = x.std(axis=0)
    return np.asarray(np.maximum(found, SLIGHT * found.max() or 1.0))


def _same(a: Array, b: Array) -> bool:
    """Return whether two sketches are of one motion, of which one may have begun later."""
    scale = _spreads(a) ** 2 + _spreads(b) ** 2
    for shift in range(OFFSET + 1):
        stop = len(a) - shift
        for x, y in ((a[shift:], b[:stop]), (a[:stop], b[shift:])):
            if (np.mean((x - y) ** 2, axis=0) / scale).max() < ALIKE**2:
                return True
    return False


def motion_notes(fitted: Sequence[int], held_out: Sequence[int]) -> tuple[str, ...]:
    """Return what is to be said of logs, by their motions, of which several are of one motion."""
    notes = []
    again = len(fitted) - len(set(fitted))
    if again:
        notes.append(
            f"{again} of {len(fitted)} fitted logs repeat the motion of another one: cross validation leaves "
            "out the logs of one motion together"
        )
    known = sum(motion in set(fitted) for motion in held_out)
    if known:
        notes.append(
            f"{known} of {len(held_out)} logs held out repeat a motion that is fitted: their errors say "
            "little about other motions"
        )
    return tuple(notes)


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
    return np.asarray((both - 2 * products) / (n - shift)[:, None] / (2 * _spreads(x) ** 2))
