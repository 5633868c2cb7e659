"""Observers that run beside a control loop: links and external torques from motor angles and torques."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import batch_array, instance, rows_array
from ..errors import ArgumentError, ClosedFormError
from ..kernels import Kernel, compiled
from ..lazy import cached_property
from .control import Control, require_control
from .estimates import motor_observer_rate, plant_observer_rate, spring_links
from .gains import pole_gains
from .momentum_observer import momentum_step, state_parts
from .plant import Plant
from .robot import ElasticJointRobot
from .tracking import checked_rate

FOLLOWED = 1.0
"""Period times fastest pole up to which one Runge-Kutta step per sample follows an observer closely."""

REST_STEPS, AT_REST = 200, 1e-12
"""Iterations for the sag of the springs at rest, and the change in rad (or m) at which they end."""


class Observer(ABC):
    """An observer of the state (q, qd, theta, thetad) and of external torques d, from signals of the motors.

    It keeps a `memory` (..., rows, nv), and takes a step per sample, `rate` times a second. `gains` come from
    poles, joint by joint. Needs a constant stiffness and springs without damping.
    """

    rows: int
    """Rows of the memory."""

    def __init__(self, robot: ElasticJointRobot, rate: float, *loops: tuple[str, ArrayLike, int]) -> None:
        where = type(self).__name__
        self.robot = instance(f"{where}: robot", robot, ElasticJointRobot)
        if robot.variable:
            raise ClosedFormError(
                f"{where}: the stiffness is variable; use changed(stiffness=...) for a constant one"
            )
        robot.require("spring_links")
        self.rate, gains = checked_rate(where, rate), []
        for name, poles, count in loops:
            gains.append(pole_gains(poles, robot.joint_names))
            if len(gains[-1]) != count:
                raise ArgumentError(f"{where}: {len(gains[-1])} {name} per joint; expected {count}")
            fastest = float(np.abs(np.asarray(poles)).max())
            if fastest > FOLLOWED * self.rate:
                raise ArgumentError(
                    f"{where}: {name} of {fastest:g} rad/s are too fast for {self.rate:g} samples per "
                    f"second; give poles up to {FOLLOWED * self.rate:g} rad/s, or a higher rate"
                )
        self.gains = np.concatenate(gains)

    @abstractmethod
    def expression(
        self, plant: Plant, memory: Sequence[SX], theta: tuple[SX, SX], u: SX, gains: SX, h: SX
    ) -> tuple[Sequence[SX], Sequence[SX]]:
        """Return the estimates (q, qd, theta, thetad, d) and the memory one sample later, as expressions.

        `theta` are the motor angles measured before and now, h is the period.
        """

    @abstractmethod
    def begin(self, q: ArrayLike, qd: ArrayLike, theta: ArrayLike, thetad: ArrayLike) -> Array:
        """Return the memory of a robot that is in a known state, with no external torque."""

    @cached_property
    def kernel(self) -> Kernel:
        """The compiled step (memory, theta_before, theta, u, gains, h) -> (estimate, memory), to bind."""
        n = self.robot.nv
        memory, gains, h = SX.sym("memory", self.rows, n), SX.sym("gains", len(self.gains), n), SX.sym("h")
        before, now, u = (SX.sym(name, n) for name in ("theta_before", "theta", "u"))
        kept = [memory[k, :].T for k in range(self.rows)]
        estimate, onward = self.expression(self.robot.plant(), kept, (before, now), u, gains, h)
        inputs: list[Any] = [("memory", memory), ("theta_before", before), ("theta", now), ("u", u)]
        inputs += [("gains", gains), ("h", (), h)]
        outputs: list[Any] = [("estimate", ca.vertcat(*estimate)), ("memory", ca.horzcat(*onward).T)]
        name = type(self).__name__.lower()
        doc, subject = type(self).__doc__ or "", f"elastic {self.robot.robot.name!r}"
        return compiled(name, inputs, outputs, doc, subject)

    def at_rest(self, theta: ArrayLike) -> Array:
        """Return the memory of a robot at rest with motors at theta (..., nv): springs carry its weight.

        Solves q = N (theta - K^-1 N g(q)).
        """
        robot = self.robot
        theta = rows_array("at_rest: theta", theta, robot.nv)
        N, K = robot.drives.gear_ratio, np.asarray(robot.drives.stiffness)
        q = N * theta
        for _ in range(REST_STEPS):
            sagged = N * (theta - N * robot.links.gravity_torque(q) / K)
            change = float(np.abs(sagged - q).max(initial=0.0))
            q = sagged
            if change < AT_REST:
                return self.begin(q, np.zeros_like(q), theta, np.zeros_like(q))
        raise ClosedFormError(
            f"at_rest: the springs are too soft for the weight of {robot.robot.name!r}: no posture found in "
            f"{REST_STEPS} iterations; begin with a state that you know"
        )

    def step(
        self, memory: ArrayLike, theta_before: ArrayLike, theta: ArrayLike, u: ArrayLike
    ) -> tuple[Array, Array]:
        """Return the estimates (..., 5 nv) of (q, qd, theta, thetad, d) and the memory one sample later.

        `theta_before` and `theta` (..., nv) are the motor angles measured at the sample before and now,
        `u` the torques that were held in between.
        """
        period = np.array(1 / self.rate)
        estimate, onward = self.kernel(memory, theta_before, theta, u, self.gains, period)
        return estimate, onward

    def bind(
        self, memory: Array, theta_before: Array, theta: Array, u: Array, *, out: tuple[Array, Array]
    ) -> Callable[[], None]:
        """Return a call of no arguments that takes a step on these very arrays, for control loops.

        `out` are the estimates (5 nv,) and the memory one sample later, an array of its own: copy it into
        `memory` before the next call.
        """
        inputs = (memory, theta_before, theta, u, self.gains, np.array(1 / self.rate))
        return self.kernel.bind(*inputs, out=out)

    def torques(
        self, control: Control, estimate: ArrayLike, reference: ArrayLike, *, loaded: bool = True
    ) -> Any:
        """Return the motor torques of a law that takes the estimates for the state.

        If `loaded`, the estimated external torque d is compensated: a constant d is the same as a shift of
        the motors by K^-1 N d, so u(q, qd, theta + K^-1 N d, thetad) - N d has the poles of the law too.
        """
        require_control("torques", control)
        x = batch_array("torques: estimate", estimate, 5 * self.robot.nv)  # of a run that diverged, NaN too
        q, qd, theta, thetad, d = np.split(x, 5, axis=-1)
        if not loaded:
            return control(q, qd, theta, thetad, reference)
        N, K = self.robot.drives.gear_ratio, np.asarray(self.robot.drives.stiffness)
        return control(q, qd, theta + N * d / K, thetad, reference) - N * d


class MotorObserver(Observer):
    """Links and external torques from the motors alone: an observer per motor, then a balance of momentum.

    Each motor tells the torque z of its spring, as what it needs beyond its own acceleration: an observer of
    fifth order with the given `poles` (the form `motor_observer_rate`), the same for every joint and posture.
    The spring tells where the link is, q = N (theta - K^-1 z). The momentum of the links tells what loads
    them from outside: d follows by a first-order lag with `external_poles`. The estimates always decay to
    the truth, and lag behind what is faster than the poles.

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

    rows = 8

    def __init__(
        self,
        robot: ElasticJointRobot,
        poles: ArrayLike,
        external_poles: ArrayLike = (-20.0,),
        rate: float = 1000.0,
    ) -> None:
        super().__init__(robot, rate, ("poles", poles, 5), ("external_poles", external_poles, 1))

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

        motor = ca.vertsplit(_advanced(rate, ca.vertcat(*memory[:5]), theta, h), n)
        q, qd = spring_links(plant, *motor[:4])
        r, impulse, known = momentum_step(plant, (q, qd, *motor[:2]), memory[5:], gains[5, :].T, h)
        return (q, qd, *motor[:2], r), (*motor, r, impulse, known)


class PlantObserver(Observer):
    """Links and external torques from a copy of the whole plant, corrected by the measured motor angles.

    The errors of all estimates, of d too, have the five `poles` given per joint, in every posture (the form
    `plant_observer_rate`): with an exact model there is no lag, and laws that need accelerations, such as
    `Decoupling`, can be closed over the estimates. The price is that the correction cancels the springs of
    the model. Where these are much faster than the poles, or faster than the sampling, small errors of M
    are enough to make it diverge: it is for soft joints, such as series elastic ones.

    >>> import numpy as np, closedform as cf
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    >>> observer = cf.elastic.PlantObserver(arm, [-60, -65, -70, -75, -80])
    >>> memory = observer.at_rest([0.4, -0.3])
    >>> u = arm.links.gravity_torque(memory[0])
    >>> estimate, memory = observer.step(memory, [0.4, -0.3], [0.4, -0.3], u)
    >>> bool(np.allclose(estimate[:2], memory[0])), bool(np.abs(estimate[8:]).max() < 1e-9)
    (True, True)
    """

    rows = 5

    def __init__(self, robot: ElasticJointRobot, poles: ArrayLike, rate: float = 1000.0) -> None:
        super().__init__(robot, rate, ("poles", poles, 5))

    def begin(self, q: ArrayLike, qd: ArrayLike, theta: ArrayLike, thetad: ArrayLike) -> Array:
        """Return the memory of a robot that is in a known state, with no external torque."""
        q, qd, theta, thetad = state_parts("begin", self.robot, q, qd, theta, thetad)
        return np.stack([q, qd, theta, thetad, np.zeros_like(q)], axis=-2)

    def expression(
        self, plant: Plant, memory: Sequence[SX], theta: tuple[SX, SX], u: SX, gains: SX, h: SX
    ) -> tuple[Sequence[SX], Sequence[SX]]:
        """Return estimates and memory one sample later."""
        n = self.robot.nv

        def rate(x: SX, measured: SX) -> SX:
            return plant_observer_rate(plant, *[*ca.vertsplit(x, n), measured, u, gains])

        estimate = ca.vertsplit(_advanced(rate, ca.vertcat(*memory), theta, h), n)
        return estimate, estimate


def _advanced(rate: Callable[[SX, SX], SX], x: SX, theta: tuple[SX, SX], h: SX) -> SX:
    """Return x one Runge-Kutta step later, the measured angle changing evenly [Kutta1901]."""
    before, now = theta
    middle = (before + now) / 2
    k1 = rate(x, before)
    k2 = rate(x + h / 2 * k1, middle)
    k3 = rate(x + h / 2 * k2, middle)
    later: SX = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + h * k3, now))
    return later
