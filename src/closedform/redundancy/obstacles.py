"""Obstacles as superellipsoids, and the criterion that keeps points of the arm away from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from casadi import SX
from numpy.typing import ArrayLike, NDArray

from ..checks import not_negative, rows_array, sized_array, text, whole_number
from ..errors import ArgumentError, shown
from ..guests import in_kind
from ..model import Model
from .criteria import Criterion, Expressions, joint_limits
from .twist import Twist, form_at

Point = tuple[str, tuple[float, float, float]]
"""A frame and a place in it."""


SHARPEST = 100
"""Highest exponent: nearer to a box than any drawing shows."""

MOST_OBSTACLES = 1000
"""Pairs of a point and an obstacle, each of which is code."""


@dataclass(frozen=True)
class Obstacle:
    """A superellipsoid: the sum of ((x_k - center_k) / radii_k)^exponent is 1 [Chang1987, Eq. (13)].

    The exponent is even: 2 is an ellipsoid, larger ones come near a box.

    >>> Obstacle((0, 0, 0), (1, 1, 2)).contains([0.0, 0.0, 1.9])
    array(True)
    """

    center: tuple[float, float, float]
    radii: tuple[float, float, float]
    exponent: int = 2

    def __post_init__(self) -> None:
        for name in ("center", "radii"):
            x, y, z = sized_array(f"Obstacle: {name}", getattr(self, name), (3,)).tolist()
            object.__setattr__(self, name, (x, y, z))
        if min(self.radii) <= 0:
            raise ArgumentError(f"Obstacle: radii are {self.radii}; expected positive lengths")
        if whole_number("Obstacle: exponent", self.exponent, 2, SHARPEST) % 2:
            raise ArgumentError(f"Obstacle: exponent is {self.exponent!r}; expected 2, 4, 6, ...")

    def value(self, x: SX) -> SX:
        """Return C_O(x), which is 1 on the surface and less inside."""
        total = SX(0)
        for k in range(3):
            square = ((x[k] - self.center[k]) / self.radii[k]) ** 2
            power = square
            for _ in range(self.exponent // 2 - 1):
                power = power * square
            total = total + power
        return total

    @in_kind
    def contains(self, x: ArrayLike) -> NDArray[np.bool_]:
        """Return whether points (..., 3) are inside."""
        with np.errstate(over="ignore"):  # far outside
            away = (rows_array("Obstacle.contains: x", x, 3) - self.center) / np.array(self.radii)
            return np.asarray((away**self.exponent).sum(axis=-1) < 1)


def obstacles(
    *given: Obstacle, points: Sequence[tuple[str, ArrayLike]] | None = None, limits: float = 0.0
) -> Criterion:
    """Return the sum of 1 / (C_O(x_i) - 1) over points and obstacles, to be minimised.

    [Chang1987, Eq. (12)] with k_O = 1 and k_J = `limits`, which adds that much of `joint_limits`.
    `points` are (frame, place in it); by default the origins of bodies and of the last frame, and
    the middles between them.
    """
    if not given or not all(isinstance(each, Obstacle) for each in given):
        raise ArgumentError("obstacles: give one Obstacle or more, as obstacles(Obstacle(...), ...)")
    places: tuple[Point, ...] | None = None
    if points is not None:
        if not isinstance(points, tuple | list):
            raise ArgumentError(f"obstacles: points is {shown(points)}; expected (frame, place in it) pairs")
        places = tuple(_place(each) for each in points)
        if not places:
            raise ArgumentError("obstacles: points are empty; give (frame, place in it) pairs, or None")
    pairs = len(given) * (1 if places is None else len(places))
    if pairs > MOST_OBSTACLES:
        raise ArgumentError(f"obstacles: {pairs} pairs of points and obstacles; at most {MOST_OBSTACLES}")
    limits = not_negative("obstacles: limits", limits)
    criterion = Criterion("obstacles", "minimum", _obstacles, (given, places))
    return criterion + limits * joint_limits() if limits else criterion


def _place(given: tuple[str, ArrayLike]) -> Point:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ArgumentError(f"obstacles: point {shown(given)}; expected (frame, place in it)")
    frame, place = text("obstacles: frame of a point", given[0]), given[1]
    x, y, z = sized_array(f"obstacles: point of {frame!r}", place, (3,)).tolist()
    return frame, (x, y, z)


def _obstacles(
    model: Model, q: SX, twist: Twist, given: tuple[Obstacle, ...], places: tuple[Point, ...] | None
) -> Expressions:
    points = _skeleton(twist) if places is None else [_point(twist, *each) for each in places]
    guards = [obstacle.value(x) - 1 for obstacle in given for x in points]
    return sum((1 / guard for guard in guards), SX(0)), guards


def _point(twist: Twist, frame: str, place: tuple[float, float, float]) -> SX:
    tree = twist.tree
    return (form_at("pose", tree.model, twist.q, frame, tree=tree) @ SX([*place, 1.0]))[:3]


def _skeleton(twist: Twist) -> list[SX]:
    """Return the bodies' and the last frame's origins, and the middles between neighbours."""
    model, origin = twist.tree.model, (0.0, 0.0, 0.0)
    bodies = [_point(twist, body.name, origin) for body in model.bodies]
    last = model.default_frame
    tip = _point(twist, last.name, origin)
    pairs = [(bodies[body.parent], bodies[i]) for i, body in enumerate(model.bodies) if body.parent >= 0]
    pairs.append((bodies[last.body], tip))
    return [*bodies, tip, *((a + b) / 2 for a, b in pairs)]
