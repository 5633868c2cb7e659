"""From anywhere to the task: damped least squares within the joint limits, for batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import ArgumentError
from .batch import Batch, Indices, Mask
from .bounds import Bounds
from .conditions import Conditions
from .points import TASK_MET

QUIET: dict[str, Any] = {"invalid": "ignore", "divide": "ignore", "over": "ignore"}
"""A sample that fails is NaN in its own row; NumPy need not warn of it (`np.errstate(**QUIET)`)."""

LONGEST = 1.0
"""Longest step, in radians or metres."""


@dataclass
class _Approaches(Batch):
    """Samples on their way to the task.

    `sample` is the row of the target, `best` the smallest error so far and `waited` the iterations since
    it last fell by a tenth; `slope`, `step` and `length` belong to q, `damping` and the joints `held`.
    """

    sample: Indices
    goal: Array
    q: Array
    damping: Array
    held: Array
    error: Array
    slope: Array
    step: Array
    length: Array
    best: Array
    waited: Indices

    @classmethod
    def start(cls, conditions: Conditions, q: Array, goal: Array) -> _Approaches:
        """Return the samples at their first q."""
        count = len(q)
        damping, held = np.full(count, 0.5), np.zeros_like(q)
        error, slope, step, length = conditions.approach(q, goal, damping, held)
        sample, waited = np.arange(count), np.zeros(count, dtype=np.intp)
        return cls(sample, goal, q, damping, held, error, slope, step, length, error.copy(), waited)

    def renew(self, conditions: Conditions, which: Mask) -> None:
        """Compute the steps of some samples again, after their q, damping or held joints have changed."""
        _, self.slope[which], self.step[which], self.length[which] = conditions.approach(
            self.q[which], self.goal[which], self.damping[which], self.held[which]
        )


def approach(
    conditions: Conditions,
    q: Array,
    target: Array,
    bounds: Bounds,
    *,
    near: float,
    iterations: int,
    patience: int,
) -> tuple[Array, Array, Indices]:
    """Return q nearer to the targets, the lengths |e| left, and the iterations taken.

    Levenberg-Marquardt steps with the damping of `Conditions.approach` and joints held at limits
    that the step would cross; a step is taken if |e| falls, else the damping grows. A sample
    stops when |e| is below `near`, or when |e| has not fallen below 0.9 of itself for `patience`
    iterations.
    """
    final = bounds.clip(q)
    left, taken = np.full(len(q), np.nan), np.zeros(len(q), dtype=np.intp)
    now = _Approaches.start(conditions, final.copy(), target)
    for k in range(iterations + 1):
        going = (now.error > near) & (now.waited < patience)  # never with NaN
        if k == iterations:
            going[:] = False
        if not going.all():
            done = now.take(~going)
            final[done.sample], left[done.sample], taken[done.sample] = done.q, done.error, k
            if not going.any():
                break
            now = now.take(going)
        outwards = ((now.q <= bounds.lower) & (now.slope > 0)) | ((now.q >= bounds.upper) & (now.slope < 0))
        changed = (outwards != now.held).any(axis=-1)
        if changed.any():
            now.held = outwards.astype(float)
            now.renew(conditions, changed)
        _advance(conditions, now, bounds)
        gained = now.error < 0.9 * now.best
        now.waited = np.where(gained, 0, now.waited + 1)
        now.best = np.where(gained, now.error, now.best)
    return final, left, taken


def _advance(conditions: Conditions, now: _Approaches, bounds: Bounds) -> None:
    """Take the steps that lower the error, and raise the damping of the others."""
    share = np.minimum(1.0, LONGEST / np.maximum(now.length, LONGEST))
    trial = bounds.clip(now.q + share[:, None] * now.step)
    less = 0.25 * now.damping
    error, now.slope, now.step, now.length = conditions.approach(trial, now.goal, less, now.held)
    better = error < now.error
    if better.all():
        now.q, now.error, now.damping = trial, error, less
        return
    now.q = np.where(better[:, None], trial, now.q)
    now.error = np.where(better, error, now.error)
    now.damping = np.where(better, less, 8.0 * now.damping)
    now.renew(conditions, ~better)


def returned(conditions: Conditions, q: Array, target: Array, held: Array, steps: int) -> Array:
    """Return points after some undamped steps to the task, from near it."""
    undamped = np.zeros(len(q))
    for _ in range(steps):
        q = q + conditions.approach(q, target, undamped, held)[2]
    return q


def met(conditions: Conditions, q: Array, target: Array) -> Array:
    """Return where the shortest steps lead from one q to one target, limits aside; raises if not to it."""
    start, goal = q[None], target[None]
    none = Bounds.none(conditions.n)
    near, _, _ = approach(conditions, start, goal, none, near=1e-6, iterations=200, patience=20)
    there = returned(conditions, near, goal, np.zeros_like(start), 4)
    error = float(np.linalg.norm(conditions.residual(there, goal)[0]))
    if not error <= TASK_MET:
        raise ArgumentError(f"q0 does not lead to the first target ({error:.2g} is left); give one near it")
    return np.asarray(there[0])
