"""Tracking with motor sensors only: a law that is fed by an observer, on a plant with loads and noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import MOST_SAMPLES, flag, function, instance, positive, real_array, small_number, whole_number
from ..errors import ArgumentError, shown
from ..integration.simulate import step_count
from ..trajectory import Trajectory
from ..trajectory.trajectory import require_trajectory
from .control import Control, require_control
from .observer import Observer
from .robot import ElasticJointRobot
from .tracking import Tracking, state_on

LARGEST_NOISE = 10.0
"""Noise of the motor encoders in rad; more is no measurement."""


@dataclass(frozen=True, repr=False)
class ObservedTracking(Tracking):
    """A run along a trajectory whose law knew the estimates only.

    `estimates` (m + 1, 5 nv) are (q, qd, theta, thetad, d) at the instants, `external` (m + 1, nv) the
    external torques that acted.
    """

    estimates: Array
    external: Array

    @property
    def state_errors(self) -> Array:
        """Estimated less true state, (m + 1, 4 nv)."""
        return np.asarray(self.estimates[:, : self.x.shape[-1]] - self.x)

    @property
    def external_errors(self) -> Array:
        """Estimated less true external torques, (m + 1, nv)."""
        return np.asarray(self.estimates[:, self.x.shape[-1] :] - self.external)


def track_observed(
    control: Control,
    observer: Observer,
    trajectory: Trajectory,
    *,
    plant: ElasticJointRobot | None = None,
    external: Callable[[float], ArrayLike] | None = None,
    noise: float = 0.0,
    compensate: bool = True,
    step: float = 1e-4,
    seed: int = 0,
) -> ObservedTracking:
    """Return the motion of a plant under a law that measures nothing but motor angles.

    At every sample of the observer the motor angles are measured with Gaussian `noise` (standard deviation in
    rad at the shaft), the observer takes a step, and the law is evaluated at the estimates and held; with
    `compensate` it also compensates the estimated external torque. `external(t)` gives the torques
    (nv,) that load the links, `plant` the true robot if it differs from the observer's model. The
    plant moves in Runge-Kutta steps of at most `step`. The observer begins with the motors as measured and
    the spring torques of its model.

    >>> import numpy as np, closedform as cf
    >>> from closedform.elastic import Feedforward, MotorObserver, track_observed
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e4, 1e-4, 0.01, spring_at="link")
    >>> move = cf.trajectory.polynomial([0.0, 0.0], [1.0, -0.5], duration=1.0, degree=7)
    >>> law, observer = Feedforward(arm, [-40 + 40j, -40 - 40j]), MotorObserver(arm, [-200] * 5, [-20])
    >>> push = lambda t: [5.0 * (t > 0.3), 0.0]
    >>> for compensate in (False, True):
    ...     run = track_observed(law, observer, move, external=push, noise=1e-4, compensate=compensate)
    ...     print(f"{abs(run.error[-1]).max():.0e}")
    2e-03
    1e-04
    """
    require_control("track_observed", control)
    if not isinstance(observer, Observer):
        raise ArgumentError(
            f"track_observed: observer is {shown(observer)}; expected an observer, such as MotorObserver"
        )
    require_trajectory("track_observed", trajectory)
    flag("track_observed: compensate", compensate)
    robot = observer.robot if plant is None else instance("track_observed: plant", plant, ElasticJointRobot)
    if len({each.nv for each in (robot, observer.robot, control.robot)}) > 1 or robot.variable:
        raise ArgumentError(
            "track_observed: law, observer and plant must have the same joints, and a constant stiffness"
        )
    spread = small_number("track_observed: noise", noise, LARGEST_NOISE)
    rng = np.random.default_rng(whole_number("track_observed: seed", seed, 0))
    step, period = positive("track_observed: step", step), 1 / observer.rate
    samples = step_count("track_observed", trajectory.duration, period, MOST_SAMPLES)
    t = np.linspace(0.0, samples * period, samples + 1)
    reference = control.reference(trajectory, np.minimum(t, trajectory.duration))
    loads = _loads(external, t, robot.nv)
    n, system = robot.nv, robot.system(external=True)
    substeps = step_count("track_observed", period, step)
    h, x = np.array(period / substeps), state_on(robot, trajectory)
    measured = x[2 * n : 3 * n] + spread * rng.standard_normal(n)
    known = _known(observer.robot, state_on(observer.robot, trajectory), measured, x[3 * n :])
    memory, estimate = observer.begin(*np.split(known, 4)), np.concatenate([known, np.zeros(n)])
    states, estimates, torques = (np.empty((samples + 1, size * n)) for size in (4, 5, 1))
    with np.errstate(all="ignore"):  # divergence shows as NaN
        for k in range(samples + 1):
            states[k], estimates[k] = x, estimate
            u = torques[k] = observer.torques(control, estimate, reference[k], loaded=compensate)
            if k == samples:
                break
            for j in range(substeps):
                now = loads[k] + (loads[k + 1] - loads[k]) * (j / substeps)
                driven = np.concatenate([u, now])
                x = system.step(x, driven, driven, driven, h)
            before, measured = measured, x[2 * n : 3 * n] + spread * rng.standard_normal(n)
            estimate, memory = observer.step(memory, before, measured, u)
    return ObservedTracking(t, states, torques, reference[:, 0], estimates, loads)


def _known(model: ElasticJointRobot, expected: Array, theta: Array, thetad: Array) -> Array:
    """Return the state that a model makes of measured motors, with its own wind-up of the springs."""
    q, qd, theta_expected, thetad_expected = np.split(expected, 4)
    N = model.drives.gear_ratio
    return np.concatenate(
        [q + N * (theta - theta_expected), qd + N * (thetad - thetad_expected), theta, thetad]
    )


def _loads(external: Callable[[float], ArrayLike] | None, t: Array, joints: int) -> Array:
    """Return the external torques at the instants, (m + 1, nv)."""
    if external is None:
        return np.zeros((t.size, joints))
    function("track_observed: external", external, "the time")
    rows = [real_array("track_observed: external", external(float(each))) for each in t]
    if any(row.shape != (joints,) or not np.isfinite(row).all() for row in rows):
        bad = next(row for row in rows if row.shape != (joints,) or not np.isfinite(row).all())
        raise ArgumentError(
            f"track_observed: external gives {bad.tolist()}; expected {joints} finite torques, one per joint"
        )
    return np.stack(rows)
