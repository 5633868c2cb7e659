"""States, torques, matrices and Jacobians of a library that writes floating bodies in its own way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import batch_array, common_batch, real_array
from ..errors import ArgumentError
from ..guests import in_kind
from ..model.body import Body
from ..robot import Robot
from .convention import Convention, applied
from .joint_order import JointOrder, Place
from .swaps import swap_halves


@dataclass(frozen=True)
class _At:
    """Values with the quaternion of each floating body, and our velocities."""

    values: Array
    floating: list[tuple[Place, Body, Array]]
    speeds: Array


class States(JointOrder):
    """Converts arrays of another library to those of a robot; methods that start with `to_` go back.

    Velocities, torques and what multiplies them depend on how a floating base is turned: these methods take
    our q last, which robots without a floating base do not need. Arrays may have batch axes in front.
    """

    def __init__(
        self, robot: Robot, places: Mapping[str, Place], convention: Convention, remedy: str
    ) -> None:
        self.convention = convention
        super().__init__(robot, places, remedy)
        self._floating = [(place, body) for place, body in self._joints if body.joint.floats]

    def _problem(self, place: Place, body: Body) -> str | None:
        joint = body.joint
        if joint.nv == 1 or joint.floats or (joint.quaternion is not None and self.convention.balls):
            return super()._problem(place, body)
        return (
            f"has {joint.nv} degrees of freedom ({joint.kind}); expected joints of one degree of freedom and "
            "a floating base: convert this joint by hand"
        )

    @in_kind
    def q(self, q: ArrayLike) -> Array:
        """Return our coordinates from theirs."""
        given = batch_array(f"{type(self).__name__}.q: q", q, self._nq)
        found = np.empty((*given.shape[:-1], self.robot.nq))
        for place, body in self._joints:
            if body.coupling is None:
                own = given[..., place.q]
                own = own if body.joint.nv == 1 else self.convention.coordinates(own)
                found[..., body.iq : body.iq + body.joint.nq] = own
        return found

    @in_kind
    def to_q(self, q: ArrayLike) -> Array:
        """Return their coordinates from ours; joints that follow others have their own."""
        given = batch_array(f"{type(self).__name__}.to_q: q", q, self.robot.nq)
        found = np.empty((*given.shape[:-1], self._nq))
        for place, body in self._joints:
            own = given[..., body.iq : body.iq + body.joint.nq]
            if body.coupling is not None:
                own = body.coupling.multiplier * own + body.coupling.offset
            found[..., place.q] = own if body.joint.nv == 1 else self.convention.to_coordinates(own)
        return found

    @in_kind
    def qd(self, v: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Return our velocities from theirs, at our q."""
        at = self._at("qd", self._vector("qd: v", v, self._nv), q)
        found = at.values[..., self._place]
        for place, body, Q in at.floating:
            found[..., body.velocities] = applied(self.convention.map(Q)[1], at.values[..., place.v])
        return found

    @in_kind
    def to_v(self, qd: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Return their velocities from ours, at our q; joints that follow others have their own."""
        at = self._at("to_v", self._vector("to_v: qd", qd, self.robot.nv), q)
        found = self._ratio * at.values[..., self._source]
        for place, body, Q in at.floating:
            found[..., place.v] = applied(self.convention.map(Q)[0], at.values[..., body.velocities])
        return found

    @in_kind
    def qdd(self, a: ArrayLike, q: ArrayLike | None = None, qd: ArrayLike | None = None) -> Array:
        """Return our accelerations from theirs, at our q and qd."""
        at = self._at("qdd", self._vector("qdd: a", a, self._nv), q, self._speeds("qdd", qd))
        found = at.values[..., self._place]
        for place, body, Q in at.floating:
            drift = self.convention.drift(Q, at.speeds[..., body.velocities])
            found[..., body.velocities] = applied(self.convention.map(Q)[1], at.values[..., place.v] - drift)
        return found

    @in_kind
    def to_a(self, qdd: ArrayLike, q: ArrayLike | None = None, qd: ArrayLike | None = None) -> Array:
        """Return their accelerations from ours, at our q and qd."""
        at = self._at("to_a", self._vector("to_a: qdd", qdd, self.robot.nv), q, self._speeds("to_a", qd))
        found = self._ratio * at.values[..., self._source]
        for place, body, Q in at.floating:
            drift = self.convention.drift(Q, at.speeds[..., body.velocities])
            found[..., place.v] = applied(self.convention.map(Q)[0], at.values[..., body.velocities]) + drift
        return found

    @in_kind
    def tau(self, tau: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Return our torques from theirs, of the same power: those of joints that follow go to drivers."""
        return self._covectors(self._at("tau", self._vector("tau: tau", tau, self._nv), q))

    @in_kind
    def to_tau(self, tau: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Return their torques from ours, of the same power: joints that follow have none."""
        at = self._at("to_tau", self._vector("to_tau: tau", tau, self.robot.nv), q)
        found = np.zeros((*at.values.shape[:-1], self._nv))
        found[..., self._place] = at.values
        for place, body, Q in at.floating:
            back = np.swapaxes(self.convention.map(Q)[1], -1, -2)
            found[..., place.v] = applied(back, at.values[..., body.velocities])
        return found

    @in_kind
    def matrix(self, A: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Return a matrix that maps velocities to torques, such as M, from theirs, at our q."""
        at = self._at("matrix", self._rows("matrix: A", A, (self._nv,)), q, rows=1)
        half = np.swapaxes(self._covectors(at), -1, -2)
        return np.swapaxes(self._covectors(replace(at, values=half)), -1, -2)

    @in_kind
    def jacobian(self, J: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Return a Jacobian from theirs, at our q: of a twist (six rows), or of a point (three rows).

        The axes and the point stay; of six rows, ours have the angular ones first.
        """
        at = self._at("jacobian", self._rows("jacobian: J", J, (3, 6)), q, rows=1)
        found = self._covectors(at)
        swapped = self.convention.linear_first and found.shape[-2] == 6
        return swap_halves(found, -2) if swapped else found

    def _covectors(self, at: _At) -> Array:
        """Return what multiplies our velocities from what multiplies theirs, on the last axis."""
        found = self._gathered(at.values)
        for place, body, Q in at.floating:
            T = np.swapaxes(self.convention.map(Q)[0], -1, -2)
            found[..., body.velocities] = applied(T, at.values[..., place.v])
        return found

    def _at(
        self, method: str, given: Array, q: ArrayLike | None, speeds: Array | None = None, rows: int = 0
    ) -> _At:
        """Return values with our q and qd, all of one batch; `rows` counts axes between it and the last."""
        name = f"{type(self).__name__}.{method}"
        if q is None and self._floating:
            raise ArgumentError(
                f"{name}: q is missing; expected our q, since velocities of joint "
                f"{self._floating[0][1].joint_name!r} depend on how its body is turned"
            )
        ours = self.robot.neutral() if q is None else batch_array(f"{name}: q", q, self.robot.nq)
        speeds = np.zeros(self.robot.nv) if speeds is None else speeds
        own = given.shape[: given.ndim - 1 - rows]
        batch = common_batch(name, values=own, q=ours.shape[:-1], qd=speeds.shape[:-1])
        ours = np.broadcast_to(ours, (*batch, self.robot.nq)).reshape(*batch, *[1] * rows, self.robot.nq)
        floating = [(place, body, ours[..., body.iq + 3 : body.iq + 7]) for place, body in self._floating]
        values = np.broadcast_to(given, (*batch, *given.shape[len(own) :]))
        return _At(values, floating, np.broadcast_to(speeds, (*batch, self.robot.nv)))

    def _vector(self, label: str, values: ArrayLike, size: int) -> Array:
        return batch_array(f"{type(self).__name__}.{label}", values, size)

    def _speeds(self, method: str, qd: ArrayLike | None) -> Array | None:
        """Return our velocities, which accelerations of a floating base depend on."""
        if qd is None and self._floating:
            raise ArgumentError(
                f"{type(self).__name__}.{method}: qd is missing; expected our qd, since the base floats"
            )
        return None if qd is None else self._vector(f"{method}: qd", qd, self.robot.nv)

    def _rows(self, label: str, values: ArrayLike, rows: tuple[int, ...]) -> Array:
        """Return an array (..., rows, nv of theirs)."""
        name = f"{type(self).__name__}.{label}"
        given = real_array(name, values)
        if given.ndim < 2 or given.shape[-2] not in rows or given.shape[-1] != self._nv:
            expected = " or ".join(f"(..., {each}, {self._nv})" for each in sorted(rows, reverse=True))
            raise ArgumentError(f"{name} has shape {given.shape}; expected {expected}")
        return given
