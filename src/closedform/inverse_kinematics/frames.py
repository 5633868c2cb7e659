"""Several frames at once: their tasks as one, with weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import common_batch, positive
from ..errors import ArgumentError, UnknownNameError, shown
from ..kernels import Kernel, compiled
from ..model import Model
from ..redundancy.task import Task
from ..redundancy.twist import form_at


@dataclass(frozen=True)
class Frames(Task):
    """The tasks of several frames, one below the other; a target is their poses one below the other.

    The errors of each task are multiplied by its weights, of rotations (rad) and of positions (m): they
    say what matters more if not all poses can be met together.
    """

    tasks: tuple[Task, ...] = ()
    weights: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        """Accept the rows of all tasks, which were checked one by one."""

    @property
    def turns(self) -> bool:
        """Targets are always poses."""
        return True

    @property
    def target_shape(self) -> tuple[int, ...]:
        """Poses one below the other."""
        return (4 * len(self.tasks), 4)

    def pose_error(self, model: Model, q: SX, target: SX) -> tuple[SX, SX, SX]:
        """Return the errors of all tasks with their weights, their derivative, and the rows of the twists."""
        parts = []
        for k, (task, weights) in enumerate(zip(self.tasks, self.weights, strict=True)):
            own = target[4 * k : 4 * k + 4, :]
            goal = own if task.turns else ca.vertcat(*(own[row - 3, 3] for row in task.row_numbers))
            scale = SX(ca.DM([weights[row >= 3] for row in task.row_numbers]))
            parts.append([ca.diag(scale) @ each for each in task.pose_error(model, q, goal)])
        e, slope, twist = (ca.vertcat(*each) for each in zip(*parts, strict=True))
        return e, slope, twist

    def targets(self, given: ArrayLike, name: str = "target") -> Array:
        """Return what `stacked_targets` has checked."""
        return np.asarray(given, dtype=float)

    def poses(self, model: Model) -> Kernel:
        """Return the kernel (q) -> poses of all frames, one below the other."""
        q = SX.sym("q", model.nq)
        stacked = ca.vertcat(*(form_at("pose", model, q, task.frame) for task in self.tasks))
        return compiled("poses", [("q", q)], [("poses", stacked)], "Return poses of several frames.")

    def features(self, poses: Array) -> Array:
        """Return numbers whose squared distance compares poses one below the other."""
        parts = np.split(poses, len(self.tasks), axis=1)
        return np.concatenate(
            [
                task.features(part) * np.sqrt(np.mean(weights))
                for task, part, weights in zip(self.tasks, parts, self.weights, strict=True)
            ],
            axis=-1,
        )


def several(tasks: tuple[Task, ...], weights: Any) -> Frames:
    """Return the tasks of several frames as one; `weights` are as `read_weights` takes them."""
    rows = tuple(row for task in tasks for row in task.rows)
    names = tuple(task.frame for task in tasks)
    return Frames(rows, ", ".join(names), tasks, read_weights(weights, names))


def read_weights(given: Any, names: tuple[str, ...]) -> tuple[tuple[float, float], ...]:
    """Return weights (rotation, position) for each frame from a mapping of numbers or pairs; 1 by default."""
    if given is None:
        return ((1.0, 1.0),) * len(names)
    if not isinstance(given, Mapping):
        raise ArgumentError(f"weights is {shown(given)}; expected a mapping of frames to numbers")
    for name in given:
        if name not in names:
            raise UnknownNameError("frame in weights", name, names)
    found = []
    for name in names:
        each = given.get(name, 1.0)
        pair = each if isinstance(each, tuple | list) else (each, each)
        if len(pair) != 2:
            raise ArgumentError(f"weights: {name!r} is {shown(each)}; expected a number or (rad, m)")
        turn, place = (positive(f"weights: {name!r}", value) for value in pair)
        found.append((turn, place))
    return tuple(found)


def stacked_targets(tasks: tuple[Task, ...], given: Mapping[str, ArrayLike]) -> Array:
    """Return the poses of several frames one below the other: (..., 4 k, 4)."""
    parts = {}
    for task in tasks:
        x = task.targets(given[task.frame], f"pose of {task.frame!r}")
        if not task.turns:
            T = np.zeros((*x.shape[:-1], 4, 4)) + np.eye(4)
            T[..., [row - 3 for row in task.row_numbers], 3] = x
            x = T
        parts[task.frame] = x
    batch = common_batch("poses", **{f"of {name!r}": x.shape[:-2] for name, x in parts.items()})
    return np.concatenate([np.broadcast_to(x, (*batch, 4, 4)) for x in parts.values()], axis=-2)
