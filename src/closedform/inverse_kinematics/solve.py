"""Inverse kinematics of any robot: all branches in closed form if its axes permit it, else by search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import LARGEST, instance, known_name
from ..errors import ArgumentError, shown
from ..forms.rows import ROWS
from ..guests import in_kind, kind_of, to_host
from ..lazy import cached_property
from ..model import Model
from ..model.idle import refuse_still
from ..redundancy.approach import QUIET
from ..redundancy.batch import Mask
from ..redundancy.bounds import Bounds, read_limits
from ..redundancy.conditions import Conditions
from ..redundancy.criteria import ANY
from ..redundancy.multistart import Multistart
from ..redundancy.points import TASK_MET
from ..redundancy.problem import prepared, read_targets
from ..redundancy.result import (
    EXCLUDED,
    NOT_A_NUMBER,
    OUT_OF_REACH,
    SOLVED,
    STATUS_NAMES,
    UNFINISHED,
)
from ..redundancy.target_gradient import attached
from ..redundancy.task import Task, read_task
from ..robot import Robot
from .closed import BRANCHES, ROUND_OFF, ClosedForm, closed_form
from .frames import Frames, several, stacked_targets
from .lazy_poses import has_lazy, solved_lazily
from .result import Solutions

CHUNK = 1024
"""Poses worked on together: the arrays of their branches stay in the processor's cache."""

WORST = 1e-9
"""Error (m or rad) that a result may have; only coordinates too large to have decimals leave more."""

MOST_READY = 32
"""Frames and tasks of one robot that stay ready."""


def solve(
    robot: Robot,
    pose: ArrayLike | Mapping[str, ArrayLike],
    frame: str | None = None,
    q0: ArrayLike | None = None,
    *,
    task: Any = "pose",
    criterion: Any = None,
    limits: bool | tuple[ArrayLike, ArrayLike] = True,
    weights: Mapping[str, Any] | None = None,
) -> Solutions:
    """Return the coordinates that bring a frame of a robot to poses; `Robot.inverse_kinematics` explains all.

    >>> import closedform as cf
    >>> robot = cf.load("ur5")
    >>> T = robot.pose([0.3, -1.2, 1.5, -0.4, 1.0, 0.2])
    >>> found = cf.inverse_kinematics.solve(robot, T)
    >>> found
    <Solutions: found, 8 branches in closed form>
    >>> bool(abs(robot.pose(found.branches) - T).max() < 1e-12)
    True
    """
    arrays = kind_of("inverse_kinematics", pose, q0, limits, weights)
    if arrays is None or not arrays.followed(pose):
        return _solve(robot, pose, frame, q0, task, criterion, limits, weights)
    found: Solutions = _solve(robot, arrays.detached(pose), frame, q0, task, criterion, limits, weights)
    bounds = read_limits(robot.model, to_host(arrays, "inverse_kinematics", limits))
    conditions = _ready(robot, _task(robot.model, frame, task), bounds).conditions
    if criterion is not None or conditions.redundancy:
        raise ArgumentError(
            "inverse_kinematics: q of a redundant robot has gradients only as the best for a criterion; take "
            "cf.redundancy.solve, or detach the pose"
        )
    held = arrays.array(np.zeros(tuple(found.q.shape)))
    q = attached(arrays, "inverse_kinematics", robot, conditions, pose, found.q, held, found.found)
    return replace(found, q=q)


@in_kind
def _solve(
    robot: Robot,
    pose: ArrayLike | Mapping[str, ArrayLike],
    frame: str | None,
    q0: ArrayLike | None,
    task: Any,
    criterion: Any,
    limits: Any,
    weights: Mapping[str, Any] | None,
) -> Solutions:
    """Return the solutions of NumPy's arrays."""
    instance("robot", robot, Robot, "a Robot, as cf.load gives it")
    if has_lazy(pose, q0):
        chosen_lazily = {"frame": frame, "task": task, "criterion": criterion, "limits": limits}
        return solved_lazily(solve, pose, q0, robot, {**chosen_lazily, "weights": weights})
    model = robot.model
    refuse_still(model, "inverse_kinematics")
    if isinstance(pose, Mapping):
        chosen, goal = _several(model, pose, frame, task, weights)
        if criterion is not None:
            raise ArgumentError(f"criterion is {shown(criterion)}; expected None for several frames at once")
    else:
        chosen, goal = _task(model, frame, task), pose
        if weights is not None:
            raise ArgumentError("weights is given; expected several frames, as pose={frame: pose, ...}")
    if criterion is not None:
        best = prepared(robot, chosen, criterion, None, limits)
        return _searched(best, *_targets(best.conditions, goal, q0), starts=4)
    ready = _ready(robot, chosen, read_limits(model, limits))
    targets = _targets(ready.conditions, goal, q0)
    if ready.closed is None:
        return _searched(ready.search, *targets, starts=2)
    return _branches(ready, ready.closed, *targets)


@dataclass(frozen=True, eq=False)
class _Ready:
    """A task of a robot within limits: its closed form, if there is one, and its search."""

    conditions: Conditions
    bounds: Bounds
    closed: ClosedForm | None

    @cached_property
    def middle(self) -> Array:
        """The middle of the limits, and the coordinates at home of joints that have none."""
        home = self.conditions.model.neutral()
        return self.bounds.clip(np.where(self.bounds.limited, self.bounds.middle, home))

    @cached_property
    def search(self) -> Multistart:
        """The search for the task alone."""
        return Multistart(self.conditions, self.bounds, "minimum")


_READY: WeakKeyDictionary[Robot, dict[Any, _Ready]] = WeakKeyDictionary()


def _ready(robot: Robot, task: Task, bounds: Bounds) -> _Ready:
    """Return what a task and limits need, made when first asked for."""
    known = _READY.setdefault(robot, {})
    key = (task, bounds.lower.tobytes(), bounds.upper.tobytes())
    if key not in known:
        if len(known) >= MOST_READY:
            known.clear()
        same = next((each for (other, *_), each in known.items() if other == task), None)
        if same is None:
            whole = task.rows == ROWS and not isinstance(task, Frames)
            closed = closed_form(robot.model, task.frame) if whole else None
            same = _Ready(Conditions(robot.model, task, ANY), bounds, closed)
        known[key] = replace(same, bounds=bounds)
    return known[key]


def _several(
    model: Model, poses: Mapping[str, ArrayLike], frame: Any, task: Any, weights: Any
) -> tuple[Task, ArrayLike]:
    """Return the tasks of several frames as one, and their poses one below the other."""
    if frame is not None:
        raise ArgumentError(f"frame is {shown(frame)} beside a mapping of frames to poses; expected None")
    if not poses:
        raise ArgumentError("pose is an empty mapping; expected {frame: pose, ...}")
    frames = tuple(known_name("frame", name, model.frame_names) for name in poses)
    each = task if isinstance(task, Mapping) else dict.fromkeys(frames, task)
    for name in each:
        known_name("frame in task", name, frames)
    tasks = tuple(_task(model, name, each.get(name, "pose")) for name in frames)
    together = several(tasks, weights)
    return (together, stacked_targets(tasks, poses)) if len(tasks) > 1 else (tasks[0], poses[frames[0]])


def _task(model: Model, frame: Any, rows: Any) -> Task:
    """Return the task of a frame that joints move: a name or rows, or a mask of rx, ry, rz, x, y, z."""
    found = model.frame(frame)
    if found.body < 0:
        raise ArgumentError(
            f"frame {found.name!r} is fixed to the base: no joint moves it; name one that moves"
        )
    if isinstance(rows, Task):
        raise ArgumentError("task is a Task; expected its rows: the frame is an argument of its own")
    listed = isinstance(rows, tuple | list) or (isinstance(rows, np.ndarray) and rows.ndim == 1)
    if listed and len(rows) == len(ROWS) and all(isinstance(each, bool | np.bool_) for each in rows):
        rows = [row for row, kept in zip(ROWS, rows, strict=True) if kept]
    task = read_task(model, (rows, found.name))
    return Task(ROWS, found.name) if set(task.rows) == set(ROWS) else task


def _targets(
    conditions: Conditions, goal: ArrayLike, q0: ArrayLike | None
) -> tuple[Array, Array | None, tuple[int, ...]]:
    """Return poses with one batch axis and proper rotations, the q0 of each, and the batch shape."""
    x, start, batch = read_targets(conditions, goal, q0, "pose")
    return _orthonormal(x) if conditions.task.turns else x, start, batch


def _orthonormal(x: Array) -> Array:
    """Return poses (b, 4 k, 4) with rotations that are orthonormal to round-off.

    R (3 I - R^T R) / 2 squares the deviation of a rotation, such as one of single precision.
    """
    R = np.stack([x[:, k : k + 3, :3] for k in range(0, x.shape[1], 4)], axis=1)
    for _ in range(2):
        off = np.swapaxes(R, -1, -2) @ R - np.eye(3)
        rough = np.abs(off).max(axis=(-1, -2), keepdims=True) > ROUND_OFF
        if not rough.any():
            return x
        R = np.where(rough, R - 0.5 * R @ off, R)
        x = x.copy()
        for k in range(R.shape[1]):
            x[:, 4 * k : 4 * k + 3, :3] = R[:, k]
    return x


def _searched(
    search: Multistart, x: Array, start: Array | None, batch: tuple[int, ...], *, starts: int
) -> Solutions:
    """Return what the search from q0, or from a fixed table of starts, comes to."""
    answers = search.best(x, start, starts)
    met = np.asarray(answers.task_error < TASK_MET)
    return _solutions(search.conditions, x, batch, answers.q, met, answers.status)


@np.errstate(**QUIET)
def _branches(
    ready: _Ready, closed: ClosedForm, x: Array, start: Array | None, batch: tuple[int, ...]
) -> Solutions:
    """Return all branches in closed form, nearest to q0 or to the middle of the limits first."""
    count, n = len(x), ready.conditions.n
    reference = np.broadcast_to(ready.middle, (count, n)) if start is None else start
    fine = (np.abs(x) <= LARGEST).all(axis=(-1, -2)) & (np.abs(reference) <= LARGEST).all(axis=-1)
    rows = np.flatnonzero(fine)
    status = np.full(count, NOT_A_NUMBER)
    closest, branches = np.full((count, n), np.nan), np.full((count, BRANCHES, n), np.nan)
    for part in np.split(rows, range(CHUNK, len(rows), CHUNK)):
        found = closed.solutions(ready.conditions, ready.bounds, x[part], reference[part])
        closest[part], branches[part] = found.closest, found.branches
        status[part] = np.where(found.met, SOLVED, np.where(found.excluded, EXCLUDED, OUT_OF_REACH))
    return _solutions(ready.conditions, x, batch, closest, status == SOLVED, status, branches)


def _solutions(
    conditions: Conditions,
    x: Array,
    batch: tuple[int, ...],
    closest: Array,
    met: Mask,
    status: Any,
    branches: Array | None = None,
) -> Solutions:
    """Return the result in its batch shape, after a last look at what the coordinates leave."""
    metres, radians = _errors(conditions, closest, x)
    off = met & (np.maximum(metres, radians) > WORST)
    met, status = met & ~off, np.where(off, UNFINISHED, status)
    q = np.where(met[:, None], closest, np.nan)
    every = q[:, None] if branches is None else branches
    count = np.isfinite(every).all(axis=-1).sum(axis=-1)

    def shaped(values: Any) -> Any:
        return values.reshape(batch + values.shape[1:])

    return Solutions(
        q=shaped(q),
        found=shaped(met)[()],
        branches=shaped(every),
        count=shaped(count)[()],
        closest=shaped(closest),
        position_error=shaped(metres)[()],
        rotation_error=shaped(radians)[()],
        status=np.asarray(shaped(STATUS_NAMES[status])),
        closed_form=branches is not None,
    )


def _errors(conditions: Conditions, q: Array, x: Array) -> tuple[Array, Array]:
    """Return how far frames are from their targets: in m and in rad, the largest of several."""
    e = conditions.residual(q, x)[0]
    task = conditions.task
    tasks, weights = (task.tasks, task.weights) if isinstance(task, Frames) else ((task,), ((1.0, 1.0),))
    metres, radians = np.zeros(len(q)), np.zeros(len(q))
    first = 0
    for each, (turn, place) in zip(tasks, weights, strict=True):
        own = e[:, first : first + each.m]
        first += each.m
        turning = [row < 3 for row in each.row_numbers]
        angle = np.linalg.norm(own[:, turning], axis=-1) / turn  # 2 sin(a/2)
        length = np.linalg.norm(own[:, np.logical_not(turning)], axis=-1) / place
        metres = np.maximum(metres, length)
        radians = np.maximum(radians, 2 * np.arcsin(np.minimum(angle / 2, 1)))
    return metres, radians
