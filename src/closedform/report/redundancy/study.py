"""What the page of redundant inverse kinematics is about: an arm, a closed path and a start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import redundancy
from ...arrays import Array
from ...errors import ClosedFormError
from ...lazy import cached_property
from ...redundancy.bounds import limits_of
from ...redundancy.task import ROWS, read_task
from ...robot import Robot, load

GUESS = np.deg2rad([-40.5006, 141.6408, 78.4169])
"""The paper's initial guess, far from the optimum on purpose."""

CORNER, SIDE, PER_SIDE = np.array([0.446004, 0.0915136]), 0.1, 100
"""The paper's square: its upper left vertex, its side in metres, and the segments of a side."""

PRINTED = np.array(
    [
        [-25.5116, 134.4894, 100.8165],
        [-13.4927, 135.1801, 101.6627],
        [-7.1232, 128.0020, 92.1837],
        [-17.0753, 127.4846, 91.4484],
    ]
)
"""Angles of the proposed method at the vertices in the paper's tables, in degrees."""

TRIES = 50
"""Squares tried for a robot other than the paper's."""

SPEED = 0.1
"""Speed of the tip along the path, in metres per second."""

GAIN = 10.0
"""Weight of the gradient in resolved motion."""


@dataclass(frozen=True)
class IkStudy:
    """A robot whose tip goes round a square: targets (t, ...), closed, and joint angles to start from.

    `origin` and `axes` (2, 3), two of the base axes, span the plane of the square.
    """

    robot: Robot
    task: str
    targets: Array
    q0: Array
    origin: Array
    axes: Array
    printed: Array | None = None
    cycles: int = 3

    @property
    def self_motions(self) -> int:
        """Dimension n - m of the self-motion."""
        return self.robot.nq - read_task(self.robot.model, self.task).m

    @property
    def time_step(self) -> float:
        """Seconds between two targets."""
        return SIDE / PER_SIDE / SPEED

    @cached_property
    def path(self) -> redundancy.Path:
        """The proposed method along the path."""
        return redundancy.follow(self.robot, self.targets, self.task, q0=self.q0, limits=False)

    @cached_property
    def comparison(self) -> redundancy.Comparison:
        """The methods side by side."""
        return redundancy.compare(
            self.robot,
            self.targets,
            self.q0,
            self.task,
            cycles=self.cycles,
            time_step=self.time_step,
            gain=GAIN,
        )

    def method(self, name: str) -> redundancy.Contestant:
        """Return one method of the comparison."""
        return next(each for each in self.comparison.contestants if each.name == name)

    def in_plane(self, q: Array) -> Array:
        """Return where the tip is in the plane of the square, for configurations (t, n)."""
        places = self.robot.pose(q)[..., :3, 3] - self.origin
        return np.asarray(places @ self.axes.T)


def paper_study() -> IkStudy:
    """Return the example of the paper: three links, a square of 100 mm."""
    corners = CORNER + SIDE * np.array([[0, 0], [0, -1], [1, -1], [1, 0]])
    axes = np.eye(3)[:2]
    return IkStudy(load("chang3r"), "xy", _square(corners), GUESS, np.zeros(3), axes, PRINTED)


def study_of(robot: Robot) -> IkStudy:
    """Return a robot on an upright square of its own, near the middle of its joint ranges."""
    if robot.nq != robot.nv or robot.nq < 3:
        raise ClosedFormError(f"{robot.name}: expected an arm of three joints or more, each of one dof")
    lower, upper = limits_of(robot.model)
    limited = np.isfinite(lower) & np.isfinite(upper)
    middle, half = np.zeros(robot.nq), np.full(robot.nq, np.pi)
    middle[limited] = 0.5 * (lower[limited] + upper[limited])
    half[limited] = 0.5 * (upper[limited] - lower[limited])
    rng = np.random.default_rng(1987)
    task = _task_of(robot, middle + 0.4 * half * rng.uniform(-1, 1, robot.nq))
    for _ in range(TRIES):
        study = _square_at(robot, task, middle + 0.4 * half * rng.uniform(-1, 1, robot.nq))
        corners = redundancy.solve(robot, study.targets[::PER_SIDE], study.task, q0=study.q0, limits=False)
        if corners.converged.all() and study.path.converged.all() and not study.path.jumps:
            return study
    raise ClosedFormError(f"{robot.name}: found no square of {SIDE} m that it can follow")


def _task_of(robot: Robot, q: Array) -> str:
    """Return the largest task that leaves some self-motion and whose rows move independently at q."""
    R, J = robot.pose(q)[:3, :3], robot.jacobian(q)
    twist = np.concatenate([R @ J[:3], R @ J[3:]])
    for task in ("pose", "position", "xy"):
        rows = [ROWS.index(row) for row in read_task(robot.model, task).rows]
        if len(rows) < robot.nq and np.linalg.matrix_rank(twist[rows]) == len(rows):
            return task
    raise ClosedFormError(f"{robot.name}: not redundant for a pose, a position, or x and y of its tip")


def _square_at(robot: Robot, task: str, q: Array) -> IkStudy:
    """Return the study of a square whose first corner is the pose at q."""
    T = robot.pose(q)
    axes = np.eye(3)[:2] if task == "xy" else np.eye(3)[1:]
    places = _square(T[:3, 3] + SIDE * np.array([[0, 0], [0, -1], [1, -1], [1, 0]]) @ axes)
    targets = np.repeat(T[None], len(places), axis=0)
    targets[:, :3, 3] = places
    return IkStudy(robot, task, targets, q, np.zeros(3), axes)


def _square(corners: Array) -> Array:
    sides = [np.linspace(corners[k], corners[(k + 1) % 4], PER_SIDE + 1)[:-1] for k in range(4)]
    return np.concatenate([*sides, corners[:1]])
