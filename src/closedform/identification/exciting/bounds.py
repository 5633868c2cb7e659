"""Limits of an exciting motion, and postures within them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...checks import one_each, real_array
from ...errors import ArgumentError, shown
from ...robot import Robot
from ...trajectory.trajectory import limits

Box = tuple[Array, Array]
"""Lower and upper corner in the base frame."""

POSTURES = 2000
"""Random postures among which the motion's middle is sought."""


@dataclass(frozen=True)
class Bounds:
    """Limits of an exciting motion over the joints, and boxes for the origins of frames.

    Positions have finite ranges; the others are inf if there is no limit.
    """

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    torque: Array
    workspace: Mapping[str, Box]

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


def postures(robot: Robot, bounds: Bounds, rng: np.random.Generator) -> Array:
    """Return postures in which the robot can hold still within its limits, the middle one first."""
    middle, half = (bounds.lower + bounds.upper) / 2, (bounds.upper - bounds.lower) / 2
    q = middle + 0.6 * half * rng.uniform(-1, 1, (POSTURES, robot.nv))
    q[0] = middle
    fine = np.ones(POSTURES, bool)
    for frame, (low, high) in bounds.workspace.items():
        origin = robot.pose(q, frame)[..., :3, 3]
        inside = ((origin > low) & (origin < high)).all(axis=-1)
        if not inside.any():
            raise ArgumentError(
                f"excitation: none of {POSTURES} random postures has frame {frame!r} in its workspace box; "
                f"it comes from {origin.min(axis=0).round(3)} to {origin.max(axis=0).round(3)}"
            )
        fine &= inside
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
            f"excitation: none of {POSTURES} random postures holds still within the workspace and torque "
            "limits together; widen one of them"
        )
    return q[fine]
