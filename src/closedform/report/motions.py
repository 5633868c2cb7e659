"""Motions of a robot with exact derivatives: cosines of any robot, or a trajectory that is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ArgumentError
from ..lazy import cached_property
from ..model import Body, Model, integrate
from ..model.limits import joint_range
from ..robot import Robot
from ..trajectory import Trajectory
from ..trajectory.trajectory import require_trajectory
from .labels import turns

REACH = 0.7
"""Part of the way to a joint limit that the motion uses."""

PACE = 0.5
"""Part of a velocity limit that the motion uses."""

TURN, SHIFT = 0.8, 0.3
"""Largest amplitudes of one-dof joints, rad and m."""

GENTLE_TURN, GENTLE_SHIFT = 0.25, 0.1
"""Amplitudes of ball, free and planar joints, rad and m."""


@dataclass(frozen=True)
class States:
    """Samples of a motion: instants t (n,), q (n, nq), qd and qdd (n, nv).

    `further` are qddd and its derivative, as far as the motion has them.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    further: tuple[Array, ...] = ()


@dataclass(frozen=True)
class CosineMotion:
    """The motion q(t) = centre exp(X A cos(w t)), taken joint by joint.

    All velocities of one joint share one frequency, so the joint moves along one fixed screw
    X A and qd = -A w sin(w t), qdd = -A w^2 cos(w t) hold exactly for joints of every kind,
    quaternions included. Starts at rest. One-dof joints stay within `REACH` of their limits
    and `PACE` of their velocity limits, those of the joints coupled to them included.
    """

    model: Model
    duration: float

    @cached_property
    def drivers(self) -> tuple[Body, ...]:
        """The bodies whose joints have coordinates of their own."""
        return tuple(body for body in self.model.bodies if body.coupling is None)

    @cached_property
    def rate(self) -> Array:
        """Angular frequencies over the velocities: joint i of n makes 1 + i/n periods."""
        n = len(self.drivers)
        return np.concatenate(
            [
                np.full(body.joint.nv, 2 * np.pi * (1 + i / n) / self.duration)
                for i, body in enumerate(self.drivers)
            ]
        )

    @cached_property
    def centre(self) -> Array:
        """The middle configuration: home, or the middle between joint limits."""
        q = self.model.neutral()
        for body in self.drivers:
            if body.joint.nv == 1:
                q[body.iq] = sum(self._range(body)) / 2
        return q

    @cached_property
    def amplitude(self) -> Array:
        """Amplitudes A over the velocities."""
        A = np.empty(self.model.nv)
        for body in self.drivers:
            part = slice(body.iv, body.iv + body.joint.nv)
            if body.joint.nv == 1:
                lower, upper = self._range(body)
                A[part] = REACH * (upper - lower) / 2
            else:
                shape = np.resize([1.0, -0.8, 0.6], body.joint.nv)
                A[part] = np.where(turns(body), GENTLE_TURN, GENTLE_SHIFT) * shape
            if body.limits.velocity > 0:
                fastest = np.abs(A[part] * self.rate[part]).max()
                A[part] *= min(1.0, PACE * body.limits.velocity / max(fastest, 1e-300))
        return A

    @property
    def fastest(self) -> float:
        """Largest angular frequency."""
        return float(self.rate.max())

    def _range(self, body: Body) -> tuple[float, float]:
        """Return the range of a one-dof joint that the motion may use, before `REACH`."""
        reach = (TURN if turns(body)[0] else SHIFT) / REACH
        lower, upper = joint_range(self.model, body)
        if lower > upper:
            return -reach, reach
        if np.isinf(lower):
            lower = min(-reach, upper - 2 * reach)
        if np.isinf(upper):
            upper = max(reach, lower + 2 * reach)
        middle, half = (lower + upper) / 2, min((upper - lower) / 2, reach)
        return middle - half, middle + half

    def at(self, t: ArrayLike) -> States:
        """Return the states at the given instants."""
        t = np.asarray(t, dtype=float)
        w, A = self.rate, self.amplitude
        phase = t[..., None] * w
        step, qd = A * np.cos(phase), -A * w * np.sin(phase)
        further = -w * w * qd, w**4 * step
        return States(t, integrate(self.model, self.centre, step), qd, -w * w * step, further)


@dataclass(frozen=True)
class GivenMotion:
    """A trajectory as the motion of a robot."""

    trajectory: Trajectory

    @cached_property
    def fastest(self) -> float:
        """An angular frequency that the motion is about as fast as: the largest |qdd| / |qd| of a joint."""
        t = np.linspace(0.0, self.trajectory.duration, 200)
        _, qd, qdd = self.trajectory.derivatives(t, 2)
        moving = np.abs(qd).max(axis=0) > 0
        ratios = np.abs(qdd).max(axis=0)[moving] / np.abs(qd).max(axis=0)[moving]
        return float(ratios.max(initial=2 * np.pi / self.trajectory.duration))

    @cached_property
    def order(self) -> int:
        """The highest derivative that the trajectory has, up to the fourth."""
        for order in (4, 3):
            try:
                self.trajectory.check_order(order)
            except ArgumentError:
                continue
            return order
        return 2

    def at(self, t: ArrayLike) -> States:
        """Return the states at the given instants."""
        t = np.asarray(t, dtype=float)
        q, qd, qdd, *further = self.trajectory.derivatives(t, self.order)
        return States(t, q, qd, qdd, tuple(further))


def check_motion(where: str, robot: Robot, trajectory: Any, order: int) -> None:
    """Refuse a trajectory that is not one of this robot's joints, or not smooth enough."""
    require_trajectory(where, trajectory)
    if robot.nq != robot.nv:
        raise ArgumentError(
            f"{where}: a trajectory moves joints of one degree of freedom; {robot.name!r} has others: "
            "leave the trajectory out for a motion that suits them"
        )
    if trajectory.dofs != robot.nq:
        raise ArgumentError(
            f"{where}: trajectory has {trajectory.dofs} coordinates; {robot.name!r} has {robot.nq}"
        )
    trajectory.check_order(order)
