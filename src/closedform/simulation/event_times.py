"""Events of a motion: when a function of time and state passes through zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.interpolate import PPoly

from ..arrays import Array
from ..integration import Event
from .motion import Motion


def with_events(motion: Motion, events: Sequence[Event]) -> Motion:
    """Return a single run with the times of its events, ended at the first terminal one.

    The state of an event is (q, qd), then the states of the law, between two steps the cubics of the
    states and their differences.
    """
    path = _between(motion)
    found = [each.times(path) for each in events]
    ends = [times[0] for each, times in zip(events, found, strict=True) if each.terminal and times]
    if not ends:
        return replace(motion, events=tuple(found))
    end = min(ends)
    keep = motion.t < end
    last = path(end)
    paths = [motion.q, motion.qd, *motion.states.values()]
    ends_of = np.split(last, np.cumsum([each.shape[-1] for each in paths])[:-1])
    q, qd, *states = (np.concatenate([a[keep], b[None]]) for a, b in zip(paths, ends_of, strict=True))
    return replace(
        motion,
        t=np.append(motion.t[keep], end),
        q=q,
        qd=qd,
        states=dict(zip(motion.states, states, strict=True)),
        events=tuple([s for s in times if s <= end] for times in found),
        transitions=tuple(each for each in motion.transitions if each.time <= end),
    )


def _between(motion: Motion) -> PPoly:
    """Return a run between its steps; slopes are those of the cubic through neighbouring states."""
    x = np.concatenate([motion.q, motion.qd, *motion.states.values()], axis=-1)
    return PPoly(_hermite(x, _slopes(x, motion.t[1] - motion.t[0]), motion.t), motion.t)


def _slopes(x: Array, h: float) -> Array:
    """Return the rates of states at equal steps, by differences of fourth order."""
    if len(x) < 5:
        return np.gradient(x, h, axis=0)
    inner = (x[:-4] - 8 * x[1:-3] + 8 * x[3:-1] - x[4:]) / (12 * h)
    first = (-25 * x[0] + 48 * x[1] - 36 * x[2] + 16 * x[3] - 3 * x[4]) / (12 * h)
    second = (-3 * x[0] - 10 * x[1] + 18 * x[2] - 6 * x[3] + x[4]) / (12 * h)
    last = (25 * x[-1] - 48 * x[-2] + 36 * x[-3] - 16 * x[-4] + 3 * x[-5]) / (12 * h)
    before = (3 * x[-1] + 10 * x[-2] - 18 * x[-3] + 6 * x[-4] - x[-5]) / (12 * h)
    return np.concatenate([[first, second], inner, [before, last]])


def _hermite(x: Array, slope: Array, t: Array) -> Array:
    """Return the coefficients of the cubics with these values and slopes at both ends of each step."""
    h = np.diff(t)[:, None]
    first, last, mean = slope[:-1], slope[1:], np.diff(x, axis=0) / h
    cubic = (first + last - 2 * mean) / h**2
    return np.stack([cubic, (3 * mean - 2 * first - last) / h, first, x[:-1]])
