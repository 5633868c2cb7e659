"""Repairs of a log: turns taken out of angles, single rows that cannot be true, efforts at their limit.

Every repair is counted in a note; what is more than `FEW` of a log is left as it is, or refused.
"""
# ruff: noqa: PLC0415 (SciPy is imported where it is used: it takes half a second)

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

FEW = 0.01
"""Part of the rows that may be left out as dropouts without being asked."""

WINDOW = 7
"""Rows of the running median; up to three wrong ones in a row stand out of it."""

SPIKE = 8.0
"""Distance from the running median, over that of one row in a hundred, beyond which a row is wrong."""

SMALLEST = 0.02
"""Part of a column's range below which nothing counts as a dropout."""

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

    A running median passes slopes and steps as they are, so neither motion nor the step of dry
    friction stands out of it: single rows of another value do.
    """
    from scipy import ndimage

    if len(columns) < 10 * WINDOW:
        return np.zeros(len(columns), dtype=bool)
    off = np.abs(columns - ndimage.median_filter(columns, size=(WINDOW, 1), mode="nearest"))
    usual = np.percentile(off, 100 * (1 - FEW), axis=0)
    reach = np.percentile(columns, 99, axis=0) - np.percentile(columns, 1, axis=0)
    return np.asarray((off > np.maximum(SPIKE * usual, SMALLEST * reach)).any(axis=1) & (reach > 0).any())


def repeats(columns: Array) -> Mask:
    """Return which rows repeat the one before in every column, exactly."""
    same = np.zeros(len(columns), dtype=bool)
    same[1:] = (columns[1:] == columns[:-1]).all(axis=1)
    return same


def saturated(effort: Array) -> Mask:
    """Return which efforts (rows, joints) stay at the column's extreme as if they were cut there."""
    found = np.zeros(effort.shape, dtype=bool)
    for j, column in enumerate(effort.T):
        if len(column) < 2 or np.ptp(column) == 0:
            continue
        starts = np.flatnonzero(np.concatenate([[True], column[1:] != column[:-1]]))
        lengths = np.diff(np.append(starts, len(column)))
        extreme = (column[starts] == column.max()) | (column[starts] == column.min())
        padded = np.concatenate([[1], lengths, [1]])
        long = extreme & (lengths >= PLATEAU * np.maximum(padded[:-2], padded[2:]))
        for start, length in zip(starts[long], lengths[long], strict=True):
            found[start : start + length, j] = True
    return found
