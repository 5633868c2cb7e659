"""Faults of a log: angles that jump by a turn, single rows that cannot be true, efforts at their limit."""
# ruff: noqa: PLC0415 (SciPy is imported where it is used: it takes half a second)

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array

Mask = NDArray[np.bool_]

FEW = 0.01
"""Part of the rows that may be left out as faulty without being asked."""

WINDOW = 7
"""Rows of the running median; up to three wrong ones in a row stand out of it."""

SPIKE = 8.0
"""Distance from the running median, over its 99th percentile, above which a row is wrong."""

LEAP = 4.0
"""Steps into and out of a wrong row over the steps beside them; a peak of friction has gradual sides."""

SMALLEST = 0.02
"""Part of a column's range below which nothing counts as a dropout."""

STALE = 0.05
"""Seconds for which the same row may be written again before it counts as a robot at rest."""

MOST = 0.3
"""Part of the rows that may be left out as saturated."""

PLATEAU = 6
"""Rows at the extreme of an effort over those at the values beside it, before it counts as saturated.

A round peak in coarse steps stays at its highest step at most 4.9 times as long as at the next.
"""


def unwrapped(angles: Array, turning: Sequence[bool]) -> tuple[Array, Array]:
    """Return angles (rows, joints) without jumps of a whole turn, and how many each joint had.

    A jump is a step of a turn up to what the joint usually moves from row to row.
    """
    steps = np.diff(angles, axis=0)
    size = np.abs(steps)
    usual = 4 * np.nanpercentile(size, 99, axis=0) if len(steps) else np.zeros(angles.shape[1])
    jumps = (size > np.pi) & (np.abs(size - 2 * np.pi) <= usual) & (usual < np.pi) & np.asarray(turning)
    if not jumps.any():
        return angles, np.zeros(angles.shape[1], dtype=int)
    turns = np.zeros_like(angles)
    turns[1:] = np.cumsum(np.where(jumps, np.sign(steps), 0.0), axis=0)
    return angles - 2 * np.pi * turns, jumps.sum(axis=0)


def spikes(columns: Array) -> Mask:
    """Return which rows stand out of their neighbours, beyond what the column's noise explains.

    Distances are those from a running median, which keeps slopes and steps as they are. It also cuts
    peaks of motion and friction, but those rise over several rows; a wrong value comes and goes in one
    step, far larger than the steps on either side.
    """
    from scipy import ndimage

    wrong = np.zeros(len(columns), dtype=bool)
    if len(columns) < 10 * WINDOW:
        return wrong
    off = np.abs(columns - ndimage.median_filter(columns, size=(WINDOW, 1), mode="nearest"))
    steps = np.abs(np.diff(columns, axis=0))
    usual = np.maximum(np.percentile(off, 100 * (1 - FEW), axis=0), _resolutions(steps))
    reach = np.percentile(columns, 99, axis=0) - np.percentile(columns, 1, axis=0)
    for j in np.flatnonzero(reach > 0):
        far = off[:, j] > max(SPIKE * usual[j], SMALLEST * reach[j])
        edges = np.flatnonzero(np.diff(far)) + 1  # where runs of wrong rows begin and end, in turn
        edges = edges[1 if far[0] else 0 :]
        for start, stop in zip(edges[::2], edges[1::2], strict=False):
            leap = min(steps[start - 1, j], steps[stop - 1, j])
            beside = [*steps[max(start - 2, 0) : start - 1, j], *steps[stop : stop + 1, j]]
            if leap > LEAP * max(beside, default=0.0):
                wrong[start:stop] = True
    return wrong


def _resolutions(steps: Array) -> Array:
    """Return the resolution of each column by its steps; hardly anything if it was not rounded."""
    return np.array([np.percentile(step[step > 0], 5) if step.any() else 0.0 for step in steps.T])


def repeats(columns: Array) -> Mask:
    """Return which rows repeat the one before in every column, exactly."""
    same = np.zeros(len(columns), dtype=bool)
    same[1:] = (columns[1:] == columns[:-1]).all(axis=1)
    return same


def stale(columns: Array, time: Array) -> Mask:
    """Return which rows repeat the one before in every column, for so short a time that it is an old row.

    A log that is written more often than the drives report holds each report once or several times; the
    copies have stamps that are too late, which makes a noise of positions. Longer than `STALE` the robot may
    be at rest.
    """
    same = repeats(columns)
    first = np.flatnonzero(~same)  # the row that each run of copies repeats
    begin = time[first]
    lasts = np.append(begin[1:], np.inf) - begin
    brief = np.repeat(lasts <= STALE, np.diff(np.append(first, len(same))))
    return np.asarray(same & brief)


def saturated(effort: Array, moving: Sequence[bool] | None = None) -> Mask:
    """Return which efforts (rows, joints) stay at the column's extreme as if they were cut there.

    Zero is no limit of a drive, and joints that do not move are left aside.
    """
    found = np.zeros(effort.shape, dtype=bool)
    for j, column in enumerate(effort.T):
        if len(column) < 2 or np.ptp(column) == 0 or not (moving is None or moving[j]):
            continue
        starts = np.flatnonzero(np.concatenate([[True], column[1:] != column[:-1]]))
        lengths = np.diff(np.append(starts, len(column)))
        value = column[starts]
        extreme = ((value == column.max()) | (value == column.min())) & (value != 0)
        padded = np.concatenate([[1], lengths, [1]])
        long = extreme & (lengths >= PLATEAU * np.maximum(padded[:-2], padded[2:]))
        for start, length in zip(starts[long], lengths[long], strict=True):
            found[start : start + length, j] = True
    return found


def expendable(full: Mask) -> Mask:
    """Return the joints whose saturated rows can be left out: together at most `MOST` of the log.

    `full` (rows, joints) says which efforts are saturated. A row is left out for all joints, so joints
    with the fewest saturated rows come first.
    """
    gone = np.zeros(len(full), dtype=bool)
    go = np.zeros(full.shape[1], dtype=bool)
    for j in np.argsort(full.sum(axis=0), kind="stable"):
        if np.count_nonzero(gone | full[:, j]) > MOST * len(full):
            break
        gone |= full[:, j]
        go[j] = True
    return go
