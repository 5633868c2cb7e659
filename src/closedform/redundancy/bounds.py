"""Limits of the coordinates: those of the robot or those given, and the first that a step meets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Array
from ..checks import one_each
from ..errors import ArgumentError, shown
from ..joints.joint import UNLIMITED
from ..model import Model
from .batch import Indices, Mask


class Bounds(NamedTuple):
    """Limits of the coordinates, infinite for those that have none."""

    lower: Array
    upper: Array

    @classmethod
    def none(cls, n: int) -> Bounds:
        """Return bounds that nothing meets."""
        return cls(np.full(n, -np.inf), np.full(n, np.inf))

    @property
    def limited(self) -> Mask:
        """Which coordinates have both limits."""
        return np.isfinite(self.lower) & np.isfinite(self.upper)

    @property
    def middle(self) -> Array:
        """The middle of the range of each coordinate; zero if it lacks a limit."""
        whole = np.zeros_like(self.lower)
        return 0.5 * np.add(self.upper, self.lower, out=whole, where=self.limited)

    @property
    def half_range(self) -> Array:
        """Half of the range of each coordinate; pi if it lacks a limit."""
        whole = np.full_like(self.lower, 2 * np.pi)
        return 0.5 * np.subtract(self.upper, self.lower, out=whole, where=self.limited)

    @property
    def locked(self) -> Array:
        """1 for coordinates whose limits leave one value, 0 for the others."""
        return np.where(self.lower == self.upper, 1.0, 0.0)

    def clip(self, q: Array) -> Array:
        """Return the nearest coordinates within the limits."""
        return np.clip(q, self.lower, self.upper)

    def contain(self, q: Array) -> Mask:
        """Return which rows of q are within the limits."""
        return np.asarray((q == self.clip(q)).all(axis=-1))

    def exceeded(self, q: Array) -> Mask:
        """Return which coordinates are beyond their limits."""
        return np.asarray((q > self.upper) | (q < self.lower))

    def inwards(self, q: Array) -> Array:
        """Return the direction from the limit that is met to the inside: 1 or -1, 0 for locked ones."""
        return np.where(q <= self.lower, 1.0, -1.0) * (1.0 - self.locked)

    def first_met(self, q: Array, beyond: Array) -> tuple[Indices, Array]:
        """Return the first coordinate to meet its limit from q to points beyond, and the points there."""
        over = self.exceeded(beyond)
        step = beyond - q
        edge = np.where(step > 0, self.upper, self.lower)
        share = np.where(over, (edge - q) / np.where(over, step, 1.0), np.inf)
        first = share.argmin(axis=-1)
        each = np.arange(len(q))
        met = q + np.clip(share[each, first], 0.0, 1.0)[:, None] * step
        met[each, first] = edge[each, first]
        return first, met


def limits_of(model: Model) -> Bounds:
    """Return the limits of a model over the coordinates q."""
    bounds = Bounds.none(model.nq)
    for body in model.independent:
        if body.joint.nv == 1:
            if body.limits.lower > -UNLIMITED:
                bounds.lower[body.iq] = body.limits.lower
            if body.limits.upper < UNLIMITED:
                bounds.upper[body.iq] = body.limits.upper
    return bounds


def read_limits(model: Model, given: Any) -> Bounds:
    """Return the bounds that True (the model's), False (none) or a pair (lower, upper) mean."""
    n = model.nq
    if given is False:
        return Bounds.none(n)
    if given is True:
        return limits_of(model)
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ArgumentError(f"limits is {shown(given)}; expected True, False or (lower, upper)")
    sides = zip(("lower", "upper"), given, strict=True)
    lower, upper = (one_each(f"limits: {name}", side, n) for name, side in sides)
    if not (lower <= upper).all():
        wrong = int(np.flatnonzero(~(lower <= upper))[0])
        raise ArgumentError(
            f"limits: lower {lower[wrong]:g} exceeds upper {upper[wrong]:g} at coordinate {wrong}"
        )
    return Bounds(lower, upper)
