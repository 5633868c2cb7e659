"""Inverse kinematics as a method of the robot; what it needs is imported when it is called."""
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from .inverse_kinematics import Solutions


class RobotReaching:
    """Methods that find the coordinates of a robot from where its frames shall be."""

    def inverse_kinematics(
        self,
        pose: ArrayLike | Mapping[str, ArrayLike],
        frame: str | None = None,
        q0: ArrayLike | None = None,
        *,
        task: Any = "pose",
        criterion: Any = None,
        limits: bool | tuple[ArrayLike, ArrayLike] = True,
        weights: Mapping[str, Any] | None = None,
    ) -> Solutions:
        """Return the coordinates that bring a frame (default: the last that moves) to poses (..., 4, 4).

        An arm of six joints with a spherical wrist, or with three parallel axes like a UR5's, is solved
        in closed form: `branches` has all solutions, those nearest to `q0` first. Any other robot is
        searched from `q0`, or from a fixed table of starts, the same on every run. If a pose is not met,
        `found` is False and `q` is NaN; `closest`, `position_error` and `rotation_error` say how near it
        comes.

        `task` selects what is prescribed: "pose", "position" (then `pose` may be (..., 3)), "xy", rows out
        of rx, ry, rz, x, y, z along the base axes, or a mask of these six. `limits` are the robot's (True),
        none (False), or (lower, upper). A redundant robot takes what it comes to first, or the best for a
        `criterion` such as "manipulability" (`cf.redundancy` has more). Several frames at once are a mapping
        {frame: pose}, with a mapping of `weights` (a number, or one for rad and one for m) that says which
        matter more if not all can be met. Poses that are dask arrays give solutions of lazy arrays.

        >>> import numpy as np, closedform as cf
        >>> arm = cf.load("puma560")
        >>> T = arm.pose([0.3, -0.5, 0.4, 0.2, 0.9, -0.1])
        >>> found = arm.inverse_kinematics(T, q0=np.zeros(6))
        >>> found.q.round(6).tolist(), found.branches.shape
        ([0.3, -0.5, 0.4, 0.2, 0.9, -0.1], (8, 6))
        >>> T[:3, 3] += 2
        >>> bool(arm.inverse_kinematics(T).found)
        False
        """
        from .inverse_kinematics import solve

        return solve(
            self,  # type: ignore[arg-type]  # a robot
            pose,
            frame,
            q0,
            task=task,
            criterion=criterion,
            limits=limits,
            weights=weights,
        )
