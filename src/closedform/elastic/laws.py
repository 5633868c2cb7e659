"""The laws users hold: decoupling at once or in stages, feedforward, the rigid robot's computed torque."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike
from scipy.linalg import expm

from ..arrays import Array
from ..checks import finite_array, flag, instance, sized_array
from ..errors import ArgumentError
from ..guests import in_kind
from ..trajectory import Trajectory
from ..trajectory.trajectory import require_trajectory
from .control import Control
from .law_forms import (
    decoupling_law,
    feedforward_law,
    rigid_law,
    static_feedforward_law,
)
from .plant import Plant
from .robot import ElasticJointRobot
from .staged import staged_law


class Decoupling(Control):
    """Feedback linearisation: every joint becomes a chain of four integrators, closed by error feedback.

    u = M_G K^-1 N (M s + n) + K dq + M_G N^-1 q'' with
    s = q_d'''' + k_4 (q_d''' - q''') + ... + k_1 (q_d - q) [Grimm1990, Eq. (3)]; acceleration and jerk of
    the links are computed from the state. The tracking error has exactly the given four poles. If the
    springs are damped, the chain has three integrators, and there are three poles.

    The law computes the spring torque from the wind-up theta - N^-1 q, so that an error of the
    stiffness acts like an error of gravity; with `torque_sensors` in the joints it does not.

    >>> import numpy as np, closedform as cf
    >>> from closedform.elastic import Decoupling
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    >>> control = Decoupling(arm, [-20, -20, -20, -20])
    >>> control(*np.zeros((4, 2)), reference=np.zeros((5, 2))).shape
    (2,)
    """

    name = "decoupling_law"

    def __init__(self, robot: ElasticJointRobot, poles: ArrayLike, *, torque_sensors: bool = False) -> None:
        instance("Decoupling: robot", robot, ElasticJointRobot)
        self.order = self.feedbacks = robot.integrators
        self.torque_sensors = flag("Decoupling: torque_sensors", torque_sensors)
        super().__init__(robot, poles)
        robot.require("decoupling")

    def law(self, plant: Plant, state: Sequence[SX], wanted: Sequence[SX], gains: Sequence[SX]) -> SX:
        """Return u for which the error of the links has the poles."""
        return decoupling_law(plant, *[*state, *_five(wanted), _stacked(gains)])


class StagedDecoupling(Control):
    """Decoupling in two stages: a loop for the torques of the springs within a loop for the links.

    The outer loop asks for the acceleration a = q_d'' + k_2 (q_d' - q') + k_1 (q_d - q), and so for the
    spring torque N (M a + C q' + g); the inner loop gives the error of the spring torque its own poles.
    With the exact model the poles of the whole loop are those given, in every posture. If the model
    errs, each error enters where it arises, those of the links in the outer loop, those of motors and
    springs in the inner one, as in the stages of [Grimm1990, Sec. I]. If the springs are damped, the inner
    loop has one pole.

    `poles` are the two of the links, `torque_poles` the two of the spring torques, which should be faster.
    With `torque_sensors` in the joints the spring torque is measured, not computed from the wind-up.

    >>> import closedform as cf
    >>> from closedform.elastic import StagedDecoupling, track
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    >>> move = cf.trajectory.polynomial([0.0, 0.0], [1.0, -0.5], duration=1.0, degree=7)
    >>> law = StagedDecoupling(arm, [-20, -20], torque_poles=[-60, -60])
    >>> bool(track(law, move, step=5e-4).worst < 1e-8)
    True
    """

    name = "staged_law"

    def __init__(
        self,
        robot: ElasticJointRobot,
        poles: ArrayLike,
        torque_poles: ArrayLike,
        *,
        torque_sensors: bool = False,
    ) -> None:
        instance("StagedDecoupling: robot", robot, ElasticJointRobot)
        self.order = self.feedbacks = robot.integrators
        self.torque_sensors = flag("StagedDecoupling: torque_sensors", torque_sensors)
        self._begin(robot, ("poles", poles, 2), ("torque_poles", torque_poles, robot.integrators - 2))
        robot.require("decoupling")

    def law(self, plant: Plant, state: Sequence[SX], wanted: Sequence[SX], gains: Sequence[SX]) -> SX:
        """Return u for which links and spring torques have their poles."""
        return staged_law(plant, *[*state, *_five(wanted), _stacked(gains)])


class Feedforward(Control):
    """Feedforward with tau'' from the flat output, the link motion, and PD feedback of the motors.

    u = M_G K^-1 N tau'' + N tau + M_G N^-1 q_d'' + M_G (k_1 (theta_d - theta) + k_2 (theta_d' - theta')),
    where tau, tau'' and theta_d follow from the link trajectory and its derivatives alone
    [BuondonnoDeLuca2015]. The two poles are those of the motors with the springs cut. Needs motor
    sensors only.

    Without `torque_rates` the law takes tau' and tau'' for zero, as if the springs were wound up at rest:
    it needs two derivatives of the trajectory in place of four, and errs by what they would have added.

    >>> import closedform as cf
    >>> from closedform.elastic import Feedforward, track
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 300.0, 0.1, 1.0)
    >>> move = cf.trajectory.polynomial([0.0, 0.0], [1.0, -0.5], duration=0.5, degree=7)
    >>> laws = [Feedforward(arm, [-20, -20], torque_rates=given) for given in (True, False)]
    >>> [f"{track(law, move, step=5e-4).worst:.0e}" for law in laws]
    ['8e-12', '4e-02']
    """

    feedbacks = 2

    def __init__(self, robot: ElasticJointRobot, poles: ArrayLike, *, torque_rates: bool = True) -> None:
        self.torque_rates = flag("Feedforward: torque_rates", torque_rates)
        self.order = 4 if torque_rates else 2
        self.name = "feedforward_law" if torque_rates else "static_feedforward_law"
        super().__init__(robot, poles)
        robot.require("inverse_dynamics")

    def law(self, plant: Plant, state: Sequence[SX], wanted: Sequence[SX], gains: Sequence[SX]) -> SX:
        """Return u of the wanted motion, plus the feedback."""
        formula = feedforward_law if self.torque_rates else static_feedforward_law
        return formula(plant, *[*state[2:], *wanted, _stacked(gains)])


class ComputedTorque(Control):
    """The computed torque of a rigid robot, which ignores the springs: for comparison.

    u = N (M a + C q' + g + f_l) + M_G N^-1 a + f_m with a = q_d'' + k_1 (q_d - q) + k_2 (q_d' - q')
    and q = N theta, q' = N theta', as motor sensors of a rigid robot would measure.
    """

    order, feedbacks, name = 2, 2, "rigid_law"

    def law(self, plant: Plant, state: Sequence[SX], wanted: Sequence[SX], gains: Sequence[SX]) -> SX:
        """Return u of a rigid robot."""
        return rigid_law(plant, *[*state[2:], *wanted, _stacked(gains)])


def _five(wanted: Sequence[SX]) -> tuple[SX, SX, SX, SX, SX]:
    """Return the wanted motion to the fourth derivative, zero if a law of damped springs does not take it."""
    q, qd, qdd, qddd, *more = wanted
    return q, qd, qdd, qddd, more[0] if more else SX.zeros(q.shape)


def _stacked(gains: Sequence[SX]) -> SX:
    """Return gains as the rows of a matrix, as forms take them."""
    return ca.horzcat(*gains).T


@in_kind
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
