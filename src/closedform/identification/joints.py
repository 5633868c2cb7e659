"""The joints of a robot that can be logged and excited: those of one dof each."""

from __future__ import annotations

from ..errors import ArgumentError
from ..robot import Robot


def turning_joints(caller: str, robot: Robot) -> dict[str, bool]:
    """Return for each joint whether it turns (or else slides); a joint of several dofs is refused."""
    if robot.nv != len(robot.joint_names):
        raise ArgumentError(
            f"{caller}: robot {robot.name!r} has {len(robot.joint_names)} joint(s) of {robot.nv} dofs; "
            f"{caller} takes one-dof joints only (no ball joints; identify_floating is for a floating base)"
        )
    return {body.joint_name: bool(body.joint.turns[0]) for body in robot.model.independent}
