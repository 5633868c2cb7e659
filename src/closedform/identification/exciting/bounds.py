"""Limits of an exciting motion, and postures within them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...checks import one_each, real_array, sized_array
from ...errors import ArgumentError, shown
from ...robot import Robot
from ...trajectory.trajectory import limits
from .clearances import Clearances

Box = tuple[Array, Array]
"""Lower and upper corner in the base frame."""

POSTURES = 2000
"""Random postures among which the motion's middle is sought."""


@dataclass(frozen=True)
class Bounds:
    """Limits of an exciting motion over the joints, boxes for the origins of frames, and gaps to keep.

    Positions have finite ranges; the others are inf if there is no limit.
    """

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    torque: Array
    workspace: Mapping[str, Box]
    clearances: Clearances | None = None

    def narrowed(self, margin: float) -> Bounds:
        """Return limits of which the part `margin` stays free, on either side of a range."""
        lower, upper = _narrowed(self.lower, self.upper, margin)
        boxes = {frame: _narrowed(*box, margin) for frame, box in self.workspace.items()}
        others = {name: (1 - margin) * getattr(self, name) for name in ("velocity", "acceleration", "torque")}
        return replace(self, lower=lower, upper=upper, workspace=boxes, **others)


def _narrowed(lower: Array, upper: Array, margin: float) -> Box:
    """Return a range made smaller about its middle; one without an end stays as it is."""
    half = np.where(np.isfinite(upper - lower), (upper - lower) / 2, 0.0)
    return lower + margin * half, upper - margin * half


def checked_bounds(
    robot: Robot,
    turning: Mapping[str, bool],
    lower: ArrayLike | None,
    upper: ArrayLike | None,
    velocity: ArrayLike | None,
    acceleration: ArrayLike,
    torque: ArrayLike | None,
    workspace: Mapping[str, tuple[ArrayLike, ArrayLike]] | None,
) -> Bounds:
    """Return checked limits; a joint that lacks an end stop gets a range of one turn (or 2 m)."""
    n = robot.nv
    ends = []
    for name, given, own in (("lower", lower, robot.lower_limits), ("upper", upper, robot.upper_limits)):
        ends.append(one_each(f"excitation: {name}", own if given is None else given, n))
        if np.isnan(ends[-1]).any():
            raise ArgumentError(
                f"excitation: {name} is {shown(given)}; expected one number or {n}, one per joint"
            )
    low, high = ends
    reach = np.where(list(turning.values()), np.pi, 1.0)
    low = np.where(np.isinf(low), np.where(np.isinf(high), -reach, high - 2 * reach), low)
    high = np.where(np.isinf(high), low + 2 * reach, high)
    empty = np.flatnonzero(~(low < high))
    if empty.size:
        i = int(empty[0])
        raise ArgumentError(
            f"excitation: joint {robot.joint_names[i]!r} may move from {low[i]:g} to {high[i]:g}; "
            "expected lower < upper"
        )
    if torque is None:
        torque = robot.effort_limits if robot.model.has_inertia else np.inf
    return Bounds(
        low,
        high,
        limits("excitation: velocity", robot.velocity_limits if velocity is None else velocity, n),
        limits("excitation: acceleration", acceleration, n),
        limits("excitation: torque", torque, n),
        {frame: _box(robot, frame, box) for frame, box in (workspace or {}).items()},
    )


def _box(robot: Robot, frame: str, given: Any) -> Box:
    robot.model.frame(frame)  # refuses an unknown one
    name = f"excitation: workspace of {frame!r}"
    array = real_array(name, given)
    if array.shape != (2, 3) or not (array[0] < array[1]).all():
        raise ArgumentError(f"{name} is {shown(given)}; expected (lower, upper) corners, lower < upper")
    return array[0], array[1]


def random_postures(bounds: Bounds, rng: np.random.Generator) -> Array:
    """Return postures in the inner part of the joints' ranges, the middle one first."""
    middle, half = (bounds.lower + bounds.upper) / 2, (bounds.upper - bounds.lower) / 2
    q = middle + 0.6 * half * rng.uniform(-1, 1, (POSTURES, len(middle)))
    q[0] = middle
    return np.asarray(q)


def possible_postures(robot: Robot, bounds: Bounds, q: Array) -> Array:
    """Return the postures in which the robot can hold still within its limits."""
    fine = np.ones(len(q), bool)
    for frame, (low, high) in bounds.workspace.items():
        origin = robot.pose(q, frame)[..., :3, 3]
        inside = ((origin > low) & (origin < high)).all(axis=-1)
        if not inside.any():
            raise ArgumentError(
                f"excitation: none of {POSTURES} random postures has frame {frame!r} in its workspace box; "
                f"it comes from {origin.min(axis=0).round(3)} to {origin.max(axis=0).round(3)}"
            )
        fine &= inside
    if bounds.clearances is not None:
        clear = bounds.clearances.distances(q) > bounds.clearances.least
        if not clear.all(axis=-1).any():
            gap = bounds.clearances.gaps[int(np.argmin(clear.mean(axis=0)))]
            raise ArgumentError(
                f"excitation: none of {POSTURES} random postures keeps the clearance of "
                f"{bounds.clearances.least:g} m; most often {gap} are too near: make spheres or boxes "
                "smaller, or lower the floor"
            )
        fine &= clear.all(axis=-1)
    if np.isfinite(bounds.torque).any():
        weight = np.abs(robot.gravity_torque(q))
        heavy = weight.min(axis=0) > bounds.torque
        if heavy.any():
            i = int(np.argmax(heavy))
            raise ArgumentError(
                f"excitation: the torque limit {bounds.torque[i]:g} of joint {robot.joint_names[i]!r} "
                f"cannot be met: holding still takes at least {weight[:, i].min():.4g}"
            )
        fine &= (weight < 0.9 * bounds.torque).all(axis=-1)
    if not fine.any():
        raise ArgumentError(
            f"excitation: none of {POSTURES} random postures holds still within the workspace, clearances "
            "and torque limits together; widen one of them"
        )
    return np.asarray(q[fine])


def checked_start(robot: Robot, bounds: Bounds, given: ArrayLike) -> Array:
    """Return the posture in which a motion is to start and end; it must keep every limit at rest."""
    q = sized_array("excitation: start", given, (robot.nv,))
    words = "excitation: start violates the limits: "
    outside = np.flatnonzero((q < bounds.lower) | (q > bounds.upper))
    if outside.size:
        i = int(outside[0])
        raise ArgumentError(
            f"{words}joint {robot.joint_names[i]!r} is at {q[i]:g}, its range with the margin is "
            f"{bounds.lower[i]:.4g} to {bounds.upper[i]:.4g}"
        )
    for frame, (low, high) in bounds.workspace.items():
        origin = robot.pose(q, frame)[:3, 3]
        if not ((origin > low) & (origin < high)).all():
            raise ArgumentError(f"{words}frame {frame!r} is at {origin.round(4)}, outside of its box")
    if bounds.clearances is not None:
        gaps = bounds.clearances.distances(q[None])[0]
        k = int(np.argmin(gaps))
        if gaps[k] <= bounds.clearances.least:
            raise ArgumentError(
                f"{words}the gap between {bounds.clearances.gaps[k]} is {gaps[k]:.4g} m, the clearance "
                f"{bounds.clearances.least:g} m"
            )
    if np.isfinite(bounds.torque).any():
        weight = np.abs(robot.gravity_torque(q))
        i = int(np.argmax(weight / bounds.torque))
        if weight[i] >= bounds.torque[i]:
            raise ArgumentError(
                f"{words}joint {robot.joint_names[i]!r} needs {weight[i]:.4g} to hold still; its limit "
                f"with the margin is {bounds.torque[i]:.4g}"
            )
    return q
