"""Three laws: decoupling, flatness-based feedforward, and the rigid robot's computed torque."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from casadi import SX
from numpy.typing import ArrayLike
from scipy.linalg import expm

from ..arrays import Array
from ..checks import finite_array, flag, instance, sized_array
from ..errors import ArgumentError
from ..trajectory import Trajectory
from ..trajectory.trajectory import require_trajectory
from .control import Control, error_feedback
from .decoupling import fourth_order, third_order
from .inverse import motor_motion
from .plant import Plant
from .robot import ElasticJointRobot


class Decoupling(Control):
    """Feedback linearisation: every joint becomes a chain of four integrators, closed by error feedback.

    u = M_G K^-1 N (M s + n) + K dq + M_G N^-1 q'' with s = q_d'''' + sum_i k_i (q_d - q)^(i)
    [Grimm1990, Eq. (3)]; acceleration and jerk of the links are computed from the state. The
    tracking error has exactly the given four poles. If the springs are damped, the chain has
    three integrators, and there are three poles.

    The law computes the spring torque from the wind-up theta - N^-1 q, so that an error of the
    stiffness acts like an error of gravity; with `torque_sensors` in the joints it does not.

    >>> import numpy as np, closedform as cf
    >>> from closedform.elastic import Decoupling
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    >>> control = Decoupling(arm, [-20, -20, -20, -20])
    >>> control(*np.zeros((4, 2)), reference=np.zeros((5, 2))).shape
    (2,)
    """

    def __init__(self, robot: ElasticJointRobot, poles: ArrayLike, *, torque_sensors: bool = False) -> None:
        instance("Decoupling: robot", robot, ElasticJointRobot)
        self.order = self.feedbacks = robot.integrators
        self.torque_sensors = flag("Decoupling: torque_sensors", torque_sensors)
        super().__init__(robot, poles)
        robot.require("decoupling")

    def law(self, plant: Plant, state: Sequence[SX], wanted: Sequence[SX], gains: Sequence[SX]) -> SX:
        """Return u for which the error of the links has the poles."""
        q, qd, theta, thetad = state

        def command(*derivatives: SX) -> SX:
            return wanted[-1] + error_feedback(gains, wanted[:-1], (q, qd, *derivatives))

        chain = third_order if plant.drives.damped else fourth_order
        return chain(plant, q, qd, theta, thetad, command)


class Feedforward(Control):
    """Feedforward from the flat output, the link motion, with PD feedback of the motors.

    u = u_d + M_G (k_0 (theta_d - theta) + k_1 (theta_d' - theta')), where u_d and theta_d follow
    from the link trajectory and its derivatives alone [BuondonnoDeLuca2015]. The two poles are
    those of the motors with the springs cut. Needs motor sensors only.
    """

    order, feedbacks = 4, 2

    def __init__(self, robot: ElasticJointRobot, poles: ArrayLike) -> None:
        super().__init__(robot, poles)
        robot.require("inverse_dynamics")

    def law(self, plant: Plant, state: Sequence[SX], wanted: Sequence[SX], gains: Sequence[SX]) -> SX:
        """Return u of the wanted motion, plus the feedback."""
        theta, thetad, thetadd = motor_motion(plant, *wanted)
        spring = plant.K * plant.wind_up(wanted[0], theta)
        acceleration = thetadd + error_feedback(gains, (theta, thetad), state[2:])
        u: SX = plant.B * acceleration + spring + plant.motor_friction(thetad)
        return u


class ComputedTorque(Control):
    """The computed torque of a rigid robot, which ignores the springs: for comparison.

    u = N (M a + C q' + g + f_l) + M_G N^-1 a + f_m with a = q_d'' + k_0 (q_d - q) + k_1 (q_d' - q')
    and q = N theta, q' = N theta', as motor sensors of a rigid robot would measure.
    """

    order, feedbacks = 2, 2

    def law(self, plant: Plant, state: Sequence[SX], wanted: Sequence[SX], gains: Sequence[SX]) -> SX:
        """Return u of a rigid robot."""
        _, _, theta, thetad = state
        q, qd = plant.N * theta, plant.N * thetad
        a = wanted[2] + error_feedback(gains, wanted[:2], (q, qd))
        (tau,) = plant.link_torques(q, qd, a)
        u: SX = plant.N * tau + plant.B * a / plant.N + plant.motor_friction(thetad)
        return u


def chain_motion(control: Decoupling, trajectory: Trajectory, start: ArrayLike, t: ArrayLike) -> Array:
    """Return the link motion of an ideally decoupled robot from a start state, (m, nv).

    Each joint's error solves e'''' + k_3 e''' + k_2 e'' + k_1 e' + k_0 e = 0 (one order less with
    damped springs), so that q = q_d + e with e(t) from a matrix exponential. A simulation of the
    nonlinear closed loop must give the same. `t` (m,) are equal steps from 0.
    """
    if not isinstance(control, Decoupling):
        raise ArgumentError(f"chain_motion: {type(control).__name__} makes no chains; expected a Decoupling")
    robot, order = control.robot, control.order
    require_trajectory("chain_motion", trajectory, robot.joint_names)
    q, qd, theta, thetad = np.split(sized_array("chain_motion: start", start, (4 * robot.nv,)), 4)
    if order == 4:
        actual: tuple[Array, ...] = (q, qd, *robot.link_derivatives(q, qd, theta, thetad))
    else:
        actual = (q, qd, robot.forward_dynamics(q, qd, theta, thetad, np.zeros(robot.nv))[0])
    first = np.stack([a - w for a, w in zip(actual, trajectory.derivatives(0.0, order - 1), strict=True)])
    t = finite_array("chain_motion: t", t)
    if t.ndim != 1 or t.size < 2 or not np.allclose(t, np.linspace(0.0, t[-1], t.size), rtol=0, atol=1e-9):
        raise ArgumentError("chain_motion: t are not equal steps from 0")
    A = np.tile(np.eye(order, k=1), (robot.nv, 1, 1))
    A[:, -1] = -control.gains.T
    onward = expm(A * (t[-1] / (t.size - 1)))
    error = np.empty((t.size, robot.nv, order))
    error[0] = first.T
    for k in range(1, t.size):
        error[k] = (onward @ error[k - 1][..., None])[..., 0]
    return np.asarray(trajectory(t) + error[..., 0])
