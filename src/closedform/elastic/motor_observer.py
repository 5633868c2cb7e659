"""An observer per motor and a balance of momentum: links and external torques of any robot on springs."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..guests import in_kind
from .momentum_observer import momentum_step, state_parts
from .observer import Observer, advanced
from .observer_forms import motor_observer_rate, spring_links
from .plant import Plant
from .robot import ElasticJointRobot


class MotorObserver(Observer):
    """Links and external torques from the motors alone: an observer per motor, then a balance of momentum.

    Each motor tells the torque z of its spring, as what it needs beyond its own acceleration: an observer of
    fifth order with the given `poles` (the form `motor_observer_rate`), the same for every joint and posture.
    The spring tells where the link is, q = N (theta - K^-1 z). The momentum of the links tells what loads
    them from outside: d follows by a first-order lag with `external_poles`. No spring and no posture makes it
    unstable; it lags behind what is faster than its poles.

    Motor signals cannot tell everything. An error of the stiffness shifts q by that part of the wind-up, an
    error of the motors' friction f_m shifts q by N f_m / K and d by f_m / N, and an error of the links'
    weight is part of d. A law that compensates d needs `external_poles` slower than its own; decoupling,
    which needs exact accelerations, does not hold over these estimates: see `PlantObserver`.

    >>> import numpy as np, closedform as cf
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    >>> observer = cf.elastic.MotorObserver(arm, [-200] * 5, external_poles=[-20])
    >>> theta = np.array([0.4, -0.3])
    >>> memory = observer.at_rest(theta)
    >>> u = memory[2] - [3.0, 0.0]  # the motors hold less than the weight: somebody carries 3 N m
    >>> for _ in range(500):
    ...     estimate, memory = observer.step(memory, theta, theta, u)
    >>> np.abs(estimate[8:]).round(1).tolist()
    [3.0, 0.0]
    """

    rows, name = 8, "motor_observer"

    def __init__(
        self,
        robot: ElasticJointRobot,
        poles: ArrayLike,
        external_poles: ArrayLike = (-20.0,),
        rate: float = 1000.0,
    ) -> None:
        super().__init__(robot, rate, ("poles", poles, 5), ("external_poles", external_poles, 1))

    @in_kind
    def begin(self, q: ArrayLike, qd: ArrayLike, theta: ArrayLike, thetad: ArrayLike) -> Array:
        """Return the memory of a robot that is in a known state, with no external torque."""
        K, N = np.asarray(self.robot.drives.stiffness), self.robot.drives.gear_ratio
        q, qd, theta, thetad = state_parts("begin", self.robot, q, qd, theta, thetad)
        p, known = self.robot.momentum_balance(q, qd, theta, thetad)
        z, zd, zero = K * (theta - q / N), K * (thetad - qd / N), np.zeros_like(q)
        return np.stack([theta, thetad, z, zd, zero, zero, p, known], axis=-2)

    def expression(
        self, plant: Plant, memory: Sequence[SX], theta: tuple[SX, SX], u: SX, gains: SX, h: SX
    ) -> tuple[Sequence[SX], Sequence[SX]]:
        """Return estimates and memory one sample later."""
        n = self.robot.nv

        def rate(x: SX, measured: SX) -> SX:
            return motor_observer_rate(plant, *[*ca.vertsplit(x, n), measured, u, gains[:5, :]])

        motor = ca.vertsplit(advanced(rate, ca.vertcat(*memory[:5]), theta, h), n)
        q, qd = spring_links(plant, *motor[:4])
        r, impulse, known = momentum_step(plant, (q, qd, *motor[:2]), memory[5:], gains[5, :].T, h)
        return (q, qd, *motor[:2], r), (*motor, r, impulse, known)
