"""One file per quantity: each with columns and a clock of its own, joined at the rows of the positions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import ArgumentError, listed, shown
from .clock import at_rows, even_time, seconds
from .columns import found_columns, headerless, named_columns, numbers_of
from .errors import LogError, LogTable
from .signals import sampling_rate
from .units import factor, split_unit

FILES = ("position", "effort", "velocity", "time")
"""Quantities that may have a file of their own."""

SAME = 1e-6
"""Part of its duration by which two clocks of one log may differ."""


@dataclass(frozen=True)
class Part:
    """The columns of one quantity: by joint, with what their names say of units, and their clock."""

    path: str
    columns: dict[str, str]
    table: LogTable
    clock: Array | None

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.table.values())))


@dataclass(frozen=True)
class Joined:
    """One table of all files; `columns` names its columns by quantity and joint."""

    table: LogTable
    columns: dict[str, Any]
    notes: tuple[str, ...]


def is_one_file_each(source: Any) -> bool:
    """Return whether a source is a mapping of paths."""
    return (
        isinstance(source, Mapping)
        and bool(source)
        and all(isinstance(each, str | os.PathLike) for each in source.values())
    )


def joined(
    source: Mapping[str, Any],
    read: Callable[[Any], LogTable],
    joints_of: Callable[[str, LogTable], Sequence[str]],
    columns: Mapping[str, Any] | None,
    units: Mapping[str, str] | None,
    rate: Any,
) -> Joined:
    """Return the files of a log, which `read` reads, as one table on the clock of the positions.

    `joints_of` gives the joints that a quantity may be of, by its table. The clock of a file is its column of
    time, its entry of `rate`, or that of another file with as many rows.
    """
    unknown = [key for key in source if key not in FILES]
    if unknown:
        raise ArgumentError(f"files of a log are given by quantity ({', '.join(FILES)}); {unknown} given")
    missing = [quantity for quantity in ("position", "effort") if quantity not in source]
    if missing:
        raise LogError(f"no file of {missing[0]}; give one for position and one for effort")
    named, unit = columns or {}, (units or {}).get("time")
    parts: dict[str, Part] = {}
    notes: list[str] = []
    for quantity in (each for each in FILES if each in source):
        path = os.fspath(source[quantity])
        table = read(source[quantity])
        if not table:
            raise LogError(f"{path}: no columns")
        joints = joints_of(quantity, table)
        table = _clocked(table, joints)
        clock_name = _clock_name(table, quantity, joints, named)
        clock = None
        if clock_name is not None and not isinstance(rate, int | float):
            said = split_unit(clock_name)[1] if unit is None else unit
            clock = seconds(
                numbers_of(table, clock_name).reshape(-1), np.array([factor("time", said or None)]), path
            )
        rest = {name: values for name, values in table.items() if name != clock_name}
        if quantity == "time":
            parts[quantity] = Part(path, {}, table, clock)
            continue
        chosen, note = _columns(table if quantity in named else rest, path, quantity, joints, named)
        notes.extend(note)
        values = {name: numbers_of(table, name) for name in chosen.values()}
        if isinstance(rate, Mapping) and quantity in rate:
            clock = even_time(rate[quantity], len(next(iter(values.values()))))
        parts[quantity] = Part(path, chosen, values, clock)
    return _merged(parts, notes)


def _clocked(table: LogTable, joints: Sequence[str]) -> LogTable:
    """Return a lone matrix with a clock before its joints as columns without names, as Simulink writes it."""
    values = next(iter(table.values()))
    if len(table) > 1 or values.ndim != 2 or values.shape[1] != len(joints) + 1:
        return table
    if values.dtype.kind not in "fiu" or not (np.diff(values[:, 0]) > 0).all():
        return table
    return {str(k): column for k, column in enumerate(values.T)}


def _clock_name(
    table: LogTable, quantity: str, joints: Sequence[str], named: Mapping[str, Any]
) -> str | None:
    """Return the column of time of a file: named, found, or the one more than joints without a header."""
    elsewhere = isinstance(named.get("time"), str) and named["time"] not in table
    if "time" in named and len(table) > 1 and not elsewhere:
        name = named_columns(table, "time", named["time"], joints)[0][0]
        mine = named_columns(table, quantity, named[quantity], joints)[0] if quantity in named else ()
        return None if name in mine else name
    if quantity == "time" and len(table) == 1:
        return next(iter(table))
    found = found_columns(table, "time", joints)[0]
    if found:
        return found[0]
    plain = headerless(table) and quantity not in named and len(table) == len(joints) + 1
    return next(iter(table)) if plain else None


def _columns(
    table: LogTable, path: str, quantity: str, joints: Sequence[str], named: Mapping[str, Any]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the columns of a quantity by joint, named, found, or all in order, and a note of the latter."""
    whole = list(table)
    if quantity in named:
        return _by_joint(named_columns(table, quantity, named[quantity], joints), joints), ()
    for labels in (
        {name: name for name in table},
        {f"{split_unit(name)[0]} {quantity}": name for name in table},
    ):
        names, indices = found_columns(
            {label: table[name] for label, name in labels.items()}, quantity, joints
        )
        if names:
            return _by_joint(([labels[name] for name in names], indices), joints), ()
    for other in (each for each in FILES[:3] if each != quantity):
        wrong = found_columns(table, other, joints)[0]
        if wrong:
            raise LogError(
                f"{path}: column {shown(wrong[0])} is of {other}, but the file is given for {quantity}; were "
                f'files swapped? Say columns={{"{quantity}": [...]}} if not'
            )
    if len(whole) == 1 and table[whole[0]].ndim == 2:
        return dict.fromkeys(joints, whole[0]), ()
    if len(whole) != len(joints):
        some = listed([repr(name) for name in whole], 6) or "none"
        raise LogError(
            f"{path}: {len(whole)} columns ({some}) for the {quantity} of {len(joints)} joints; name them by "
            f'joint, or say columns={{"{quantity}": [...]}}'
        )
    note = f"the columns of {path} are taken as the {quantity} of the joints in the robot's order"
    return dict(zip(joints, whole, strict=True)), (note,)


def _by_joint(chosen: tuple[list[str], list[int]], joints: Sequence[str]) -> dict[str, str]:
    """Return names of columns by joint: one each, or one of a column with a number for every joint."""
    names, indices = chosen
    each = names * len(indices) if len(names) == 1 else names
    return dict(zip((joints[k] for k in indices), each[: len(indices)], strict=True))


def _merged(parts: dict[str, Part], notes: list[str]) -> Joined:
    """Return all columns at the rows of the positions."""
    common = parts.pop("time").clock if "time" in parts else None
    clocks = {quantity: part.clock for quantity, part in parts.items()}
    some = next((clock for clock in (common, *clocks.values()) if clock is not None), None)
    for quantity, part in parts.items():
        if part.clock is None and some is not None:
            if part.rows != len(some):
                raise LogError(
                    f"{part.path}: {part.rows} rows without a clock, and the clock of the other files has "
                    f'{len(some)}; add a column of time, or say rate={{"{quantity}": ...}} in Hz'
                )
            clocks[quantity] = some
    target = clocks["position"]
    table: LogTable = {}
    kept = None if target is None else np.ones(len(target), dtype=bool)
    columns: dict[str, Any] = {}
    for quantity, part in parts.items():
        clock, values = clocks[quantity], part.table
        if target is not None and clock is not None and kept is not None and not _same(clock, target):
            values, inside = at_rows(clock, values, target, part.path)
            kept &= inside
            notes.append(
                f"{quantity} has a clock of its own ({part.path}, {sampling_rate(clock):.4g} Hz) and is "
                f"interpolated at the rows of position ({sampling_rate(target):.4g} Hz); "
                f"{np.count_nonzero(~inside)} row(s) outside of it or in its gaps are left out"
            )
        names = {name: f"{part.path}: {name}" for name in values}
        if len(names) == 1 and values[next(iter(names))].ndim == 2:
            columns[quantity] = next(iter(names.values()))
        else:
            columns[quantity] = {joint: names[name] for joint, name in part.columns.items()}
        table |= {names[name]: array for name, array in values.items()}
    if target is not None:
        table["time"] = target
        columns["time"] = "time"
    if kept is not None and not kept.all():
        table = {name: array[kept] for name, array in table.items()}
    return Joined(table, columns, tuple(notes))


def _same(clock: Array, target: Array) -> bool:
    slack = SAME * float(np.ptp(target))
    return clock.shape == target.shape and bool(np.abs(clock - target).max() <= slack)
