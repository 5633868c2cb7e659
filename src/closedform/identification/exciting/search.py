"""The search for motions that tell a robot's parameters apart: optimal exciting trajectories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...checks import function, instance, not_negative, number, small_number, whole_number
from ...errors import ArgumentError, ClosedFormError, shown
from ...robot import Robot
from ...spheres import Spheres
from ..base.parameters import base_parameters
from ..joints import turning_joints
from .bounds import checked_bounds, checked_start, possible_postures, random_postures
from .clearances import checked_clearances
from .cost import Cost
from .fourier import FourierSeries
from .motion import Excitation

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
HOPELESS = 1e10
"""Condition number of motions that are too small to be one."""
LARGEST_MARGIN = 0.9
"""Part of a limit that may be asked to stay free."""


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
    obstacles: Sequence[tuple[ArrayLike, ArrayLike]] | None = None,
    floor: float | None = None,
    spheres: Spheres | Sequence[tuple[str, ArrayLike, float]] | float | None = None,
    clearance: float = 0.0,
    start: ArrayLike | None = None,
    starts: int = 4,
    iterations: int = 400,
    seed: int = 0,
    margin: float = 0.05,
    progress: Progress | None = None,
) -> Excitation:
    """Return the Fourier series whose reduced regressor has the least condition number found.

    Every joint moves as q = offset + sum_k a_k cos(k w t) + b_k sin(k w t), k <= terms,
    w = 2 pi/period [Swevers1997], at rest at t = 0, so that it can be repeated and averaged. Joint,
    velocity and torque limits are the robot's own unless given. `workspace` keeps the origins of
    frames in boxes of the base frame, {"tool": (lower, upper)}. Limits hold at 200 instants per
    period of the last term; `margin` is the part of each that stays free. A joint without end stops
    stays within half a turn (1 m) of zero. `start` is the posture where the motion begins and ends; by
    default the search chooses one.

    `spheres` stand for the robot, as `robot.spheres` takes or returns them, or one radius in metres, for
    spheres along its sticks. They stay `clearance` metres away from each other (self-collision), from
    `obstacles`, boxes (lower, upper) of the base frame, and above the height `floor`. Without spheres the
    origins of frames keep away from boxes and floor. The search minimises the logarithm of the condition
    number, with exact gradients, from `starts` random motions and keeps the best.

    >>> import closedform as cf
    >>> from closedform.identification import excitation
    >>> found = excitation(cf.load("scara"), period=4.0, terms=3, starts=1, iterations=40)
    >>> bool(found.condition < found.start_condition)
    True
    """
    instance("excitation: robot", robot, Robot)
    turning = turning_joints("excitation", robot)
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
    bounds = checked_bounds(robot, turning, lower, upper, velocity, acceleration, torque, workspace)
    inner = bounds.narrowed(small_number("excitation: margin", margin, LARGEST_MARGIN))
    rng = np.random.default_rng(seed)
    random = random_postures(inner, rng)
    gap = not_negative("excitation: clearance", clearance)
    clearances = checked_clearances(robot, spheres, obstacles, floor, gap, random)
    bounds, inner = (replace(each, clearances=clearances) for each in (bounds, inner))
    home = None if start is None else checked_start(robot, inner, start)
    base = base_parameters(robot)
    if not base.minimal:  # a column that depends on others would make every condition number infinite
        base = base_parameters(robot, "numeric")
    if base.count == 0:
        raise ClosedFormError(f"excitation: no parameter of robot {robot.name!r} affects its motion")
    cost = Cost(base, inner, FourierSeries.of(period, terms, SAMPLES * terms), home)
    check = Cost(base, inner, FourierSeries.of(period, terms, CHECKED * terms), home)
    offsets = possible_postures(robot, inner, random) if home is None else home[None]
    found: list[tuple[float, Array, Array]] = []
    for trial in range(starts):
        first = _shrunk(check, _random(check, offsets[trial % len(offsets)], rng))
        found.append((check.condition(first), first, first))
        tell = None if progress is None else partial(progress, trial)
        x = _minimised(cost, check, first, iterations, tell)
        if check.fits(np.concatenate([x[: robot.nv], np.zeros(x.size - robot.nv)])):
            x = _shrunk(check, x)
            found.append((check.condition(x), x, first))
    least, best, first = min(found, key=lambda each: each[0])
    if not least < HOPELESS:
        raise ClosedFormError(
            f"excitation: no motion within the limits tells parameters apart (condition number {least:.2g}); "
            "widen limits, clearances or the boxes, or let the search choose the start"
        )
    trajectories = [check.series.trajectory(*check.unpack(x)) for x in (best, first)]
    return Excitation(base, bounds, *trajectories)


def _minimised(
    cost: Cost, check: Cost, x: Array, iterations: int, tell: Callable[[int, float], None] | None
) -> Array:
    """Return the motion after all stages, or after the first that keeps clear of the limits."""
    from scipy.optimize import minimize  # noqa: PLC0415 (takes a quarter of a second)

    done = count(1)

    def report(x: Array) -> None:
        if tell is not None:
            tell(next(done), cost.condition(x))

    options = {"maxiter": iterations // len(STAGES) + 1}
    for weight, clearance in STAGES:
        x = minimize(cost, x, (weight, clearance), "L-BFGS-B", jac=True, callback=report, options=options).x
        if clearance > 0 and check.fits(x):
            break
    return x


def _random(check: Cost, offset: Array, rng: np.random.Generator) -> Array:
    """Return a random motion about a posture, every joint within its own limits of motion."""
    series, bounds, n = check.series, check.bounds, offset.size
    x = np.concatenate([offset, rng.normal(size=series.basis.shape[1] * n)])
    q, qd, qdd = check.state(x)
    up, down = (q - offset).max(axis=0), (offset - q).max(axis=0)
    room = [
        (bounds.upper - offset) / np.maximum(up, 1e-12),
        (offset - bounds.lower) / np.maximum(down, 1e-12),
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
