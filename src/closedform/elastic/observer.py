"""Observers that run beside a control loop: state and external torque from motors, and from momentum."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import batch_array, common_batch, instance, rows_array
from ..errors import ArgumentError, ClosedFormError
from ..integration import System
from ..kernels import Kernel, compiled
from ..lazy import cached_property
from .catalogue import STATE
from .control import Control, require_control
from .estimates import momentum_balance, observer_rate
from .gains import pole_gains
from .robot import ElasticJointRobot
from .tracking import checked_rate

FOLLOWED = 1.0
"""Period times fastest pole up to which one Runge-Kutta step per sample follows an observer closely."""

REST_STEPS, AT_REST = 200, 1e-12
"""Iterations for the sag of the springs at rest, and the change in rad (or m) at which they end."""


class MotorObserver:
    """Estimates of links and external torques from motor angles and commanded torques alone.

    A copy of the plant, corrected by the measured motor angles `rate` times a second: link angles q and
    velocities qd, motor angles and velocities, and the torque d by which the environment (or an error of
    the model) loads each joint, taken as constant between corrections. The errors of the estimates have
    the five poles given per joint, in every posture: see the form `observer_rate`. Faster poles follow
    faster and pass more noise; poles much slower than the springs' own frequencies need a good model of M.

    Motor signals cannot tell everything. An error of the stiffness shifts q by that part of the wind-up, an
    error of the motors' friction f_m shifts q by N f_m / K and d by f_m / N, and an error of the links'
    weight is part of d. A loop closed over the estimates has less margin than one over sensors: with a
    stiffness that may be off by a fifth, poles beyond the lowest frequency of the springs can make it
    unstable. Needs a constant stiffness and springs without damping.

    >>> import numpy as np, closedform as cf
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    >>> observer = cf.elastic.MotorObserver(arm, [-60, -65, -70, -75, -80], rate=1000.0)
    >>> estimate = observer.at_rest([0.4, -0.3])
    >>> u = arm.drives.gear_ratio * arm.links.gravity_torque(estimate[:2])
    >>> onward = observer.step(estimate, [0.4, -0.3], [0.4, -0.3], u)
    >>> bool(np.abs(onward - estimate).max() < 1e-9)
    True
    """

    def __init__(self, robot: ElasticJointRobot, poles: ArrayLike, rate: float = 1000.0) -> None:
        self.robot = instance("MotorObserver: robot", robot, ElasticJointRobot)
        if robot.variable:
            raise ClosedFormError(
                "MotorObserver: the stiffness is variable; use changed(stiffness=...) for a constant one"
            )
        robot.require("observer_rate")
        self.rate = checked_rate("MotorObserver", rate)
        self.gains = pole_gains(poles, robot.joint_names)
        if len(self.gains) != 5:
            raise ArgumentError(f"MotorObserver: {len(self.gains)} poles per joint; expected 5")
        fastest = float(np.abs(np.asarray(poles)).max())
        if fastest > FOLLOWED * self.rate:
            raise ArgumentError(
                f"MotorObserver: poles of {fastest:g} rad/s are too fast for {self.rate:g} samples per "
                f"second; give poles up to {FOLLOWED * self.rate:g} rad/s, or a higher rate"
            )

    @cached_property
    def system(self) -> System:
        """The observer in continuous time: state (q, qd, theta, thetad, d), inputs (theta_m, u)."""
        n = self.robot.nv
        state = [SX.sym(name, n) for name in (*STATE, "d")]
        theta_m, u, gains = SX.sym("theta_m", n), SX.sym("u", n), SX.sym("k", 5 * n)
        rows = ca.reshape(gains, n, 5).T
        rate = observer_rate(self.robot.plant(), *[*state, theta_m, u, rows])
        name = f"observer_of_{self.robot.robot.name}"
        return System(name, ca.vertcat(*state), rate, ca.vertcat(theta_m, u), gains)

    @property
    def kernel(self) -> Kernel:
        """The compiled step (x, inputs at start, middle and end, h, gains) -> x, to bind in a loop."""
        return self.system.step

    def at_rest(self, theta: ArrayLike) -> Array:
        """Return estimates (..., 5 nv) of a robot at rest with motors at theta: springs carry its weight.

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
                zero = np.zeros_like(q)
                return np.concatenate([q, zero, theta, zero, zero], axis=-1)
        raise ClosedFormError(
            f"at_rest: the springs are too soft for the weight of {robot.robot.name!r}: no posture found in "
            f"{REST_STEPS} iterations; begin with estimates of your own, (q, qd, theta, thetad, d)"
        )

    def step(self, estimate: ArrayLike, theta_before: ArrayLike, theta: ArrayLike, u: ArrayLike) -> Array:
        """Return the estimates one sample later.

        `theta_before` and `theta` (..., nv) are the motor angles measured at the sample before and now,
        `u` the torques that were held in between. One Runge-Kutta step, the angle changing evenly.
        """
        n = self.robot.nv
        x = rows_array("step: estimate", estimate, 5 * n)
        before, now, held = (
            rows_array(f"step: {name}", given, n)
            for name, given in (("theta_before", theta_before), ("theta", theta), ("u", u))
        )
        common_batch("step", theta_before=before.shape[:-1], theta=now.shape[:-1], u=held.shape[:-1])
        inputs = [
            np.concatenate(np.broadcast_arrays(angle, held), axis=-1)
            for angle in (before, (before + now) / 2, now)
        ]
        onward: Array = self.kernel(x, *inputs, np.array(1 / self.rate), self.gains.ravel())
        return onward

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


class MomentumObserver:
    """External torques of a robot whose links and springs are measured, from the balance of momentum.

    r' = k (d - r): each component of the residual r follows the external torque d of its joint by a first
    order lag with the given pole, whatever the motion, and needs no acceleration
    [HaddadinDeLucaAlbuSchaeffer2017]. The state may come from link encoders or from a `MotorObserver`.
    Sampled `rate` times a second; the trapezoidal rule joins the samples.

    >>> import numpy as np, closedform as cf
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    >>> observer = cf.elastic.MomentumObserver(arm, [-50.0])
    >>> rest = np.zeros((4, 2))
    >>> memory = observer.begin(*rest)
    >>> for _ in range(200):  # the springs are slack, so something else must be holding the arm
    ...     r, memory = observer.step(memory, *rest)
    >>> bool(np.allclose(r, arm.links.gravity_torque([0, 0]), rtol=1e-3))
    True
    """

    def __init__(self, robot: ElasticJointRobot, poles: ArrayLike, rate: float = 1000.0) -> None:
        self.robot = instance("MomentumObserver: robot", robot, ElasticJointRobot)
        if robot.variable:
            raise ClosedFormError(
                "MomentumObserver: the stiffness is variable; use changed(stiffness=...) for a constant one"
            )
        self.rate = checked_rate("MomentumObserver", rate)
        self.gains = pole_gains(poles, robot.joint_names)
        if len(self.gains) != 1:
            raise ArgumentError(f"MomentumObserver: {len(self.gains)} poles per joint; expected 1")

    @cached_property
    def kernel(self) -> Kernel:
        """The compiled step (memory, q, qd, theta, thetad, gains, h) -> (r, memory), to bind in a loop.

        The memory (3, nv) holds r, the impulse so far, and its rate at the last sample.
        """
        n = self.robot.nv
        memory, gains, h = SX.sym("memory", 3, n), SX.sym("gains", n), SX.sym("h")
        state = [SX.sym(name, n) for name in STATE]
        p, known = momentum_balance(self.robot.plant(), *state)
        _, impulse, before = (memory[k, :].T for k in range(3))
        so_far = impulse + h / 2 * (before + known)
        r = gains * (p - so_far) / (1 + gains * h / 2)  # r itself is part of the rate: solved for it
        onward = ca.horzcat(r, so_far + h / 2 * r, known + r).T
        inputs: list[Any] = [
            ("memory", memory),
            *zip(STATE, state, strict=True),
            ("gains", gains),
            ("h", (), h),
        ]
        outputs: list[Any] = [("r", r), ("memory", onward)]
        doc = type(self).__doc__ or ""
        return compiled("momentum_observer", inputs, outputs, doc, f"elastic {self.robot.robot.name!r}")

    def begin(self, q: ArrayLike, qd: ArrayLike, theta: ArrayLike, thetad: ArrayLike) -> Array:
        """Return the memory (..., 3, nv) at the first sample, for which the residual is zero."""
        p, known = self.robot.momentum_balance(q, qd, theta, thetad)
        return np.stack([np.zeros_like(p), p, known], axis=-2)

    def step(
        self, memory: ArrayLike, q: ArrayLike, qd: ArrayLike, theta: ArrayLike, thetad: ArrayLike
    ) -> tuple[Array, Array]:
        """Return the external torques (..., nv) and the memory at the next sample."""
        r, onward = self.kernel(memory, q, qd, theta, thetad, self.gains[0], np.array(1 / self.rate))
        return r, onward
