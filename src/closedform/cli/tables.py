"""Tables of numbers given on the command line: lists, and CSV files of motions, torques and targets."""
# ruff: noqa: PLC0415

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ArgumentError, shown

if TYPE_CHECKING:
    from ..arrays import Array
    from ..robot import Robot
    from ..trajectory import Trajectory

WAYPOINTS = 1000
"""Most rows of a motion that its spline passes through; of more, evenly spaced ones are taken."""


def numbers(option: str, given: str) -> Array:
    """Return the numbers of a text such as "1,2.5,3"; one number stands for all joints."""
    import numpy as np

    try:
        found = np.array([float(part) for part in given.split(",")])
    except ValueError:
        raise ArgumentError(f"{option} is {shown(given)}; expected a number, or several as 1,2.5,3") from None
    if np.isnan(found).any():
        raise ArgumentError(f"{option} is {shown(given)}; expected numbers, and nan is none")
    return found[0] if found.size == 1 else found


def table(option: str, path: Path) -> tuple[list[str], Array]:
    """Return the column names (none without a header) and the numbers (rows, columns) of a CSV file."""
    import numpy as np

    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    except (OSError, ValueError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ArgumentError(f"{option}: {path}: {reason}; give a CSV file of numbers") from None
    header = [cell.strip() for cell in rows.pop(0)] if rows and not _numeric(rows[0]) else []
    width = len(header) or len(rows[0]) if rows else 0
    for k, row in enumerate(rows, start=2 if header else 1):
        if len(row) != width or not _numeric(row):
            raise ArgumentError(
                f"{option}: {path}: row {k} is {shown(','.join(row))}; expected {width} numbers"
            )
    if not rows:
        raise ArgumentError(f"{option}: {path}: no rows of numbers")
    return header, np.array(rows, dtype=float)


def _numeric(row: list[str]) -> bool:
    try:
        [float(cell) for cell in row]
    except ValueError:
        return False
    return True


def motion(path: Path | None, robot: Robot) -> Trajectory | None:
    """Return the quintic spline through the rows of a CSV file, at rest at both ends; None without one.

    Its first column is the time. Columns named after the joints are taken, as `closedform excite`
    writes them; otherwise the columns after the time are the joints in order.
    """
    if path is None:
        return None
    import numpy as np

    from ..trajectory import spline

    if robot.nq != robot.nv:
        raise ArgumentError(
            f"--motion moves joints of one degree of freedom; {robot.name!r} has others: leave it out"
        )
    header, rows = table("--motion", path)
    joints = robot.joint_names
    bare = [_joint_of(name, joints) for name in header]
    if all(joint in bare for joint in joints):
        q = rows[:, [bare.index(joint) for joint in joints]]
    elif rows.shape[1] == 1 + len(joints):
        q = rows[:, 1:]
    else:
        raise ArgumentError(
            f"--motion: {path} has {rows.shape[1]} columns; expected the time and {len(joints)} joint(s) "
            f"({', '.join(joints)}), in this order or named so"
        )
    keep = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), WAYPOINTS)).round().astype(int))
    return spline(rows[keep, 0], q[keep])


def _joint_of(column: str, joints: Sequence[str]) -> str:
    """Return the joint that a column is named after, with or without a quantity and a unit in brackets."""
    without = re.sub(r"\s*\[[^\[\]]*\]$", "", column)
    names = (column, without, column.removesuffix("_position"), without.removesuffix("_position"))
    return next((name for name in names if name in joints), without)


def neutral_within_limits(robot: Robot) -> Array:
    """Return the neutral coordinates, of joints whose limits exclude these the nearest that they allow."""
    q = robot.neutral()
    for body in robot.model.independent:
        if body.joint.nq == 1:
            q[body.iq] = min(max(q[body.iq], body.limits.lower), body.limits.upper)
    return q


def coordinate_names(robot: Robot, array: str = "qd") -> list[str]:
    """Return the joint of each entry of qd (or of q), with a number if it has several."""
    names = []
    for body in robot.model.independent:
        count = body.joint.nq if array == "q" else body.joint.nv
        own = body.joint_name
        names += [own] if count == 1 else [f"{own}.{k + 1}" for k in range(count)]
    return names


def written_table(robot: Robot, t: Array, **columns: Array) -> str:
    """Return a motion as CSV that `motion` reads: the time, then a column per joint of each quantity."""
    import numpy as np

    header = ["time [s]"]
    for what in columns:
        names = coordinate_names(robot, "q" if what == "position" else "qd")
        header += [f"{name}_{what}{unit}" for name, unit in zip(names, _units(robot, what), strict=True)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([f"{value:.12g}" for value in row] for row in np.column_stack([t, *columns.values()]))
    return text.getvalue()


def _units(robot: Robot, what: str) -> list[str]:
    """Return the units of the columns of a quantity; coordinates of a joint of several dofs have none."""
    per = {"position": "", "velocity": "/s", "acceleration": "/s^2"}.get(what)
    units = []
    for body in robot.model.independent:
        if what == "position" and body.joint.nq > 1:
            units += [""] * body.joint.nq
            continue
        for turns in body.joint.turns:
            base = "rad" if turns else "m"
            units.append(f" [{'N m' if turns else 'N'}]" if per is None else f" [{base}{per}]")
    return units


def torques(path: Path | None, joints: int, duration: float, step: float) -> Array | None:
    """Return torques at every step from the rows of a CSV file: the time, then one column per joint."""
    if path is None:
        return None
    import numpy as np

    _, rows = table("--torque", path)
    if rows.shape[1] != 1 + joints or (np.diff(rows[:, 0]) <= 0).any():
        raise ArgumentError(
            f"--torque: {path} has {rows.shape[1]} columns; expected rising times and {joints} torque(s)"
        )
    nodes = np.linspace(0.0, duration, max(1, int(np.ceil(duration / step - 1e-6))) + 1)
    return np.stack([np.interp(nodes, rows[:, 0], column) for column in rows[:, 1:].T], axis=-1)


def targets(path: Path) -> Array:
    """Return targets, one per row of a CSV file: places, x y z and a quaternion (x, y, z, w), or poses.

    Seven numbers are a place and a quaternion, sixteen the rows of a 4x4 pose.
    """
    import numpy as np

    _, rows = table("--path", path)
    return np.stack([target("--path", row) for row in rows])


def target(option: str, row: Array) -> Array:
    """Return up to three numbers, a place, as they are; seven or sixteen numbers as a pose (4, 4)."""
    import numpy as np

    if row.size == 16:
        return np.asarray(row.reshape(4, 4))
    if row.size <= 3:
        return row
    if row.size != 7:
        raise ArgumentError(
            f"{option}: a target of {row.size} numbers; expected 2 or 3 for a place, 7 for a place and a "
            "quaternion (x, y, z, w), or 16 for the rows of a 4x4 pose"
        )
    from scipy.spatial.transform import Rotation

    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_quat(row[3:]).as_matrix(), row[:3]
    return T
