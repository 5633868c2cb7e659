"""Modified Denavit-Hartenberg tables in Khalil's convention, serial or branched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import LARGEST, collected, real_array, text
from ..errors import ArgumentError, DescriptionError
from ..joints import Fixed, JointType, Prismatic, Revolute
from ..rotations import checked_pose
from .description import DEFAULT_GRAVITY, MAX_ELEMENTS, Description, Inertial, Joint, Link
from .entries import read_joint_entries
from .mdh_row import (
    Entry,
    LetteredRow,
    entry_problem,
    generic_values,
    letter_problems,
    letter_values,
    mdh_pose,
)

COLUMNS = ("sigma", "alpha", "d", "theta", "r")
BRANCH = ("gamma", "b")
"""Further columns of a tree: the turn about z and the shift along z that come first."""


def read_mdh(
    rows: ArrayLike | Sequence[Sequence[float | str]],
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
    letters: Mapping[str, float] | None = None,
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

    Any entry but sigma may be a letter such as "D3" or "-D3", a length or an angle that equations and base
    parameters keep. `letters` gives numbers for some or all of them, which numeric calls need.
    """
    text("source", source)
    plain, texts = _without_letters(rows)
    table = _table(plain, source)
    n = len(table)
    problems = _row_problems(table)
    problems += [f"row {j + 1}: {why}" for (j, _), text in texts.items() if (why := entry_problem(text))]
    lettered = {} if problems else _lettered(table, texts)
    problems += letter_problems(list(lettered.values()))
    values: dict[str, float | None] = {name: None for row in lettered.values() for name in row.letters}
    if not problems:  # else the letters of the table are not all known
        with collected(problems):
            values = letter_values(values, {} if letters is None else letters)
    # letters without a number stand for one that no special case has, while the rest is checked
    numbers = generic_values(list(values)) | {name: x for name, x in values.items() if x is not None}
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
        first = None if base is None or of.parents[j] >= 0 else np.asarray(base)
        written = None if j not in lettered else replace(lettered[j], before=first)
        T = mdh_pose(*row) if written is None else written.pose(numbers)
        links.append(Link(link_names[j + 1], of.inertials[j]))
        kind: type[JointType] = Prismatic if sigma == 1 else Revolute
        joints.append(
            Joint(
                name=of.joint_names[j],
                kind=kind.kind,
                parent=link_names[of.parents[j] + 1],
                child=link_names[j + 1],
                placement=T if first is None or written is not None else first @ T,
                subspace=kind.screws(axis=np.array([0.0, 0.0, 1.0])),
                armature=of.armature[j],
                row=written,
            )
        )
    if tool is not None:
        links.append(Link("tool"))
        joints.append(Joint("tool_mount", Fixed.kind, link_names[n], "tool", np.asarray(tool, dtype=float)))
    return Description(name, tuple(links), tuple(joints), gravity, source, citation, letters=values)


def _without_letters(rows: Any) -> tuple[Any, dict[tuple[int, int], str]]:
    """Return rows with zeros in place of texts, and the texts by row and column; sigma is no letter."""
    given = rows.tolist() if isinstance(rows, np.ndarray) and rows.dtype == object else rows
    if not isinstance(given, list | tuple) or len(given) > MAX_ELEMENTS:
        return rows, {}
    if any(isinstance(each, str) for each in given):
        given = [given]  # a table of one row
    plain = [list(row) if isinstance(row, list | tuple) else row for row in given]
    texts = {}
    for j, row in enumerate(plain):
        for i in range(1, len(row)) if isinstance(row, list) else ():
            if isinstance(row[i], str):
                texts[j, i], row[i] = row[i], 0.0
    return (plain, texts) if texts else (rows, {})


def _lettered(table: NDArray[np.float64], texts: Mapping[tuple[int, int], str]) -> dict[int, LetteredRow]:
    """Return the rows that have letters, by their index."""
    found = {}
    for j in sorted({j for j, _ in texts}):
        entries: list[Entry] = [texts.get((j, i), float(x)) for i, x in enumerate(table[j])]
        columns = zip((*COLUMNS, *BRANCH)[1:], entries[1:], strict=False)
        found[j] = LetteredRow(**dict[str, Any](columns))
    return found


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
