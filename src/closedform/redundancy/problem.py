"""The problem as the user states it: task, criterion and limits of a robot, targets and starts as arrays."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import batch_array, choice, common_batch, instance
from ..errors import ArgumentError
from ..model.idle import refuse_still
from ..robot import Robot
from .bounds import read_limits
from .classify import SIGNS
from .conditions import Conditions
from .criteria import read_criterion
from .multistart import Multistart
from .task import Task, read_task

MOST_STARTS = 10_000
"""Starts that may be asked for; 192 of them are used at most."""

_PREPARED: WeakKeyDictionary[Robot, dict[Any, Multistart]] = WeakKeyDictionary()


def prepared(robot: Robot, task: Any, criterion: Any, kind: str | None, limits: Any) -> Multistart:
    """Return the search of a robot, task, criterion and limits, compiled when first asked for."""
    instance("robot", robot, Robot, "a Robot, as cf.load gives it")
    refuse_still(robot.model, "inverse kinematics")
    chosen, best = read_task(robot.model, task), read_criterion(criterion)
    kind = best.kind if kind is None else choice("kind", kind, tuple(SIGNS))
    bounds = read_limits(robot.model, limits)
    known = _PREPARED.setdefault(robot, {})
    key = (chosen, best, kind, bounds.lower.tobytes(), bounds.upper.tobytes())
    if key not in known:
        if len(known) >= 32:
            known.clear()
        shared = next((s.conditions for (t, c, *_), s in known.items() if (t, c) == (chosen, best)), None)
        known[key] = Multistart(shared or Conditions(robot.model, chosen, best), bounds, kind)
    return known[key]


def require_redundant(what: str, robot: Robot, task: Task) -> None:
    """Raise unless every joint has one dof and there are more of them than rows of the task."""
    if robot.nq != robot.nv or task.m >= robot.nv:
        raise ArgumentError(
            f"{what}: {robot.name!r} has {robot.nq} coordinates for a task of {task.m} rows; "
            "expected joints of one dof each, and more of them than rows"
        )


def read_path(what: str, conditions: Conditions, targets: ArrayLike, least: int) -> Array:
    """Return the targets (t, ...) of one path of `least` poses or more; `what` names the caller."""
    x, _, batch = read_targets(conditions, targets, None)
    if len(batch) != 1 or len(x) < least:
        expected = f"expected one path, (poses, ...), of {least} or more"
        raise ArgumentError(f"{what}: targets have batch shape {batch}; {expected}")
    return x


def read_targets(
    conditions: Conditions, target: ArrayLike, q0: ArrayLike | None, name: str = "target"
) -> tuple[Array, Array | None, tuple[int, ...]]:
    """Return targets and starts with one batch axis, and the batch shape of the result."""
    x = conditions.task.targets(target, name)
    core = conditions.task.target_shape
    batch = x.shape[: x.ndim - len(core)]
    n = conditions.n
    start = None
    if q0 is not None:
        start = batch_array("q0", q0, n)
        batch = common_batch("inverse kinematics", **{name: batch, "q0": start.shape[:-1]})
        start = np.ascontiguousarray(np.broadcast_to(start, (*batch, n)).reshape(-1, n))
    x = np.ascontiguousarray(np.broadcast_to(x, batch + core).reshape(-1, *core))
    return x, start, batch
