"""Inverse kinematics of redundant robots: exact, optimal, and the same for the same target."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike, NDArray

from ..checks import instance, whole_number
from ..guests import in_kind, is_lazy, kind_of, to_host
from ..robot import Robot
from .classify import KIND_NAMES
from .problem import MOST_STARTS, prepared, read_targets
from .result import SOLVED, STATUS_NAMES, Result
from .target_gradient import attached


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
    `criterion` a name, a `Criterion` or a function of CasADi symbols. With `q0` (..., n) the result is the
    solution it leads to; without it, the best of `starts` starts (192 at most) that depend on the target
    alone. If these lead nowhere, further ones are tried. `limits` are the robot's (True), none (False),
    or (lower, upper), which are equal for a joint that is locked. Targets that are dask arrays give a
    result of lazy arrays; `dask.compute(result)` computes all of them.

    Arrays may be of any kind; the search itself runs on the CPU. If PyTorch asks for gradients by `target`,
    q has them: they follow from the conditions, at joints that stay held or free.

    >>> import numpy as np, closedform as cf
    >>> found = cf.redundancy.solve(cf.load("chang3r"), [0.446004, 0.0915136], task="xy")
    >>> str(found.kind), bool(found.converged), bool(found.task_error < 1e-12)
    ('maximum', True, True)
    """
    if is_lazy(target, q0):
        chosen = {
            "robot": robot,
            "task": task,
            "criterion": criterion,
            "kind": kind,
            "limits": limits,
            "starts": starts,
        }
        return _solve_lazily(target, q0, chosen)
    arrays = kind_of("solve", target, q0, limits)
    if arrays is None or not arrays.followed(target):
        return _solve(robot, target, task, criterion, q0, kind, limits, starts)
    loose = arrays.detached(target)
    found: Result = _solve(robot, loose, task, criterion, q0, kind, limits, starts)
    search = prepared(robot, task, criterion, kind, to_host(arrays, "solve", limits))
    q = attached(arrays, "solve", robot, search.conditions, target, found.q, found.held, found.converged)
    return replace(found, q=q)


@in_kind
def _solve(
    robot: Robot,
    target: ArrayLike,
    task: Any,
    criterion: Any,
    q0: ArrayLike | None,
    kind: str | None,
    limits: Any,
    starts: int,
) -> Result:
    """Return the solutions of NumPy's arrays."""
    search = prepared(robot, task, criterion, kind, limits)
    n = search.conditions.n
    x, start, batch = read_targets(search.conditions, target, q0)
    answers = search.best(x, start, whole_number("solve: starts", starts, 1, MOST_STARTS))

    def shaped(values: NDArray[Any]) -> Any:
        return values.reshape(batch + values.shape[1:])[()]

    return Result(
        q=answers.q.reshape(*batch, n),
        converged=shaped(answers.status == SOLVED),
        kind=shaped(KIND_NAMES[answers.kind]),
        status=shaped(STATUS_NAMES[answers.status]),
        task_error=shaped(answers.task_error),
        stationarity=shaped(answers.stationarity),
        value=shaped(answers.value),
        held=answers.held.reshape(*batch, n) > 0,
        iterations=shaped(answers.iterations),
        redundancy=search.redundancy,
    )


SECONDS = 6e-6
"""Time of a target per coordinate, at least: 6e-6 to 54e-6 measured over nine arms and tasks, on one core."""


def _solve_lazily(target: Any, q0: Any, chosen: dict[str, Any]) -> Result:
    """Return the result of targets that are dask arrays."""
    from ..guests.dask_records import Call, lazy_record, pose_axes  # noqa: PLC0415 (dask is an extra)

    arrays = {"target": target} if q0 is None else {"target": target, "q0": q0}
    cores = {"target": pose_axes("target", target), "q0": 1}
    robot = instance("robot", chosen["robot"], Robot, "a Robot, as cf.load gives it")
    seconds = SECONDS * max(1, robot.nq)
    record, _ = lazy_record(Call(solve, f"solve {robot.name}", arrays, cores, chosen, seconds))
    return record  # type: ignore[no-any-return]
