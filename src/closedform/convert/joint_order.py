"""Joints of another library beside those here: found by name, whatever their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ..checks import instance
from ..errors import ArgumentError, listed
from ..model.body import Body
from ..robot import Robot


class Place(NamedTuple):
    """Where a joint is in another library: its number, and its places in q and v there."""

    number: int
    q: slice
    v: slice

    @property
    def nq(self) -> int:
        """How many coordinates it has there."""
        return int(self.q.stop - self.q.start)

    @property
    def nv(self) -> int:
        """How many velocities it has there."""
        return int(self.v.stop - self.v.start)


class Match(NamedTuple):
    """A joint there, and the body here that it moves."""

    place: Place
    body: Body


class JointOrder:
    """The velocities of another library as those here: qd = v[place], and v = ratio * qd[source].

    Joints there that follow others here (mimic joints) may have coordinates of their own.
    """

    def __init__(self, robot: Robot, places: Mapping[str, Place], remedy: str) -> None:
        name = type(self).__name__
        self.robot = instance(f"{name}: robot", robot, Robot)
        self._joints = _matched(name, robot, places, remedy)
        moving = [place for place in places.values() if place.nv]
        self._nq = max((place.q.stop for place in moving), default=0)
        self._nv = max((place.v.stop for place in moving), default=0)
        self._source = np.zeros(self._nv, dtype=int)
        self._ratio = np.ones(self._nv)
        self._place = np.zeros(robot.nv, dtype=int)
        for place, body in self._joints:
            problem = self._problem(place, body)
            if problem:
                raise ArgumentError(f"{name}: joint {body.joint_name!r} {problem}")
            if place.nv == 0:  # it follows another one there too
                continue
            ours = body.iv + np.array(self._velocities(body))
            self._source[place.v] = ours
            self._ratio[place.v] = body.ratio
            if body.coupling is None:
                self._place[ours] = np.arange(place.v.start, place.v.stop)

    def _problem(self, place: Place, body: Body) -> str | None:
        """Return what is wrong with a joint whose numbers there cannot become ours."""
        joint = body.joint
        if (place.nq, place.nv) == (joint.nq, joint.nv):
            return None
        return (
            f"has {place.nq} coordinates and {place.nv} velocities in the model; expected a joint like that "
            f"of the robot, with {joint.nq} and {joint.nv}"
        )

    def _velocities(self, body: Body) -> tuple[int, ...]:
        """Return the order there of the velocities of a body's joint."""
        return tuple(range(body.joint.nv))

    def _gathered(self, values: Array) -> Array:
        """Return values @ G with v = G qd."""
        found = np.zeros((*values.shape[:-1], self.robot.nv))
        np.add.at(found.T, self._source, (values * self._ratio).T)
        return found


def _matched(name: str, robot: Robot, places: Mapping[str, Place], remedy: str) -> list[Match]:
    """Return the joints there in the order of our bodies; a free joint may have another name there."""
    there, bodies = dict(places), robot.model.bodies
    here = {body.joint_name for body in bodies}
    named = [joint for joint in there if joint not in here and there[joint].nv == 6]
    floating = [body for body in bodies if body.joint_name not in there and body.joint.floats]
    if len(named) == len(floating) == 1:
        there[floating[0].joint_name] = there.pop(named[0])
    unknown = [joint for joint in there if joint not in here]
    missing = [body for body in bodies if body.joint_name not in there]
    if missing:
        names = listed([repr(body.joint_name) for body in missing], 5)
        raise ArgumentError(
            f"{name}: the model has no joint {names}; expected every joint of the robot: {remedy}"
        )
    if unknown:
        names = listed([repr(joint) for joint in unknown], 5)
        raise ArgumentError(
            f"{name}: the robot has no joint {names}; expected every joint of the model: {remedy}"
        )
    return [Match(there[body.joint_name], body) for body in bodies]
