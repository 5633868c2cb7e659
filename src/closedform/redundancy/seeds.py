"""Where to start: configurations of a fixed table whose poses are nearest to the targets."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..model.state import random_state
from .bounds import Bounds
from .conditions import Conditions

SIZE = 192
"""Configurations in the table: more cost more to search than the iterations they save."""


class Seeds:
    """A table of configurations within the limits, the same on every run.

    Starts depend on the target alone, so that the same target gives the same answer whatever else
    is solved with it.
    """

    def __init__(self, conditions: Conditions, bounds: Bounds) -> None:
        self._task = conditions.task
        rng = np.random.default_rng(1987)
        q = random_state(conditions.model, rng, (SIZE,), 0)[0]
        width = np.where(bounds.limited, bounds.upper - bounds.lower, 0.0)
        inside = np.where(bounds.limited, bounds.lower, 0.0) + width * rng.random(q.shape)
        self.q = np.where(bounds.limited, inside, bounds.clip(q))
        self._features = self._task.features(conditions.poses(self.q))
        self._squares = np.einsum("si,si->s", self._features, self._features)

    def nearest(self, targets: Array, count: int, skip: int = 0) -> Array:
        """Return for each target the `count` nearest configurations after the first `skip`: (b, count, n)."""
        distance = self._squares - 2 * self._task.target_features(targets) @ self._features.T
        last = min(skip + count, SIZE)
        near = np.argpartition(distance, last - 1, axis=-1)[:, :last] if last < SIZE else None
        if near is None:
            order = np.argsort(distance, axis=-1, kind="stable")
        else:
            ranked = np.take_along_axis(distance, near, axis=-1).argsort(axis=-1, kind="stable")
            order = np.take_along_axis(near, ranked, axis=-1)
        return self.q[order[:, skip:last]]
