"""The joints between a frame and whoever observes it: the base, or another frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from casadi import SX

from .node import Node
from .tree import Placement, Tree

Pose = tuple[SX, SX]
"""A rotation matrix and a position."""


@dataclass(frozen=True)
class Step:
    """One joint of a path, and how it places its body; `inward` if the path crosses it toward the base."""

    node: Node
    placement: Placement
    inward: bool

    @property
    def sign(self) -> int:
        """1 if the joint moves the frame, -1 if it moves the observer."""
        return 1 if self.inward else -1


@dataclass(frozen=True)
class Path:
    """Joints from a frame to its observer, the nearest to the frame first.

    Joints that carry both are no part of it: they do not change what one is to the other. `start` is the
    frame in its body, `end` the observer in its own.
    """

    steps: tuple[Step, ...]
    start: Pose
    end: Pose

    @classmethod
    def of(cls, tree: Tree, q: SX, frame: str | None, relative_to: str | None = None) -> Path:
        """Return the path from a frame to another one, or to the base."""
        body, *start = tree.frame(frame)
        observer, *end = (-1, SX.eye(3), SX(3, 1)) if relative_to is None else tree.frame(relative_to)
        inward, outward = tree.model.ancestors(body), tree.model.ancestors(observer)[::-1]
        both = {*inward} & {*outward}
        steps = [(i, True) for i in inward if i not in both] + [(i, False) for i in outward if i not in both]
        nodes = [(tree.own[i], direction) for i, direction in steps]
        return cls(
            tuple(Step(node, node.placement(q), direction) for node, direction in nodes),
            (start[0], start[1]),
            (end[0], end[1]),
        )

    def pose(self) -> Pose:
        """Return the pose of the frame as the observer sees it."""
        *_, (_, R, p) = self.frame_poses()
        R_end, p_end = self.end
        return R_end.T @ R, R_end.T @ (p - p_end)

    def frame_poses(self) -> Iterator[tuple[Step | None, SX, SX]]:
        """Yield each step with the pose of the frame in its body, then None with that in the last body."""
        R, p = self.start
        for step in self.steps:
            turn, origin = step.placement
            if step.inward:
                yield step, R, p
                R, p = turn.out(R), turn.out(p) + origin
            else:
                R, p = turn.back(R), turn.back(p - origin)
                yield step, R, p
        yield None, R, p

    def observed(self) -> Iterator[Pose]:
        """Yield the axes of the body of each step and the way to its origin, from the observer outwards.

        The way is from the origin before, at first the observer's; both are in the observer's axes. Last
        come the axes of the frame's body and the way to the frame's origin.
        """
        R_end, p_end = self.end
        axes, way = R_end.T, -(R_end.T @ p_end)
        for step in reversed(self.steps):
            turn, origin = step.placement
            if step.inward:
                way = way + axes @ origin
                axes = turn.back(axes.T).T
                yield axes, way
                way = SX(3, 1)
            else:
                yield axes, way
                axes = turn.out(axes.T).T
                way = -(axes @ origin)
        yield axes, way + axes @ self.start[1]
