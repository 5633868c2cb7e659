"""Robustness: laws that know the model, on plants that differ from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import (
    MOST_ENTRIES,
    function,
    instance,
    known_name,
    positive,
    real_array,
    rows_array,
    sized_array,
    small_number,
    whole_number,
)
from ..errors import ArgumentError, shown
from ..guests import in_kind, is_lazy
from ..integration.simulate import SECONDS
from ..model.inertia import phi_from_parts, transform_phi
from ..rotations import pose
from ..trajectory import Trajectory
from ..trajectory.trajectory import require_trajectory
from .control import Control
from .frequencies import resolving_step
from .robot import ElasticJointRobot
from .tracking import checked_rate, sampled, state_on

MOST_RUNS = 100_000
"""Plants of one study."""


@dataclass(frozen=True)
class Spread:
    """How far plants may be from the model: each number is drawn evenly, anew for every run.

    `stiffness` and `motor_inertia` of every joint are off by up to that fraction; `inertia`
    scales mass, first and second moments of every link together, so that it stays a possible
    body; `payload` is the largest mass in kg that the last body carries, unknown to the model,
    at the point `payload_at` of its frame.
    """

    stiffness: float = 0.0
    motor_inertia: float = 0.0
    inertia: float = 0.0
    payload: float = 0.0
    payload_at: ArrayLike = (0.0, 0.0, 0.0)

    def draw(self, robot: ElasticJointRobot, runs: int, rng: np.random.Generator) -> Array:
        """Return the parameters of `runs` plants, (runs, 2 nv + 10 bodies)."""
        where = "Spread"
        instance(f"{where}: robot", robot, ElasticJointRobot)
        instance(f"{where}: rng", rng, np.random.Generator)
        runs = whole_number(f"{where}: runs", runs, 1, MOST_RUNS)
        parts = [
            small_number(f"{where}: {name}", getattr(self, name), 0.99)
            for name in ("stiffness", "motor_inertia", "inertia")
        ]
        mass = small_number(f"{where}: payload", self.payload, 1e6)
        at = pose(np.eye(3), sized_array(f"{where}: payload_at", self.payload_at, (3,)))
        if robot.drives.stiffness is None:
            raise ArgumentError("monte_carlo: the stiffness is variable; the study takes constant ones")
        n, phi = robot.nv, robot.links.phi.reshape(-1, 10)
        K, B, links = (
            1 + part * rng.uniform(-1, 1, (runs, size))
            for part, size in zip(parts, (n, n, len(phi)), strict=True)
        )
        drawn = phi * links[..., None]
        point = transform_phi(phi_from_parts(1.0, np.zeros(3), np.zeros((3, 3))), at)
        drawn[:, -1] += mass * rng.uniform(0, 1, (runs, 1)) * point
        return np.concatenate(
            [K * robot.drives.stiffness, B * robot.drives.motor_inertia, drawn.reshape(runs, -1)], axis=-1
        )


@dataclass(frozen=True)
class Robustness:
    """Tracking errors of several laws on the same plants.

    `errors[law]` is (runs, m + 1, nv) at the instants t (m + 1,); `parameters` are those of the
    plants. Runs that diverged are NaN.
    """

    t: Array
    errors: Mapping[str, Array]
    parameters: Array

    def sizes(self, law: str) -> Array:
        """Return the error of the worst joint, (runs, m + 1); infinite after a run diverged."""
        size = np.abs(self.errors[known_name("law", law, tuple(self.errors))]).max(axis=-1)
        return np.where(np.isfinite(size), size, np.inf)

    @in_kind
    def bands(self, law: str, quantiles: Sequence[float] = (0.05, 0.5, 0.95)) -> Array:
        """Return quantiles over the runs of the worst joint's error, (len(quantiles), m + 1)."""
        given = np.atleast_1d(real_array("bands: quantiles", quantiles))
        if given.ndim != 1 or not ((given >= 0) & (given <= 1)).all():
            raise ArgumentError(f"bands: quantiles are {shown(quantiles)}; expected numbers from 0 to 1")
        return np.asarray(np.quantile(self.sizes(law), given, axis=0, method="nearest"))

    def bounded(self, law: str) -> Array:
        """Return which runs stayed finite, (runs,)."""
        return np.asarray(np.isfinite(self.peaks(law)))

    def peaks(self, law: str) -> Array:
        """Return each run's largest error, (runs,)."""
        return np.asarray(self.sizes(law).max(axis=-1))


def monte_carlo(
    controls: Mapping[str, Control],
    trajectory: Trajectory,
    spread: Spread | ArrayLike,
    *,
    runs: int = 1000,
    rate: float = 1000.0,
    step: float | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Robustness:
    """Return how laws of one model track a trajectory on plants drawn around that model.

    The laws are sampled `rate` times a second and held; every plant starts with its links on the
    trajectory and its motors where the model expects them. All runs advance together through one
    compiled plant that takes stiffness, motor and link inertias as inputs. `step` bounds the
    integration step; by default the fastest oscillation of any plant is resolved. In place of a spread, the
    parameters of the plants may be given, (runs, 2 nv + 10 bodies) as `Spread.draw` gives them. If they are a
    dask array, the errors are lazy, and the `step` must be given.

    >>> import closedform as cf
    >>> from closedform.elastic import Feedforward, Spread, monte_carlo
    >>> arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    >>> move = cf.trajectory.polynomial([0.0, 0.0], [1.0, -0.5], duration=0.5, degree=7)
    >>> study = monte_carlo({"PD": Feedforward(arm, [-20, -20])}, move, Spread(stiffness=0.2), runs=10)
    >>> study.errors["PD"].shape
    (10, 501, 2)
    """
    given = dict(locals())  # before anything else has a name here
    if is_lazy(spread):
        return _lazily(given)
    runs = whole_number("monte_carlo: runs", runs, 1, MOST_RUNS)
    seed = whole_number("monte_carlo: seed", seed, 0)
    if progress is not None:
        function("monte_carlo: progress", progress, "the fraction done")
    rate = checked_rate("monte_carlo", rate)
    require_trajectory("monte_carlo", trajectory)
    robot = _model(controls)
    parameters = _plants(robot, spread, runs, seed)
    runs = len(parameters)
    samples = max(1, round(min(trajectory.duration * rate, 1e18)))
    numbers = runs * (samples + 1) * 4 * robot.nv
    if numbers > MOST_ENTRIES:
        raise ArgumentError(
            f"monte_carlo: {runs} runs of {samples} samples are {numbers} numbers; at most {MOST_ENTRIES}: "
            "lower the rate, or take fewer runs"
        )
    t = np.linspace(0.0, trajectory.duration, samples + 1)
    if step is None:
        if not runs:
            raise ArgumentError("monte_carlo: spread has no plants; give at least one, or a step")
        stiffest = parameters[:, : robot.nv].max(axis=0)
        longest = resolving_step(robot, trajectory(t[:: max(1, samples // 50)]), stiffest)
    else:
        longest = positive("monte_carlo: step", step)
    x0 = state_on(robot, trajectory)
    errors = {}
    for k, (name, control) in enumerate(controls.items()):

        def report(part: float, k: int = k) -> None:
            if progress is not None:
                progress((k + part) / len(controls))

        reference = control.reference(trajectory, t)
        x, _ = sampled(control, robot, x0, reference, t[1], longest, parameters, report)
        errors[name] = x[..., : robot.nv] - reference[:, 0]
    return Robustness(t, errors, parameters)


def _plants(robot: ElasticJointRobot, spread: Spread | ArrayLike, runs: int, seed: int) -> Array:
    """Return the parameters of the plants, drawn or as they are given."""
    if isinstance(spread, Spread):
        return spread.draw(robot, runs, np.random.default_rng(seed))
    if not isinstance(spread, np.ndarray | list | tuple):
        raise ArgumentError(
            f"monte_carlo: spread is {shown(spread)}; expected a Spread, or the parameters of plants"
        )
    given = rows_array("monte_carlo: spread", spread, 2 * robot.nv + 10 * len(robot.links.model.bodies))
    if given.ndim != 2 or len(given) > MOST_RUNS:
        raise ArgumentError(
            f"monte_carlo: spread has shape {given.shape}; expected (runs, ...), up to {MOST_RUNS} runs"
        )
    if not (given[:, : 2 * robot.nv] > 0).all():
        raise ArgumentError(
            "monte_carlo: spread has a stiffness or a motor inertia that is not positive; expected these "
            "of all joints first, then phi"
        )
    return given


def _lazily(given: dict[str, Any]) -> Robustness:
    """Return the study of plants whose parameters are a dask array."""
    from ..guests.dask_records import Call, lazy_record  # noqa: PLC0415 (dask is an extra)

    for name, expected in (("progress", "None for a dask array"), ("step", "a number for a dask array")):
        if (given[name] is None) == (name == "step"):
            raise ArgumentError(f"monte_carlo: {name} is {shown(given[name])}; expected {expected} of plants")
    require_trajectory("monte_carlo", given["trajectory"])
    robot = _model(given["controls"])
    steps = given["trajectory"].duration / positive("monte_carlo: step", given["step"])
    seconds = SECONDS * 4 * robot.nv * max(1.0, steps) * len(given["controls"])
    arrays = {"spread": given.pop("spread")}
    call = Call(monte_carlo, "monte_carlo", arrays, {"spread": 1}, given, seconds)
    study: Robustness = lazy_record(call)[0]
    return study


def _model(controls: Mapping[str, Control]) -> ElasticJointRobot:
    """Return the one model that all the laws know."""
    if not isinstance(controls, Mapping) or not all(isinstance(each, Control) for each in controls.values()):
        raise ArgumentError(
            f"monte_carlo: controls is {shown(controls)}; expected a mapping of names to laws"
        )
    if not controls:
        raise ArgumentError("monte_carlo: no controls given")
    robots = {id(control.robot): control.robot for control in controls.values()}
    if len(robots) > 1:
        raise ArgumentError(
            "monte_carlo: the controls know different models; make them of one ElasticJointRobot"
        )
    return next(iter(robots.values()))
