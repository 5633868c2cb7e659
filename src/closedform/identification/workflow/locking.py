"""Locked joints: the robot whose other joints move, and the log of those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...checks import instance, known_name, number
from ...errors import ArgumentError, shown
from ...model import Body, Frame, Model
from ...model.inertia import transform_phi
from ...robot import Robot
from ...rotations import screw_motion
from ..logs.log import Log, chosen_joints
from ..logs.tables import LogError


def lock(robot: Robot, angles: Mapping[str, float]) -> Robot:
    """Return the robot with joints held at given coordinates, and their bodies fixed to the parents.

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
    if not angles:
        return robot
    if len(angles) == len(robot.joint_names):
        raise ArgumentError("lock: every joint would be locked; leave at least one to move")
    model = robot.model
    # for each old body: the new body that carries it, and its pose there
    carrier: list[tuple[int, Array]] = []
    bodies: list[Body] = []
    kept: dict[int, int] = {}
    for i, body in enumerate(model.bodies):
        parent, T = carrier[body.parent] if body.parent >= 0 else (-1, np.eye(4))
        angle = _locked_at(model, i, angles)
        if angle is None:
            kept[i] = len(bodies)
            carrier.append((kept[i], np.eye(4)))
            bodies.append(replace(body, parent=parent, placement=T @ body.placement))
        else:
            carrier.append((parent, T @ body.placement @ screw_motion(angle * body.joint.X[:, 0])))
            if parent >= 0:
                phi = bodies[parent].phi + transform_phi(body.phi, carrier[i][1])
                bodies[parent] = replace(bodies[parent], phi=phi)
    frames = []
    for frame in model.frames:
        index, T = carrier[frame.body] if frame.body >= 0 else (-1, np.eye(4))
        frames.append(Frame(frame.name, index, T @ frame.placement))
    return Robot(replace(model, bodies=_numbered(bodies, kept), frames=tuple(frames)))


def _numbered(bodies: Sequence[Body], kept: Mapping[int, int]) -> tuple[Body, ...]:
    """Return bodies with their coordinates counted anew; `kept` are the new indices of old bodies."""
    numbered = list(bodies)
    iq = iv = 0
    for k, body in enumerate(bodies):
        if body.coupling is None:
            numbered[k] = replace(body, iq=iq, iv=iv)
            iq, iv = iq + body.joint.nq, iv + body.joint.nv
    for k, body in enumerate(bodies):
        if body.coupling is not None:
            coupling = replace(body.coupling, body=kept[body.coupling.body])
            driver = numbered[coupling.body]
            numbered[k] = replace(body, coupling=coupling, iq=driver.iq, iv=driver.iv)
    return tuple(numbered)


def without_locked(
    robot: Robot, log: Log, locked: Mapping[str, float] | Sequence[str] | str
) -> tuple[Robot, Log, tuple[str, ...]]:
    """Return robot and log of the joints that move, and a note about the others.

    `locked` is that of `identify`.
    """
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
    if not angles:
        return robot, log, ()
    smaller = lock(robot, angles)
    note = f"locked joint(s): {', '.join(f'{name} at {angle:.4g}' for name, angle in angles.items())}"
    return smaller, chosen_joints(log, smaller.joint_names), (note,)


def _locked_at(model: Model, i: int, angles: Mapping[str, float]) -> float | None:
    """Return the coordinate a body's joint is held at, or None if it moves."""
    body = model.bodies[i]
    if body.coupling is not None:
        driver = angles.get(model.bodies[body.coupling.body].joint_name)
        return None if driver is None else body.coupling.multiplier * float(driver) + body.coupling.offset
    angle = angles.get(body.joint_name)
    if angle is not None and body.joint.nv != 1:
        raise ArgumentError(f"joint {body.joint_name!r} has {body.joint.nv} dofs; only one-dof joints lock")
    return None if angle is None else float(angle)
