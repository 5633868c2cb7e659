"""Joints of a mechanism without drives: what they take as described, and motions that they cannot follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...errors import listed
from ...loops import ClosedRobot
from ...model import Body
from ...robot import Robot
from ..logs.errors import LogError
from ..logs.transmission import Axis

FRICTION = (
    "damping",
    "friction",
    "smooth_friction",
    "stribeck_friction",
    "damping_asymmetry",
    "load_friction",
    "drive_offset",
)
"""Numbers of a body that give its joint friction."""

DRIVES = (*FRICTION, "armature", "stiffness")
"""Numbers of a body that give its joint inertia, friction or a spring."""


@dataclass(frozen=True)
class PassiveTorques:
    """The torques of a mechanism in which only joints without drives have rotors, friction and springs."""

    robot: ClosedRobot

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the torques (states, joints) that they need from the drives."""
        return np.asarray(self.robot.drive_torque(q, qd, qdd))


def passive_torques(robot: Robot | ClosedRobot, identified: Mapping[str, bool]) -> PassiveTorques | None:
    """Return the torques that rotors, friction and springs of joints without drives need from the drives.

    They are those of the description, as functions of q, qd, qdd of the mechanism; None if there are none.
    The friction of some is `identified`, and of motors among them, as it says, the rotors too.
    """
    if isinstance(robot, Robot):
        return None
    model = robot.model
    own = set(model.independent)

    def known(k: int, body: Body) -> Body:
        fields = () if k not in own else DRIVES
        if body.joint_name in identified:
            fields = (*FRICTION, *(("armature",) if identified[body.joint_name] else ()))
        nothing: dict[str, Any] = dict.fromkeys(fields, 0.0)
        return replace(body, **nothing)

    bodies = tuple(known(k, body) for k, body in enumerate(model.bodies))
    if not any(getattr(body, name) for body in bodies for name in DRIVES):
        return None
    tree = replace(model.tree, bodies=bodies).with_phi(np.zeros(model.phi.size))
    return PassiveTorques(ClosedRobot(replace(model, tree=tree)))


def passive_notes(robot: Robot | ClosedRobot, axes: Sequence[Axis]) -> tuple[str, ...]:
    """Return a note about joints without drives, nor axes, whose rotors, friction or springs are known."""
    if isinstance(robot, Robot):
        return ()
    own = set(robot.model.independent)
    bodies = [body for k, body in enumerate(robot.model.bodies) if k not in own]
    found = {axis.joint for axis in axes}
    names = [body.joint_name for body in bodies if any(getattr(body, name) for name in DRIVES)]
    names = [name for name in names if name not in found]
    note = f"rotors, friction and springs of {listed(names, 8)}, which have no drives, stay as described"
    return (note,) if names else ()


def reachable(robot: Robot | ClosedRobot, q: Array, time: Array, used: NDArray[np.bool_]) -> Array:
    """Return coordinates q (states, joints) of a filtered motion, all of which can be assembled.

    Filters may leave the workspace near a gap of the log, where no state is `used`: the nearest posture is
    held there. A state that is used and cannot be assembled is an error.
    """
    if isinstance(robot, Robot):
        return q
    fine = np.isfinite(robot.reached(q)).all(axis=1)
    if fine.all():
        return q
    lost = np.flatnonzero(~fine & used)
    if lost.size or not fine.any():
        k = int(lost[0]) if lost.size else 0
        raise LogError(
            f"log: {np.count_nonzero(~fine)} state(s) of the filtered motion are outside of the workspace; "
            f"the first, {time[k]:.6g} s: {robot.why_open(q[k])}; raise cutoff, or leave that part out "
            "with window="
        )
    there = np.flatnonzero(fine)
    after = np.clip(np.searchsorted(there, np.arange(len(q))), 1, max(len(there) - 1, 1))
    before = there[after - 1]
    behind = there[np.minimum(after, len(there) - 1)]
    nearer = np.where(np.arange(len(q)) - before <= behind - np.arange(len(q)), before, behind)
    return np.asarray(q[np.where(fine, np.arange(len(q)), nearer)])
