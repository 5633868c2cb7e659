"""Spheres fixed to the bodies of a robot, and how far they are from each other and from obstacles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array
from .checks import common_batch, flag, not_negative, real_array, sized_array
from .errors import ArgumentError, shown
from .model import Model

MOST_SPHERES = 1000
"""Spheres of one robot; every pair is looked at."""


@dataclass(frozen=True, eq=False)
class Spheres:
    """Spheres of a robot: `body`, `offset` in its frame and `radius` of each, and the `pairs` that may meet.

    >>> import closedform as cf
    >>> arm = cf.load("2r")
    >>> balls = arm.spheres([("base", (0, 0, 0), 0.2), ("tool", (0, 0, 0), 0.1)])
    >>> balls.distances([[0.0, 0.0], [0.0, 3.0]]).round(3).tolist()
    [[1.45], [-0.022]]
    """

    poses: Callable[[ArrayLike], Array]
    body: NDArray[np.intp]
    offset: Array
    radius: Array
    pairs: NDArray[np.intp]

    def centers(self, q: ArrayLike) -> Array:
        """Return the centres (..., spheres, 3) in the base frame."""
        T = self.poses(q)
        base = np.broadcast_to(np.eye(4), (*T.shape[:-3], 1, 4, 4))
        own = np.concatenate([T, base], axis=-3)[..., self.body, :, :]  # -1: the base, put last
        return np.asarray((own[..., :3, :3] @ self.offset[:, :, None])[..., 0] + own[..., :3, 3])

    def distances(self, q: ArrayLike) -> Array:
        """Return the gap (..., pairs) between the spheres of each pair, negative where they overlap."""
        x, (i, j) = self.centers(q), self.pairs.T
        return np.asarray(_lengths(x[..., i, :] - x[..., j, :]) - (self.radius[i] + self.radius[j]))

    def obstacle_distances(self, q: ArrayLike, obstacles: ArrayLike) -> Array:
        """Return the gap (..., spheres, k) to obstacles (..., k, 4): x, y, z in the base frame, and radius.

        >>> import closedform as cf
        >>> balls = cf.load("2r").spheres([("tool", (0, 0, 0), 0.1)])
        >>> balls.obstacle_distances([0.0, 0.0], [[2.0, 0.0, 0.0, 0.05]]).round(3).tolist()
        [[0.1]]
        """
        name = "obstacle_distances: obstacles"
        things = real_array(name, obstacles)
        if things.ndim < 2 or things.shape[-1] != 4:
            raise ArgumentError(f"{name} has shape {things.shape}; expected (..., k, 4): x, y, z, radius")
        x = self.centers(q)
        common_batch("obstacle_distances", q=x.shape[:-2], obstacles=things.shape[:-2])
        between = _lengths(x[..., :, None, :] - things[..., None, :, :3])
        return np.asarray(between - (self.radius[:, None] + things[..., None, :, 3]))


class RobotSpheres:
    """The method that fixes spheres to a robot."""

    model: Model
    body_poses: Any

    def spheres(self, given: Sequence[tuple[str, ArrayLike, float]], *, neighbours: bool = False) -> Spheres:
        """Return spheres (frame, centre in it, radius), to see how far the robot is from itself and others.

        Spheres of one body never meet, and those of neighbours in the tree usually overlap: their pairs
        count only if `neighbours` is True.

        >>> import closedform as cf
        >>> arm = cf.load("iiwa14")
        >>> balls = arm.spheres([(name, (0, 0, 0), 0.08) for name in arm.body_names])
        >>> balls.distances(arm.neutral()).shape, balls.pairs[0].tolist()
        ((15,), [0, 2])
        """
        model = self.model
        if not isinstance(given, tuple | list) or not 0 < len(given) <= MOST_SPHERES:
            raise ArgumentError(
                f"spheres: {shown(given)}; expected 1 to {MOST_SPHERES} (frame, centre, radius)"
            )
        body, offset, radius = [], [], []
        for k, each in enumerate(given):
            if not isinstance(each, tuple | list) or len(each) != 3:
                raise ArgumentError(f"spheres[{k}] is {shown(each)}; expected (frame, centre, radius)")
            frame = model.frame(each[0])
            centre = sized_array(f"spheres[{k}]: centre", each[1], (3,))
            body.append(frame.body)
            offset.append(frame.placement[:3, :3] @ centre + frame.placement[:3, 3])
            radius.append(not_negative(f"spheres[{k}]: radius", each[2]))
        near = flag("spheres: neighbours", neighbours)
        pairs = [
            (i, j)
            for i in range(len(body))
            for j in range(i + 1, len(body))
            if body[i] != body[j] and (near or not _joined(model, body[i], body[j]))
        ]
        return Spheres(
            self.body_poses,
            np.array(body, dtype=np.intp),
            np.array(offset),
            np.array(radius),
            np.array(pairs, dtype=np.intp).reshape(-1, 2),
        )


def _joined(model: Model, i: int, j: int) -> bool:
    """Whether one joint is between two bodies; -1 is the base."""
    before = [model.bodies[each].parent if each >= 0 else None for each in (i, j)]
    return before[0] == j or before[1] == i


def _lengths(x: Array) -> Array:
    return np.asarray(np.sqrt((x * x).sum(axis=-1)))
