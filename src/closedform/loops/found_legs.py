"""Which joints of a loop in space close it by a formula, seen from their axes at a closed posture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..description.loop import Loop
from ..forms.tree import Tree
from .legs import Leg
from .spread import Spread

MEETING = 1e-9
"""Distance of axes that meet, per metre of the loop's size, and sine of the angle of parallel ones."""

SAME = 1e-6
"""Difference of coordinates, in rad or m, below which a formula gives the closed posture."""


@dataclass(frozen=True, eq=False)
class Axes:
    """The joints of a loop from A to B as numbers: axes, places, and where B is with some joints at zero.

    `turning` says of each whether it turns; None of one that neither turns about an axis nor slides along
    one.
    """

    axes: Array
    places: Array
    tip: Array
    along: Array
    turning: tuple[bool | None, ...]

    @classmethod
    def of(cls, tree: Tree, loop: Loop, path: Sequence[int], zero: Sequence[int], x: Array) -> Axes:
        """Return the joints of a path (bodies of the tree), with those of some bodies at zero."""
        joints = [tree.model.bodies[k].joint for k in path]
        at = x.copy()
        at[[tree.model.bodies[k].iq for k in zero]] = 0.0
        spread = Spread.at(tree, loop, path, SX(at))
        axes, places = (np.array([*map(_numbers, each)]) for each in (spread.axes, spread.places))
        plain = [each.turns_about_axis or each.slides_along_axis for each in joints]
        turning = tuple(
            each.turns_about_axis if known else None for each, known in zip(joints, plain, strict=True)
        )
        return cls(axes, places, _numbers(spread.tip), _numbers(spread.along), turning)

    @property
    def size(self) -> float:
        """A length of the loop."""
        return float(max(1e-3, np.linalg.norm(self.tip), *np.linalg.norm(self.places, axis=1)))

    def meeting(self, i: int, j: int) -> float | None:
        """Return how far along axis i it meets axis j, None if it does not."""
        e, f, way = self.axes[i], self.axes[j], self.places[j] - self.places[i]
        across = np.cross(e, f)
        square = float(across @ across)
        if square < MEETING**2 or abs(across @ way) > MEETING * self.size * np.sqrt(square):
            return None
        return float(np.cross(way, f) @ across / square)


def found_leg(
    tree: Tree, k: int, loop: Loop, path: Sequence[int], unknown: Sequence[int], x: Array
) -> Leg | None:
    """Return the formula of the unknown joints of a loop, if there is one that gives the closed posture x.

    `path` are the bodies whose joints are between A and B, from A to B, `unknown` those without a formula
    yet.
    """
    at = Axes.of(tree, loop, path, unknown, x)
    places = [path.index(body) for body in unknown]
    if any(at.turning[i] is None for i in places):
        return None
    around = tuple(float(x[tree.model.bodies[body].iq]) for body in unknown)
    for leg in _candidates(at, k, loop, tuple(unknown), places, around):
        fitting = [
            each
            for sides in product((1, -1), repeat=len(leg.sides))
            if _gives(tree, loop, each := leg.with_sides(sides), around, x)
        ]
        if len(fitting) == 1:  # both sides are the same if the triangle is flat
            return fitting[0]
    return None


def _candidates(
    at: Axes, k: int, loop: Loop, unknown: tuple[int, ...], places: Sequence[int], around: tuple[float, ...]
) -> Iterator[Leg]:
    turning = [at.turning[i] for i in places]
    if loop.kind == "distance" and len(unknown) == 1:
        yield Leg(k, unknown, (1,), around, reach=0, slides=not turning[0])
    if loop.kind == "ball" and len(unknown) == 3:
        for first, reach in ((0, 2), (1, 0)):
            i, j = places[first], places[first + 1]
            shift = at.meeting(i, j) if j == i + 1 and turning[first] and turning[first + 1] else None
            if shift is not None:
                slides = not turning[reach]
                yield Leg(k, unknown, (1, 1), around, reach=reach, slides=slides, shift=shift)
    if loop.kind in ("ball", "hinge") and sorted(map(bool, turning)) == [False, True]:
        normal = at.axes[places[turning.index(True)]]
        if _planar(at, normal):
            reach = turning.index(False)
            yield Leg(k, unknown, (1,), around, reach=reach, slides=True, normal=tuple(normal.tolist()))
    if loop.kind in ("ball", "hinge", "cylindrical") and len(unknown) == 2 and all(at.turning):
        centre = _centre(at, loop)
        if centre is not None:
            yield Leg(k, unknown, (1,), around, centre=tuple(centre.tolist()))


def _planar(at: Axes, normal: Array) -> bool:
    """Return whether all joints turn about one direction or slide across it."""
    return all(
        turns is not None and (np.linalg.norm(np.cross(normal, e)) if turns else abs(normal @ e)) < MEETING
        for e, turns in zip(at.axes, at.turning, strict=True)
    )


def _centre(at: Axes, loop: Loop) -> Array | None:
    """Return the place where all axes of a spherical loop meet, that of its cut joint too, None if none."""
    first, *others = range(len(at.axes))
    shift = next((each for k in others if (each := at.meeting(first, k)) is not None), None)
    if shift is None:
        return None
    centre = at.places[first] + shift * at.axes[first]
    off = np.linalg.norm(np.cross(at.axes, centre - at.places), axis=1).max()
    if loop.kind != "ball":
        off = max(off, np.linalg.norm(np.cross(at.along, centre - at.tip)))
    return np.asarray(centre) if off < MEETING * at.size else None


def _gives(tree: Tree, loop: Loop, leg: Leg, around: Sequence[float], x: Array) -> bool:
    """Return whether a formula gives the coordinates of the closed posture."""
    found = _numbers(leg.solved(tree, loop, SX(x)))
    mine = [tree.model.bodies[body].iq for body in leg.bodies]
    return bool(np.abs(found[mine] - np.array(around)).max() < SAME)


def _numbers(value: SX) -> Array:
    return np.array(ca.evalf(value)).ravel()
