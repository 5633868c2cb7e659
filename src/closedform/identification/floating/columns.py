"""Columns of a floating base: pose, twist, contacts and wrenches among the columns of a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...checks import known_name, real_array
from ...errors import ArgumentError, shown, similar
from ...robot import Robot
from ..logs.errors import LogError, LogTable

PARTS = {
    "base_position": ("x", "y", "z"),
    "base_quaternion": ("x", "y", "z", "w"),
    "base_twist": ("wx", "wy", "wz", "vx", "vy", "vz"),
    "wrench": ("mx", "my", "mz", "fx", "fy", "fz"),
    "force": ("x", "y", "z"),
}
"""Entries of each quantity, in the order of its columns."""

UNIT = 0.05
"""How far the length of a recorded quaternion may be from 1."""


def split_states(table: LogTable, robot: Robot) -> LogTable:
    """Return a table whose columns of all coordinates or velocities are parted into base and joints."""
    found = dict(table)
    for names, width, joints, base in (
        (("q", "position"), robot.nq, 7, {"base_position": slice(0, 3), "base_quaternion": slice(3, 7)}),
        (("qd", "velocity"), robot.nv, 6, {"base_twist": slice(0, 6)}),
    ):
        for name in names:
            values = found.get(name)
            if values is not None and values.ndim == 2 and values.shape[1] == width:
                found[name] = values[:, joints:]
                found |= {key: values[:, part] for key, part in base.items() if key not in found}
    return found


def entries(table: LogTable, quantity: str, frame: str = "") -> Array | None:
    """Return the columns of a quantity (rows, entries), given as one array or one column each."""
    name = f"{quantity}_{frame}" if frame else quantity
    parts = PARTS[quantity]
    if name in table:
        values = real_array(name, np.asarray(table[name]))
        if values.ndim != 2 or values.shape[1] != len(parts):
            raise LogError(f"column {name!r} has shape {values.shape}; expected (rows, {len(parts)})")
        return np.asarray(values)
    single = [f"{name}_{part}" for part in parts]
    there = [each for each in single if each in table]
    if not there:
        return None
    if len(there) < len(single):
        lost = next(each for each in single if each not in table)
        raise LogError(f"column {lost!r} is missing beside {there[0]!r}; expected {', '.join(single)}")
    return np.stack([real_array(each, np.asarray(table[each])) for each in single], axis=1)


def pose(table: LogTable) -> tuple[Array, Array]:
    """Return the base's positions and its unit quaternions, which must be there."""
    found = []
    for quantity in ("base_position", "base_quaternion"):
        values = entries(table, quantity)
        if values is None:
            columns = ", ".join(f"{quantity}_{part}" for part in PARTS[quantity])
            raise LogError(f"no {quantity} in the log; give an array of that name, or columns {columns}")
        found.append(values)
    length = np.linalg.norm(found[1], axis=1)
    wrong = np.flatnonzero(np.abs(length - 1) > UNIT)
    if wrong.size:
        row = int(wrong[0])
        raise LogError(
            f"base_quaternion has the length {length[row]:.4g} in row {row + 1}; expected unit quaternions "
            "x, y, z, w"
        )
    return found[0], found[1]


def frames_of(table: LogTable, quantity: str, robot: Robot) -> tuple[str, ...]:
    """Return the frames that columns of a quantity name, each of which the robot must have."""
    ends = [f"_{part}" for part in PARTS.get(quantity, ())]
    found: dict[str, None] = {}
    for name in table:
        if not name.startswith(f"{quantity}_"):
            continue
        frame = name.removeprefix(f"{quantity}_")
        if frame not in robot.frame_names:
            frame = next((frame.removesuffix(end) for end in ends if frame.endswith(end)), frame)
        if frame not in robot.frame_names:
            raise LogError(
                f"column {name!r}: the robot has no frame {frame!r}{similar(frame, robot.frame_names)}"
            )
        found[frame] = None
    return tuple(found)


def contacts_of(
    table: LogTable, given: Any, robot: Robot, time: Array
) -> dict[str, NDArray[np.bool_]] | None:
    """Return when each foot stands: as given, or by the columns; None if neither says anything."""
    rows = len(time)
    if given is None:
        frames = frames_of(table, "contact", robot)
        return {frame: _stands(frame, table[f"contact_{frame}"], rows) for frame in frames} or None
    if isinstance(given, Sequence) and not isinstance(given, str):
        for frame in given:
            known_name("contact frame", frame, robot.frame_names)
        given = dict.fromkeys(given, True)
    if not isinstance(given, Mapping):
        raise ArgumentError(
            f"contacts is {shown(given)}; expected frames that always stand, or a mapping of frames to "
            "booleans per row, a column's name or a function of time"
        )
    found = {}
    for frame, how in given.items():
        known_name("contact frame", frame, robot.frame_names)
        when = how(time) if callable(how) else how
        if isinstance(when, str):
            if when not in table:
                raise LogError(f"contacts: column {when!r} of {frame} does not exist{similar(when, table)}")
            when = table[when]
        found[frame] = _stands(frame, when, rows)
    return found


def _stands(frame: str, given: Any, rows: int) -> NDArray[np.bool_]:
    if isinstance(given, bool | np.bool_):
        return np.full(rows, bool(given))
    values = real_array(f"contact of {frame}", given)
    if values.shape != (rows,):
        raise LogError(f"contact of {frame} has shape {values.shape}; expected {rows} rows")
    wrong = np.flatnonzero((values != 0) & (values != 1))
    if wrong.size:
        raise LogError(
            f"contact of {frame} is {values[wrong[0]]:g} in row {wrong[0] + 1}; expected 0 (in the air) or 1 "
            "(stands): compare a measured force with a threshold first"
        )
    return np.asarray(values > 0.5)
