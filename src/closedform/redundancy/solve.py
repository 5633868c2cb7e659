"""Inverse kinematics of redundant robots: exact, optimal, and the same for the same target."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Array
from ..checks import choice, real_array, whole_number
from ..errors import ArgumentError, shown
from ..model.idle import refuse_still
from ..robot import Robot
from .approach import Bounds
from .classify import KIND_NAMES
from .conditions import Conditions
from .criteria import limits_of, read_criterion
from .multistart import Solver
from .newton import SIGNS
from .result import STATUS_NAMES, Result
from .task import read_task

MOST_STARTS = 10_000
"""Starts that may be asked for; 192 of them are used at most."""

_SOLVERS: WeakKeyDictionary[Robot, dict[Any, Solver]] = WeakKeyDictionary()


def solve(
    robot: Robot,
    target: ArrayLike,
    task: Any = "pose",
    criterion: Any = "manipulability",
    q0: ArrayLike | None = None,
    *,
    kind: str | None = None,
    limits: bool | tuple[ArrayLike, ArrayLike] = True,
    starts: int = 4,
) -> Result:
    """Return joint angles that meet targets exactly and are optimal for a criterion, within the limits.

    Solves e(q) = 0 and Zh = 0 [Chang1987, Eq. (11)] by Newton's method with exact derivatives,
    goes on to the `kind` of optimum asked for ("maximum", "minimum"; by default what the criterion
    is for; "stationary" takes any) and checks the second-order condition along the self-motion.
    A joint at its limit is held there, if the criterion pushes it out.

    `target` (..., m) or poses (..., 4, 4); `task` is "xy", "position", "pose", rows, or (rows, frame);
    `criterion` a name, a `Criterion` or a function of CasADi symbols. From `q0` (..., n) the solution
    it leads to; without it the best of `starts` starts (192 at most) that depend on the target alone.
    Where these lead nowhere, further ones are tried. `limits` are the robot's (True), none (False),
    or (lower, upper), alike for a joint that is locked.

    >>> import numpy as np, closedform as cf
    >>> found = cf.redundancy.solve(cf.load("chang3r"), [0.446004, 0.0915136], task="xy")
    >>> str(found.kind), bool(found.converged), bool(found.task_error < 1e-12)
    ('maximum', True, True)
    """
    solver = prepare(robot, task, criterion, kind, limits)
    x, start, batch = arguments(solver.conditions, target, q0)
    answers = solver.solve(x, start, whole_number("solve: starts", starts, 1, MOST_STARTS))

    def shaped(values: NDArray[Any]) -> Any:
        return values.reshape(batch + values.shape[1:])[()]

    solved = answers.status == 0
    return Result(
        q=answers.q.reshape(*batch, solver.conditions.n),
        converged=shaped(solved),
        kind=shaped(KIND_NAMES[answers.kind]),
        status=shaped(STATUS_NAMES[answers.status]),
        task_error=shaped(answers.task_error),
        stationarity=shaped(answers.stationarity),
        value=shaped(answers.value),
        held=answers.held.reshape(*batch, solver.conditions.n) > 0,
        iterations=shaped(answers.iterations),
        redundancy=solver.redundancy,
    )


def prepare(robot: Robot, task: Any, criterion: Any, kind: str | None, limits: Any) -> Solver:
    """Return the solver of a robot, task, criterion and limits, compiled when first asked for."""
    if not isinstance(robot, Robot):
        raise ArgumentError(f"robot is {shown(robot)}; expected a Robot, as cf.load gives it")
    refuse_still(robot.model, "inverse kinematics")
    chosen, best = read_task(robot.model, task), read_criterion(criterion)
    kind = best.kind if kind is None else choice("kind", kind, tuple(SIGNS))
    bounds = read_limits(robot, limits)
    known = _SOLVERS.setdefault(robot, {})
    key = (chosen, best, kind, bounds.lower.tobytes(), bounds.upper.tobytes())
    if key not in known:
        if len(known) >= 32:
            known.clear()
        shared = next((s.conditions for (t, c, *_), s in known.items() if (t, c) == (chosen, best)), None)
        known[key] = Solver(shared or Conditions(robot.model, chosen, best), bounds, kind)
    return known[key]


def read_limits(robot: Robot, given: Any) -> Bounds:
    """Return the bounds of the coordinates."""
    n = robot.nq
    if given is False:
        return Bounds(np.full(n, -np.inf), np.full(n, np.inf))
    if given is True:
        return Bounds(*limits_of(robot.model))
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ArgumentError(f"limits is {shown(given)}; expected True, False or (lower, upper)")
    lower, upper = (_side(f"limits: {name}", x, n) for name, x in zip(("lower", "upper"), given, strict=True))
    if not (lower <= upper).all():
        wrong = int(np.flatnonzero(~(lower <= upper))[0])
        raise ArgumentError(
            f"limits: lower {lower[wrong]:g} exceeds upper {upper[wrong]:g} at coordinate {wrong}"
        )
    return Bounds(lower, upper)


def _side(name: str, given: Any, n: int) -> Array:
    side = real_array(name, given)
    if side.shape not in ((), (n,)):
        raise ArgumentError(f"{name} has shape {side.shape}; expected ({n},) or one number")
    return np.broadcast_to(side, (n,)).copy()


def arguments(
    conditions: Conditions, target: ArrayLike, q0: ArrayLike | None
) -> tuple[Array, Array | None, tuple[int, ...]]:
    """Return targets and starts with one batch axis, and the batch shape of the result."""
    x = conditions.task.targets(target)
    core = conditions.task.target_shape
    batch = x.shape[: x.ndim - len(core)]
    n = conditions.n
    start = None
    if q0 is not None:
        start = real_array("q0", q0)
        if start.shape[-1:] != (n,):
            raise ArgumentError(f"q0 has shape {start.shape}; expected (..., {n})")
        try:
            batch = np.broadcast_shapes(batch, start.shape[:-1])
        except ValueError:
            shapes = f"target {x.shape} and q0 {start.shape}"
            raise ArgumentError(f"batches of {shapes} do not broadcast") from None
        start = np.ascontiguousarray(np.broadcast_to(start, (*batch, n)).reshape(-1, n))
    x = np.ascontiguousarray(np.broadcast_to(x, batch + core).reshape(-1, *core))
    return x, start, batch
