"""Arms of six joints of every family with a closed form, their poses, and all solutions by search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

import closedform as cf

Array = np.ndarray

FAMILIES = (
    "axes 1 and 2 meet",
    "axes 1 and 2 parallel",
    "axes 2 and 3 meet",
    "axes 2 and 3 parallel",
    "any three axes",
    "third joint shifts",
    "wrist at the base",
    "three parallel axes",
    "three parallel axes backwards",
)


@dataclass(frozen=True)
class SixJoints:
    """An arm by its axes at home: directions h (6, 3), points o on them, and the pose of the tool."""

    h: Array
    o: Array
    turns: Array
    tool: Array

    def pose(self, q: Array) -> Array:
        """Return the pose of the tool at q (..., 6): a turn about each axis, or a shift, the last first."""
        R = np.broadcast_to(self.tool[:3, :3], (*q.shape[:-1], 3, 3))
        p = np.broadcast_to(self.tool[:3, 3], (*q.shape[:-1], 3))
        for k in reversed(range(6)):
            if self.turns[k]:
                turn = Rotation.from_rotvec((q[..., k, None] * self.h[k]).reshape(-1, 3)).as_matrix()
                turn = turn.reshape(*q.shape[:-1], 3, 3)
                R, p = turn @ R, self.o[k] + (turn @ (p - self.o[k])[..., None])[..., 0]
            else:
                p = p + q[..., k, None] * self.h[k]
        T = np.zeros((*q.shape[:-1], 4, 4))
        T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = R, p, 1.0
        return T

    def robot(self, rng: np.random.Generator) -> cf.Robot:
        """Return the robot, with frames of its bodies anywhere."""
        frames = [np.eye(4), *(_pose(rng) for _ in range(6))]
        placements, screws = [], []
        for k in range(6):
            R, p = frames[k + 1][:3, :3], frames[k + 1][:3, 3]
            placements.append(np.linalg.inv(frames[k]) @ frames[k + 1])
            axis, place = R.T @ self.h[k], R.T @ (self.o[k] - p)
            screws.append([*axis, *np.cross(place, axis)] if self.turns[k] else [0, 0, 0, *axis])
        robot = cf.Robot.from_screws(placements, screws)
        return robot.with_frame("pen", pose=np.linalg.inv(frames[-1]) @ self.tool)


def six_joints(family: str, seed: int) -> tuple[SixJoints, cf.Robot]:
    """Return a random arm of a family, by its axes and as a robot: oblique axes of either sign, any tool."""
    rng = np.random.default_rng(seed)
    h, o = Rotation.random(6, random_state=rng).as_matrix()[:, :, 2], rng.uniform(-0.4, 0.4, (6, 3))
    turns = np.ones(6, dtype=bool)
    if "three parallel" in family:
        h[1:4] = h[1] * rng.choice([-1, 1], (3, 1))
        o[5] = o[4] + 0.3 * (h[4] - h[5])  # both axes pass through o[4] + 0.3 h[4]
    else:
        o[3:] = o[3] + h[3:] * rng.uniform(-0.3, 0.3, (3, 1))
    first = 0 if "1 and 2" in family or family == "third joint shifts" else 1
    if "meet" in family or family == "third joint shifts":
        o[first + 1] = o[first] + 0.2 * h[first] - 0.1 * h[first + 1]
    elif family in ("axes 1 and 2 parallel", "axes 2 and 3 parallel", "wrist at the base"):
        h[first + 1] = -h[first]
    turns[2] = family != "third joint shifts"
    if family in ("wrist at the base", "three parallel axes backwards"):
        h, o = h[::-1], o[::-1]
    arm = SixJoints(h, o, turns, _pose(rng))
    return arm, arm.robot(rng)


def _pose(rng: np.random.Generator) -> Array:
    T = np.eye(4)
    T[:3, :3] = Rotation.random(random_state=rng).as_matrix()
    T[:3, 3] = rng.uniform(-0.3, 0.3, 3)
    return T


def every_solution(robot: cf.Robot, pose: Array, starts: int, steps: int = 30) -> Array:
    """Return all solutions that Newton's method finds from random starts, angles between -pi and pi."""
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (starts, 6))
    for _ in range(steps):
        D = np.linalg.inv(robot.pose(q)) @ pose
        twist = np.concatenate([Rotation.from_matrix(D[:, :3, :3]).as_rotvec(), D[:, :3, 3]], axis=-1)
        step = np.linalg.solve(robot.jacobian(q) + 1e-12 * np.eye(6), twist[..., None])[..., 0]
        q = q + step / np.maximum(1.0, np.abs(step).max(axis=-1, keepdims=True))
    q = wrapped(q)
    met = np.abs(robot.pose(q) - pose).max(axis=(-1, -2)) < 1e-11
    found: list[Array] = []
    for each in q[met]:
        if all(np.abs(wrapped(each - other)).max() > 1e-6 for other in found):
            found.append(each)
    return np.array(found).reshape(-1, 6)


def wrapped(angle: Array) -> Array:
    """Return angles between -pi and pi."""
    return (angle + np.pi) % (2 * np.pi) - np.pi
