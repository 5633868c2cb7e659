"""The methods side by side on one closed path: accuracy, optimality, repeatability and cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import sized_array, whole_number
from ..errors import ArgumentError
from ..integration import DivergenceError
from ..robot import Robot
from .joint_rates import METHODS
from .multistart import Multistart
from .path import follow
from .pivoted import hybrid
from .points import Points
from .problem import prepared, read_path
from .resolved_motion import resolved_motion
from .solve import solve


@dataclass(frozen=True)
class Contestant:
    """One method on the path: joint angles of its first and last cycle, and what they show.

    `task_error` and `stationarity` are the largest along the last cycle; `drift` is how far the
    joints at the same target moved from the second to the last cycle, `direction` how far they
    differ from those of a cycle run backwards, in radians. `seconds` is the time per pose. A method
    that diverged has NaN everywhere.
    """

    name: str
    first: Array
    last: Array
    task_error: float
    stationarity: float
    drift: float
    direction: float
    seconds: float


@dataclass(frozen=True)
class Comparison:
    """The contestants on a closed path of targets."""

    targets: Array
    contestants: tuple[Contestant, ...]

    def __str__(self) -> str:
        head = f"{'method':<20}{'task error':>12}{'Zh':>11}{'drift':>11}{'direction':>11}{'us/pose':>9}"
        rows = [
            f"{each.name:<20}{each.task_error:12.1e}{each.stationarity:11.1e}{each.drift:11.1e}"
            f"{each.direction:11.1e}{each.seconds * 1e6:9.1f}"
            for each in self.contestants
        ]
        return "\n".join([head, *rows])


MOST_CYCLES = 1000
"""Rounds of a comparison."""


def compare(
    robot: Robot,
    targets: ArrayLike,
    q0: ArrayLike,
    task: Any = "pose",
    criterion: Any = "manipulability",
    *,
    cycles: int = 3,
    time_step: float = 0.01,
    gain: float = 10.0,
    damping: float = 0.01,
) -> Comparison:
    """Return the proposed method, MINPACK's hybrid and resolved motion on a closed path.

    `targets` (t, ...) end where they begin; every method starts from q0, goes round `cycles` times
    (three at least, as drift is counted from the second) and once backwards. The extended Jacobian
    method starts at the optimum that q0 leads to, as it only keeps one. Limits are ignored, as resolved
    motion does not know them.
    """
    cycles = whole_number("cycles", cycles, 3, MOST_CYCLES)
    search = prepared(robot, task, criterion, None, False)
    x = read_path("compare", search.conditions, targets, 3)
    start = sized_array("compare: q0", q0, (robot.nq,))
    if not np.allclose(x[0], x[-1], atol=1e-9):
        raise ArgumentError("compare: targets are not a closed path; expected one that ends where it begins")
    there = np.concatenate([x, *([x[1:]] * (cycles - 1))])
    whole = np.concatenate([there, x[-2::-1]])
    best = solve(robot, x[0], task, criterion, start, limits=False).q

    def exact(path: Array) -> Array:
        return follow(robot, path, task, criterion, start, limits=False).q

    def minpack(path: Array) -> Array:
        q, found = start, []
        for target in path:
            q = hybrid(robot, target, task, criterion, q)[0]
            found.append(q)
        return np.array(found)

    def resolved(method: str) -> Callable[[Array], Array]:
        first = best if method == "extended_jacobian" else start
        options: dict[str, Any] = {"time_step": time_step, "gain": gain, "damping": damping}
        return lambda path: resolved_motion(robot, path, first, task, criterion, method=method, **options)

    methods = {"proposed": exact, "MINPACK hybrid": minpack, **{name: resolved(name) for name in METHODS}}
    rows = tuple(_measured(search, name, run, whole, len(x)) for name, run in methods.items())
    return Comparison(x, rows)


def _measured(
    search: Multistart, name: str, run: Callable[[Array], Array], whole: Array, count: int
) -> Contestant:
    try:
        run(whole[:count])
        begin = time.perf_counter()
        q = run(whole)
    except DivergenceError:
        q = np.full((len(whole), search.conditions.n), np.nan)
        begin = np.nan
    seconds = (time.perf_counter() - begin) / len(whole)
    first, second = q[:count], q[count - 1 : 2 * count - 1]
    last, back = q[-2 * count + 1 : -count + 1], q[-count:][::-1]
    c = search.conditions
    there = whole[:count]
    found = Points.at(c, last, there, np.zeros_like(last))
    return Contestant(
        name=name,
        first=first,
        last=last,
        task_error=float(found.task_error.max()),
        stationarity=float(found.stationarity.max()),
        drift=float(np.abs(last - second).max()),
        direction=float(np.abs(last - back).max()),
        seconds=seconds,
    )
