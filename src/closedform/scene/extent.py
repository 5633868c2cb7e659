"""How much room a motion takes, and from where it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from .parts import Solid, Tube

ROOM = 0.02
"""Room around what moves, relative to its size."""

DIRECTIONS = np.array([d for d in np.ndindex(3, 3, 3) if d != (1, 1, 1)]) - 1.0
"""Directions to faces, edges and corners of a cube."""

SMALLEST = 1e-6
"""Size in metres below which nothing can be seen."""


@dataclass(frozen=True, eq=False)
class Extent:
    """The box (low, high) of a motion in axes whose z axis points up, and the turn (3, 3) into them.

    `cloud` are points of it that are the farthest in many directions.
    """

    turn: Array
    low: Array
    high: Array
    cloud: Array

    @property
    def size(self) -> float:
        """The diagonal of the box."""
        return float(np.linalg.norm(self.high - self.low))


def upright(up: Array) -> Array:
    """Return the shortest rotation (3, 3) that makes a unit vector point along z."""
    x, y, z = up
    if z < -1 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    k = 1 / (1 + z)
    return np.array([[1 - k * x * x, -k * x * y, -x], [-k * x * y, 1 - k * y * y, -y], [x, y, z]])


def extent(up: Array, poses: Array, solids: Sequence[Solid], tubes: Sequence[Tube], points: Array) -> Extent:
    """Return the room of solids on poses (n, rows, 4, 4), tubes and points (..., 3)."""
    clouds = [points.reshape(-1, 3)]
    for solid in solids:
        low, high = solid.vertices.min(axis=0), solid.vertices.max(axis=0)
        corners = np.array([(low, high)[(k >> i) & 1][i] for k in range(8) for i in range(3)]).reshape(8, 3)
        if solid.row < 0:
            clouds.append(corners)
        else:
            T = poses[:, solid.row]
            clouds.append((corners @ np.swapaxes(T[:, :3, :3], 1, 2) + T[:, None, :3, 3]).reshape(-1, 3))
    for tube in tubes:
        curve = tube.curve.reshape(-1, 3)
        clouds += [curve.min(axis=0)[None] - tube.radius, curve.max(axis=0)[None] + tube.radius]
        clouds += [curve]
    turn = upright(up)
    cloud = np.concatenate(clouds) @ turn.T
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    room = max(ROOM * float(np.linalg.norm(high - low)), SMALLEST)
    low, high = low - room, high + room
    low[2] += room  # the ground is where the lowest point is
    farthest = np.unique(np.argmax(DIRECTIONS @ cloud.T, axis=1))
    return Extent(turn, low, high, cloud[farthest])


def views(turn: Array, eye: Array, flat: bool) -> dict[str, tuple[float, float]]:
    """Return azimuth and elevation of the camera by name; a flat motion is looked at nearly straight.

    `eye` is a direction in the robot's axes.
    """
    x, y, z = turn @ (eye / np.linalg.norm(eye))
    home = (float(np.arctan2(y, x)), float(np.arcsin(np.clip(z, -1, 1))))
    if flat:
        level = abs(z) < 0.5
        home = (home[0] + 0.35, 0.2) if level else (-np.pi / 2 + 0.25, 0.95)
    return {"home": home, "front": (0.0, 0.1), "side": (-np.pi / 2, 0.1), "top": (-np.pi / 2, 1.55)}
