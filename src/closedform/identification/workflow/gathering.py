"""What workers do with a group of logs: moments of all, and the torque errors of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...arrays import Array
from ...errors import ClosedFormError
from ..logs.log import Log
from ..logs.signals import Filters
from ..regression.moments import Moments, gather
from ..regression.rows import Columns, nothing_left
from ..regression.split import HELD_OUT, Split
from .opening import Failure, Opened, named
from .prediction import Errors, torque_errors

PERIODS = 20.0
"""Least length of a log, in periods of the cutoff."""

MIXED = 0.5
"""Periods of the cutoff by which fitted rows keep away from others: the filters mix them."""


@dataclass(frozen=True)
class Plan:
    """How one log is used: its filters, which of its rows are fitted, and what the robot carries in it."""

    filters: Filters
    split: Split
    payload: str | None = None

    def narrowed(self, cutoff: float) -> Plan:
        """Return the plan with a lower cutoff."""
        filters = replace(self.filters, cutoff=cutoff)
        return replace(self, filters=filters, split=replace(self.split, margin=MIXED / cutoff))

    @property
    def least_cutoff(self) -> float:
        """The least cutoff in Hz that leaves rows to fit."""
        seconds, block = self.split.stop - self.split.start, self.split.hold_out
        between = 4 * MIXED / block if isinstance(block, float | int) else 0.0
        return max(PERIODS / seconds, between)


@dataclass(frozen=True)
class Gathering:
    """The moments of a group of logs for some columns, and if there are lags of each log alone.

    Without lags models are compared, not results.
    """

    plans: Mapping[str, Plan]
    columns: Columns
    lags: int
    skip: bool
    alone: bool

    def __call__(self, group: Sequence[Opened | Failure]) -> tuple[Moments, dict[str, Moments | Failure]]:
        """Return the moments of the logs of a group that are used, joined, and by log."""
        total = Moments(self.columns.active, self.columns.width, self.lags, self.columns.both)
        shares: dict[str, Moments | Failure] = {}
        for opened in group:
            if isinstance(opened, Failure) or opened.source.name not in self.plans:
                continue
            name = opened.source.name
            plan = self.plans[name]
            try:
                log = opened.log(plan.split)
                columns = self.columns.carrying(plan.payload)
                own = gather(columns, log, plan.filters, plan.split, self.lags)
                if not own.folds and not self.alone:
                    raise nothing_left(log, plan.filters)
            except ClosedFormError as error:
                if not self.skip:
                    raise named(name, error, self.alone) from None
                shares[name] = Failure(name, str(error))
                continue
            total = total.join(own)
            if self.lags:
                shares[name] = own.summary()
        return total, shares


def errors_of(shares: Mapping[str, Moments | Failure], values: Array) -> dict[str, Errors | Failure]:
    """Return the errors of each log: of its held-out rows if there are some, else of all."""
    found: dict[str, Errors | Failure] = {}
    for name, own in shares.items():
        if isinstance(own, Failure):
            found[name] = own
        else:
            held = (HELD_OUT, 0) in own.folds
            found[name] = torque_errors(own, [HELD_OUT] if held else own.fitted, values)
    return found


def log_of(group: Sequence[Opened | Failure], name: str, split: Split) -> Log:
    """Return the log of that name among those of a group."""
    return next(each for each in group if isinstance(each, Opened) and each.source.name == name).log(split)
