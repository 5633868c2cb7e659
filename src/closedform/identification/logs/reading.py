"""Reading a log: its columns found, converted, checked and repaired."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...checks import choice, file_path
from ...errors import ArgumentError
from ...loops import ClosedRobot
from ...robot import Robot
from ..joints import any_robot, driven_robot, turning_joints
from .clock import believed_time, even_time, gap_notes, in_order, scaled_time, seconds, window_rows
from .columns import Chosen, check_quantities, choose
from .errors import LogError
from .log import LEAST_ROWS, Log
from .loop_positions import LoopPositions, Recorded, moving_joints, torque_joints, wanted_joints
from .options import log_description
from .quantities import is_one_file_each, joined
from .repairs import repaired, without_missing
from .tables import read_table
from .transmission import Transmission

CLOCK_ROWS = 50_000
"""Rows by which the clock is judged."""

MISSING = ("few", "error", "drop")
"""What becomes of rows with a number that is not finite."""


def read_log(
    source: Any,
    robot: Robot | ClosedRobot,
    *,
    columns: Mapping[str, Any] | None = None,
    units: Mapping[str, str] | None = None,
    rate: float | Mapping[str, float] | None = None,
    window: Sequence[float | None] | None = None,
    topic: str | None = None,
    reduction: ArrayLike | None = None,
    offset: ArrayLike | None = None,
    gain: ArrayLike | None = None,
    motor_positions: bool = True,
    missing: str = "few",
) -> Log:
    """Return the log in a file or in arrays, its columns matched to the joints of a robot.

    `source` is a path (.csv, .txt, .parquet, .npz, .npy, .mat, .json; .mcap, .db3 or the folder of a ROS 2
    bag), a data frame, a mapping of arrays (numpy or dask), a mapping {"position": path, "effort": path} of
    one file per quantity, or a .toml path that gives all this (see `options`; options given here win).
    Columns are recognised by name (`time`, `q1`, `elbow_position [deg]`, `tau1`, ...), or `columns` gives
    their names or their indices from 0; `units` holds for all columns of a quantity. `rate` in Hz
    replaces a missing time column; files of their own may have a rate each, {"position": 1000,
    "effort": 250}. `window` is the part of the log to read, from and to in seconds on its clock; None for
    either leaves it open. `topic` is that of the joint states in a bag, if there are several.
    `reduction`, `offset`, `gain` and `motor_positions` are those of `Transmission`, one entry per logged
    joint.

    Angles that jump by a turn are unwrapped, rows that stand out of their neighbours or repeat the row
    before are left out, saturated efforts are not fitted, and stamps that jitter around even rows are
    averaged; the log's `remarks` say how many. `missing` is what becomes of rows with a number that is
    not finite: left out up to 1 % of the log ("few"), refused ("error") or left out ("drop").

    Of a robot with loops efforts are those of the actuated joints, positions those of the actuated joints, of
    the independent ones, or of these and others, by the names of the columns; without names, of the
    independent joints or of all. The log then has the positions of the actuated joints; others are compared
    with where the loops put them.

    >>> import numpy as np, closedform as cf
    >>> t = np.arange(1000) / 500
    >>> q = np.stack([np.sin(t), np.cos(3 * t)], axis=1)
    >>> log = read_log({"t": t, "q": np.degrees(q), "tau": 0 * q}, cf.load("2r"), units={"position": "deg"})
    >>> log.joints, float(np.abs(log.samples().position - q).max()) < 1e-14
    (('joint1', 'joint2'), True)
    """
    any_robot("read_log: robot", robot)
    options: dict[str, Any] = {
        "columns": columns,
        "units": units,
        "rate": rate,
        "window": window,
        "topic": topic,
        "reduction": reduction,
        "offset": offset,
        "gain": gain,
        "motor_positions": None if motor_positions is True else motor_positions,
        "missing": None if isinstance(missing, str) and missing == "few" else missing,
    }
    given = {option: value for option, value in options.items() if value is not None}
    if isinstance(source, Log):
        if given:
            raise ArgumentError(
                f"read_log: {', '.join(given)} given for a log that has been read; read it with these options"
            )
        return source
    if isinstance(source, str | os.PathLike) and file_path("log", source).suffix.lower() == ".toml":
        path, described = log_description(Path(source))
        return read_log(path, robot, **{**described, **given})
    choice("missing", missing, MISSING)
    driven = driven_robot(robot)
    turning = turning_joints("read_log", driven)
    name = _name(source)
    read = partial(read_table, topic=topic, joints=wanted_joints(robot))
    notes: tuple[str, ...] = ()
    if is_one_file_each(source):
        check_quantities(columns, units)
        both = joined(source, read, partial(moving_joints, robot, columns), columns, units, rate)
        table, columns, notes = both.table, both.columns, both.notes
        units = {quantity: unit for quantity, unit in (units or {}).items() if quantity != "time"}
        rate = None if isinstance(rate, Mapping) else rate
    else:
        table = read(source)
    try:
        loops = None if isinstance(robot, Robot) else LoopPositions.of(robot, table, columns)
        moving = None if loops is None else loops.joints
        chosen, covered = choose(table, torque_joints(robot), columns, units, moving)
    except LogError as error:
        raise LogError(f"{name}: {error}") from None
    moving = moving or covered
    if "velocity" in chosen and len(chosen["velocity"].names) not in (1, len(moving)):
        del chosen["velocity"]  # of some joints only; it serves as a check, no more
    lengths = {key: len(v) for c in chosen.values() for key, v in zip(c.names, c.values, strict=True)}
    if len(set(lengths.values())) > 1:
        few, many = (pick(lengths, key=lengths.__getitem__) for pick in (min, max))
        raise LogError(
            f"{name}: columns differ in length: {few!r} has {lengths[few]} rows, {many!r} has "
            f"{lengths[many]}; cut them to the same rows"
        )
    arrays = {
        quantity: _stacked(found, len(covered if quantity == "effort" else moving), name, quantity)
        for quantity, found in chosen.items()
    }
    count = len(arrays["position"])
    if count < LEAST_ROWS:
        raise LogError(f"{name}: {count} row(s); dynamics shows in some seconds of motion, record for longer")
    scales = {quantity: np.array(found.scale) for quantity, found in chosen.items()}
    if isinstance(rate, Mapping):
        raise ArgumentError("rate is a mapping; expected a number of one file, or one file per quantity")
    if rate is None and "time" not in arrays:
        raise LogError(f'{name}: no column of time (named "time" or "t"); add one or give rate= in Hz')
    if window is not None:
        stamps = even_time(rate, count) if rate is not None else scaled_time(arrays["time"], scales["time"])
        rows, words = window_rows(stamps, window, name)
        arrays = {quantity: values[rows] for quantity, values in arrays.items()}
        name, rate, scales["time"], arrays["time"] = words, None, np.ones(1), stamps[rows]
    if rate is None:
        fresh, more = in_order(arrays["time"], missing != "error")
        if fresh is not None:
            arrays, notes = {quantity: values[fresh] for quantity, values in arrays.items()}, (*notes, *more)
    transmission = Transmission.of(len(covered), reduction, offset, gain, motor_positions)
    if loops is not None:
        if rate is not None:
            arrays, rate = {**arrays, "time": even_time(rate, count)}, None
            scales["time"] = np.ones(1)
        recorded, transmission = loops.converted(Recorded(arrays, scales, notes), transmission, name, missing)
        arrays, scales, notes = dict(recorded.arrays), dict(recorded.scales), recorded.notes
        covered = driven.joint_names
    log = Log(
        covered,
        even_time(rate, count) if rate is not None else seconds(arrays["time"], scales["time"], name),
        arrays["position"],
        arrays["effort"],
        arrays.get("velocity"),
        scales,
        transmission,
        {quantity: found.names for quantity, found in chosen.items()},
        name,
        "drop" if missing == "drop" else "error",
        tuple(turning[joint] for joint in covered),
        notes=notes,
    )
    log = replace(log, notes=(*log.notes, *gap_notes(log.time, log.runs)))
    if not log.lazy:
        log = repaired(without_missing(log, missing))
    time, more = believed_time(log.time, log.middle(CLOCK_ROWS))
    return replace(log, time=time, notes=(*log.notes, *more))


def _name(source: Any) -> str:
    """Return what errors call a log."""
    if is_one_file_each(source):
        return ", ".join(str(Path(path)) for path in source.values())
    return str(source) if isinstance(source, str | os.PathLike) else "log"


def _stacked(found: Chosen, joints: int, name: str, quantity: str) -> Any:
    """Return the columns of a quantity as one array (rows, joints), lazy if they are."""
    if quantity == "time":
        return found.values[0]
    if len(found.values) == 1 and found.values[0].ndim == 2:
        values = found.values[0]
    elif any(hasattr(column, "compute") for column in found.values):
        from dask import array as lazy  # noqa: PLC0415 (an extra; there if a column is lazy)

        values = lazy.stack(found.values, axis=1)  # type: ignore[no-untyped-call]
    else:
        values = np.stack(found.values, axis=1)
    if values.shape[1] != joints:
        raise LogError(
            f"{name}: {values.shape[1]} columns of {quantity} for {joints} joints: a log of another robot?"
        )
    return values
