"""Dragging the tool: the joints before it follow, and the elbow moves while the tool stays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..errors import ClosedFormError
from ..forms.rows import ROWS
from ..lazy import cached_property
from ..model import Model
from ..robot import Robot
from ..rotations import inverse

MOST_JOINTS = 7
"""Velocities of the joints that follow the tool, counted from it towards the base."""

STRIDE, MOST_STRIDES = 0.1, 12
"""Metres or radians of the tool per step of the solver, and steps of one drag."""

JUMP = 0.8
"""Change of a coordinate (rad or m) in one step above which the solution is another branch."""

MET = 1e-6
"""Error (m or rad) of a pose that counts as met."""


@dataclass(frozen=True)
class Followed:
    """Where the robot got to: q, whether the tool is on the target, and why not."""

    q: Array
    met: bool
    note: str = ""


class Reach:
    """The joints between a tool and the base, at most seven, and the solver that moves them.

    With fewer than six only those rows of the tool's position count that the joints can choose. The other
    joints of the robot stay where they are: the solver works on a robot that has them locked at home, and
    targets are carried over to it.
    """

    def __init__(self, robot: Robot, frame: str) -> None:
        self.robot, self.frame = robot, frame
        model = robot.model
        chain, self._before = _chain(model, frame)
        self.joints = tuple(model.bodies[i].joint_name for i in chain)
        self._places = np.array(
            [
                k
                for i in chain
                for k in range(model.bodies[i].iq, model.bodies[i].iq + model.bodies[i].joint.nq)
            ],
            dtype=np.intp,
        )
        others = [name for name in robot.joint_names if name not in self.joints]
        self.arm = robot.locked(others) if others and chain else robot
        self.rows = _rows(self.arm, frame) if chain else ()
        self._home = _pose(robot, robot.neutral(), self._before)

    @property
    def possible(self) -> bool:
        """Whether the tool can be dragged at all."""
        return bool(self.rows)

    @property
    def turns(self) -> bool:
        """Whether the direction of the tool follows too."""
        return len(self.rows) == len(ROWS)

    @cached_property
    def redundant(self) -> bool:
        """Whether one degree of self-motion is left, along which the elbow moves."""
        return self.possible and self.arm.nq == self.arm.nv == len(self.rows) + 1

    def follow(self, q: Array, target: Array) -> Followed:
        """Return the posture that brings the tool from where it is at q to a target, in small steps.

        What cannot be reached is left at the last step that could.
        """
        if not self.possible:
            return Followed(q, False, f"no joints move {self.frame!r}")
        if not np.isfinite(target).all():
            return Followed(q, False, "the target is not finite: the last posture is kept")
        from ..redundancy.task import read_task  # noqa: PLC0415 (takes a second to import)

        here = self._moved(q, np.asarray(self.robot.pose(q, self.frame)))
        there = self._moved(q, target)
        way = max(float(np.abs(there[:3, 3] - here[:3, 3]).max()), float(np.abs(there - here)[:3, :3].max()))
        count = min(MOST_STRIDES, max(1, int(np.ceil(way / STRIDE))))
        path = read_task(self.arm.model, (ROWS, self.frame)).between(here, there, count + 1)[1:]
        now, note = q[self._places], ""
        for step in path:
            new, note = self._solved(now, step)
            if note:
                break
            now = new
        found = self._whole(q, now)
        error = 0.0 if note else self._error(found, target)
        if error > MET:
            return Followed(q, False, "the tool does not follow: a joint moves more than the arm")
        return Followed(found, not note, note)

    def elbow(self, q: Array) -> Elbow | None:
        """Return the self-motion through q, or None if there is none or more than one degree of it."""
        if not self.redundant:
            return None
        from ..redundancy import self_motion  # noqa: PLC0415

        target = np.asarray(self.arm.pose(q[self._places], self.frame))
        curves = self_motion(self.arm, target, (self.rows, self.frame), q0=q[self._places])
        if not curves or not np.isfinite(curves[0].q).all():
            return None
        curve = curves[0]
        start = int(np.argmin(np.abs(curve.q - q[self._places]).max(axis=1)))
        return Elbow(self, q, target, curve.q, curve.length, float(curve.length[start]), curve.ends)

    def _solved(self, now: Array, target: Array) -> tuple[Array, str]:
        """Return the coordinates for one step of the tool, and why there are none."""
        try:
            found = self.arm.inverse_kinematics(target, self.frame, q0=now, task=list(self.rows))
        except ClosedFormError as error:
            return now, f"the solver gave up ({error}): the last posture is kept"
        if not bool(found.found):
            return now, f"the tool cannot follow ({found.status}): the last posture is kept"
        new = np.asarray(found.q)
        if np.abs(new - now).max() > JUMP:
            return now, "the tool cannot follow without a jump of the joints: the last posture is kept"
        return new, ""

    def _moved(self, q: Array, T: Array) -> Array:
        """Return a pose as the robot with locked joints sees it."""
        if self.arm is self.robot:
            return T
        moved: Array = self._home @ inverse(_pose(self.robot, q, self._before)) @ T
        return moved

    def _whole(self, q: Array, arm: Array) -> Array:
        found = q.copy()
        found[self._places] = arm
        return found

    def _error(self, q: Array, target: Array) -> float:
        off = np.asarray(self.robot.pose(q, self.frame)) - target
        if self.turns:
            return float(np.abs(off).max())
        return float(np.abs(off[[ROWS.index(row) - 3 for row in self.rows], 3]).max())


@dataclass(frozen=True)
class Elbow:
    """A curve of self-motion: postures of the arm at arc lengths, from one end to the other.

    `start` is the arc length at which the robot was, `ends` what stopped the curve at either end.
    """

    reach: Reach
    q: Array
    target: Array
    postures: Array
    length: Array
    start: float
    ends: tuple[str, str]

    @property
    def longest(self) -> float:
        """Arc length of the whole curve."""
        return float(self.length[-1])

    def at(self, length: float) -> Followed:
        """Return the posture at an arc length: between two of the curve, brought back to the target."""
        where = float(np.clip(length, self.length[0], self.length[-1]))
        guess = np.array([np.interp(where, self.length, column) for column in self.postures.T])
        new, note = self.reach._solved(guess, self.target)
        if note:
            return Followed(self.q, False, note)
        at_end = {float(self.length[0]): self.ends[0], self.longest: self.ends[1]}.get(where, "")
        stops = f"the elbow stops here: {at_end}" if at_end and self.ends != ("", "") else ""
        return Followed(self.reach._whole(self.q, new), True, stops)


def _chain(model: Model, frame: str) -> tuple[list[int], int]:
    """Return the bodies whose joints follow a tool, from the base on, and the body that carries them.

    A body that follows another's joint counts as that joint.
    """
    chain: list[int] = []
    body, free = model.frame(frame).body, MOST_JOINTS
    while body >= 0:
        coupling = model.bodies[body].coupling
        driver = body if coupling is None else coupling.body
        joint = model.bodies[driver].joint
        if joint.floats or (driver not in chain and joint.nv > free):
            break
        if driver not in chain:
            chain.append(driver)
            free -= joint.nv
        body = model.bodies[body].parent
    return sorted(chain), body


def _rows(arm: Robot, frame: str) -> tuple[str, ...]:
    """Return the rows of the tool's pose that the joints can choose: all six, or those of its position."""
    if arm.nv >= len(ROWS):
        return ROWS
    q = np.stack([arm.random_state(seed, order=0)[0] for seed in range(3)])
    J = np.asarray(arm.jacobian(q, frame, reference="world_aligned"))[:, 3:]
    moving = np.abs(J).max(axis=(0, 2)) > 1e-9 * max(1.0, float(np.abs(J).max()))
    rows = tuple(row for row, moves in zip(ROWS[3:], moving, strict=True) if moves)
    return rows if len(rows) <= arm.nv else ()


def _pose(robot: Robot, q: Array, body: int) -> Array:
    return np.eye(4) if body < 0 else np.asarray(robot.body_poses(q))[body]
