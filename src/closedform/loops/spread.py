"""A loop with some of its joints at zero: where their axes are, and where frame B is, as frame A sees it.

With the screws of these joints, from A to B, in the axes of A, frame B is at exp(s1 q1) ... exp(sn qn) T: the
product of exponentials of [MuellerKumar2021, Eq. (6)], in which T and the screws depend on the other joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

from ..description.loop import Loop
from ..forms.algebra import constant
from ..forms.path import Path, Step
from ..forms.tree import Tree
from ..model import Model


@dataclass(frozen=True, eq=False)
class Spread:
    """Axes of the joints at zero and points on them, the origin of B and its z axis, all in frame A."""

    axes: tuple[SX, ...]
    places: tuple[SX, ...]
    tip: SX
    along: SX

    @classmethod
    def of(cls, tree: Tree, loop: Loop, bodies: Sequence[int], x: SX) -> Spread:
        """Return the loop at coordinates x but zero for the joints of some bodies, from A to B."""
        return cls.at(tree, loop, bodies, with_values(x, tree.model, {body: SX(0) for body in bodies}))

    @classmethod
    def at(cls, tree: Tree, loop: Loop, bodies: Sequence[int], x: SX) -> Spread:
        """Return the loop at coordinates x, with the axes of the joints of some bodies."""
        path = Path.of(tree, x, loop.frame_b, loop.frame_a)
        nodes = [tree.own[body] for body in bodies]
        axes, places, place, R = {}, {}, SX(3, 1), SX.eye(3)
        steps: list[Step | None] = [*reversed(path.steps), None]
        for step, (turn, way) in zip(steps, path.observed(), strict=True):
            place, R = place + way, turn
            for k, node in enumerate(nodes):
                if step is not None and node is step.node:
                    part = slice(0, 3) if node.joint.turns_about_axis else slice(3, 6)
                    axes[k] = step.sign * (turn @ constant(node.X[part, :1]))
                    places[k] = place
        count = range(len(bodies))
        along = R @ path.start[0][:, 2]
        return cls(tuple(axes[k] for k in count), tuple(places[k] for k in count), place, along)


def with_values(x: SX, model: Model, values: dict[int, SX]) -> SX:
    """Return coordinates of all joints with some replaced, by body."""
    found: SX = ca.densify(x) + 0
    for body, value in values.items():
        found[model.bodies[body].iq] = value
    return found


def angle_around(y: SX, x: SX, around: float) -> SX:
    """Return atan2(y, x) as an angle within half a turn of another."""
    c, s = np.cos(around), np.sin(around)
    found: SX = ca.atan2(c * y - s * x, c * x + s * y) + around
    return found
