"""Opening a log of several: read, checked, and the facts about it that all of them are planned by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...errors import ClosedFormError, listed
from ...loops import ClosedRobot
from ...robot import Robot
from ..logs.errors import LogError
from ..logs.log import STILL, Log
from ..logs.plausibility import ROWS, check_motion, check_plausible
from ..logs.reading import read_log
from ..logs.repetition import repetition, repetition_notes, sketch
from ..logs.rest import without_rest
from ..logs.signals import Filters, Samples, sampling_rate
from ..logs.sources import LogSource
from ..logs.transmission import Axis
from ..logs.velocities import chosen_filters
from ..regression.design import independent
from ..regression.loop_axes import motor_axes
from ..regression.split import Split
from .diagnosis import Diagnosis
from .gains import check_gains
from .locking import without_locked


@dataclass(frozen=True)
class Facts:
    """What is to be known of a log to plan the fit of all: its clock, its own cutoff, and what moves.

    `robot` is that of the joints that move, None if no joint is locked; `delay` that of measured velocities,
    None if they are not used. `drowned` and `biased` are those of `Chosen`. Logs with the same `content` hold
    the same numbers. `period` is that of the motion, None if it does not repeat; by its `sketch`
    it is compared with that of other logs.
    """

    name: str
    rate: float
    start: float
    stop: float
    rows: int
    cutoff: float
    delay: float | None
    drowned: bool
    biased: bool
    moving: tuple[bool, ...]
    robot: Robot | ClosedRobot | None
    axes: tuple[Axis, ...]
    lazy: bool
    notes: tuple[str, ...]
    doubts: tuple[str, ...]
    content: str
    period: float | None
    sketch: Array

    @property
    def duration(self) -> float:
        """Seconds from the first row to the last."""
        return self.stop - self.start


@dataclass(frozen=True)
class Opening:
    """How every log is opened: for which robot, with which joints locked, checked or not.

    `alone` says that there is no other log: all joints must move in it. `keep` says whether logs stay in
    memory, or are read again whenever they are needed. With `diagnose` implausible logs are doubted, not
    refused.
    """

    robot: Robot | ClosedRobot
    locked: Mapping[str, float] | Sequence[str] | str
    cutoff: float | None
    plausible: bool
    alone: bool
    keep: bool
    skip: bool
    lag: float = 0.0
    diagnose: bool = False

    def __call__(self, group: Sequence[LogSource]) -> list[Opened | Failure]:
        """Return the logs of a group, opened; those that cannot be are failures if they may be skipped."""
        found: list[Opened | Failure] = []
        for source in group:
            try:
                found.append(self.opened(source))
            except ClosedFormError as error:
                if not self.skip:
                    raise named(source.name, error, self.alone) from None
                found.append(Failure(source.name, str(error)))
        return found

    def read(self, source: LogSource) -> tuple[Robot | ClosedRobot, Log, tuple[str, ...]]:
        """Return the robot of the joints that move, their log, and a note about locked joints."""
        log = read_log(source.source, self.robot, **source.options)
        log = replace(log, rounding=log.steps)  # found once, for all logs that are made from this one
        if source.importance is not None:
            log = source.importance.applied(log)
        return without_locked(self.robot, log, self.locked)

    def opened(self, source: LogSource) -> Opened:
        """Return a log that was read and checked, and the facts about it."""
        robot, log, notes = self.read(source)
        suspicions = self._suspicions(lambda: check_plausible(robot, log))
        moving = log.ranges(ROWS) >= STILL
        if self.alone or not moving.any():
            check_motion(log)
        rate, middle = sampling_rate(log.time), log.middle(ROWS)
        chosen = chosen_filters("identify", self.cutoff, middle, rate)
        filters = replace(chosen.filters, lag=self.lag)
        suspicions += self._suspicions(
            lambda: check_gains(robot, log, filters.cutoff, lambda: _causes(robot, log, filters))
        )
        period = repetition(middle, rate)
        facts = Facts(
            name=source.name,
            rate=rate,
            start=float(log.time[0]),
            stop=float(log.time[-1]),
            rows=len(log),
            cutoff=filters.cutoff,
            delay=filters.delay,
            drowned=chosen.drowned,
            biased=chosen.biased,
            moving=tuple(moving.tolist()),
            robot=None if robot is self.robot else robot,
            axes=(*log.transmission.axes, *motor_axes(self.robot, robot)),
            lazy=log.lazy,
            notes=(*without_rest(log).remarks, *notes, *chosen.notes, *repetition_notes(period)),
            doubts=(*suspicions, *log.doubts),
            content=_content(middle),
            period=period,
            sketch=sketch(middle),
        )
        return Opened(self, source, facts, log if self.keep or not source.size else None)

    def _suspicions(self, check: Callable[[], Sequence[str] | None]) -> list[str]:
        """Return what a check of plausibility says against a log; its error too if a diagnosis is wanted."""
        try:
            return list(check() or ()) if self.plausible else []
        except LogError as error:
            if not self.diagnose:
                raise
            return [str(error)]


@dataclass(frozen=True)
class Opened:
    """A log that was read and checked; it stays in memory, or is read again."""

    opening: Opening
    source: LogSource
    facts: Facts
    kept: Log | None

    def log(self, split: Split) -> Log:
        """Return the log, in which joints at rest do not count where they would be fitted."""
        log = self.kept or self.opening.read(self.source)[1]
        return without_rest(log, split.held_out(log.time))


@dataclass(frozen=True)
class Failure:
    """A log that cannot be used, and why."""

    name: str
    reason: str


def facts_of(group: Sequence[Opened | Failure]) -> list[Facts | Failure]:
    """Return what is to be known of the logs of a group."""
    return [each.facts if isinstance(each, Opened) else each for each in group]


def difference(first: Facts, other: Facts, robot: Robot | ClosedRobot) -> str | None:
    """Return how the joints or gears of a log differ from those of the first; None if they do not.

    `robot` is that of logs in which no joint is locked.
    """
    joints, own = ((facts.robot or robot).joint_names for facts in (first, other))
    if own != joints:
        return (
            f"joints {listed(own, 8)} move, but {listed(joints, 8)} in {first.name}; identify them apart, or "
            "lock the same joints in all"
        )
    gears, own_gears = (
        [(axis.label, axis.direction.tolist()) for axis in facts.axes] for facts in (first, other)
    )
    if own_gears != gears:
        return f"couplings of its gears are not those of {first.name}; give all one reduction"
    return None


def check_moving(joints: Sequence[str], moving: NDArray[np.bool_]) -> None:
    """Refuse joints that do not move in any log to fit; `moving` (logs, joints) says in which they do."""
    still = [name for j, name in enumerate(joints) if not moving[:, j].any()]
    if still:
        raise LogError(
            f"joint(s) {', '.join(still)} do not move in any of {len(moving)} log(s) to fit; record them "
            f"moving, or lock them: locked=[{still[0]!r}]"
        )


def named(name: str, error: ClosedFormError, alone: bool = False) -> ClosedFormError:
    """Return an error that says which of several logs it is about."""
    if alone or name in str(error):
        return error
    return LogError(f"{name}: {str(error).removeprefix('log: ')}")


def _content(samples: Samples) -> str:
    """Return a digest of positions and efforts."""
    digest = blake2b(digest_size=16)
    for values in (samples.position, samples.effort):
        digest.update(np.ascontiguousarray(values, dtype=float).tobytes())
    return digest.hexdigest()


def _causes(robot: Robot | ClosedRobot, log: Log, filters: Filters) -> Sequence[Any]:
    base, _ = independent(robot, log.transmission.axes)
    return Diagnosis(base, log, filters).causes()
