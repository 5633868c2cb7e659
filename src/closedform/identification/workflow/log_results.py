"""What an identification says of each of its logs: torque errors, and what was repaired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...errors import listed
from .listing import Column, Table
from .opening import Facts
from .prediction import Errors

SHOWN = 20
"""Logs that a table shows, those with the largest errors; the result has all."""

WORSE = 3.0
"""Error of a log over the median of all logs, beyond which it is doubted."""

LEAST = 0.03
"""Error of a log, relative to its torques, below which it is not doubted."""


@dataclass(frozen=True)
class LogResult:
    """One of several logs: its torque errors, whether it was held out, what was repaired, and the payload.

    `errors` are those of held-out rows if it has some, else of its fitted rows.
    """

    name: str
    held_out: bool
    seconds: float
    errors: Errors
    notes: tuple[str, ...] = ()
    payload: str | None = None

    def table(self) -> dict[str, Any]:
        """Return all of it as lists, for a file."""
        return {**asdict(self), "errors": self.errors.table()}

    @classmethod
    def from_table(cls, table: dict[str, Any]) -> LogResult:
        """Return what `table` wrote."""
        fields = {**table, "errors": Errors.from_table(table["errors"]), "notes": tuple(table["notes"])}
        return cls(**fields)


def log_table(logs: Sequence[LogResult]) -> Table:
    """Return the table of torque errors by log: of held-out ones, then of those with the largest errors."""
    order = sorted(logs, key=lambda log: (not log.held_out, -log.errors.total))
    columns = (
        Column("fitted", ".2f", 100.0, " %"),
        Column("held out", ".2f", 100.0, " %"),
        Column("seconds", ".4g"),
    )
    rows = [
        (log.name, (*((None, log.errors.total) if log.held_out else (log.errors.total, None)), log.seconds))
        for log in order[:SHOWN]
    ]
    heading = "log" if len(order) <= SHOWN else f"log ({SHOWN} of {len(order)})"
    return Table(heading, columns, tuple(rows))


def odd_logs(logs: Sequence[LogResult]) -> list[LogResult]:
    """Return the logs that fit far worse than the others, the worst first."""
    if len(logs) < 2:
        return []
    usual = float(np.median([log.errors.total for log in logs]))
    odd = [log for log in logs if log.errors.total > max(LEAST, WORSE * usual)]
    return sorted(odd, key=lambda log: -log.errors.total)


def log_doubts(logs: Sequence[LogResult]) -> list[str]:
    """Return which logs fit far worse than the others, if some do."""
    odd = odd_logs(logs)
    if not odd:
        return []
    usual = float(np.median([log.errors.total for log in logs]))
    names = listed([f"{log.name} ({100 * log.errors.total:.3g} %)" for log in odd], 5)
    return [f"some logs fit far worse than others, whose median is {100 * usual:.3g} %: {names}"]


def repeated(logs: Mapping[str, Facts]) -> list[str]:
    """Return a doubt about logs with the same contents, if there are some."""
    alike: dict[str, list[str]] = {}
    for name, facts in logs.items():
        alike.setdefault(facts.content, []).append(name)
    same = [" = ".join(names) for names in alike.values() if len(names) > 1]
    if not same:
        return []
    what = "so that errors of rows not fitted and standard errors are too small"
    return [f"logs hold the same numbers, {what}: {listed(same, 5)}"]


def log_lines(lines: Mapping[str, Sequence[str]]) -> list[str]:
    """Return lines about logs, with their names; of many the first ones and how many more there are."""
    found = [f"{name}: {line}" for name, own in lines.items() for line in own]
    more = len(found) - SHOWN
    return [*found[:SHOWN], *([f"{more} more such lines about logs"] if more > 0 else [])]
