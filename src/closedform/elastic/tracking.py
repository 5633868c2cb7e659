"""Tracking: a plant under a law along a trajectory, in continuous time or sampled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..chart import chart
from ..checks import MOST_SAMPLES, finite_array, flag, instance, positive
from ..display import card, html_table
from ..errors import ArgumentError, ClosedFormError
from ..guests import in_kind, in_words
from ..integration import DivergenceError, simulate
from ..integration.simulate import step_count
from ..trajectory import Trajectory
from ..trajectory.trajectory import require_trajectory
from .catalogue import STATE
from .control import Control, closed_loop, require_control, require_motion
from .frequencies import natural_frequencies
from .robot import ElasticJointRobot

ON_TRAJECTORY = 1e-9
"""How far a start state may be off the trajectory, relative to its size if that is above one."""

MOST_RATE = 1e6
"""Samples per second."""

STABLE = 2.8
"""Step times frequency beyond which Runge-Kutta steps make an oscillation grow."""


@dataclass(frozen=True, repr=False)
class Tracking:
    """A run along a trajectory: instants t (m + 1,), states x (..., m + 1, 4 nv), wanted q (m + 1, nv).

    `u` are the motor torques at the instants, (..., m + 1, nv), held until the next if the
    law is sampled.
    """

    t: Array
    x: Array
    u: Array
    wanted: Array

    @in_words
    def __repr__(self) -> str:
        batch = f", batch {self.x.shape[:-2]}" if self.x.ndim > 2 else ""
        return f"<run of {self.t[-1]:g} s in {len(self.t) - 1} steps{batch}, largest error {self.worst:.2g}>"

    @in_words
    def _repr_html_(self) -> str:
        """Return what a notebook shows: errors of the links and torques of the motors over time."""
        names = [f"joint {k}" for k in range(1, self.wanted.shape[-1] + 1)]
        charts = []
        if self.x.ndim == 2:
            charts = [chart(self.t, self.error, names, "t [s]", "q - wanted", "errors of the links")]
            charts += [chart(self.t, self.u, names, "t [s]", "u", "torques of the motors")]
        most = [np.abs(each).reshape(-1, len(names)).max(axis=0) for each in (self.error, self.u)]
        table = html_table(["", "largest error", "largest torque"], list(zip(names, *most, strict=True)))
        return card("Tracking", repr(self)[1:-1], *charts, table)

    @property
    def q(self) -> Array:
        """Link angles."""
        return self.x[..., : self.wanted.shape[-1]]

    @property
    @in_kind
    def error(self) -> Array:
        """Link angles less the wanted ones."""
        return np.asarray(self.q - self.wanted)

    @property
    @in_kind
    def worst(self) -> float:
        """The largest error of any joint at any instant; NaN if a run diverged."""
        return float(np.abs(self.error).max())


@in_kind
def track(
    control: Control,
    trajectory: Trajectory,
    *,
    plant: ElasticJointRobot | None = None,
    stiffness: Trajectory | None = None,
    step: float = 1e-4,
    rate: float | None = None,
    start: ArrayLike | None = None,
    off_trajectory: bool = False,
) -> Tracking:
    """Return the motion of a plant under a law along a trajectory.

    The plant is the law's own model unless another is given. Without `rate` the law acts in
    continuous time, and the loop is integrated as one expression with steps of `step` seconds;
    with `rate` it is sampled `rate` times a second and held, while the plant moves in steps of at
    most `step`. The run begins on the trajectory, or at `start` (..., 4 nv), which must be on it
    unless `off_trajectory` is set. `stiffness` is the trajectory of a variable stiffness.

    >>> import closedform as cf
    >>> from closedform.elastic import Feedforward, track
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    >>> move = cf.trajectory.polynomial([0.0, 0.0], [1.0, -0.5], duration=1.0, degree=7)
    >>> bool(track(Feedforward(arm, [-20, -20]), move, step=5e-4).worst < 1e-8)
    True
    """
    require_trajectory("track", trajectory)
    require_control("track", control)
    flag("track: off_trajectory", off_trajectory)
    robot = control.robot if plant is None else instance("track: plant", plant, ElasticJointRobot)
    if robot.nv != control.robot.nv or robot.variable != control.robot.variable:
        raise ArgumentError("track: plant and model must have the same joints, and stiffness of one kind")
    step, duration = positive("track: step", step), trajectory.duration
    longest = step if rate is None else 1 / checked_rate("track", rate)
    samples = step_count("track", duration, longest, MOST_SAMPLES)
    # a Runge-Kutta step of the continuous loop also takes the reference in its middle
    points = 2 * samples if rate is None else samples
    t = np.linspace(0.0, duration, points + 1)
    reference = control.reference(trajectory, t, stiffness)
    x0 = _start(robot, trajectory, stiffness, start, off_trajectory)
    if rate is not None:
        x, u = sampled(control, robot, x0, reference, t[1], step)
        return Tracking(t, x, u, reference[:, 0])
    try:
        return _continuous(control, robot, x0, reference, duration, step)
    except DivergenceError as error:
        raise _explained(error, robot, x0, stiffness, step) from None


def _continuous(
    control: Control, plant: ElasticJointRobot, x0: Array, reference: Array, duration: float, step: float
) -> Tracking:
    """Return the run of a law in continuous time; `reference` is given at every half step."""
    rows, last = reference.reshape(len(reference), -1), len(reference) - 1
    run = simulate(
        closed_loop(control, plant),
        x0,
        lambda t: rows[round(t * last / duration)],
        duration,
        step,
        parameters=control.gains.ravel(),
    )
    states = control.seen(np.split(run.x, 4, axis=-1), plant.drives.stiffness)
    return Tracking(run.t, run.x, control(*states, reference[::2]), reference[::2, 0])


def checked_rate(where: str, given: float) -> float:
    """Return a rate of samples, per second."""
    rate = positive(f"{where}: rate", given)
    if rate > MOST_RATE:
        raise ArgumentError(f"{where}: rate is {rate:g}; expected at most {MOST_RATE:g} per second")
    return rate


def sampled(
    control: Control,
    plant: ElasticJointRobot,
    x0: Array,
    reference: Array,
    period: float,
    step: float,
    parameters: Array | None = None,
    progress: Callable[[float], None] | None = None,
) -> tuple[Array, Array]:
    """Return states and held torques of a law evaluated once per period, for all runs at once.

    Between samples the plant takes equal Runge-Kutta steps of at most `step`; with `parameters`
    (runs, ...) it is the uncertain plant, one run each. A run that diverges becomes NaN and does
    not affect the others.
    """
    step_count("track", period * len(reference), step, MOST_SAMPLES)
    n, system = plant.nv, plant.system(uncertain=parameters is not None)
    fixed = [] if parameters is None else [parameters]
    stiffness = plant.drives.stiffness if parameters is None else parameters[..., :n]
    batch = np.broadcast_shapes(x0.shape[:-1], *(each.shape[:-1] for each in fixed))
    substeps = step_count("track", period, step)
    h = np.array(period / substeps)
    x = np.array(np.broadcast_to(x0, (*batch, 4 * n)))
    states, torques = np.empty((len(reference), *x.shape)), np.empty((len(reference), *batch, n))
    with np.errstate(all="ignore"):  # divergence shows as NaN
        for k, wanted in enumerate(reference):
            states[k] = x
            u = torques[k] = control(*control.seen(np.split(x, 4, axis=-1), stiffness), wanted)
            if k == len(reference) - 1:
                break
            if plant.variable:
                u = np.concatenate([u, np.broadcast_to(wanted[-3], u.shape)], axis=-1)
            for _ in range(substeps):
                x = system.step(x, u, u, u, h, *fixed)
            if progress is not None:
                progress((k + 1) / (len(reference) - 1))
    return np.moveaxis(states, 0, -2), np.moveaxis(torques, 0, -2)


def state_on(robot: ElasticJointRobot, trajectory: Trajectory, stiffness: Trajectory | None = None) -> Array:
    """Return the state (q, qd, theta, thetad) in which a trajectory begins, (4 nv,).

    Derivatives that the trajectory does not have count as zero.
    """
    instance("state_on: robot", robot, ElasticJointRobot)
    require_motion("state_on", robot, trajectory, stiffness)
    there = trajectory.derivatives(0.0, int(min(3, trajectory.smoothness + 1)))
    motion = (*there, *[np.zeros(robot.nv)] * (5 - len(there)))  # the fourth moves only thetadd
    spring = () if stiffness is None else (*stiffness.derivatives(0.0, 1), np.zeros(robot.nv))
    undamped = robot.changed(damping=0.0) if robot.drives.damped else robot
    theta, thetad, _ = undamped.motor_motion(*motion, *spring)
    if robot.drives.damped:
        # K dq + D dq' = N tau holds for many (dq, dq'): take dq' of the slow motion.
        K = np.asarray(spring[0] if spring else robot.drives.stiffness)
        theta = theta - robot.drives.damping * (thetad - motion[1] / robot.drives.gear_ratio) / K
    return np.concatenate([*motion[:2], theta, thetad])


def _start(
    robot: ElasticJointRobot,
    trajectory: Trajectory,
    stiffness: Trajectory | None,
    start: ArrayLike | None,
    off_trajectory: bool,
) -> Array:
    """Return the start state, after checking that it is on the trajectory if it must be."""
    if start is None or not off_trajectory:
        wanted = state_on(robot, trajectory, stiffness)
        if start is None:
            return wanted
    given = finite_array("track: start", start)
    if given.shape[-1:] != (4 * robot.nv,):
        raise ArgumentError(
            f"track: start has shape {given.shape}; expected (..., {4 * robot.nv}), {', '.join(STATE)}"
        )
    if off_trajectory:
        return given
    off = np.abs(given - wanted) / np.maximum(1.0, np.abs(wanted))
    furthest = off.reshape(-1, off.shape[-1]).max(axis=0)
    if furthest.max() > ON_TRAJECTORY:
        k = int(np.argmax(furthest))
        part, joint = STATE[k // robot.nv], robot.joint_names[k % robot.nv]
        raise ArgumentError(
            f"track: start is off the trajectory: {part} of joint {joint!r} should be {wanted[k]:.9g} but is "
            f"off by {np.abs(given - wanted)[..., k].max():.3g}; leave start out to begin on the trajectory, "
            "or say off_trajectory=True to see the law bring it back"
        )
    return given


def _explained(
    error: DivergenceError, robot: ElasticJointRobot, x0: Array, stiffness: Trajectory | None, step: float
) -> ClosedFormError:
    """Return the error of a run that diverged, with the reason if the springs are too fast for the step."""
    K = None if stiffness is None else stiffness(0.0)
    fastest = float(natural_frequencies(robot, x0[..., : robot.nv], K).max())
    if fastest * step < STABLE:
        return error
    return ClosedFormError(
        f"{error}. The springs oscillate at up to {fastest:.3g} rad/s, so steps must stay below "
        f"{STABLE / fastest:.2g} s; or is the stiffness meant as seen at the joint (spring_at='link')?"
    )
