"""What the arm has to meet: rows of the pose of a frame, with their residual and its exact Jacobian."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..arrays import Array
from ..checks import known_name, real_array, text
from ..errors import ArgumentError, UnknownNameError, shown
from ..forms import Variant
from ..forms.rows import NAMED, ROWS
from ..guests import in_kind
from ..kernels import FormRecipe, Kernel
from ..model import Model
from .twist import form_at

LEAST_TRACE = 1e-12
"""Keeps the rotation residual finite half a turn away from the target."""


@dataclass(frozen=True)
class Task:
    """Rows of the pose of a frame that shall take given values.

    `rows` are names out of `ROWS`, in the order of the residual; `frame` is a frame's name.
    """

    rows: tuple[str, ...]
    frame: str

    def __post_init__(self) -> None:
        if not isinstance(self.rows, tuple | list):
            raise ArgumentError(f"task: rows is {shown(self.rows)}; expected names out of {', '.join(ROWS)}")
        for row in self.rows:
            known_name("task row", row, ROWS)
        text("task: frame", self.frame)
        object.__setattr__(self, "rows", tuple(self.rows))
        if not self.rows or len(set(self.rows)) != len(self.rows):
            raise ArgumentError(f"task {shown(self.rows)}: expected rows, none of them twice")

    @property
    def m(self) -> int:
        """Number of conditions on the joint angles."""
        return len(self.rows)

    @property
    def row_numbers(self) -> list[int]:
        """Positions of the rows in a twist: rotations 0-2, positions 3-5."""
        return [ROWS.index(row) for row in self.rows]

    @property
    def turns(self) -> bool:
        """Whether rotations are part of the task, so that a target is a pose."""
        return any(row.startswith("r") for row in self.rows)

    @property
    def target_shape(self) -> tuple[int, ...]:
        """Core shape of a target: a 4x4 pose, or one number per row."""
        return (4, 4) if self.turns else (self.m,)

    def residual(self, model: Model, q: SX, target: SX) -> tuple[SX, SX, SX]:
        """Return e = f(q) - x [Chang1987, Eq. (2)], its Jacobian de/dq and the rows of the twist Jacobian.

        Unit quaternions of ball and free joints add a condition each, so that coordinates may be treated
        as independent.
        """
        e, slope, twist = self.pose_error(model, q, target)
        if model.nq != model.nv:
            norms = [0.5 * (ca.sumsqr(q[k : k + 4]) - 1) for k in quaternions(model)]
            e = ca.vertcat(e, *norms)
            slope = ca.jacobian(e, q)
        return e, slope, twist

    def pose_error(self, model: Model, q: SX, target: SX) -> tuple[SX, SX, SX]:
        """Return the rows of the pose less the target, their derivative by qd, and those of the twist.

        Position rows are differences in the base frame. Rotation rows are those of 2 sin(a/2) u for
        the turn by the angle a about the axis u that leads from the target to the frame, in the base
        frame: the rotation vector for small angles, and growing up to half a turn. Its derivative is
        (cos(a/2) I - sin(a/2) u~) times the angular velocity.
        """
        T = form_at("pose", model, q, self.frame)
        twist = form_at("jacobian", model, q, self.frame, "world_aligned")
        R, p, keep = T[:3, :3], T[:3, 3], self.row_numbers
        if self.turns:
            Y = R @ target[:3, :3].T
            v = ca.vertcat(Y[2, 1] - Y[1, 2], Y[0, 2] - Y[2, 0], Y[1, 0] - Y[0, 1])
            w2 = ca.sqrt(1 + ca.trace(Y) + LEAST_TRACE)
            e = ca.vertcat(v / w2, p - target[:3, 3])
            turned = 0.5 * (w2 * twist[:3, :] - ca.skew(e[:3]) @ twist[:3, :])
            slope = ca.vertcat(turned, twist[3:, :])
            e, slope = e[keep], slope[keep, :]
        else:
            e = ca.vertcat(*(p[k - 3] for k in keep)) - target
            slope = twist[keep, :]
        return e, slope, twist[keep, :]

    def poses(self, model: Model) -> Kernel:
        """Return the kernel (q) -> pose of the frame."""
        return Kernel(FormRecipe(model, "pose", Variant(self.frame)), np.float64)

    @in_kind
    def targets(self, given: ArrayLike, name: str = "target") -> Array:
        """Return targets as an array (..., *target_shape); poses also serve tasks of positions."""
        x = real_array(name, given)
        if x.shape[-2:] == (4, 4):
            check_poses(name, x)
            if not self.turns:
                x = x[..., [k - 3 for k in self.row_numbers], 3]
            return x
        if not self.turns and x.ndim and x.shape[-1] == self.m:
            return x
        rows = ", ".join(self.rows)
        also = "(..., 4, 4)" if self.turns else f"(..., {self.m}) or (..., 4, 4)"
        known = {2: "task='xy'", 3: "task='position'"} if self.turns else {}
        hint = next((f"; for places give {known[n]}" for n in x.shape[-1:] if n in known), "")
        raise ArgumentError(f"{name} has shape {x.shape}; the task ({rows}) expects {also}{hint}")

    def selected(self, twists: Array) -> Array:
        """Return the rows (..., m) of twists (..., 6), or of what has the rows of the task alone."""
        return twists[..., self.row_numbers] if self.turns else twists

    def between(self, a: Array, b: Array, count: int) -> Array:
        """Return `count` targets from a to b: straight lines, and turns about one axis."""
        s = np.linspace(0.0, 1.0, count)
        if not self.turns:
            return np.asarray(a + s[:, None] * (b - a))
        T = np.repeat(a[None], count, axis=0)
        turn = Rotation.from_matrix(b[:3, :3] @ a[:3, :3].T).as_rotvec()
        T[:, :3, :3] = Rotation.from_rotvec(s[:, None] * turn).as_matrix() @ a[:3, :3]
        T[:, :3, 3] = a[:3, 3] + s[:, None] * (b - a)[:3, 3]
        return T

    def features(self, poses: Array) -> Array:
        """Return numbers of poses (b, 4, 4) whose squared distance compares them for this task."""
        position = [k - 3 for k in self.row_numbers if k >= 3]
        parts = [poses[:, position, 3]]
        if self.turns:
            parts.append(poses[:, :3, :3].reshape(len(poses), 9) / np.sqrt(2))
        return np.concatenate(parts, axis=-1)

    def target_features(self, targets: Array) -> Array:
        """Return the same numbers of targets."""
        return self.features(targets) if self.turns else targets


def read_task(model: Model, given: Any) -> Task:
    """Return the task of a name, a row selection, or (rows, frame).

    >>> import closedform as cf
    >>> read_task(cf.load("chang3r").model, "xy").rows
    ('x', 'y')
    """
    frame: str | None = None
    rows = given
    if isinstance(given, Task):
        model.frame(given.frame)
        return given
    pair = isinstance(given, tuple | list) and len(given) == 2
    if pair and (given[1] is None or given[1] in model.frame_names or _is_rows(given[0])):
        rows, frame = given
    named = model.frame(frame).name
    return Task(_row_names(rows), named)


def _is_rows(given: Any) -> bool:
    """Return whether the first of two entries can only be a selection, not a single row."""
    return isinstance(given, tuple | list) or (isinstance(given, str) and given not in ROWS)


def _row_names(rows: Any) -> tuple[str, ...]:
    if isinstance(rows, str):
        if rows in NAMED:
            return NAMED[rows]
        if rows in ROWS:
            return (rows,)
        if rows and set(rows) <= set("xyz"):
            return tuple(rows)
        raise UnknownNameError("task", rows, (*NAMED, "xy", *ROWS))
    if not isinstance(rows, Sequence | np.ndarray) or getattr(rows, "ndim", 1) == 0 or len(rows) == 0:
        expected = "a name, row names, or row numbers of the Jacobian (rotations 0-2, positions 3-5)"
        raise ArgumentError(f"task is {shown(rows)}; expected {expected}, alone or as (rows, frame)")
    names = []
    for row in rows:
        if isinstance(row, str) and row in ROWS:
            names.append(row)
        elif (
            isinstance(row, int | np.integer) and not isinstance(row, bool | np.timedelta64) and 0 <= row < 6
        ):
            names.append(ROWS[row])
        else:
            raise UnknownNameError("task row", row, (*ROWS, *map(str, range(6))))
    return tuple(names)


def quaternions(model: Model) -> list[int]:
    """Return where the quaternions of ball and free joints start in q."""
    turning = ((body.iq, body.joint.quaternion) for body in model.independent)
    return [iq + quaternion.start for iq, quaternion in turning if quaternion is not None]


def check_poses(name: str, x: Array) -> None:
    """Raise if one of these is not a pose; NaN passes, and is reported for its own sample."""
    R = x[..., :3, :3]
    off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(axis=(-1, -2), initial=0)
    mirrored = np.linalg.det(np.nan_to_num(R)) < -0.5
    last = np.abs(x[..., 3, :] - [0, 0, 0, 1]).max(axis=-1, initial=0) > 1e-6
    wrong = (off > 1e-6) | mirrored | last
    if wrong.any():
        first = tuple(np.argwhere(wrong)[0].tolist())
        why = f"its rotation is off by {off[first]:.2g} (R R^T - I)"
        why = "its rotation is mirrored (determinant -1)" if mirrored[first] and off[first] <= 1e-6 else why
        why = "its last row is not 0 0 0 1" if last[first] and off[first] <= 1e-6 else why
        raise ArgumentError(
            f"{name}{f' {list(first)}' if first else ''} is not a pose: {why}; expected a rotation matrix, a "
            "position and the row 0 0 0 1"
        )
