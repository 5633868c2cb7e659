"""Targets for the tip: the paper's square, a square that suits any arm, or those a user gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import redundancy
from ...arrays import Array
from ...errors import ClosedFormError
from ...forms.rows import ROWS
from ...loading import load
from ...redundancy.bounds import limits_of
from ...redundancy.task import read_task
from ...robot import Robot

GUESS = np.deg2rad([-40.5006, 141.6408, 78.4169])
"""Initial guess of [Chang1987], far from the optimum on purpose."""

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

PAPERS = redundancy.manipulability(squared=True, length=0.6)
"""The criterion of [Chang1987, Eq. (29)] with the Jacobian of Eq. (31), over the length of the first link."""

TRIES = 50
"""Squares tried for a robot other than the paper's."""

MARKED = 5
"""Targets of a given path that are listed: both ends, and some between."""


@dataclass(frozen=True)
class Route:
    """Targets (t, ...) of a task, where joint angles start, and the targets that are listed, by name.

    `words` say where the tip goes; `printed` are the angles of the paper at the listed targets.
    """

    robot: Robot
    task: Any
    targets: Array
    q0: Array | None
    marks: tuple[tuple[str, int], ...]
    words: str
    printed: Array | None = None


def paper_route() -> Route:
    """Return the example of [Chang1987]: three links, a square of 100 mm."""
    corners = CORNER + SIDE * np.array([[0, 0], [0, -1], [1, -1], [1, 0]])
    return _square_route(load("chang3r"), "xy", _square(corners), GUESS, PRINTED)


def given_route(robot: Robot, task: Any, given: ArrayLike, q0: Array | None) -> Route:
    """Return the targets a user gives: one, or a path of them."""
    chosen = read_task(robot.model, task)
    targets = chosen.targets(given)
    if targets.ndim == len(chosen.target_shape):
        targets = targets[None]
    count = len(targets)
    last = count - 2 if count > 2 and np.allclose(targets[0], targets[-1]) else count - 1
    places = sorted({round(k * last / (MARKED - 1)) for k in range(MARKED)})
    marks = tuple((f"target {k + 1}", k) for k in places)
    words = "meets one given target" if count == 1 else f"follows {count} given targets"
    return Route(robot, task, targets, q0, marks, words)


def square_route(robot: Robot, task: Any, criterion: Any) -> Route:
    """Return an upright square for any arm, near the middle of its joint ranges."""
    lower, upper = limits_of(robot.model)
    limited = np.isfinite(lower) & np.isfinite(upper)
    middle, half = np.zeros(robot.nq), np.full(robot.nq, np.pi)
    middle[limited] = 0.5 * (lower[limited] + upper[limited])
    half[limited] = 0.5 * (upper[limited] - lower[limited])
    rng = np.random.default_rng(1987)
    first = middle + 0.4 * half * rng.uniform(-1, 1, robot.nq)
    task = _task_of(robot, first) if task is None else task
    for _ in range(TRIES):
        route = _square_at(robot, task, middle + 0.4 * half * rng.uniform(-1, 1, robot.nq))
        corners = route.targets[::PER_SIDE]
        if not redundancy.solve(robot, corners, task, criterion, route.q0, limits=False).converged.all():
            continue
        path = redundancy.follow(robot, route.targets, task, criterion, route.q0, limits=False)
        if path.converged.all() and not path.jumps:
            return route
    raise ClosedFormError(
        f"{robot.name}: found no square of {SIDE} m that it can follow; give targets within its reach"
    )


def _task_of(robot: Robot, q: Array) -> str:
    """Return the largest task that leaves some self-motion and whose rows move independently at q."""
    R, J = robot.pose(q)[:3, :3], robot.jacobian(q)
    twist = np.concatenate([R @ J[:3], R @ J[3:]])
    for task in ("pose", "position", "xy"):
        rows = [ROWS.index(row) for row in read_task(robot.model, task).rows]
        if len(rows) < robot.nq and np.linalg.matrix_rank(twist[rows]) == len(rows):
            return task
    raise ClosedFormError(f"{robot.name}: not redundant for a pose, a position, or x and y of its tip")


def _square_at(robot: Robot, task: Any, q: Array) -> Route:
    """Return the square whose first corner is the pose at q."""
    chosen = read_task(robot.model, task)
    T = robot.pose(q, chosen.frame)
    axes = np.eye(3)[1:] if {"y", "z"} <= set(chosen.rows) else np.eye(3)[:2]
    places = _square(T[:3, 3] + SIDE * np.array([[0, 0], [0, -1], [1, -1], [1, 0]]) @ axes)
    targets = np.repeat(T[None], len(places), axis=0)
    targets[:, :3, 3] = places
    return _square_route(robot, task, chosen.targets(targets), q)


def _square_route(robot: Robot, task: Any, targets: Array, q0: Array, printed: Array | None = None) -> Route:
    marks = tuple((f"vertex {k + 1}", k * PER_SIDE) for k in range(4))
    words = f"goes round a square of {1e3 * SIDE:g} mm"
    return Route(robot, task, targets, q0, marks, words, printed)


def _square(corners: Array) -> Array:
    sides = [np.linspace(corners[k], corners[(k + 1) % 4], PER_SIDE + 1)[:-1] for k in range(4)]
    return np.concatenate([*sides, corners[:1]])
