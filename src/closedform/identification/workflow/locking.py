"""Locked joints: the robot whose other joints move, and the log of those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...checks import instance, known_name, number
from ...errors import ArgumentError, shown
from ...loops import ClosedRobot
from ...robot import Robot
from ..joints import driven_robot
from ..logs.errors import LogError
from ..logs.log import Log, chosen_joints


def lock(robot: Robot, angles: Mapping[str, float]) -> Robot:
    """Return the robot with one-dof joints held at coordinates, as `Robot.locked` does; one must move.

    >>> import closedform as cf
    >>> arm = cf.load("panda")
    >>> shorter = lock(arm, {arm.joint_names[-1]: 0.3})
    >>> shorter.nv, bool(abs(arm.phi[9::10].sum() - shorter.phi[9::10].sum()) < 1e-12)
    (6, True)
    """
    instance("lock: robot", robot, Robot)
    if not isinstance(angles, Mapping):
        raise ArgumentError(f"lock: angles is {shown(angles)}; expected a mapping of joints to coordinates")
    for name, coordinate in angles.items():
        known_name("joint to lock", name, robot.joint_names)
        number(f"lock: coordinate of joint {name!r}", coordinate)
    if angles and len(angles) == len(robot.joint_names):
        raise ArgumentError("lock: every joint would be locked; leave at least one to move")
    return robot.locked(angles)


def without_locked(
    robot: Robot | ClosedRobot, log: Log, locked: Mapping[str, float] | Sequence[str] | str
) -> tuple[Robot | ClosedRobot, Log, tuple[str, ...]]:
    """Return robot and log of the joints that move, and a note about the others.

    `locked` is that of `identify`. A robot with loops is described by its driven joints.
    """
    if isinstance(robot, ClosedRobot):
        if locked:
            raise ArgumentError(
                "identify: joints of a robot with loops are not locked here; lock them in its tree before "
                "with_loops, or load(..., locked=...)"
            )
        robot = driven_robot(robot)
    absent = [name for name in robot.joint_names if name not in log.joints]
    if isinstance(locked, str) and locked == "absent":
        locked = absent
    elif isinstance(locked, str):
        raise ArgumentError(f'identify: locked is {shown(locked)}; expected joints, or "absent"')
    elif not isinstance(locked, Mapping | Sequence):
        raise ArgumentError(
            f"identify: locked is {shown(locked)}; expected joints, or a mapping to coordinates"
        )
    wrong = [name for name in locked if not isinstance(name, str)]
    if wrong:
        raise ArgumentError(f"identify: locked has {shown(wrong[0])}; expected names of joints")
    angles = dict(locked) if isinstance(locked, Mapping) else dict.fromkeys(locked, 0.0)
    foreign = [name for name in log.joints if name not in robot.joint_names]
    if foreign:
        raise LogError(
            f"{log.source}: read for another robot, with joint(s) {', '.join(foreign)}; read it again"
        )
    missing = [name for name in absent if name not in angles]
    if missing:
        raise LogError(
            f"{log.source}: no columns of joint(s) {', '.join(missing)}: a log of another robot? If they "
            'stay still, say locked={joint: coordinate} or locked="absent" (all of them at zero)'
        )
    if not angles or isinstance(robot, ClosedRobot):
        return robot, log, ()
    smaller = lock(robot, angles)
    note = f"locked joint(s): {', '.join(f'{name} at {angle:.4g}' for name, angle in angles.items())}"
    return smaller, chosen_joints(log, smaller.joint_names), (note,)
