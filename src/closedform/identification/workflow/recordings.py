"""Recordings: the logs of an identification, opened, planned together, and reduced to moments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import ArgumentError, listed
from ...loops import ClosedRobot
from ...robot import Robot
from ..logs.cutoff import widest_cutoff
from ..logs.errors import LogError
from ..logs.log import Log
from ..logs.repetition import held_out_notes, motion_notes, motions
from ..logs.signals import Filters, noise_correlation
from ..logs.sources import LogSource
from ..regression.moments import LAGS, Moments
from ..regression.payload_columns import LoadedColumns, PayloadParameters
from ..regression.payload_states import PayloadState, check_states
from ..regression.rows import Columns
from ..regression.split import FILES, FOLDS, HoldOut, Split, held_out_logs
from .gathering import MIXED, PERIODS, Gathering, Plan, errors_of, log_of
from .joint_payload import IdentifiedPayload, mass_doubts
from .log_results import SHOWN, LogResult, log_lines, repeated
from .opening import Facts, Failure, Opening, check_moving, difference, facts_of, named
from .prediction import Trace
from .runners import Cluster, Runner, Tell, in_groups
from .sampling import sampled

KEPT = 2**30
"""Bytes of files, per worker, up to which logs stay in memory after they were read."""

MOST_RATES = 8
"""Sampling rates of which the filters' correlation is computed; logs differ in few."""

TRACED = 200_000
"""Rows of which measured and predicted torques are kept for pictures."""

PICTURED = 20
"""Logs of which they are kept, held-out ones first."""


@dataclass(frozen=True)
class Recording:
    """A log by name, and how it is used."""

    name: str
    log: Log
    filters: Filters
    split: Split


class Recordings:
    """The logs of an identification: the facts about them, how each is used, and where they are.

    `failures` are those that were skipped.
    """

    def __init__(self, sources: Sequence[LogSource], opening: Opening, runner: Runner, tell: Tell) -> None:
        if isinstance(runner, Cluster):
            sources = [source.absolute for source in sources]
        self.opening, self.runner = opening, runner
        self.names = [source.name for source in sources]
        parts = in_groups(sources)
        self._place = {source.name: k for k, part in enumerate(parts) for source in part}
        given = parts if all(source.is_file for source in sources) else runner.sent(parts)
        self._groups = runner.spread(opening, given, tell)
        told = runner.fetched(runner.spread(facts_of, self._groups, _quietly))
        found = [each for part in told for each in part]
        self.facts = {each.name: each for each in found if isinstance(each, Facts)}
        self.failures = {each.name: each.reason for each in found if isinstance(each, Failure)}
        self.plans: dict[str, Plan] = {}
        self.repetitions: tuple[str, ...] = ()
        self.payloads: tuple[PayloadParameters, ...] = ()
        self._check_any()
        self.robot: Robot | ClosedRobot = next(iter(self.facts.values())).robot or opening.robot
        self.axes = next(iter(self.facts.values())).axes
        for facts in list(self.facts.values()):
            self._check_alike(facts)

    @property
    def alone(self) -> bool:
        """Whether there is one log only."""
        return len(self.names) == 1

    def plan(self, hold_out: HoldOut, states: Mapping[str, PayloadState]) -> None:
        """Choose the cutoff, and which rows of which logs are fitted, in which folds.

        `states` has what the robot carries, by the name of the log.
        """
        each, whole = held_out_logs(hold_out, self.names)
        aside = {self.names[k] for k in whole}
        cutoff = self._cutoff()
        for name, facts in list(self.facts.items()):
            if facts.duration < PERIODS / cutoff:
                seconds = f"{facts.duration:.3g} s are too short for a cutoff of {cutoff:.3g} Hz"
                self._lose(name, LogError(f"{name}: {seconds}; record for longer, or raise cutoff"))
        fitted = [name for name in self.facts if name not in aside]
        if not fitted:
            raise LogError("no log is left to fit; hold out less, or look at what was skipped")
        moving = np.array([self.facts[name].moving for name in fitted])
        check_moving(self.robot.joint_names, moving)
        sketches, durations = zip(
            *((each.sketch, each.duration) for each in self.facts.values()), strict=True
        )
        motion = dict(zip(self.facts, motions(sketches, durations), strict=True))
        of = ([motion[name] for name in motion if (name in aside) is held] for held in (False, True))
        self.repetitions = motion_notes(*of)
        order = list(dict.fromkeys(motion[name] for name in fitted))
        by_log = len(order) >= FILES and bool(moving.all())
        for name, facts in self.facts.items():
            fold = order.index(motion[name]) % FOLDS if by_log and name in fitted else None
            what, stretch = "all" if name in aside else each, min(1.0, facts.duration / FOLDS)
            try:
                split = Split(facts.start, facts.stop, what, MIXED / cutoff, stretch, fold, facts.period)
            except ArgumentError as error:
                raise named(name, error, self.alone) from None
            payload = states[name].name if name in states else None
            filters = Filters(facts.rate, cutoff, self.opening.lag, facts.delay)
            self.plans[name] = Plan(filters, split, payload)
        every = {states[name].name: states[name] for name in self.facts if name in states}
        self.payloads = tuple(PayloadParameters(self.robot, state) for state in every.values())
        check_states(states, fitted, {each.state.name: each.body for each in self.payloads})

    def sample(self) -> Recordings:
        """Return some of the logs to fit and the main one; all unless there are many, or payloads."""
        names = None if self.payloads else sampled(self.plans)
        if names is None:
            return self
        names.add(self._main)
        found, used = copy(self), sorted({self._place[name] for name in names})
        found.plans = {name: plan for name, plan in self.plans.items() if name in names}
        found._groups = [self._groups[k] for k in used]
        found._place = {name: used.index(self._place[name]) for name in names}
        return found

    def shift(self, lag: float) -> None:
        """Take out a lag of the efforts, in seconds, of all logs."""
        for name, plan in self.plans.items():
            self.plans[name] = replace(plan, filters=replace(plan.filters, lag=lag))

    def narrow(self, cutoff: float) -> None:
        """Lower the cutoff of all logs."""
        self.plans = {name: plan.narrowed(cutoff) for name, plan in self.plans.items()}

    def gather(
        self,
        columns: Columns,
        tell: Tell,
        lags: int = LAGS,
        around: Callable[[Columns], Columns] = lambda columns: columns,
    ) -> tuple[Moments, list[Any]]:
        """Return the moments of all logs, and if there are lags those of each, where they were made.

        Columns of the payloads, if there are some, follow those given; `around` is put around both.
        """
        gathering = Gathering(self.plans, around(self._loaded(columns)), lags, self.opening.skip, self.alone)
        total: Moments
        total, shares = self.runner.joined(gathering, Moments.joined, self._groups, tell)
        rows = [triangle.rows for triangle in total.triangles(total.fitted)]
        lost = [name for name, count in zip(self.robot.joint_names, rows, strict=True) if not count]
        if lost and any(rows):
            raise ArgumentError(
                f"identify: mask or weights leave no rows of joint(s) {listed(lost, 8)} to fit; let more of "
                "their samples count, or lock joints that stay still"
            )
        return total, shares

    def results(self, shares: Sequence[Any], values: Array) -> tuple[LogResult, ...]:
        """Return what some values of the parameters predict of each log, from the shares of `gather`."""
        told = self.runner.fetched(self.runner.spread(partial(errors_of, values=values), shares, _quietly))
        found = {name: each for part in told for name, each in part.items()}
        lost = {name: each.reason for name, each in found.items() if isinstance(each, Failure)}
        self.failures.update(lost)
        return tuple(
            LogResult(
                name,
                self.plans[name].split.hold_out is not None,
                self.facts[name].duration,
                each,
                self.facts[name].notes,
                self.plans[name].payload,
            )
            for name, each in found.items()
            if name not in lost
        )

    @property
    def cutoff(self) -> float:
        """The cutoff of all logs, in Hz."""
        return next(iter(self.plans.values())).filters.cutoff

    @property
    def least_cutoff(self) -> float:
        """The least cutoff in Hz that leaves rows of all logs."""
        return max(plan.least_cutoff for plan in self.plans.values())

    @property
    def main(self) -> Recording:
        """The longest of the fitted logs, of those in which all joints move if there are some."""
        return self.recording(self._main)

    @property
    def _main(self) -> str:
        """The name of the main log."""
        fitted = [name for name, plan in self.plans.items() if plan.split.hold_out != "all"]
        return max(fitted, key=lambda name: (all(self.facts[name].moving), self.facts[name].duration))

    def recording(self, name: str) -> Recording:
        """Return one log, brought here."""
        plan, group = self.plans[name], self._groups[self._place[name]]
        task = partial(log_of, name=name, split=plan.split)
        (log,) = self.runner.fetched(self.runner.spread(task, [group], _quietly))
        return Recording(name, log, plan.filters, plan.split)

    def trace(self, design: Columns, values: Array, covariance: Array, main: Recording) -> Trace | None:
        """Return measured and predicted torques for pictures: of logs in this process, or of the main one.

        `values` are those of the design's parameters, then those of the payloads.
        """
        names = [main.name]
        if not isinstance(self.runner, Cluster):
            names = sorted(self.plans, key=lambda name: self.plans[name].split.hold_out is None)[:PICTURED]
        rows, parts = 0.0, []
        for name in sorted(names, key=self.names.index):
            facts, plan = self.facts[name], self.plans[name]
            rows += facts.rows / plan.filters.step
            if facts.lazy or rows > TRACED:  # would cost another pass over a lazy or very long log
                break
            log = main.log if name == main.name else self.recording(name).log
            columns = self.columns_of(design, name)
            parts.append(Trace.of(columns, values, covariance, log, plan.filters, plan.split))
        return Trace.joined(parts)

    def columns_of(self, columns: Columns, name: str) -> Columns:
        """Return columns as they are in one log, with those of the payload that it carries."""
        return self._loaded(columns).carrying(self.plans[name].payload)

    def _loaded(self, columns: Columns) -> Columns:
        """Return columns followed by those of the payloads."""
        return LoadedColumns(columns, self.payloads) if self.payloads else columns

    def mass_doubts(self, design: Columns, tell: Tell) -> list[str]:
        """Return which masses of payloads that were given contradict the logs."""

        def gathered(payloads: Sequence[PayloadParameters]) -> Moments:
            gathering = Gathering(
                self.plans, LoadedColumns(design, payloads), LAGS, self.opening.skip, self.alone
            )
            total: Moments = self.runner.joined(gathering, Moments.joined, self._groups, tell)[0]
            return total

        return mass_doubts(self.payloads, gathered, self.noise_correlation())

    def identified_payloads(self, values: Array, errors: Array) -> tuple[IdentifiedPayload, ...]:
        """Return the payloads of the values of all their parameters, and of their standard errors."""
        ends = np.cumsum([each.width for each in self.payloads])[:-1]
        parts = zip(self.payloads, np.split(values, ends), np.split(errors, ends), strict=True)
        return tuple(IdentifiedPayload.of(*part) for part in parts) if self.payloads else ()

    @property
    def biased(self) -> bool:
        """Whether noise of positions may bias least squares in a log."""
        return any(facts.biased for facts in self.facts.values())

    def noise_correlation(self) -> Array:
        """Return the correlation of white noise after the filters by lag, averaged over the logs' rates."""
        seconds: dict[float, float] = {}
        for facts in self.facts.values():
            seconds[facts.rate] = seconds.get(facts.rate, 0.0) + facts.duration
        rates = sorted(seconds, key=lambda rate: -seconds[rate])[:MOST_RATES]
        found = [noise_correlation(Filters(rate, self.cutoff), LAGS) for rate in rates]
        return np.asarray(np.average(found, axis=0, weights=[seconds[rate] for rate in rates]))

    def notes(self) -> list[str]:
        """Return what was repaired in each log, what is held out in vain, and which logs were skipped."""
        lines = {
            name: (*facts.notes, *held_out_notes(self.plans[name].split.repeated))
            for name, facts in self.facts.items()
        }
        found = [*self.repetitions, *self._told(lines)]
        if self.failures:
            reasons = listed([str(named(name, LogError(why))) for name, why in self.failures.items()], SHOWN)
            found = [f"{len(self.failures)} of {len(self.names)} logs are skipped: {reasons}", *found]
        return found

    def doubts(self) -> list[str]:
        """Return what could not be repaired in each log, and which logs are the same."""
        return [*repeated(self.facts), *self._told({name: each.doubts for name, each in self.facts.items()})]

    def drowned(self) -> list[str]:
        """Return a doubt about logs in which no motion stands out of the noise of the positions."""
        names = [name for name, facts in self.facts.items() if facts.drowned]
        where = "" if self.alone else f" of {listed(names, 5)}"
        doubt = (
            f"no motion stands out of the noise of the positions{where}: the cutoff of {self.cutoff:.3g} Hz "
            "is chosen by the noise alone, give cutoff= in Hz"
        )
        return [doubt] if names else []

    def _told(self, lines: Mapping[str, Sequence[str]]) -> list[str]:
        """Return lines about logs, which say about which unless there is but one."""
        return [*next(iter(lines.values()))] if self.alone else log_lines(lines)

    def too_few(self, message: str) -> LogError:
        """Return the error of too few rows."""
        if self.alone:
            return self.main.log.too_few(message)
        return LogError(f"{len(self.facts)} logs: {message}")

    def _cutoff(self) -> float:
        if self.opening.cutoff is not None:
            return float(self.opening.cutoff)
        own = [facts.cutoff for facts in self.facts.values()]
        slowest = min(facts.rate for facts in self.facts.values())
        return min(float(np.median(own)), widest_cutoff(slowest))

    def _lose(self, name: str, error: LogError) -> None:
        """Skip a log, or raise the error about it."""
        if not self.opening.skip:
            raise error
        self.facts.pop(name)
        self.failures[name] = str(error)
        self._check_any()

    def _check_any(self) -> None:
        if not self.facts:
            name, reason = next(iter(self.failures.items()))
            raise LogError(f"none of {len(self.names)} log(s) can be used; {named(name, LogError(reason))}")

    def _check_alike(self, facts: Facts) -> None:
        """Refuse a log of other joints or gears than the first."""
        first = next(iter(self.facts.values()))
        reason = difference(first, facts, self.opening.robot)
        if reason is not None:
            self._lose(facts.name, LogError(f"{facts.name}: {reason}"))


def _quietly(done: float) -> None:
    """Tell nobody."""
