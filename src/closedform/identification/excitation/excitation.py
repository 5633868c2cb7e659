"""Motions that tell a robot's parameters apart: optimal exciting trajectories."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...checks import file_path, function, instance, number, real_array, whole_number
from ...errors import ArgumentError, ClosedFormError, shown
from ...files import write_files
from ...lazy import cached_property
from ...robot import Robot
from ...trajectory import Harmonic
from ...trajectory.trajectory import limits
from ..base.parameters import BaseParameters, base_parameters
from .cost import Bounds, Box, Cost, Series

Progress = Callable[[int, int, float], None]
"""Called with the start, the iteration and the condition number so far."""

STAGES = ((1e2, 0.0), (1e3, 0.0), (1e4, 0.005), (1e5, 0.01), (1e5, 0.03))
"""Weights of squared violations and relative clearances from limits, one minimisation after the other."""
SAMPLES, CHECKED = 40, 200
"""Instants per period of the last term: of the optimisation, and at which limits are made to hold."""
MOST_TERMS, MOST_STARTS, MOST_ITERATIONS = 50, 1000, 100_000
"""Bounds of what a search may be asked for."""
PERIODS = (1e-3, 1e5)
"""Seconds that a period may have."""
MOST_ROWS = 10**7
"""Samples of a motion that is written or stacked."""
POSTURES = 2000
"""Random postures among which the motion's middle is sought."""


@dataclass(frozen=True)
class Excitation:
    """An exciting motion: one period of a Fourier series that starts and ends at rest.

    `start` is the random motion within the same limits, `bounds`, from which it was found.
    """

    base: BaseParameters
    bounds: Bounds
    trajectory: Harmonic
    start: Harmonic

    @property
    def robot(self) -> Robot:
        """The robot that is to be excited."""
        return self.base.robot

    @property
    def count(self) -> int:
        """Number of base parameters."""
        return self.base.count

    @cached_property
    def condition(self) -> float:
        """The condition number of the reduced regressor stacked over the motion."""
        return float(np.linalg.cond(self.stacked(self.trajectory)))

    @cached_property
    def start_condition(self) -> float:
        """The condition number of the random motion that the search started from."""
        return float(np.linalg.cond(self.stacked(self.start)))

    def stacked(self, motion: Harmonic, samples: int = 1000) -> Array:
        """Return the reduced regressor over one period of a motion, (samples nv, count)."""
        instance("excitation: motion", motion, Harmonic)
        samples = whole_number("excitation: samples", samples, 1, MOST_ROWS // self.robot.nv)
        t = np.arange(samples) * motion.duration / samples
        Y = self.base.regressor(*motion.derivatives(t, 2))
        return np.asarray(Y).reshape(-1, self.count)

    @cached_property
    def torque(self) -> Array:
        """Largest torque per joint with the robot's present parameters; NaN without inertias."""
        if not self.robot.model.has_inertia:
            return np.full(self.robot.nv, np.nan)
        t = np.linspace(0.0, self.trajectory.duration, 4001)
        tau = self.robot.inverse_dynamics(*self.trajectory.derivatives(t, 2))
        return np.asarray(np.abs(tau).max(axis=0))

    def table(self) -> dict[str, tuple[Array, Array]]:
        """Return (largest magnitude used, limit) per quantity, arrays over the joints."""
        t = np.linspace(0.0, self.trajectory.duration, 4001)
        q, qd, qdd = self.trajectory.derivatives(t, 2)
        return {
            "lowest": (q.min(axis=0), self.bounds.lower),
            "highest": (q.max(axis=0), self.bounds.upper),
            "velocity": (np.abs(qd).max(axis=0), self.bounds.velocity),
            "acceleration": (np.abs(qdd).max(axis=0), self.bounds.acceleration),
            "torque": (self.torque, self.bounds.torque),
        }

    def csv(self, rate: float = 1000.0) -> str:
        """Return time, positions, velocities and accelerations at `rate` Hz as CSV, units in brackets."""
        samples = number("excitation: rate", rate) * self.trajectory.duration
        if not 1 <= samples <= MOST_ROWS:
            raise ArgumentError(
                f"excitation: rate is {shown(rate)}; expected samples per second, 1 to {MOST_ROWS} in all"
            )
        t = np.arange(int(samples) + 1) / float(rate)
        states = self.trajectory.derivatives(t, 2)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        names = self.robot.joint_names
        units = ["rad" if turning else "m" for turning in _turning(self.robot)]
        kinds = (("position", ""), ("velocity", "/s"), ("acceleration", "/s^2"))
        header = [
            f"{name}_{kind} [{unit}{per}]"
            for kind, per in kinds
            for name, unit in zip(names, units, strict=True)
        ]
        writer.writerow(["time [s]", *header])
        writer.writerows([f"{value:.12g}" for value in row] for row in np.column_stack([t, *states]))
        return text.getvalue()

    def write_csv(self, path: str | os.PathLike[str], rate: float = 1000.0) -> Path:
        """Write the motion as CSV, whole or not at all, and return the path."""
        return write_files({file_path("excitation: path", path): self.csv(rate)})[0]


def excitation(
    robot: Robot,
    *,
    period: float = 10.0,
    terms: int = 5,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike = np.inf,
    torque: ArrayLike | None = None,
    workspace: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    starts: int = 4,
    iterations: int = 400,
    seed: int = 0,
    progress: Progress | None = None,
) -> Excitation:
    """Return the Fourier series whose reduced regressor has the least condition number found.

    Every joint moves as q = offset + sum_k a_k cos(k w t) + b_k sin(k w t), k <= terms,
    w = 2 pi/period [Swevers1997], at rest at t = 0, so that it can be repeated and averaged. Joint,
    velocity and torque limits are the robot's own unless given. `workspace` keeps the origins of
    frames in boxes of the base frame, {"tool": (lower, upper)}. Limits hold at 200 instants per
    period of the last term. A joint without end stops stays within half a turn (1 m) of zero. The
    search minimises the logarithm of the condition number, with exact gradients, from `starts`
    random motions and keeps the best.

    >>> import closedform as cf
    >>> from closedform.identification import excitation
    >>> found = excitation(cf.load("scara"), period=4.0, terms=3, starts=1, iterations=40)
    >>> bool(found.condition < found.start_condition)
    True
    """
    from scipy.optimize import minimize  # noqa: PLC0415 (takes a quarter of a second)

    instance("excitation: robot", robot, Robot)
    if robot.nv != len(robot.joint_names):
        raise ArgumentError(
            f"excitation: robot {robot.name!r} has {len(robot.joint_names)} joint(s) of {robot.nv} dofs; "
            "Fourier series move one-dof joints only (a fixed base, no ball joints)"
        )
    period = number("excitation: period", period)
    if not PERIODS[0] <= period <= PERIODS[1]:
        raise ArgumentError(f"excitation: period is {period:g}; expected {PERIODS[0]:g} to {PERIODS[1]:g} s")
    terms = whole_number("excitation: terms", terms, 2, MOST_TERMS)
    starts = whole_number("excitation: starts", starts, 1, MOST_STARTS)
    iterations = whole_number("excitation: iterations", iterations, 1, MOST_ITERATIONS)
    seed = whole_number("excitation: seed", seed, 0, 2**63)
    if progress is not None:
        function("excitation: progress", progress, "start, iteration and condition number", 3)
    if workspace is not None and not isinstance(workspace, Mapping):
        raise ArgumentError(
            f"excitation: workspace is {shown(workspace)}; expected a mapping of frames to (lower, upper)"
        )
    bounds = _bounds(robot, lower, upper, velocity, acceleration, torque, workspace)
    base = base_parameters(robot)
    if not base.minimal:  # a column that depends on others would make every condition number infinite
        base = base_parameters(robot, "numeric")
    if base.count == 0:
        raise ClosedFormError(f"excitation: no parameter of robot {robot.name!r} affects its motion")
    cost = Cost(base, bounds, Series.of(period, terms, SAMPLES * terms))
    check = Cost(base, bounds, Series.of(period, terms, CHECKED * terms))
    rng = np.random.default_rng(seed)
    offsets = _postures(robot, bounds, rng)
    found: list[tuple[float, Array, Array]] = []
    for start in range(starts):
        x = first = _shrunk(check, _random(check, offsets[start % len(offsets)], rng))
        found.append((check.condition(x), x, first))
        done = 0

        def report(x: Array, start: int = start) -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress(start, done, cost.condition(x))

        options = {"maxiter": iterations // len(STAGES) + 1}
        for weight, margin in STAGES:
            x = minimize(cost, x, (weight, margin), "L-BFGS-B", jac=True, callback=report, options=options).x
            if margin > 0 and check.fits(x):
                break
        if check.fits(np.concatenate([check.unpack(x)[0], np.zeros(x.size - robot.nv)])):
            x = _shrunk(check, x)
            found.append((check.condition(x), x, first))
    _, best, first = min(found, key=lambda each: each[0])
    trajectories = [check.series.trajectory(*check.unpack(x)) for x in (best, first)]
    return Excitation(base, bounds, *trajectories)


def _bounds(
    robot: Robot,
    lower: ArrayLike | None,
    upper: ArrayLike | None,
    velocity: ArrayLike | None,
    acceleration: ArrayLike,
    torque: ArrayLike | None,
    workspace: Mapping[str, tuple[ArrayLike, ArrayLike]] | None,
) -> Bounds:
    """Return checked limits; a joint without an end stop stays within a turn (or 2 m) of what it has."""
    n = robot.nv
    ends = []
    for name, given, own in (("lower", lower, robot.lower_limits), ("upper", upper, robot.upper_limits)):
        array = own if given is None else real_array(f"excitation: {name}", given)
        if array.shape not in ((), (n,)) or np.isnan(array).any():
            raise ArgumentError(
                f"excitation: {name} is {shown(given)}; expected one number or {n}, one per joint"
            )
        ends.append(np.broadcast_to(array, (n,)).copy())
    low, high = ends
    reach = np.where(_turning(robot), np.pi, 1.0)
    low = np.where(np.isinf(low), np.where(np.isinf(high), -reach, high - 2 * reach), low)
    high = np.where(np.isinf(high), low + 2 * reach, high)
    empty = np.flatnonzero(~(low < high))
    if empty.size:
        i = int(empty[0])
        raise ArgumentError(
            f"excitation: joint {robot.joint_names[i]!r} may move from {low[i]:g} to {high[i]:g}; "
            "expected lower < upper"
        )
    if torque is None:
        torque = robot.effort_limits if robot.model.has_inertia else np.inf
    return Bounds(
        low,
        high,
        limits("excitation: velocity", robot.velocity_limits if velocity is None else velocity, n),
        limits("excitation: acceleration", acceleration, n),
        limits("excitation: torque", torque, n),
        {frame: _box(robot, frame, box) for frame, box in (workspace or {}).items()},
    )


def _box(robot: Robot, frame: str, given: Any) -> Box:
    robot.model.frame(frame)  # which names the frames there are
    name = f"excitation: workspace of {frame!r}"
    array = real_array(name, given)
    if array.shape != (2, 3) or not (array[0] < array[1]).all():
        raise ArgumentError(f"{name} is {shown(given)}; expected (lower, upper) corners, lower < upper")
    return array[0], array[1]


def _turning(robot: Robot) -> list[bool]:
    """Return for every joint whether it turns (or else slides)."""
    return [bool(body.joint.X[:3].any()) for body in robot.model.bodies if body.coupling is None]


def _postures(robot: Robot, bounds: Bounds, rng: np.random.Generator) -> Array:
    """Return postures in which the robot can hold still within its limits, the middle one first."""
    middle, half = (bounds.lower + bounds.upper) / 2, (bounds.upper - bounds.lower) / 2
    q = middle + 0.6 * half * rng.uniform(-1, 1, (POSTURES, robot.nv))
    q[0] = middle
    fine = np.ones(POSTURES, bool)
    for frame, (low, high) in bounds.workspace.items():
        origin = robot.pose(q, frame)[..., :3, 3]
        inside = ((origin > low) & (origin < high)).all(axis=-1)
        if not inside.any():
            raise ArgumentError(
                f"excitation: none of {POSTURES} random postures has frame {frame!r} in its workspace box; "
                f"it comes from {origin.min(axis=0).round(3)} to {origin.max(axis=0).round(3)}"
            )
        fine &= inside
    if np.isfinite(bounds.torque).any():
        weight = np.abs(robot.gravity_torque(q))
        heavy = weight.min(axis=0) > bounds.torque
        if heavy.any():
            i = int(np.argmax(heavy))
            raise ArgumentError(
                f"excitation: the torque limit {bounds.torque[i]:g} of joint {robot.joint_names[i]!r} "
                f"cannot be met: holding still takes at least {weight[:, i].min():.4g}"
            )
        fine &= (weight < 0.9 * bounds.torque).all(axis=-1)
    if not fine.any():
        raise ArgumentError(
            f"excitation: none of {POSTURES} random postures holds still within the workspace and torque "
            "limits together; widen one of them"
        )
    return q[fine]


def _random(check: Cost, offset: Array, rng: np.random.Generator) -> Array:
    """Return a random motion about a posture, every joint within its own limits of motion."""
    series, bounds, n = check.series, check.bounds, offset.size
    x = np.concatenate([offset, rng.normal(size=series.basis.shape[1] * n)])
    q, qd, qdd = check.state(x)
    room = [
        (bounds.upper - offset) / (q - offset).max(axis=0),
        (bounds.lower - offset) / (q - offset).min(axis=0),
        bounds.velocity / np.abs(qd).max(axis=0),
        bounds.acceleration / np.abs(qdd).max(axis=0),
    ]
    x[n:] = (check.unpack(x)[1] * 0.9 * np.min(room, axis=0)).ravel()
    return x


def _shrunk(check: Cost, x: Array) -> Array:
    """Return the motion made smaller about its middle posture until every limit holds."""
    n = check.robot.nv
    low, high = 0.0, 1.0
    if check.fits(x):
        return x
    for _ in range(30):
        factor = (low + high) / 2
        smaller = np.concatenate([x[:n], factor * x[n:]])
        low, high = (factor, high) if check.fits(smaller) else (low, factor)
    return np.concatenate([x[:n], low * x[n:]])
