"""Modified Denavit-Hartenberg tables in Khalil's convention, serial or branched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import LARGEST, collected, real_array, text
from ..errors import ArgumentError, DescriptionError
from ..joints import Fixed, JointType, Prismatic, Revolute
from ..rotations import checked_pose, pose, snap_rotation
from .description import DEFAULT_GRAVITY, MAX_ELEMENTS, Description, Inertial, Joint, Link
from .entries import read_joint_entries

COLUMNS = ("sigma", "alpha", "d", "theta", "r")
BRANCH = ("gamma", "b")
"""Further columns of a tree: the turn about z and the shift along z that come first."""


def read_mdh(
    rows: ArrayLike,
    *,
    inertials: Sequence[Inertial | None] | None = None,
    parents: Sequence[int] | None = None,
    armature: Sequence[float] | None = None,
    name: str = "robot",
    gravity: tuple[float, float, float] = DEFAULT_GRAVITY,
    joint_names: Sequence[str] | None = None,
    base: ArrayLike | None = None,
    tool: ArrayLike | None = None,
    source: str = "modified DH table",
    citation: str = "",
) -> Description:
    """Return the description of rows (sigma, alpha, d, theta, r), one per joint.

    The pose of frame j in its antecedent is Rx(alpha) Tx(d) Rz(theta) Tz(r)
    [GautierKhalil1990, section II]; sigma is 0 for a revolute joint (q adds to theta) and 1
    for a prismatic one (q adds to r). Rows of a tree may have gamma and b as well, for
    Rz(gamma) Tz(b) before the rest [KhalilKleinfinger1986]. `parents[j]` is the row (from 0) of the
    antecedent of row j, or -1 for the base; without it the robot is one chain. `inertials` are those
    of the bodies in their own frames, None for a massless one; without them the description is geometry only.
    `armature` holds the rotor inertias seen at the joints, `joint_names` default to joint1, joint2, ...
    `base` is the 4x4 pose of the first frame (antecedent -1) in the base frame, by default the same;
    `tool` is the pose of an extra frame "tool" in the last frame, `gravity` an acceleration in the
    base frame. `source` and `citation` say where the figures come from, in messages and in saved files.
    """
    text("source", source)
    table = _table(rows, source)
    n = len(table)
    problems = _row_problems(table)
    of = read_joint_entries(
        n, problems, parents=parents, joint_names=joint_names, inertials=inertials, armature=armature
    )
    with collected(problems):
        tool = None if tool is None else checked_pose("tool", tool)
    with collected(problems):
        base = None if base is None else checked_pose("base", base)
    if problems:
        raise DescriptionError(source, problems)
    link_names = ["base"] + [f"link{j + 1}" for j in range(n)]
    links = [Link("base")]
    joints = []
    for j, (sigma, *row) in enumerate(table):
        T = mdh_pose(*row)
        links.append(Link(link_names[j + 1], of.inertials[j]))
        kind: type[JointType] = Prismatic if sigma == 1 else Revolute
        joints.append(
            Joint(
                name=of.joint_names[j],
                kind=kind.kind,
                parent=link_names[of.parents[j] + 1],
                child=link_names[j + 1],
                placement=T if base is None or of.parents[j] >= 0 else np.asarray(base) @ T,
                subspace=kind.screws(axis=np.array([0.0, 0.0, 1.0])),
                armature=of.armature[j],
            )
        )
    if tool is not None:
        links.append(Link("tool"))
        joints.append(Joint("tool_mount", Fixed.kind, link_names[n], "tool", np.asarray(tool, dtype=float)))
    return Description(name, tuple(links), tuple(joints), gravity, source, citation)


def mdh_pose(
    alpha: float, d: float, theta: float, r: float, gamma: float = 0.0, b: float = 0.0
) -> NDArray[np.float64]:
    """Return Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r) [KhalilKleinfinger1986]."""
    ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
    R = snap_rotation([[ct, -st, 0], [ca * st, ca * ct, -sa], [sa * st, sa * ct, ca]])
    T = pose(R, np.array([d, 0, 0]) + r * R[:, 2])
    if gamma == b == 0:
        return T
    cg, sg = np.cos(gamma), np.sin(gamma)
    return pose(snap_rotation([[cg, -sg, 0], [sg, cg, 0], [0, 0, 1]]), (0, 0, b)) @ T


def _table(rows: ArrayLike, source: str) -> NDArray[np.float64]:
    try:
        table = np.atleast_2d(real_array("rows", rows))
        widths = len(COLUMNS), len(COLUMNS + BRANCH)
        if table.ndim != 2 or table.shape[1] not in widths or len(table) > MAX_ELEMENTS:
            raise ArgumentError(f"rows has shape {table.shape}")
    except ArgumentError as error:
        columns = f"{', '.join(COLUMNS)}, and for a tree {', '.join(BRANCH)}"
        raise DescriptionError(
            source, [f"{error}; a table is (n, 5), n <= {MAX_ELEMENTS}, with columns {columns}"]
        ) from None
    return table


def _row_problems(table: NDArray[np.float64]) -> list[str]:
    problems = []
    for j, row in enumerate(table):
        if not (np.abs(row) <= LARGEST).all():
            problems.append(f"row {j + 1}: has a number that is not finite or beyond {LARGEST:g}")
        elif row[0] not in (0, 1):
            problems.append(f"row {j + 1}: sigma is {row[0]:g}; expected 0 (revolute) or 1 (prismatic)")
    return problems
