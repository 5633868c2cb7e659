"""Logs: positions and efforts of the joints over time, in SI units whatever they were recorded in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..checks import real_array, whole_number
from ..errors import ArgumentError, shown
from ..robot import Robot
from .columns import WORDS, Chosen, choose, split_unit
from .logfile import log_description
from .tables import LogError, Table, read_table
from .transmission import Transmission

Array = NDArray[np.float64]

LEAST_ROWS = 50
"""Rows below which a file is no log of a motion."""

PAUSE = 1.0
"""Seconds (ten sampling times at least) without a row after which another recording begins."""

CHECKED_ROWS = 1_000_000
"""Rows looked at together when a log in memory is checked."""


@dataclass(frozen=True)
class Samples:
    """Rows of a log on the joint side, in memory: time (n,), position, effort and velocity (n, joints)."""

    time: Array
    position: Array
    effort: Array
    velocity: Array | None = None


@dataclass(frozen=True)
class Log:
    """A recorded motion; `position`, `effort` and `velocity` are arrays (rows, joints), perhaps lazy.

    `scales` are factors to SI per column, `transmission` leads from the motors to the joints.
    `missing` is what becomes of rows with a number that is not finite: "error" or "drop".
    """

    joints: tuple[str, ...]
    time: Array
    position: Any
    effort: Any
    velocity: Any
    scales: Mapping[str, Array]
    transmission: Transmission
    names: Mapping[str, tuple[str, ...]]
    source: str = "log"
    missing: str = "error"

    def __len__(self) -> int:
        return len(self.time)

    @property
    def lazy(self) -> bool:
        """Whether the arrays are read only when asked for."""
        return hasattr(self.position, "compute")

    @property
    def duration(self) -> float:
        """Seconds from the first row to the last."""
        return float(self.time[-1] - self.time[0])

    @cached_property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """First row and end of each stretch without a pause: nothing is interpolated between them."""
        steps = np.diff(self.time)
        pauses = np.flatnonzero(steps > max(PAUSE, 10 * float(np.median(steps)))) + 1
        return tuple(pairwise((0, *pauses.tolist(), len(self))))

    def middle(self, count: int) -> Samples:
        """Return at most `count` consecutive rows, from the middle of the longest run."""
        count = whole_number("log: count", count, 1)
        start, stop = max(self.runs, key=lambda run: run[1] - run[0])
        start = max(start, (start + stop - count) // 2)
        found = self.samples(start, min(stop, start + count))
        if len(found.time) < LEAST_ROWS:
            raise LogError(
                f"{self.source}: {len(found.time)} usable row(s) from row {start + 1} on; repair the log, or "
                "record for longer"
            )
        return found

    def ranges(self, count: int) -> Array:
        """Return how far each joint moves, judged by about `count` rows spread over the log."""
        count = whole_number("log: count", count, 1)
        rows = slice(None, None, max(1, len(self) // count))
        position = np.asarray(self.position[rows], dtype=float) * self.scales["position"]
        q = self.transmission.joint_positions(position)
        return np.asarray(np.nanmax(q, axis=0) - np.nanmin(q, axis=0))

    def samples(self, start: int = 0, stop: int | None = None) -> Samples:
        """Return rows on the joint side, checked: numbers finite, or the rows dropped."""
        start = whole_number("log: start", start, 0)
        stop = len(self) if stop is None else min(whole_number("log: stop", stop, 0), len(self))
        return self.converted(start, stop, self.raw(slice(start, stop)))

    def raw(self, rows: slice) -> dict[str, Any]:
        """Return rows of the recorded arrays by quantity, still lazy where they are."""
        arrays = {"position": self.position, "effort": self.effort, "velocity": self.velocity}
        return {name: values[rows] for name, values in arrays.items() if values is not None}

    def converted(self, start: int, stop: int, raw: Mapping[str, Any]) -> Samples:
        """Return recorded rows `start` to `stop` on the joint side, checked."""
        read = {name: np.asarray(values, dtype=float) * self.scales[name] for name, values in raw.items()}
        time = self.time[start:stop]
        keep = np.ones(len(time), dtype=bool)
        for name, values in read.items():
            fine = np.isfinite(values)
            if not fine.all() and self.missing == "error":
                raise LogError(self._gap(name, fine, start))
            keep &= fine.all(axis=1)
        if not keep.all():
            time, read = time[keep], {name: values[keep] for name, values in read.items()}
        velocity = self.transmission.joint_rates(read["velocity"]) if "velocity" in read else None
        position = self.transmission.joint_positions(read["position"])
        return Samples(time, position, self.transmission.joint_efforts(read["effort"]), velocity)

    def _gap(self, quantity: str, fine: NDArray[np.bool_], start: int) -> str:
        rows, columns = np.nonzero(~fine)
        names = self.names[quantity]
        column = names[columns[0]] if len(names) == fine.shape[1] else f"{names[0]} ({columns[0] + 1})"
        count = len(np.unique(rows))
        return (
            f"{self.source}: column {column!r} is not finite in {count} row(s), the first is row "
            f'{start + rows[0] + 1}; repair the log or say missing="drop", which leaves such rows out'
        )


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
    missing: str = "error",
) -> Log:
    """Return the log in a file or in arrays, its columns matched to the joints of a robot.

    `source` is a .csv or .parquet path, a data frame, a mapping of arrays (numpy or dask), a mapping
    {"position": path, "effort": path} of one file per quantity, or a .toml path that says all this
    (see `logfile`; options given here win). Columns are recognised by
    name (`time`, `q1`, `elbow_position [deg]`, `tau1`, ...) or named by `columns`; `units` holds
    for all columns of a quantity. `rate` in Hz stands in for a missing time column. `reduction`,
    `offset`, `gain` and `motor_positions` are those of `Transmission`, one entry per logged joint.

    >>> import numpy as np, closedform as cf
    >>> t = np.arange(1000) / 500
    >>> q = np.stack([np.sin(t), np.cos(3 * t)], axis=1)
    >>> log = read_log({"t": t, "q": np.degrees(q), "tau": 0 * q}, cf.load("2r"), units={"position": "deg"})
    >>> log.joints, float(np.abs(log.samples().position - q).max()) < 1e-14
    (('joint1', 'joint2'), True)
    """
    if isinstance(source, Log):
        options = any(given is not None for given in (columns, units, rate, reduction, offset, gain))
        if options or not motor_positions or missing != "error":
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
            "motor_positions": None if motor_positions else False,
            "missing": None if missing == "error" else missing,
        }
        return read_log(path, robot, **{**told, **{k: v for k, v in given.items() if v is not None}})
    if missing not in ("error", "drop"):
        raise ArgumentError(f'missing is {shown(missing)}; expected "error" or "drop"')
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
        missing,
    )
    if not log.lazy:
        for start in range(0, count, CHECKED_ROWS):
            log.samples(start, start + CHECKED_ROWS)
    return log


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
        if not (isinstance(rate, int | float) and np.isfinite(rate) and rate > 0):
            raise ArgumentError(f"rate is {shown(rate)}; expected samples per second")
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
    return time


def chosen_joints(log: Log, joints: tuple[str, ...]) -> Log:
    """Return the log of some of its joints."""
    if joints == log.joints:
        return log
    keep = [log.joints.index(name) for name in joints]
    if not log.transmission.direct:
        R = log.transmission.reduction
        others = [k for k in range(len(R)) if k not in keep]
        if R[np.ix_(keep, others)].any() or R[np.ix_(others, keep)].any():
            raise LogError(f"{log.source}: a locked joint is geared to one that moves; keep both")
    t = log.transmission
    part = Transmission(t.reduction[np.ix_(keep, keep)], t.offset[keep], t.gain[keep], t.motor_positions)
    pick = {
        q: values if len(values) == 1 else values[keep] for q, values in log.scales.items() if q != "time"
    }
    names = {q: n if len(n) == 1 else tuple(n[k] for k in keep) for q, n in log.names.items()}
    return replace(
        log,
        joints=joints,
        position=log.position[:, keep],
        effort=log.effort[:, keep],
        velocity=None if log.velocity is None else log.velocity[:, keep],
        scales=pick,
        transmission=part,
        names=names,
    )
