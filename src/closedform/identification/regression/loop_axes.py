"""Joints that loops move, as axes: motors beyond the degrees of freedom, and joints without drives.

The joint j of a mechanism moves with v_j = G_j qd, a row of the embedding, and its friction f acts on the
coordinates as G_j^T f [JainEmbedding2012]: an axis whose direction depends on the posture.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Array
from ...checks import known_name
from ...errors import ArgumentError, listed, shown
from ...loops import ClosedRobot
from ...robot import Robot
from ..base.result import BaseParameters
from ..logs.signals import Signals
from ..logs.transmission import Axis
from .friction import AxisMotion
from .passive_joints import reachable

CONFUSED = 1e-6
"""Part of a column, relative, that other columns do not explain, below which it cannot be told apart."""

SLOW = 0.1
"""Speed (rad/s or m/s) over which dry friction changes sign in columns that are compared."""


class LoopAxes:
    """The axes of a robot that loops move, by their places among all axes; trees have none."""

    def __init__(self, robot: Robot | ClosedRobot, axes: Sequence[Axis]) -> None:
        self.places = tuple(a for a, axis in enumerate(axes) if axis.joint is not None)
        self._robot = robot
        bodies = {body.joint_name: body for body in robot.model.bodies}
        own = [bodies[axes[a].joint or ""] for a in self.places]
        self._iq, self._iv = [body.iq for body in own], [body.iv for body in own]

    def __bool__(self) -> bool:
        return bool(self.places)

    @property
    def robot(self) -> ClosedRobot:
        """The mechanism."""
        assert isinstance(self._robot, ClosedRobot)
        return self._robot

    def moved(self, motion: AxisMotion, signals: Signals) -> AxisMotion:
        """Return the motion of all axes: joints in loops follow from the filtered coordinates."""
        if not self:
            return motion
        q, fine = (reachable(self.robot, x, signals.time, signals.valid) for x in (signals.q, signals.fine))
        own = self.rates(q, signals.qd, signals.qdd)
        found = AxisMotion(*(each.copy() for each in (motion.q, motion.v, motion.a, motion.fine)))
        places = list(self.places)
        found.q[:, places] = self.robot.reached(q)[:, self._iq]
        found.fine[:, places] = self.robot.reached(fine)[:, self._iq]
        found.v[:, places], found.a[:, places] = own
        return found

    def rates(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
        """Return velocities and accelerations (states, axes)."""
        x = self._posture(q)
        v = np.asarray(self.robot.joint_velocities(x, qd))[:, self._iv]
        return v, np.asarray(self.robot.joint_accelerations(x, qd, qdd))[:, self._iv]

    def directions(self, q: Array) -> Array:
        """Return the rows of the embedding (states, axes, joints): what a force of an axis gives there."""
        x, n = self._posture(q), self.robot.nv
        units = (np.broadcast_to(unit, (len(q), n)) for unit in np.eye(n))
        return np.stack([np.asarray(self.robot.joint_velocities(x, u))[:, self._iv] for u in units], axis=2)

    def _posture(self, q: Array) -> Array:
        return q if self.robot.model.explicit else self.robot.reached(q)


def motor_axes(given: Robot | ClosedRobot, robot: Robot | ClosedRobot) -> tuple[Axis, ...]:
    """Return the axes of motors that are not among the coordinates: there are more than degrees of freedom.

    `robot` is described by as many of the motors of the robot that is given as it has degrees of freedom.
    """
    if isinstance(given, Robot):
        return ()
    names = [name for name in given.actuated_names if name not in robot.joint_names]
    return tuple(Axis(f":{name}", np.ones(robot.nv), name) for name in names)


def passive_axes(
    base: BaseParameters, axes: Sequence[Axis], asked: bool | Sequence[str]
) -> tuple[tuple[Axis, ...], tuple[str, ...]]:
    """Return the axes of passive joints whose friction is identified, and a note about others.

    Joints are asked for by name, or all of them by True, which leaves out those whose friction cannot be told
    apart from that of others, as in parallelograms.
    """
    robot = base.mechanism
    if isinstance(robot, Robot):
        if asked is False:
            return (), ()
        raise ArgumentError(
            "identify: passive_friction is that of joints without drives in loops; this robot has no loops"
        )
    taken = {*robot.joint_names, *(axis.joint for axis in axes)}
    known = [body.joint_name for body in robot.tree.model.independent if body.joint.nv == 1]
    known = [name for name in known if name not in taken]
    if isinstance(asked, bool | np.bool_):
        names = known if asked else []
    else:
        names = [asked] if isinstance(asked, str) else list(asked) if isinstance(asked, Sequence) else [asked]
        for name in names:
            if not isinstance(name, str):
                raise ArgumentError(
                    f"identify: passive_friction is {shown(asked)}; expected True, False or names of joints"
                )
            known_name("joint of identify: passive_friction", name, known)
    every = tuple(Axis(f":{name}", np.ones(robot.nv), name, True) for name in known if name in names)
    apart = _told_apart(base, axes, every)
    lost = [axis.joint or "" for axis in every if all(axis is not each for each in apart)]
    if not lost:
        return every, ()
    words = f"no torque tells the friction of {listed(lost, 8)} apart from that of other joints"
    if asked is not True:
        raise ArgumentError(f"identify: {words}; leave them out of passive_friction")
    return apart, (f"{words}: it stays as described",)


def _told_apart(base: BaseParameters, axes: Sequence[Axis], passive: Sequence[Axis]) -> tuple[Axis, ...]:
    """Return the axes whose friction no combination of other columns equals, at random states."""
    if not passive:
        return ()
    robot = base.mechanism
    every = (*axes, *passive)
    states = robot.random_state(5, batch=16 + 6 * (base.count + 3 * len(every)) // robot.nv)
    columns = [base.columns(*states).reshape(-1, base.count)]
    loops = LoopAxes(robot, every)
    n = robot.nv
    v = np.stack([states[1] @ axis.direction for axis in every], axis=1)
    v[:, list(loops.places)] = loops.rates(*states)[0]
    G = np.repeat(np.array([axis.direction for axis in every])[None], len(v), axis=0)
    G[:, list(loops.places)] = loops.directions(states[0])

    def friction(a: int) -> list[Array]:
        return [(f[:, None] * G[:, a]).reshape(-1) for f in (v[:, a], np.tanh(v[:, a] / SLOW))]

    for a in range(len(axes)):
        columns += [each[:, None] for each in friction(a)]
    columns += [np.tile(np.eye(n), (len(v), 1))]
    A = np.concatenate(columns, axis=1)
    U, s, _ = np.linalg.svd(A / np.maximum(np.linalg.norm(A, axis=0), 1e-300), full_matrices=False)
    Q = U[:, s > 1e-9 * s[0]]
    found = []
    for a, axis in enumerate(passive, len(axes)):
        rests = []
        for column in friction(a):
            rest = column / max(float(np.linalg.norm(column)), 1e-300)
            for _ in range(2):  # twice is enough
                rest = rest - Q @ (Q.T @ rest)
            rests.append(rest)
        if all(np.linalg.norm(rest) > CONFUSED for rest in rests):
            found.append(axis)
            Q = np.linalg.qr(np.column_stack([Q, *rests]))[0]
    return tuple(found)
