"""Logs: positions and efforts of the joints over time, converted to SI units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...checks import text, whole_number
from ...lazy import cached_property
from .errors import LogError
from .faults import expendable, unwrapped
from .rounding import rounding_steps
from .signals import Samples, bridged
from .transmission import Transmission

LEAST_ROWS = 50
"""Rows that a log must have."""

STILL = 1e-4
"""Range (rad or m) below which a joint does not move."""

STEPPED = 50_000
"""Rows by which the steps of rounded positions are judged."""

PAUSE = 1.0
"""Seconds (ten sampling times at least) without a row after which another recording begins."""


@dataclass(frozen=True)
class Log:
    """A recorded motion; `position`, `effort` and `velocity` are arrays (rows, joints), perhaps lazy.

    `scales` are factors to SI per column, `transmission` leads from the motors to the joints.
    `missing` is what becomes of rows with a number that is not finite: "error" or "drop". `turning`
    says which joints turn, `saturated` which efforts (rows, joints) are cut off, `importance` (rows,
    joints) how much efforts count, `notes` what was repaired, `rounding` (joints,) the `steps` of positions
    if they are known already. `remarks` are the notes and one about saturation; `doubts` is what could not
    be repaired.
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
    turning: tuple[bool, ...] = ()
    saturated: NDArray[np.bool_] | None = None
    notes: tuple[str, ...] = ()
    importance: Array | None = None
    rounding: Array | None = None

    def __len__(self) -> int:
        return len(self.time)

    @property
    def lazy(self) -> bool:
        """Whether the arrays are read only when asked for."""
        return hasattr(self.position, "compute")

    @cached_property
    def expendable(self) -> NDArray[np.bool_]:
        """Which joints' saturated rows are few enough to be left out."""
        none = np.zeros(len(self.joints), dtype=bool)
        return none if self.saturated is None else expendable(self.saturated)

    @cached_property
    def trusted(self) -> NDArray[np.bool_] | None:
        """Which rows have efforts to fit; None if all have."""
        cut = self.saturated
        return None if cut is None else np.asarray(~cut[:, self.expendable].any(axis=1))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was repaired."""
        names = self._saturated(self.expendable)
        note = f"efforts that stay at their extreme count as saturated and are not fitted, rows: {names}"
        return (*self.notes, *([note] if names else []))

    @property
    def doubts(self) -> tuple[str, ...]:
        """What could not be repaired."""
        names = self._saturated(~self.expendable)
        doubt = (
            "efforts stay at their extreme, saturated or of a broken column, in too many of "
            f"{len(self)} rows to leave them out: {names}"
        )
        return (doubt,) if names else ()

    def _saturated(self, which: NDArray[np.bool_]) -> str:
        """Return some joints and in how many rows their efforts are saturated, as text."""
        if self.saturated is None:
            return ""
        counts = self.saturated.sum(axis=0) * which
        return ", ".join(f"{self.joints[j]} ({counts[j]})" for j in np.flatnonzero(counts))

    def too_few(self, message: str) -> LogError:
        """Return the error of too few rows: what it is about, and what was left out of the log."""
        left = "; ".join(self.remarks)
        message = text("log: message", message)
        return LogError(f"{self.source}: {message}" + (f". What was done to the log: {left}" if left else ""))

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

    @cached_property
    def steps(self) -> Array:
        """The steps that joint positions were rounded to, zero if they were not; those of motors add up."""
        if self.rounding is not None:
            return self.rounding
        start, stop = max(self.runs, key=lambda run: run[1] - run[0])
        start = max(start, (start + stop - STEPPED) // 2)
        position = np.asarray(self.position[start : min(stop, start + STEPPED)], dtype=float)
        steps = rounding_steps(position * self.scales["position"])
        return self.transmission.joint_steps(steps)

    def middle(self, count: int) -> Samples:
        """Return at most `count` consecutive rows, from the middle of the longest run."""
        count = whole_number("log: count", count, 1)
        start, stop = max(self.runs, key=lambda run: run[1] - run[0])
        start = max(start, (start + stop - count) // 2)
        found = self.samples(start, min(stop, start + count))
        if len(found.time) < LEAST_ROWS:
            raise self.too_few(
                f"{len(found.time)} usable row(s) from row {start + 1} on; repair the log, or record for "
                "longer"
            )
        return found

    def ranges(self, count: int) -> Array:
        """Return how far each joint moves, judged by about `count` rows spread over the log."""
        rows = slice(None, None, max(1, len(self) // whole_number("log: count", count, 1)))
        position = np.asarray(self.position[rows], dtype=float) * self.scales["position"]
        q = self.transmission.joint_positions(position)
        return np.asarray(np.nanmax(q, axis=0) - np.nanmin(q, axis=0))

    def samples(self, start: int = 0, stop: int | None = None) -> Samples:
        """Return rows on the joint side, checked: numbers finite, or the rows dropped."""
        start = whole_number("log: start", start, 0)
        stop = len(self) if stop is None else min(whole_number("log: stop", stop, 0), len(self))
        return self.converted(start, stop, self.raw(slice(start, stop)))

    def raw(self, rows: slice) -> dict[str, Any]:
        """Return rows of the recorded arrays by quantity, lazy if they are."""
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
        trusted = None if self.trusted is None else self.trusted[start:stop][keep]
        velocity = self.transmission.joint_rates(read["velocity"]) if "velocity" in read else None
        recorded = unwrapped(read["position"], self.turning)[0] if self.turning else read["position"]
        position = self.transmission.joint_positions(recorded)
        effort, importance = self.transmission.joint_efforts(read["effort"]), self.importance
        if importance is not None:
            importance = importance[start:stop][keep]
            effort = bridged(time, effort, importance > 0)
        return Samples(time, position, effort, velocity, trusted, importance, self.steps)

    def _gap(self, quantity: str, fine: NDArray[np.bool_], start: int) -> str:
        rows, columns = np.nonzero(~fine)
        names = self.names[quantity]
        column = names[columns[0]] if len(names) == fine.shape[1] else f"{names[0]} ({columns[0] + 1})"
        count = len(np.unique(rows))
        return (
            f"{self.source}: column {column!r} is not finite in {count} row(s), the first is row "
            f'{start + rows[0] + 1}; repair the log or say missing="drop", which leaves such rows out'
        )


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
        turning=tuple(log.turning[k] for k in keep) if log.turning else (),
        saturated=None if log.saturated is None else log.saturated[:, keep],
        importance=None if log.importance is None else log.importance[:, keep],
        rounding=None if log.rounding is None else log.rounding[keep],
    )
