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

REST = 2.0
"""Seconds for which a joint must stand to be at rest; a short stop is still told by presliding friction."""

STANDING = 1e-3
"""Part of a joint's whole range within which it stands."""

MOST = 0.5
"""Part of a joint's samples that may be left out as at rest: a log of held poses has nothing else."""


def at_rest(position: Array, rate: float) -> NDArray[np.bool_]:
    """Return which positions (rows, joints), sampled at a rate in Hz, belong to a rest of their joint."""
    from scipy import ndimage

    rows = int(REST * rate) | 1
    if len(position) < rows:
        return np.zeros(position.shape, dtype=bool)
    # beyond the ends nobody knows: a rest there must be as long as elsewhere
    high = ndimage.maximum_filter1d(position, rows, axis=0, mode="constant", cval=np.inf)
    low = ndimage.minimum_filter1d(position, rows, axis=0, mode="constant", cval=-np.inf)
    still = high - low <= STANDING * np.ptp(position, axis=0)
    whole = ndimage.maximum_filter1d(still.astype(np.uint8), rows, axis=0, mode="nearest")
    found = np.asarray(whole, dtype=bool)
    found[:, found.mean(axis=0) > MOST] = False
    return found


def without_rest(log: Log, held_out: NDArray[np.bool_] | None = None) -> Log:
    """Return a log in memory in which efforts of joints at rest do not count, with a note of how many.

    They do count in rows that are `held_out` (rows,): those are predicted, not fitted. If every sample of a
    joint that counts is at rest, all of them stay.
    """
    if log.lazy:
        return log
    angles = np.asarray(log.position, dtype=float) * log.scales["position"]
    rest = at_rest(log.transmission.joint_positions(angles), sampling_rate(log.time))
    before = np.ones(rest.shape) if log.importance is None else log.importance
    rest &= before > 0
    if held_out is not None:
        rest &= ~held_out[:, None]
    importance = np.where(rest, 0.0, before)
    none = ~importance.any(axis=0)
    importance[:, none], rest[:, none] = before[:, none], False
    if not rest.any():
        return log
    counts = rest.sum(axis=0)
    names = ", ".join(f"{log.joints[j]} ({counts[j]})" for j in np.flatnonzero(counts))
    note = (
        f"samples of {len(log)} in which a joint stands still for {REST:g} s or more are not fitted there, "
        f"since friction then holds it anywhere between two torques, by joint: {names}"
    )
    return replace(log, importance=importance, notes=(*log.notes, note))
