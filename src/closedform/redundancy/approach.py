"""From anywhere to the task: damped least squares within the joint limits, for batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from .conditions import Conditions

Mask = NDArray[np.bool_]

QUIET: dict[str, Any] = {"invalid": "ignore", "divide": "ignore", "over": "ignore"}
"""Samples that fail do so as NaN in their own row; NumPy need not warn of them (`np.errstate(**QUIET)`)."""

LONGEST = 1.0
"""Longest step, in radians or metres."""


@dataclass(frozen=True)
class Bounds:
    """Limits of the coordinates, infinite where there are none."""

    lower: Array
    upper: Array

    @property
    def locked(self) -> Array:
        """1 for coordinates whose limits leave one value, 0 for the others."""
        return np.where(self.lower == self.upper, 1.0, 0.0)

    def clip(self, q: Array) -> Array:
        """Return the nearest coordinates within the limits."""
        return np.clip(q, self.lower, self.upper)

    def inwards(self, q: Array) -> Array:
        """Return the direction inside from the limit that is met: 1 or -1, and 0 for locked coordinates."""
        return np.where(q <= self.lower, 1.0, -1.0) * (1.0 - self.locked)


def approach(
    conditions: Conditions,
    q: Array,
    target: Array,
    bounds: Bounds,
    *,
    near: float,
    iterations: int,
    patience: int,
) -> tuple[Array, Array, NDArray[np.intp]]:
    """Return q nearer to the targets, the lengths |e| left, and the iterations taken.

    Levenberg-Marquardt steps with the damping of `Conditions.approach` and joints held at limits
    that the step would cross; a step is taken where |e| falls, else the damping grows. A sample
    stops when |e| is below `near`, or when |e| has not fallen below 0.9 of itself for `patience`
    iterations.
    """
    count = len(q)
    q = bounds.clip(q)
    left = np.full(count, np.nan)
    taken = np.zeros(count, dtype=np.intp)
    final = q.copy()
    lanes = np.arange(count)
    x, goal = q, target
    damping = np.full(count, 0.5)
    held = np.zeros_like(x)
    error, slope, step, length = conditions.approach(x, goal, damping, held)
    best, waited = error.copy(), np.zeros(count, dtype=np.intp)
    for k in range(iterations + 1):
        going = (error > near) & (waited < patience)  # never with NaN
        if k == iterations:
            going[:] = False
        if not going.all():
            done = ~going
            rows = lanes[done]
            final[rows], left[rows], taken[rows] = x[done], error[done], k
            if not going.any():
                break
            lanes, x, goal, damping = lanes[going], x[going], goal[going], damping[going]
            error, best, waited, slope = error[going], best[going], waited[going], slope[going]
            held, step, length = held[going], step[going], length[going]
        outwards = ((x <= bounds.lower) & (slope > 0)) | ((x >= bounds.upper) & (slope < 0))
        changed = (outwards != held).any(axis=-1)
        if changed.any():
            held = outwards.astype(float)
            _, _, step[changed], length[changed] = conditions.approach(
                x[changed], goal[changed], damping[changed], held[changed]
            )
        trial = bounds.clip(x + np.minimum(1.0, LONGEST / np.maximum(length, LONGEST))[:, None] * step)
        there, slope, step, length = conditions.approach(trial, goal, 0.25 * damping, held)
        better = there < error
        if better.all():
            x, error, damping = trial, there, 0.25 * damping
        else:
            x = np.where(better[:, None], trial, x)
            error = np.where(better, there, error)
            damping = np.where(better, 0.25 * damping, 8.0 * damping)
            worse = ~better
            _, slope[worse], step[worse], length[worse] = conditions.approach(
                x[worse], goal[worse], damping[worse], held[worse]
            )
        gained = error < 0.9 * best
        waited = np.where(gained, 0, waited + 1)
        best = np.where(gained, error, best)
    return final, left, taken
