"""What the page of redundant inverse kinematics is about: an arm, targets for its tip and a criterion."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import redundancy
from ...arrays import Array
from ...checks import flag, instance, positive, sized_array, whole_number
from ...errors import ArgumentError, ClosedFormError
from ...lazy import cached_property
from ...redundancy.approach import met
from ...redundancy.compare import MOST_CYCLES
from ...redundancy.criteria import read_criterion
from ...redundancy.problem import prepared
from ...redundancy.resolved_motion import MOST_SUBSTEPS
from ...redundancy.result import MEANINGS
from ...redundancy.task import Task, read_task
from ...robot import Robot
from ..labels import Label, velocity_labels
from .routes import PAPERS, Route, given_route, paper_route, square_route

GAIN = 10.0
"""Weight of the gradient in resolved motion."""

STEP = 0.01
"""Integration step of resolved motion, in seconds."""


@dataclass(frozen=True)
class RedundancyStudy:
    """An arm that meets targets and makes a criterion as good as its self-motion allows.

    Without a robot, the example of [Chang1987]; without `targets` (one, or a path (t, ...) of them),
    a square that suits the robot and its `task`, by default the largest that leaves a self-motion. The
    `criterion` is by default the manipulability, for the paper's example squared and without a unit, as
    printed. `q0` are joint angles to start from; resolved motion starts where the shortest steps lead
    from there to the first target. `limits` says whether joint limits count, by default for given
    targets: the methods of the comparison do not know them. The targets of resolved motion follow one
    another after `time_step` seconds (0.01, in the paper's example 0.1), in integration steps of 0.01 s.
    """

    robot: Robot | None = None
    targets: ArrayLike | None = None
    task: Any = None
    criterion: Any = None
    q0: ArrayLike | None = None
    limits: bool | None = None
    cycles: int = 3
    time_step: float | None = None

    def __post_init__(self) -> None:
        if self.time_step is not None:
            positive("ik: time_step", self.time_step)
        whole_number("ik: cycles", self.cycles, 3, MOST_CYCLES)
        if self.limits is not None:
            flag("ik: limits", self.limits)
        if self.criterion is not None:
            read_criterion(self.criterion)
        if self.robot is None:
            if self.targets is not None or self.task is not None or self.q0 is not None:
                raise ArgumentError("ik: targets, task and q0 are those of a robot; give the robot too")
            return
        robot = instance("ik: robot", self.robot, Robot)
        if robot.nq != robot.nv or robot.nq < 3:
            raise ClosedFormError(f"{robot.name}: expected an arm of three joints or more, each of one dof")
        if self.task is not None:
            read_task(robot.model, self.task)
        if self.targets is not None:
            self._check_targets(robot)
        if self.q0 is not None:
            sized_array("ik: q0", self.q0, (robot.nq,))

    def _check_targets(self, robot: Robot) -> None:
        """Refuse targets that are neither one nor a path of them."""
        task = read_task(robot.model, "pose" if self.task is None else self.task)
        targets = task.targets(self.targets)  # type: ignore[arg-type]
        if targets.ndim - len(task.target_shape) > 1 or targets.size == 0:
            raise ArgumentError(f"ik: targets have shape {targets.shape}; expected one target, or one path")

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.arm.name

    @cached_property
    def route(self) -> Route:
        """Where the tip goes."""
        if self.robot is None:
            return paper_route()
        if self.targets is None:
            return square_route(self.robot, self.task, self.best)
        start = None if self.q0 is None else np.array(self.q0, dtype=float)
        return given_route(self.robot, "pose" if self.task is None else self.task, self.targets, start)

    @property
    def best(self) -> redundancy.Criterion:
        """The criterion."""
        if self.criterion is None:
            return PAPERS if self.robot is None else redundancy.manipulability()
        return read_criterion(self.criterion)

    @property
    def between(self) -> float:
        """Seconds from target to target of resolved motion; in the paper 1 mm at 10 mm/s."""
        if self.time_step is None:
            return 0.1 if self.robot is None else STEP
        return self.time_step

    @property
    def substeps(self) -> int:
        """Integration steps from target to target."""
        return min(max(1, math.ceil(self.between / STEP - 1e-6)), MOST_SUBSTEPS)

    @property
    def arm(self) -> Robot:
        """The robot."""
        return self.route.robot

    @cached_property
    def task_rows(self) -> Task:
        """The rows of the task, and its frame."""
        return read_task(self.arm.model, self.route.task)

    @property
    def self_motions(self) -> int:
        """Dimension n - m of the self-motion."""
        return self.arm.nq - self.task_rows.m

    @property
    def closed(self) -> bool:
        """Whether the path ends where it begins, so that methods can go round and be compared."""
        x = self.route.targets
        return len(x) > 2 and bool(np.allclose(x[0], x[-1], atol=1e-9))

    @property
    def bounded(self) -> bool:
        """Whether joint limits count."""
        return self.targets is not None if self.limits is None else self.limits

    @cached_property
    def path(self) -> redundancy.Path:
        """The proposed method along the path; raises if a target is not met."""
        route = self.route
        options = {"task": route.task, "criterion": self.best, "limits": self.bounded}
        found = redundancy.follow(route.robot, route.targets, q0=route.q0, **options)
        if not found.converged.all():
            k = int(np.argmin(found.converged))
            status = str(redundancy.solve(route.robot, route.targets[k], q0=route.q0, **options).status)
            why = (
                f"{status}: {MEANINGS[status].partition(';')[0]}"
                if status in MEANINGS
                else "no solution near the one before it"
            )
            raise ClosedFormError(
                f"{route.robot.name}: target {k + 1} of {len(route.targets)} is not met ({why})"
            )
        return found

    @cached_property
    def start(self) -> Array:
        """Joint angles at the first target that every method starts from."""
        if self.route.q0 is None:
            return np.asarray(self.path.q[0])
        conditions = prepared(self.arm, self.route.task, self.best, None, False).conditions
        return met(conditions, np.asarray(self.route.q0), self.route.targets[0])

    @cached_property
    def comparison(self) -> redundancy.Comparison | None:
        """The methods side by side, None on a path that does not close."""
        if not self.closed:
            return None
        route = self.route
        return redundancy.compare(
            route.robot,
            route.targets,
            self.path.q[0] if route.q0 is None else route.q0,
            route.task,
            self.best,
            cycles=self.cycles,
            time_step=self.between,
            substeps=self.substeps,
            gain=GAIN,
        )

    @cached_property
    def resolved(self) -> Array | None:
        """Joint angles (t, n) of resolved motion along the path, None for a single target."""
        if self.comparison is not None:
            contestants = self.comparison.contestants
            return next(each.first for each in contestants if each.title == "pseudoinverse")
        if len(self.route.targets) < 2:
            return None
        return redundancy.resolved_motion(
            self.arm,
            self.route.targets,
            self.start,
            self.route.task,
            self.best,
            time_step=self.between,
            substeps=self.substeps,
            gain=GAIN,
        )

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """Labels of the joints."""
        return velocity_labels(self.arm.model)

    @property
    def units(self) -> tuple[str, ...]:
        """Units that joint coordinates are shown in."""
        return tuple("deg" if label.unit == "rad" else "mm" for label in self.labels)

    def shown(self, q: Array) -> Array:
        """Return joint coordinates (..., n) in `units`."""
        return np.asarray(q * np.array([180 / np.pi if unit == "deg" else 1e3 for unit in self.units]))

    @property
    def sense(self) -> tuple[str, str]:
        """The criterion's name, and whether it shall be large or small."""
        name = self.best.name.replace("_", " ")
        return name, "large" if self.best.kind == "maximum" else "small"
