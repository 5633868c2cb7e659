"""Models as modified Denavit-Hartenberg tables: frames on the joint axes, along common normals.

The frame of a body has z along its joint axis and x along the common normal to the axis of the body
that it carries first [GautierKhalil1990, section II]. Bodies that it carries beside have gamma and b
too [KhalilKleinfinger1986].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..arrays import Array
from ..description.description import Inertial
from ..description.mdh import BRANCH, COLUMNS
from ..description.mdh_row import mdh_pose
from ..display import card, html_table
from ..errors import ClosedFormError
from ..rotations import ROUNDING, inverse, pose
from .body import Body
from .inertia import transform_phi
from .model import Model
from .writing import described_inertial

PARALLEL = 1e-13
"""Sine of an angle between axes that is only round-off."""

FAR = 1e3
"""Distance along an axis, in sizes of the robot, from which its digits are missing in torques."""


@dataclass(frozen=True, eq=False)
class MdhTable:
    """Rows (sigma, alpha, d, theta, r), for a tree also gamma and b, and what else makes the robot.

    The fields are the options of `Robot.from_mdh`, so that `Robot.from_mdh(**table)` is the robot again.
    """

    rows: Array
    name: str
    parents: list[int]
    joint_names: list[str]
    inertials: list[Inertial | None] | None
    armature: list[float]
    base: Array
    tool: Array | None
    gravity: tuple[float, float, float]

    def keys(self) -> Iterator[str]:
        """Return the names of the options of `Robot.from_mdh`."""
        return (field.name for field in fields(self))

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the rows; parents count rows from 1, and 0 is the base."""
        columns = (COLUMNS + BRANCH)[: self.rows.shape[1]]
        rows = [
            (name, parent + 1, *(row + 0.0).tolist())
            for name, parent, row in zip(self.joint_names, self.parents, self.rows, strict=True)
        ]
        return card(self.name, f"{len(rows)} joints", html_table(["joint", "parent", *columns], rows))

    def __str__(self) -> str:
        """Return the table as text; parents count rows from 1, and 0 is the base."""
        columns = (COLUMNS + BRANCH)[: self.rows.shape[1]]
        width = max(map(len, (*self.joint_names, "joint")))
        head = f"{'joint':{width}} parent " + " ".join(f"{each:>8}" for each in columns)
        lines = [
            f"{name:{width}} {parent + 1:6d} " + " ".join(f"{number + 0.0:8.4g}" for number in row)
            for name, parent, row in zip(self.joint_names, self.parents, self.rows, strict=True)
        ]
        return "\n".join([head, *lines])


def mdh_table(model: Model) -> MdhTable:
    """Return the table of a model, or say why it has none.

    Coordinates are those of the model; frames are not: inertias and the tool are in the table's frames.
    """
    for body in model.bodies:
        _check(model, body)
    if not model.bodies:
        raise ClosedFormError(f"to_mdh: robot {model.name!r} has no moving joint")
    size = max(*(float(np.linalg.norm(body.placement[:3, 3])) for body in model.bodies), 1e-3)
    placed: list[Array] = []  # the table's frames in those of the bodies
    numbers = []
    for i, body in enumerate(model.bodies):
        before = placed[body.parent] if body.parent >= 0 else np.eye(4)
        to_body = inverse(before) @ body.placement
        child = next((each for each in model.bodies if each.parent == i), None)
        placed.append(_frame(body, child, to_body))
        row = _row(to_body @ placed[i])
        if np.abs(row[[1, 3, 5]]).max() > FAR * size:
            raise ClosedFormError(
                f"to_mdh: the axis of joint {body.joint_name!r} and one next to it are so nearly parallel "
                "that their common normal is far away, and the table would lose digits; load with snap=1e-5"
            )
        numbers.append(row)
    rows = np.array(numbers)
    rows[np.abs(rows) < ROUNDING * max(size, 1.0)] = 0.0
    base = np.eye(4)
    roots = [i for i, body in enumerate(model.bodies) if body.parent < 0]
    if len(roots) == 1:  # then the base takes what a first row of five columns cannot say
        base = mdh_pose(0.0, 0.0, 0.0, 0.0, *rows[roots[0], 4:])
        rows[roots[0], 4:] = 0.0
    if not rows[:, 4:].any():
        rows = rows[:, :4]
    sigma = [float(body.joint.slides_along_axis) for body in model.bodies]
    last = model.default_frame
    tool = inverse(placed[-1]) @ last.placement if last.body == len(placed) - 1 else None
    gx, gy, gz = model.gravity.tolist()
    return MdhTable(
        rows=np.column_stack([sigma, rows]),
        name=model.name,
        parents=[body.parent for body in model.bodies],
        joint_names=[body.joint_name for body in model.bodies],
        inertials=_inertials(model, placed) if model.has_inertia else None,
        armature=[body.armature for body in model.bodies],
        base=base,
        tool=tool,
        gravity=(gx, gy, gz),
    )


def _check(model: Model, body: Body) -> None:
    """Refuse a joint that no row describes."""
    if body.coupling is not None:
        driver = model.bodies[body.coupling.body].joint_name
        raise ClosedFormError(
            f"to_mdh: joint {body.joint_name!r} follows {driver!r}, which a table cannot say; lock {driver!r}"
        )
    if not (body.joint.turns_about_axis or body.joint.slides_along_axis):
        raise ClosedFormError(
            f"to_mdh: joint {body.joint_name!r} is of kind {body.joint.kind!r}; a table has revolute and "
            "prismatic joints; lock it, or use save"
        )


def _inertials(model: Model, placed: list[Array]) -> list[Inertial | None]:
    pairs = zip(model.bodies, placed, strict=True)
    seen = [(body.name, transform_phi(body.phi, inverse(frame))) for body, frame in pairs]
    return [described_inertial(f"to_mdh: link {name!r}", phi) if phi.any() else None for name, phi in seen]


def _axis(body: Body) -> tuple[Array, Array]:
    """Return direction of and a point on the joint axis, in the frame of the body."""
    X = body.joint.X[:, 0]
    return (X[:3], body.joint.centre) if body.joint.turns_about_axis else (X[3:], np.zeros(3))


def _frame(body: Body, child: Body | None, to_body: Array) -> Array:
    """Return the table's frame in that of the body, which it is if that one will do.

    `to_body` is the pose of the body in the table's frame of its parent.
    """
    z, c = _axis(body)
    fits = np.abs(z - (0, 0, 1)).max() <= ROUNDING and np.abs(c).max() <= ROUNDING
    if child is not None:
        w, p = _axis(child)
        w, p = child.placement[:3, :3] @ w, child.placement[:3, :3] @ p + child.placement[:3, 3]
        x, foot = _common_normal(z, c, w, p)
    else:
        x = foot = None
    before = inverse(to_body)
    if x is None:  # any will do: that of the body, or one for which theta is zero
        x = np.array([1.0, 0, 0]) if fits else _across(z, before[:3, 0], before[:3, 1])
    elif fits and abs(x[0]) >= 1 - ROUNDING:
        x = x * np.sign(x[0])
    if foot is None:  # any will do: that of the body, or one for which r is zero
        foot = c if fits else _nearest(z, c, before)
    y = np.cross(z, x)
    return pose(np.column_stack([x, y, z]), foot)


def _common_normal(z: Array, c: Array, w: Array, p: Array) -> tuple[Array | None, Array | None]:
    """Return the direction of the common normal from the axis (z, c) to (w, p), and its foot on the first.

    Parallel axes have it everywhere, and coincident ones in every direction: None.
    """
    n = np.cross(z, w)
    sine = float(np.linalg.norm(n))
    if sine <= PARALLEL:
        away = (p - c) - ((p - c) @ z) * z
        length = float(np.linalg.norm(away))
        return (away / length if length > PARALLEL * max(1.0, float(np.linalg.norm(p))) else None), None
    x = n / sine
    foot = c + z * float(np.cross(p - c, w) @ n) / sine**2
    return (-x if x @ (p - c) < -PARALLEL else x), foot


def _across(z: Array, *candidates: Array) -> Array:
    """Return the unit vector across z that is nearest to a candidate, the one least along z."""
    parts = [each - (each @ z) * z for each in candidates]
    longest = max(parts, key=lambda each: float(each @ each))
    return np.asarray(longest / np.linalg.norm(longest))


def _nearest(z: Array, c: Array, before: Array) -> Array:
    """Return the point on the axis (z, c) nearest to the frame before, so that r is zero."""
    w, p = before[:3, 2], before[:3, 3]
    _, foot = _common_normal(z, c, w, p)
    return c + ((p - c) @ z) * z if foot is None else foot


def _row(D: Array) -> Array:
    """Return alpha, d, theta, r, gamma, b of a pose: D = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r)."""
    z, p = D[:3, 2], D[:3, 3]
    sine = float(np.hypot(z[0], z[1]))
    parallel = sine <= PARALLEL
    normal = p[:2] if parallel else np.array([-z[1], z[0]]) / sine
    length = float(np.linalg.norm(normal))
    x, y = (1.0, 0.0) if length <= PARALLEL else normal / length
    if x < -PARALLEL:
        x, y = -x, -y  # the nearer of two: gamma is zero if x is the normal, or against it
    gamma = np.arctan2(y, x)
    turned = np.array([[x, y, 0], [-y, x, 0], [0, 0, 1]])
    R, p = turned @ D[:3, :3], turned @ p
    alpha = float(np.arctan2(-R[1, 2], R[2, 2])) if not parallel else (0.0 if R[2, 2] > 0 else np.pi)
    if parallel:
        r, b = p[2] * np.sign(R[2, 2]), 0.0
    else:
        r = p[1] / R[1, 2]
        b = p[2] - r * R[2, 2]
    ca, sa = np.cos(alpha), np.sin(alpha)
    theta = np.arctan2(ca * R[1, 0] + sa * R[2, 0], R[0, 0])
    return np.array([alpha, p[0], theta, r, gamma, b])
