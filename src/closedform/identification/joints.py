"""The joints of a robot that can be logged and excited: of one dof each, and driven if it has loops."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..arrays import Array
from ..errors import ArgumentError, shown
from ..loops import ClosedRobot
from ..loops.closing import driven_model
from ..loops.model import ClosedModel
from ..model import Body, Model
from ..robot import Robot


def any_robot(name: str, given: Any) -> Robot | ClosedRobot:
    """Return a robot, with loops or without."""
    if not isinstance(given, Robot | ClosedRobot):
        raise ArgumentError(f"{name} is {shown(given)}; expected a Robot or a ClosedRobot")
    return given


def driven_robot(robot: Robot | ClosedRobot) -> Robot | ClosedRobot:
    """Return the robot whose coordinates are those of the joints that have torques.

    That is a robot itself; one with loops is described by its actuated joints, or by some of them if there
    are more than degrees of freedom.
    """
    if isinstance(robot, Robot) or robot.model.direct:
        return robot
    return ClosedRobot(driven_model(robot.model))


def on_tree(robot: Robot | ClosedRobot, tree: Model) -> Model | ClosedModel:
    """Return the model of a robot with another tree: closed into the same loops if it has some."""
    return tree if isinstance(robot, Robot) else replace(robot.model, tree=tree)


def joint_bodies(robot: Robot | ClosedRobot) -> tuple[Body, ...]:
    """Return the bodies of the joints in the order of q."""
    if isinstance(robot, Robot):
        return robot.model.independent
    return tuple(robot.model.bodies[k] for k in robot.model.independent)


def joint_array(robot: Robot | ClosedRobot, name: str) -> Array:
    """Return a number of the joints (armature, stiffness, ...) in the order of qd."""
    if isinstance(robot, Robot):
        return robot.model.joint_array(name)
    return robot.model.joint_array(name)[list(robot.model.iv)]


def limit_array(robot: Robot | ClosedRobot, name: str) -> Array:
    """Return a limit of the joints (lower, upper, velocity, effort) in the order of qd."""
    if isinstance(robot, Robot):
        return robot.model.limit_array(name)
    return robot.model.tree.limit_array(name)[list(robot.model.iv)]


def turning_joints(caller: str, robot: Robot | ClosedRobot) -> dict[str, bool]:
    """Return for each joint whether it turns (or else slides); a joint of several dofs is refused."""
    if robot.nv != len(robot.joint_names):
        raise ArgumentError(
            f"{caller}: robot {robot.name!r} has {len(robot.joint_names)} joint(s) of {robot.nv} dofs; "
            f"{caller} takes one-dof joints only (no ball joints; identify_floating is for a floating base)"
        )
    return {body.joint_name: bool(body.joint.turns[0]) for body in joint_bodies(robot)}
