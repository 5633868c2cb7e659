"""The methods side by side on one closed path: accuracy, optimality, repeatability and cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import positive, sized_array, whole_number
from ..display import card, html_table
from ..errors import ArgumentError
from ..guests import in_kind
from ..integration import DivergenceError
from ..robot import Robot
from .approach import met
from .joint_rates import METHODS
from .multistart import Multistart
from .path import follow
from .pivoted import hybrid
from .points import Points
from .problem import prepared, read_path, require_redundant
from .resolved_motion import MOST_SUBSTEPS, resolved_motion
from .solve import solve


@dataclass(frozen=True)
class Contestant:
    """One method on the path: joint angles of its first and last cycle, and what they show.

    `task_error` and `stationarity` are the largest along the last cycle; `lag` is how far the joints are
    from those of the proposed method there, `drift` how far the joints at the same target moved from
    the second to the last cycle, `direction` how far they differ from those of a cycle run backwards, in
    radians. `seconds` is the time per pose. `corrected` says that the loop over the task error was closed. A
    method that diverged has NaN everywhere.
    """

    name: str
    corrected: bool
    first: Array
    last: Array
    task_error: float
    stationarity: float
    lag: float
    drift: float
    direction: float
    seconds: float

    @property
    def title(self) -> str:
        """The name, and whether the loop was closed."""
        return f"{self.name}, corrected" if self.corrected else self.name


COLUMNS = ("task error", "Zh", "lag", "drift", "direction")
"""What is compared, beside the time."""


@dataclass(frozen=True)
class Comparison:
    """The contestants on a closed path of targets, all from one `start` on the first of them.

    `start_error` is how far q0 was from the first target before it was brought there.
    """

    targets: Array
    start: Array
    start_error: float
    contestants: tuple[Contestant, ...]

    def __str__(self) -> str:
        head = f"{'method':<29}" + "".join(f"{name:>11}" for name in COLUMNS) + f"{'us/pose':>9}"
        rows = [
            f"{each.title:<29}{each.task_error:11.1e}{each.stationarity:11.1e}{each.lag:11.1e}"
            f"{each.drift:11.1e}{each.direction:11.1e}{each.seconds * 1e6:9.1f}"
            for each in self.contestants
        ]
        return "\n".join([head, *rows])

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the contestants."""
        rows = [
            (c.title, c.task_error, c.stationarity, c.lag, c.drift, c.direction, c.seconds * 1e6)
            for c in self.contestants
        ]
        facts = f"of {len(rows)} methods on {len(self.targets)} targets"
        return card("Comparison", facts, html_table(["method", *COLUMNS, "us/pose"], rows))


MOST_CYCLES = 1000
"""Rounds of a comparison."""

CORRECTED = 0.2
"""Share of the task error that a step of corrected resolved motion takes away, if nothing else is asked."""


@in_kind
def compare(
    robot: Robot,
    targets: ArrayLike,
    q0: ArrayLike,
    task: Any = "pose",
    criterion: Any = "manipulability",
    *,
    cycles: int = 3,
    time_step: float = 0.01,
    substeps: int = 1,
    gain: float = 10.0,
    damping: float = 0.01,
    correction: float | None = None,
) -> Comparison:
    """Return the proposed method, MINPACK's hybrid and resolved motion on a closed path.

    `targets` (t, ...) end where they begin; every method goes round `cycles` times (three at least, as
    drift is counted from the second) and once backwards, for the same criterion and from the same start:
    where the shortest steps lead from q0 to the first target, since resolved motion keeps what the start
    misses. The extended Jacobian method starts at the optimum that follows, as it only keeps one. Each
    method of resolved motion takes `substeps` Runge-Kutta steps in the `time_step` between targets, and runs
    twice: open loop, and with a `correction` (in 1/s, by default a fifth in a step) of the task error. Limits
    are ignored, as resolved motion does not know them.

    >>> import numpy as np, closedform as cf
    >>> turn = np.linspace(0, 2 * np.pi, 41)[:, None]
    >>> circle = np.array([0.5, 0.0]) + 0.05 * np.concatenate([np.cos(turn), np.sin(turn)], axis=1)
    >>> found = cf.redundancy.compare(cf.load("chang3r"), circle, np.deg2rad([-10, 130, 95]), "xy")
    >>> {each.title: bool(each.lag < 1e-9) for each in found.contestants[:3]}
    {'proposed': True, 'MINPACK hybrid': True, 'pseudoinverse': False}
    """
    cycles = whole_number("cycles", cycles, 3, MOST_CYCLES)
    time_step = positive("time_step", time_step)
    substeps = whole_number("substeps", substeps, 1, MOST_SUBSTEPS)
    by_default = CORRECTED * substeps / time_step
    correction = by_default if correction is None else positive("correction", correction)
    search = prepared(robot, task, criterion, None, False)
    x = read_path("compare", search.conditions, targets, 3)
    given = sized_array("compare: q0", q0, (robot.nq,))
    require_redundant("compare", robot, search.conditions.task)
    if not np.allclose(x[0], x[-1], atol=1e-9):
        raise ArgumentError("compare: targets are not a closed path; expected one that ends where it begins")
    there = np.concatenate([x, *([x[1:]] * (cycles - 1))])
    whole = np.concatenate([there, x[-2::-1]])
    start = met(search.conditions, given, x[0])
    best = solve(robot, x[0], task, criterion, start, limits=False).q

    def exact(path: Array) -> Array:
        return follow(robot, path, task, criterion, start, limits=False).q

    def minpack(path: Array) -> Array:
        q, found = start, []
        for target in path:
            q = hybrid(robot, target, task, criterion, q)[0]
            found.append(q)
        return np.array(found)

    def resolved(method: str, rate: float) -> Callable[[Array], Array]:
        first = best if method == "extended_jacobian" else start
        options: dict[str, Any] = {"time_step": time_step, "substeps": substeps, "method": method}
        options |= {"gain": gain, "damping": damping, "correction": rate}
        return lambda path: resolved_motion(robot, path, first, task, criterion, **options)

    runs: list[tuple[str, bool, Callable[[Array], Array]]] = [
        ("proposed", False, exact),
        ("MINPACK hybrid", False, minpack),
        *((name, False, resolved(name, 0.0)) for name in METHODS),
        *((name, True, resolved(name, correction)) for name in METHODS),
    ]
    optimal = exact(x)
    rows = tuple(_measured(search, name, closed, run, whole, optimal) for name, closed, run in runs)
    missed = search.conditions.residual(given, x[0])[0]
    return Comparison(x, start, float(np.linalg.norm(missed)), rows)


def _measured(
    search: Multistart,
    name: str,
    corrected: bool,
    run: Callable[[Array], Array],
    whole: Array,
    optimal: Array,
) -> Contestant:
    count = len(optimal)
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
        corrected=corrected,
        first=first,
        last=last,
        task_error=float(found.task_error.max()),
        stationarity=float(found.stationarity.max()),
        lag=float(np.abs(last - optimal).max()),
        drift=float(np.abs(last - second).max()),
        direction=float(np.abs(last - back).max()),
        seconds=seconds,
    )
