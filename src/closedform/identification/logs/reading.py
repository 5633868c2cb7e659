"""Reading a log: its columns found, converted, checked and repaired."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...checks import choice, instance, number, real_array
from ...errors import ArgumentError
from ...robot import Robot
from .clock import believed_time
from .columns import WORDS, Chosen, choose, split_unit
from .log import LEAST_ROWS, STILL, Log
from .logfile import log_description
from .repairs import FEW, repeats, saturated, spikes, unwrapped
from .tables import LogError, Table, read_table
from .transmission import Transmission

CHECKED_ROWS = 1_000_000
"""Rows looked at together when a log in memory is checked."""

CLOCK_ROWS = 50_000
"""Rows by which the clock is judged."""

RATES = (1e-3, 1e8)
"""Samples per second that a clock may have."""

MISSING = ("few", "error", "drop")
"""What becomes of rows with a number that is not finite."""


def read_log(
    source: Any,
    robot: Robot,
    *,
    columns: Mapping[str, Any] | None = None,
    units: Mapping[str, str] | None = None,
    rate: float | None = None,
    reduction: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    gain: ArrayLike | None = None,
    motor_positions: bool = True,
    missing: str = "few",
) -> Log:
    """Return the log in a file or in arrays, its columns matched to the joints of a robot.

    `source` is a .csv or .parquet path, a data frame, a mapping of arrays (numpy or dask), a mapping
    {"position": path, "effort": path} of one file per quantity, or a .toml path that says all this
    (see `logfile`; options given here win). Columns are recognised by
    name (`time`, `q1`, `elbow_position [deg]`, `tau1`, ...) or named by `columns`; `units` holds
    for all columns of a quantity. `rate` in Hz stands in for a missing time column. `reduction`,
    `offset`, `gain` and `motor_positions` are those of `Transmission`, one entry per logged joint.

    Angles that jump by a turn are unwrapped, rows that stand out of their neighbours or repeat the row
    before are left out, saturated efforts are not fitted, and stamps that jitter around even rows are
    averaged; the log's `remarks` say how many. `missing` is what becomes of rows with a number that is
    not finite: left out up to 1 % of the log ("few"), refused ("error") or left out ("drop").

    >>> import numpy as np, closedform as cf
    >>> t = np.arange(1000) / 500
    >>> q = np.stack([np.sin(t), np.cos(3 * t)], axis=1)
    >>> log = read_log({"t": t, "q": np.degrees(q), "tau": 0 * q}, cf.load("2r"), units={"position": "deg"})
    >>> log.joints, float(np.abs(log.samples().position - q).max()) < 1e-14
    (('joint1', 'joint2'), True)
    """
    instance("read_log: robot", robot, Robot)
    if isinstance(source, Log):
        options = any(given is not None for given in (columns, units, rate, reduction, offset, gain))
        if options or motor_positions is not True or missing != "few":
            raise ArgumentError(
                "options of reading were given for a log that has been read; read it with them"
            )
        return source
    if isinstance(source, str | os.PathLike) and Path(source).suffix.lower() == ".toml":
        path, told = log_description(Path(source))
        given = {
            "columns": columns,
            "units": units,
            "rate": rate,
            "reduction": reduction,
            "offset": offset,
            "gain": gain,
            "motor_positions": None if motor_positions is True else motor_positions,
            "missing": None if missing == "few" else missing,
        }
        return read_log(path, robot, **{**told, **{k: v for k, v in given.items() if v is not None}})
    choice("missing", missing, MISSING)
    joints = _one_dof_joints(robot)
    table, name = _table(source)
    chosen, covered = choose(table, joints, columns, units)
    if "velocity" in chosen and len(chosen["velocity"].names) not in (1, len(covered)):
        del chosen["velocity"]  # of some joints only; it serves as a check, no more
    lengths = {key: len(v) for c in chosen.values() for key, v in zip(c.names, c.values, strict=True)}
    if len(set(lengths.values())) > 1:
        few, many = (pick(lengths, key=lengths.__getitem__) for pick in (min, max))
        raise LogError(
            f"{name}: columns differ in length: {few!r} has {lengths[few]} rows, {many!r} has "
            f"{lengths[many]}; cut them to the same rows"
        )
    arrays = {quantity: _stacked(found, len(covered), name, quantity) for quantity, found in chosen.items()}
    count = len(arrays["position"])
    if count < LEAST_ROWS:
        raise LogError(f"{name}: {count} row(s); dynamics shows in some seconds of motion, record for longer")
    time = _time(arrays.get("time"), rate, count, name, chosen)
    log = Log(
        covered,
        time,
        arrays["position"],
        arrays["effort"],
        arrays.get("velocity"),
        {quantity: np.array(found.scale) for quantity, found in chosen.items()},
        Transmission.of(len(covered), reduction, offset, gain, motor_positions),
        {quantity: found.names for quantity, found in chosen.items()},
        name,
        "drop" if missing == "drop" else "error",
        _turning(robot, covered),
    )
    if not log.lazy:
        log = _repaired(_without_missing(log, missing))
    time, note = believed_time(log.time, log.middle(CLOCK_ROWS))
    return replace(log, time=time, notes=(*log.notes, *([note] if note else [])))


def _without_missing(log: Log, missing: str) -> Log:
    """Return a log in memory without the rows that are not finite, where few enough or all may go."""
    fine = np.ones(len(log), dtype=bool)
    for values in log.raw(slice(None)).values():
        fine &= np.isfinite(values).all(axis=1)
    lost = int(np.count_nonzero(~fine))
    if not lost:
        return log
    if missing == "error" or (missing == "few" and lost > FEW * len(log)):
        for start in range(0, len(log), CHECKED_ROWS):
            log.samples(start, start + CHECKED_ROWS)  # which says where
    if len(log) - lost < LEAST_ROWS:
        raise LogError(
            f"{log.source}: {len(log) - lost} usable row(s), {lost} have numbers that are not finite; repair "
            "the log, or record for longer"
        )
    return _kept(log, fine, f"{lost} row(s) with numbers that are not finite are left out")


def _repaired(log: Log) -> Log:
    """Return a log in memory with its angles unwrapped, without dropouts, and with saturation marked."""
    if len(log) < LEAST_ROWS:
        return log
    angles = np.asarray(log.position, dtype=float) * log.scales["position"]
    angles, jumps = unwrapped(angles, log.turning)
    if jumps.any():
        names = ", ".join(f"{log.joints[j]} ({jumps[j]})" for j in np.flatnonzero(jumps))
        note = f"angles that jump by a turn are unwrapped, jumps by joint: {names}"
        log = replace(log, position=angles / log.scales["position"], notes=(*log.notes, note))
    log = replace(log, turning=())
    columns = np.concatenate([log.position, log.effort], axis=1)
    for find, words in (
        (spikes, "stand out of their neighbours (dropouts)"),
        (repeats, "repeat the row before in every column"),
    ):
        wrong = find(columns)
        if wrong.any() and np.count_nonzero(wrong) <= FEW * len(log):
            columns = columns[~wrong]
            log = _kept(log, ~wrong, f"{np.count_nonzero(wrong)} row(s) that {words} are left out")
            if len(columns) < LEAST_ROWS:
                return log
    moving = log.ranges(len(log)) >= STILL
    full = saturated(np.asarray(log.effort, dtype=float), moving.tolist())
    return replace(log, saturated=full) if full.any() else log


def _kept(log: Log, keep: NDArray[np.bool_], note: str) -> Log:
    """Return a log in memory of some of its rows."""
    parts = {name: values[keep] for name, values in log.raw(slice(None)).items()}
    return replace(log, time=log.time[keep], notes=(*log.notes, note), **parts)


def _turning(robot: Robot, joints: tuple[str, ...]) -> tuple[bool, ...]:
    """Return which joints turn, by name."""
    kinds = {
        body.joint_name: bool(body.joint.X[:3].any()) for body in robot.model.bodies if body.coupling is None
    }
    return tuple(kinds[name] for name in joints)


def _one_dof_joints(robot: Robot) -> tuple[str, ...]:
    if robot.nv != len(robot.joint_names):
        raise ArgumentError(
            f"robot {robot.name!r} has joints of several dofs (a floating base?); identification needs a "
            "fixed base and joints of one dof each"
        )
    return robot.joint_names


def _table(source: Any) -> tuple[Table, str]:
    """Return the table of a source, one file per quantity merged, and its name."""
    if not (
        isinstance(source, Mapping)
        and source
        and all(isinstance(v, str | os.PathLike) for v in source.values())
    ):
        return read_table(source), str(source) if isinstance(source, str | os.PathLike) else "log"
    merged: dict[str, Any] = {}
    unknown = [key for key in source if key not in WORDS or key == "time"]
    if unknown:
        raise ArgumentError(
            f"files of a log are given by quantity (position, effort, velocity); {unknown} given"
        )
    for quantity, path in source.items():
        for column, values in read_table(path).items():
            base, unit = split_unit(column)
            if base.strip(" -").lower() in WORDS["time"]:
                known = np.asarray(merged.setdefault("time" + (f" [{unit}]" if unit else ""), values))
                slack = 1e-6 * float(np.ptp(known))
                if known.shape != values.shape or np.abs(known - values).max() > slack:
                    raise LogError(f"{path}: its clock differs from the other files' clock; merge them")
                continue
            word = "" if any(base.lower().endswith(each) for each in WORDS[quantity]) else f" {quantity}"
            merged[f"{base}{word}" + (f" [{unit}]" if unit else "")] = values
    return merged, ", ".join(str(Path(path)) for path in source.values())


def _stacked(found: Chosen, joints: int, name: str, quantity: str) -> Any:
    """Return the columns of a quantity as one array (rows, joints), lazy where they are."""
    if quantity == "time":
        return found.values[0]
    if len(found.values) == 1 and found.values[0].ndim == 2:
        values = found.values[0]
    elif any(hasattr(column, "compute") for column in found.values):
        from dask import array as lazy  # noqa: PLC0415 (an extra; present where such columns are)

        values = lazy.stack(found.values, axis=1)  # type: ignore[no-untyped-call]
    else:
        values = np.stack(found.values, axis=1)
    if values.shape[1] != joints:
        raise LogError(
            f"{name}: {values.shape[1]} columns of {quantity} for {joints} joints: a log of another robot?"
        )
    return values


def _time(given: Any, rate: float | None, count: int, name: str, chosen: Mapping[str, Chosen]) -> Array:
    """Return the times in seconds, from the column or from the rate, and see that they increase."""
    if rate is not None:
        rate = number("rate", rate)
        if not RATES[0] <= rate <= RATES[1]:
            raise ArgumentError(
                f"rate is {rate:g}; expected samples per second from {RATES[0]:g} to {RATES[1]:g}"
            )
        return np.arange(count) / rate
    if given is None:
        raise LogError(f'{name}: no column of time (named "time" or "t"); add one or give rate= in Hz')
    time = real_array("time", given) * chosen["time"].scale[0]
    if not np.isfinite(time).all():
        raise LogError(f"{name}: time is not finite in row {int(np.flatnonzero(~np.isfinite(time))[0]) + 1}")
    steps = np.diff(time)
    if (steps == 0).any():
        rows = np.flatnonzero(steps == 0)
        raise LogError(
            f"{name}: {len(rows)} timestamp(s) repeat, the first in rows {rows[0] + 1} and {rows[0] + 2} "
            f"(t = {time[rows[0]]:g} s); remove such rows, or give rate= if the rows are evenly spaced"
        )
    if (steps < 0).any():
        row = int(np.flatnonzero(steps < 0)[0])
        raise LogError(
            f"{name}: time runs backwards from row {row + 1} to {row + 2}; sort the rows, or split the log"
        )
    step = float(np.median(steps))
    if not 1 / RATES[1] <= step <= 1 / RATES[0]:
        raise LogError(
            f"{name}: {step:.3g} s from row to row; expected {1 / RATES[1]:g} to {1 / RATES[0]:g} s: is the "
            'time in another unit? Say units={"time": "ms"}, or give rate= in Hz'
        )
    return time
