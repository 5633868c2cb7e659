"""Loops in space that close by a formula: spherical ones, rods, and legs of platforms.

Two equations solve them, in the axes of frame A.

- Reaching: one joint brings a point p to the distance D from a place m. Turning about the axis e through c,
  with r = p - c and n = m - c, it gives a cos(q) + b sin(q) = k with a = n . r - (e . n) (e . r),
  b = n . (e x r) and k = (|r|^2 + |n|^2 - D^2) / 2 - (e . n) (e . r); sliding along e a quadratic equation.
- Pointing: two joints whose axes e1 and e2 meet turn a direction w to another one d. Turns about e1 keep
  e1 . d, so that e1 . R2 w = e1 . d is an equation of the same form for q2; then q1 is an arc tangent
  [EliasWen2022, subproblems 1 and 4].

Each has two solutions, one for each side on which the triangle, plane or spherical, can lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import casadi as ca
import numpy as np
from casadi import SX

from ..description.loop import Closure, Loop
from ..forms.algebra import constant, cross, dot
from ..forms.tree import Tree
from .spread import Spread, angle_around, with_values

ORIGIN = SX(3, 1)


@dataclass(frozen=True)
class Leg:
    """Joints (bodies of the tree, from A to B) that close a loop by reaching, pointing, or both.

    The joint `reach` of them (None: none) turns or `slides` to a distance, the others point; two of these
    meet at `shift` along the axis of the first. A planar leg has a `normal`. All axes of a spherical loop
    meet at its `centre`, a place in frame A: its two joints turn B's axis to A's. `sides` choose the
    solutions, `around` are the coordinates around which angles are taken, half a turn to either side.
    """

    closure: int
    bodies: tuple[int, ...]
    sides: tuple[int, ...]
    around: tuple[float, ...]
    reach: int | None = None
    slides: bool = False
    shift: float = 0.0
    normal: tuple[float, ...] | None = None
    centre: tuple[float, ...] | None = None

    def with_sides(self, sides: Sequence[int]) -> Self:
        """Return the leg on other sides."""
        return replace(self, sides=tuple(sides))

    def solved(self, tree: Tree, closure: Closure, x: SX) -> SX:
        """Return coordinates of all joints, with those of this leg from the others."""
        assert isinstance(closure, Loop)
        at = Spread.of(tree, closure, self.bodies, x)
        found = self._coordinates(at, closure)
        return with_values(x, tree.model, {self.bodies[k]: value for k, value in found.items()})

    def _coordinates(self, at: Spread, loop: Loop) -> dict[int, SX]:
        """Return the coordinates of its joints, by their place among them."""
        if self.centre is not None:
            return self._pointed(at, (0, 1), *self._directions(at, loop))
        tip, places = self._flat(at.tip), [self._flat(each) for each in at.places]
        others = [k for k in range(len(self.bodies)) if k != self.reach]
        assert self.reach is not None
        if not others:
            return {0: self._reached(at, places, tip, ORIGIN, SX(float(loop.length or 0) ** 2))}
        centre = places[others[0]] + self.shift * at.axes[others[0]]
        w, d = tip - centre, -centre
        if self.reach > others[0]:
            value = self._reached(at, places, tip, centre, dot(centre, centre))
            w = self._moved(at, places, value, tip) - centre
        else:
            value = self._reached(at, places, centre, ORIGIN, dot(w, w))
            d = self._moved(at, places, -value, ORIGIN) - centre
        return {self.reach: value, **self._pointed(at, others, w, d)}

    def _directions(self, at: Spread, loop: Loop) -> tuple[SX, SX]:
        """Return what a spherical loop turns, and to where: the axis of its cut joint, or its ball."""
        if loop.kind != "ball":
            return at.along, constant(np.array([0.0, 0.0, 1.0]))
        centre = constant(np.array(self.centre))
        return at.tip - centre, -centre

    def _flat(self, point: SX) -> SX:
        """Return a point in the plane of a planar leg."""
        if self.normal is None:
            return point
        n = constant(np.array(self.normal))
        return point - n * dot(n, point)

    def _reached(self, at: Spread, places: Sequence[SX], p: SX, m: SX, square: SX) -> SX:
        """Return the coordinate that brings a point to a distance from a place."""
        assert self.reach is not None
        e, side = at.axes[self.reach], self.sides[0]
        if self.slides:
            way = p - m
            along = dot(e, way)
            return side * ca.sqrt(along * along - dot(way, way) + square) - along
        r, n = p - places[self.reach], m - places[self.reach]
        both = dot(e, n) * dot(e, r)
        k = 0.5 * (dot(r, r) + dot(n, n) - square) - both
        return _turn(dot(n, r) - both, dot(n, cross(e, r)), k, side, self.around[self.reach])

    def _moved(self, at: Spread, places: Sequence[SX], value: SX, p: SX) -> SX:
        """Return a point moved by the joint that reaches."""
        assert self.reach is not None
        e, c = at.axes[self.reach], places[self.reach]
        return p + value * e if self.slides else c + _turned(e, value, p - c)

    def _pointed(self, at: Spread, joints: Sequence[int], w: SX, d: SX) -> dict[int, SX]:
        """Return the angles of one joint, or of two whose axes meet, that turn w to d."""
        first, *second = joints
        e = at.axes[first]
        found = {}
        for k in second:
            f = at.axes[k]
            off = dot(f, w)
            values = (dot(e, w) - dot(e, f) * off, dot(e, cross(f, w)), dot(e, d) - dot(e, f) * off)
            found[k] = _turn(*values, self.sides[-1], self.around[k])
            w = _turned(f, found[k], w)
        x = dot(w, d) - dot(e, w) * dot(e, d)
        return {first: angle_around(dot(e, cross(w, d)), x, self.around[first]), **found}


def _turn(a: SX, b: SX, k: SX, side: int, around: float) -> SX:
    """Return the angle q with a cos(q) + b sin(q) = k; a sin(q) - b cos(q) has the sign of the side."""
    s = side * ca.sqrt(a * a + b * b - k * k)
    return angle_around(k * b + s * a, k * a - s * b, around)


def _turned(e: SX, angle: SX, v: SX) -> SX:
    """Return a vector turned about a unit axis (Rodrigues' formula)."""
    c, s = ca.cos(angle), ca.sin(angle)
    return c * v + s * cross(e, v) + ((1 - c) * dot(e, v)) * e
