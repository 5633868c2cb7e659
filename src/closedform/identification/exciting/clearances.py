"""Clearances of a motion: gaps between spheres of the robot, boxes to stay out of, and a floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...checks import number, positive, real_array
from ...errors import ArgumentError, shown
from ...robot import Robot
from ...spheres import MOST_SPHERES, Spheres

FIXED = 1e-9
"""Change of a gap in metres below which no joint changes it."""

MOST_BOXES = 100
"""Boxes to stay out of."""


@dataclass(frozen=True)
class Gap:
    """Words for one gap: what keeps away from what."""

    what: str
    other: str

    def __str__(self) -> str:
        return f"{self.what} and {self.other}"


@dataclass(frozen=True, eq=False)
class Clearances:
    """Gaps that a motion must keep open: `gaps` names them, `least` is how wide they must stay, in metres.

    Spheres of the robot keep away from each other (the pairs of `spheres` that `pairs` selects), from
    `boxes` (k, 2, 3) of the base frame (those that joints move, `moving`) and from below the height `floor`
    (those that joints raise, `rising`). `ignored` is what no joint can bring apart.
    """

    robot: Robot
    spheres: Spheres
    pairs: NDArray[np.intp]
    boxes: Array
    floor: float | None
    moving: NDArray[np.intp]
    rising: NDArray[np.intp]
    least: float
    gaps: tuple[Gap, ...]
    ignored: tuple[str, ...] = field(default=())

    def distances(self, q: Array) -> Array:
        """Return the gaps (samples, gaps) in metres, negative if something overlaps."""
        return np.concatenate([part for part, *_ in self._parts(q)], axis=-1)

    def _parts(self, q: Array) -> list[tuple[Array, Array, NDArray[np.intp], NDArray[np.intp] | None]]:
        """Return gaps, their directions (samples, gaps, 3), and the spheres they are of (and against)."""
        x = self.spheres.centers(q)
        radius = self.spheres.radius
        i, j = self.spheres.pairs[self.pairs].T
        apart = x[:, i] - x[:, j]
        length = np.linalg.norm(apart, axis=-1)
        direction = apart / np.where(length > 0, length, 1.0)[..., None]
        parts: list[tuple[Array, Array, NDArray[np.intp], NDArray[np.intp] | None]] = [
            (length - radius[i] - radius[j], direction, i, j)
        ]
        for lower, upper in self.boxes:
            gap, normal = box_distance(x[:, self.moving], lower, upper)
            parts.append((gap - radius[self.moving], normal, self.moving, None))
        if self.floor is not None:
            height = x[:, self.rising, 2] - radius[self.rising] - self.floor
            up = np.broadcast_to([0.0, 0.0, 1.0], (*height.shape, 3))
            parts.append((height, up, self.rising, None))
        return parts

    def pulled_back(self, q: Array, weights: Array) -> Array:
        """Return sum_k weights_k d gap_k / dq, (samples, nv)."""
        forces = np.zeros((len(q), len(self.spheres.radius), 3))
        start = 0
        for gap, direction, own, other in self._parts(q):
            w = weights[:, start : start + gap.shape[1]]
            start += gap.shape[1]
            for k in np.flatnonzero(w.any(axis=0)):  # few gaps are too small
                push = w[:, k, None] * direction[:, k]
                forces[:, own[k]] += push
                if other is not None:
                    forces[:, other[k]] -= push
        x, poses = self.spheres.centers(q), self.spheres.poses(q)
        total = np.zeros((len(q), self.robot.nv))
        for body in np.unique(self.spheres.body):
            on = np.flatnonzero(self.spheres.body == body)
            if body < 0 or not forces[:, on].any():
                continue
            arms = x[:, on] - poses[:, body, None, :3, 3]
            moments = np.cross(arms, forces[:, on]).sum(axis=1)
            wrench = np.concatenate([moments, forces[:, on].sum(axis=1)], axis=1)
            J = self.robot.jacobian(q, self.robot.model.bodies[body].name, reference="world_aligned")
            total += np.einsum("ni,nij->nj", wrench, J)
        return total


def box_distance(x: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Return the signed distance of points (..., 3) from a box, negative within, and its gradient."""
    nearest = np.clip(x, lower, upper)
    away = x - nearest
    outside = np.linalg.norm(away, axis=-1)
    depths = np.concatenate([x - lower, upper - x], axis=-1)
    face = np.argmin(depths, axis=-1)
    normals = np.concatenate([-np.eye(3), np.eye(3)])[face]
    within = outside == 0
    depth = np.take_along_axis(depths, face[..., None], axis=-1)[..., 0]
    gap = np.where(within, -depth, outside)
    direction = np.where(within[..., None], normals, away / np.where(within, 1.0, outside)[..., None])
    return np.asarray(gap), np.asarray(direction)


def covering(robot: Robot, radius: float) -> list[tuple[str, Array, float]]:
    """Return spheres of one radius along the sticks of a robot: from joint to joint, and to its frames.

    They are at most a radius apart, so that a stick is covered to 87 % of the radius.
    """
    radius = positive("excitation: spheres (a radius)", radius)
    model = robot.model
    ends: dict[int, list[Array]] = {k: [] for k in range(-1, len(model.bodies))}
    for body in model.bodies:
        ends[body.parent].append(body.placement[:3, 3])
    for frame in model.frames:
        ends[frame.body].append(frame.placement[:3, 3])
    names = {-1: next(frame.name for frame in model.frames if frame.body == -1)}
    names |= {k: body.name for k, body in enumerate(model.bodies)}
    found: dict[tuple[str, tuple[float, ...]], None] = {}
    length = sum(float(np.linalg.norm(tip)) for tips in ends.values() for tip in tips)
    if length / radius > MOST_SPHERES:
        raise ArgumentError(
            f"excitation: spheres of {radius:g} m along {length:.3g} m of sticks; at most {MOST_SPHERES} "
            "are looked at: make them larger"
        )
    for k, tips in ends.items():
        for tip in [np.zeros(3), *tips]:
            steps = max(1, int(np.ceil(np.linalg.norm(tip) / radius)))
            for part in range(steps + 1) if np.any(tip) else (0,):
                place = tuple(np.round(tip * part / steps, 12).tolist())
                found[names[k], place] = None
    return [(name, np.array(place), radius) for name, place in found]


def checked_clearances(
    robot: Robot,
    spheres: Any,
    obstacles: Any,
    floor: float | None,
    clearance: float,
    postures: Array,
) -> Clearances | None:
    """Return the gaps that a motion must keep, judged by random postures; None if there are none.

    Without spheres, the origins of all frames that move stand for the robot, and self-collision is not seen.
    """
    boxes = _boxes(obstacles)
    height = None if floor is None else number("excitation: floor", floor)
    if spheres is None and not len(boxes) and height is None:
        return None
    if spheres is None:
        moving = [frame.name for frame in robot.model.frames if frame.body >= 0]
        balls = robot.spheres([(name, (0, 0, 0), 0.0) for name in dict.fromkeys(moving)])
    elif isinstance(spheres, Spheres):
        balls = spheres
    elif isinstance(spheres, int | float) and not isinstance(spheres, bool):
        balls = robot.spheres(covering(robot, spheres))
    else:
        balls = robot.spheres(spheres)
    names = [robot.model.bodies[b].name if b >= 0 else "the base" for b in balls.body]
    pairs, ignored = np.arange(len(balls.pairs)), list[str]()
    if spheres is None:
        pairs = pairs[:0]
    elif len(pairs):
        apart = balls.distances(postures)
        stuck = (apart < clearance).all(axis=0)
        fixed = np.ptp(apart, axis=0) < FIXED
        said = {f"spheres of {names[i]} and {names[j]}" for i, j in balls.pairs[stuck]}
        ignored += [f"{words} that overlap in every posture" for words in sorted(said)]
        pairs = np.flatnonzero(~(stuck | fixed))
    x = balls.centers(postures)
    spread = np.ptp(x, axis=0)
    moving_spheres = np.flatnonzero(spread.max(axis=-1) >= FIXED)
    rising = np.flatnonzero(spread[:, 2] >= FIXED)
    gaps = [Gap(names[i], names[j]) for i, j in balls.pairs[pairs]]
    for k in range(len(boxes)):
        gaps += [Gap(names[i], f"box {k + 1}") for i in moving_spheres]
    if height is not None:
        gaps += [Gap(names[i], "the floor") for i in rising]
        low = (spread[:, 2] < FIXED) & (x[0, :, 2] - balls.radius - height < clearance) & (balls.body >= 0)
        said = {
            f"spheres of {names[i]} too near to the floor, that no joint raises" for i in np.flatnonzero(low)
        }
        ignored += sorted(said)
    if not gaps:
        return None
    return Clearances(
        robot, balls, pairs, boxes, height, moving_spheres, rising, clearance, tuple(gaps), tuple(ignored)
    )


def _boxes(given: Any) -> Array:
    """Return boxes as an array (k, 2, 3) of lower and upper corners."""
    if given is None:
        return np.zeros((0, 2, 3))
    listed = isinstance(given, np.ndarray) and given.ndim > 0
    listed |= isinstance(given, Sequence) and not isinstance(given, str | bytes)
    if not listed or len(given) > MOST_BOXES:
        raise ArgumentError(
            f"excitation: obstacles is {shown(given)}; expected up to {MOST_BOXES} boxes (lower, upper)"
        )
    boxes = []
    for k, each in enumerate(given):
        box = real_array(f"excitation: obstacles[{k}]", each)
        if box.shape != (2, 3) or not (box[0] < box[1]).all():
            raise ArgumentError(
                f"excitation: obstacles[{k}] is {shown(each)}; expected (lower, upper) corners, lower < upper"
            )
        boxes.append(box)
    return np.array(boxes).reshape(-1, 2, 3)
