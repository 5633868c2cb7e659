"""Joints at rest: a joint that stands still feels friction anywhere between the two directions.

A drive that holds its joint need not turn against friction: its effort is off by up to the Coulomb torque,
for as long as the joint stands, by an amount that no model of friction as a function of the motion gives.
"""
# ruff: noqa: PLC0415 (SciPy is imported where it is used: it takes half a second)

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from .log import Log
from .signals import sampling_rate

REST = 0.5
"""Seconds for which a joint must stand to be at rest; the reversals of a motion are shorter."""

STANDING = 1e-3
"""Part of a joint's whole range within which it stands."""

COUNTS = 1.0
"""Seconds that a rest counts for in a fit."""

MOST = 0.5
"""Part of a joint's samples that may be left out as at rest: a log of held poses has nothing else."""


def at_rest(position: Array, rate: float) -> NDArray[np.bool_]:
    """Return which positions (rows, joints), sampled at a rate in Hz, belong to a rest of their joint."""
    from scipy import ndimage

    rows = int(REST * rate) | 1
    if len(position) < rows:
        return np.zeros(position.shape, dtype=bool)
    high = ndimage.maximum_filter1d(position, rows, axis=0, mode="nearest")
    low = ndimage.minimum_filter1d(position, rows, axis=0, mode="nearest")
    still = high - low <= STANDING * np.ptp(position, axis=0)
    whole = ndimage.maximum_filter1d(still.astype(np.uint8), rows, axis=0, mode="nearest")
    found = np.asarray(whole, dtype=bool)
    found[:, found.mean(axis=0) > MOST] = False
    return found


def without_rest(log: Log, held_out: NDArray[np.bool_] | None = None) -> Log:
    """Return a log in memory in which efforts of joints at rest count little, with a note of how many.

    A rest tells one torque, however long it lasts: its samples count together as `COUNTS` seconds do. Rows
    that are `held_out` (rows,) count in full: those are predicted, not fitted.
    """
    if log.lazy:
        return log
    angles = np.asarray(log.position, dtype=float) * log.scales["position"]
    rate = sampling_rate(log.time)
    rest = at_rest(log.transmission.joint_positions(angles), rate)
    before = np.ones(rest.shape) if log.importance is None else log.importance
    rest &= before > 0
    weight = np.stack([rest_weights(column, rate) for column in rest.T], axis=1)
    if held_out is not None:
        weight[held_out], rest[held_out] = 1.0, False
    if not rest.any():
        return log
    counts = rest.sum(axis=0)
    names = ", ".join(f"{log.joints[j]} ({counts[j]})" for j in np.flatnonzero(counts))
    note = (
        f"samples of {len(log)} in which a joint stands still for {REST:g} s or more count for {COUNTS:g} s "
        f"each time, since friction then holds it anywhere between two torques, by joint: {names}"
    )
    return replace(log, importance=weight * before, notes=(*log.notes, note))


def rest_weights(rest: NDArray[np.bool_], rate: float) -> Array:
    """Return the weights of samples: one, or at rest `COUNTS` over the seconds of the rest, if that is less.

    >>> rest_weights(np.array([0, 1, 1, 1, 1, 0], dtype=bool), 2.0)
    array([1.  , 0.25, 0.25, 0.25, 0.25, 1.  ])
    """
    edges = np.flatnonzero(np.diff(rest.astype(int), prepend=0, append=0))
    weights = np.ones(len(rest))
    for start, stop in edges.reshape(-1, 2):
        weights[start:stop] = min(1.0, COUNTS * rate / (stop - start))
    return weights
