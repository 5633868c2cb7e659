"""Loops that close by a formula: coupled joints, pairs that turn about parallel axes, and legs.

A planar loop with two dependent revolute joints is a triangle. Along the path from frame A to frame B let
a be the joint nearer to A and b the other, at the positions c_a and c_b while both angles are zero, and n the
common axis. With u = c_b - c_a, w = p_B - c_b and d = -c_a, frame B meets frame A if

    R(alpha) (u + R(beta) w) = d,

so that |u + R(beta) w| = |d| gives two angles beta, one for each side on which the triangle can lie, and then
one angle alpha. Four-bars, parallelograms, five-bars and all that is built of them close in this way
[Norton2008, section 4.5]. Loops in space, and pairs of a turn and a slide, are in `legs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..description.loop import Closure, JointCoupling, Loop
from ..forms.algebra import constant, dot
from ..forms.path import Path, Step
from ..forms.tree import Tree
from .found_legs import found_leg
from .legs import Leg
from .spread import Spread, angle_around, with_values

PARALLEL = 1e-9
"""Sine of the angle between axes that count as parallel."""

FLAT = 1e-6
"""Sine of the triangle's angle at b below which its side cannot be told: a stretched pair."""


@dataclass(frozen=True)
class Dyad:
    """The joints a and b (bodies of the tree) that close a loop; `side` is that of the triangle.

    `axis` is the common axis in frame A, `turns` are 1 or -1 as the joints turn about it, `around` the
    angles around which the found ones are taken, half a turn to either side.
    """

    closure: int
    bodies: tuple[int, int]
    axis: tuple[float, float, float]
    turns: tuple[int, int]
    side: int
    around: tuple[float, float]

    @property
    def sides(self) -> tuple[int, ...]:
        """The sides on which its triangle lies."""
        return (self.side,)

    def with_sides(self, sides: Sequence[int]) -> Self:
        """Return the pair on another side."""
        return replace(self, side=sides[0])

    def solved(self, tree: Tree, closure: Closure, x: SX) -> SX:
        """Return coordinates of all joints, with those of this pair from the others."""
        assert isinstance(closure, Loop)
        n = constant(np.array(self.axis))
        u, w, d = (each - n * dot(n, each) for each in triangle(tree, closure, self.bodies, x))
        A, B = dot(u, w), dot(n, ca.cross(u, w))
        k = 0.5 * (dot(d, d) - dot(u, u) - dot(w, w))
        s = self.side * ca.sqrt(A * A + B * B - k * k)
        beta = angle_around(s * A - k * B, k * A + s * B, self.turns[1] * self.around[1])
        z = u + ca.cos(beta) * w + ca.sin(beta) * ca.cross(n, w)
        alpha = angle_around(dot(n, ca.cross(z, d)), dot(z, d), self.turns[0] * self.around[0])
        return with_values(
            x, tree.model, {self.bodies[0]: self.turns[0] * alpha, self.bodies[1]: self.turns[1] * beta}
        )


@dataclass(frozen=True)
class Follower:
    """The joint (a body of the tree) that a coupling gives from others."""

    closure: int
    bodies: tuple[int, ...]
    sides: ClassVar[tuple[int, ...]] = ()

    def with_sides(self, sides: Sequence[int]) -> Self:
        """Return itself: there is one solution."""
        return self

    def solved(self, tree: Tree, closure: Closure, x: SX) -> SX:
        """Return coordinates of all joints, with that of this one from the others."""
        assert isinstance(closure, JointCoupling)
        from .cut_joints import residual  # noqa: PLC0415

        (body,) = self.bodies
        zero = with_values(x, tree.model, {body: SX(0)})
        return with_values(x, tree.model, {body: -residual(tree, zero, closure)})


Formula = Dyad | Follower | Leg
"""What gives some joints of a loop from the others."""


def triangle(tree: Tree, loop: Loop, bodies: Sequence[int], x: SX) -> tuple[SX, SX, SX]:
    """Return u, w and d of a pair in the axes of frame A, at zero angles of the pair."""
    at = Spread.of(tree, loop, bodies, x)
    return at.places[1] - at.places[0], at.tip - at.places[1], -at.places[0]


def found_dyads(
    tree: Tree, closures: Sequence[Closure], dependent: Sequence[int], x: Array
) -> tuple[Formula, ...]:
    """Return formulas for all dependent joints, one after the other, or none if some have no formula.

    `dependent` are bodies of the tree; `x` are closed coordinates of all joints, which choose the sides.
    """
    model, unknown, found = tree.model, set(dependent), list[Formula]()
    while unknown:
        for k, closure in enumerate(closures):
            step = _step(tree, k, closure, unknown, x)
            if step is not None:
                found.append(step)
                unknown -= set(step.bodies)
                break
        else:
            return ()
    return tuple(found) if all(model.bodies[body].coupling is None for body in dependent) else ()


def _step(tree: Tree, k: int, closure: Closure, unknown: set[int], x: Array) -> Formula | None:
    model = tree.model
    if isinstance(closure, JointCoupling):
        bodies = {each.joint_name: i for i, each in enumerate(model.bodies)}
        free = {bodies[name] for name in (closure.joint, *closure.drivers)} & unknown
        return Follower(k, (bodies[closure.joint],)) if free == {bodies[closure.joint]} else None
    path = Path.of(tree, SX(x), closure.frame_b, closure.frame_a)
    steps = [*reversed(path.steps)]  # from A to B
    index = [next(i for i, node in enumerate(tree.own) if node is step.node) for step in steps]
    pair = [i for i in index if i in unknown]
    driven = {model.bodies[i].iv for i in index if model.bodies[i].coupling is not None}
    if not pair or driven & {model.bodies[i].iv for i in pair}:
        return None
    axes = _axes(tree, path, steps) if closure.kind in ("ball", "hinge") and len(pair) == 2 else None
    if axes is None or any(not model.bodies[i].joint.turns_about_axis for i in pair):
        return found_leg(tree, k, closure, index, pair, x)
    axis, turns = axes
    both = (turns[index.index(pair[0])], turns[index.index(pair[1])])
    angles = (float(x[model.bodies[pair[0]].iq]), float(x[model.bodies[pair[1]].iq]))
    u, w, d = (np.array(ca.evalf(each)).ravel() for each in triangle(tree, closure, pair, SX(x)))
    u, w, d = (each - axis * (axis @ each) for each in (u, w, d))
    beta = both[1] * angles[1]
    turned = np.cos(beta) * w + np.sin(beta) * np.cross(axis, w)
    bent = float(axis @ np.cross(u, turned))
    if abs(bent) <= FLAT * np.linalg.norm(u) * np.linalg.norm(w):
        return None
    return Dyad(k, (pair[0], pair[1]), tuple(axis.tolist()), both, 1 if bent > 0 else -1, angles)


def _axes(tree: Tree, path: Path, steps: Sequence[Step]) -> tuple[Array, list[int]] | None:
    """Return the common axis of a planar path in frame A and the sense of each turn, if there is one."""
    axis: Array | None = None
    turns = []
    for step, (R, _) in zip(steps, path.observed(), strict=False):
        X = np.array(ca.evalf(R)) @ step.node.X.reshape(2, 3, -1)
        joint = step.node.joint
        if joint.turns_about_axis:
            e = step.sign * X[0, :, 0]
            axis = e if axis is None else axis
            if np.linalg.norm(np.cross(axis, e)) > PARALLEL:
                return None
            turns.append(1 if axis @ e > 0 else -1)
        elif joint.slides_along_axis:
            turns.append(0)
            continue
        else:
            return None
    if axis is None:
        return None
    for step, (R, _) in zip(steps, path.observed(), strict=False):
        if step.node.joint.slides_along_axis:
            along = np.array(ca.evalf(R)) @ step.node.X[3:, 0]
            if abs(axis @ along) > PARALLEL:
                return None
    return axis, turns


def assembled(
    tree: Tree, closures: Sequence[Closure], dyads: Sequence[Formula], iq: Sequence[int], q: SX
) -> SX:
    """Return the coordinates of all joints from the independent ones, formula by formula."""
    x = SX(tree.nq, 1)
    for k, place in enumerate(iq):
        x[place] = q[k]
    for each in dyads:
        x = each.solved(tree, closures[each.closure], x)
    return x
