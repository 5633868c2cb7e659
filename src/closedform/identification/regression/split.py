"""Which rows of a log are fitted, which are held out, and which fold of cross validation they are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...checks import positive
from ...errors import ArgumentError, shown
from ..logs.sources import chosen_logs

HELD_OUT, UNUSED = -1, -2
"""Labels of rows that are not fitted; fitted rows carry their fold, 0 or more."""

FOLDS = 10

FILES = 5
"""Fitted logs from which on folds are whole logs."""

SHARE = 0.2
"""Part of the logs that `hold_out="files"` keeps aside."""

INSTANTS, PHASES = 20_000, 100
"""Instants of a log, and parts of the period of its motion, by which repetitions are found."""

EXPECTED = (
    'None, "half", the seconds of alternating blocks, "files", {"files": number or part of them}, or a list '
    "of logs by name or index"
)
"""What `hold_out` may be."""


@dataclass(frozen=True)
class Split:
    """A division of the log's time: none held out, alternating blocks, the second half, or all of it.

    Fitted rows nearer than `margin` to the others are not used, since the filters mix them.
    Folds are stretches of `stretch` seconds, dealt in turn; if a `fold` is given, all fitted rows are of it.
    If the motion repeats after a `period`, a fold has the same part of every repetition: one that is left out
    would else be predicted by a fit to its repetitions.
    """

    start: float
    stop: float
    hold_out: float | str | None
    margin: float
    stretch: float = 1.0
    fold: int | None = None
    period: float | None = None

    def __post_init__(self) -> None:
        given = self.hold_out
        if given is None or (isinstance(given, str) and given in ("half", "all")):
            return
        block = _seconds(given)
        if block > (self.stop - self.start) / 2:
            raise ArgumentError(
                f"hold_out: blocks of {block:g} s do not alternate in a log of {self.stop - self.start:.3g} s"
            )
        if block <= 2 * self.margin:
            raise ArgumentError(
                f"hold_out: no rows are left to fit between blocks of {block:g} s, of which the filters mix "
                f"{2 * self.margin:.3g} s; hold out longer blocks, or raise cutoff"
            )

    def held_out(self, time: Array) -> NDArray[np.bool_]:
        """Return which times are held out."""
        since = time - self.start
        if self.hold_out is None or self.hold_out == "all":
            return np.full(len(time), self.hold_out == "all")
        if self.hold_out == "half":
            return np.asarray(since >= (self.stop - self.start) / 2)
        return np.asarray((since // float(self.hold_out)).astype(int) % 2 == 1)

    @property
    def repeated(self) -> float:
        """The part of what is held out that repeats what is fitted; none if the motion does not repeat."""
        if self.period is None:
            return 0.0
        time = np.linspace(self.start, self.stop, INSTANTS)
        phase = ((time - self.start) % self.period / self.period * PHASES).astype(int)
        labels = self.labels(time)
        held = phase[labels == HELD_OUT]
        return float(np.isin(held, phase[labels >= 0]).mean()) if len(held) else 0.0

    def labels(self, time: Array) -> NDArray[np.int_]:
        """Return the fold of fitted rows, `HELD_OUT` or `UNUSED`."""
        held = self.held_out(time)
        near = (self.held_out(time - self.margin) | self.held_out(time + self.margin)) & ~held
        near &= (time - self.margin >= self.start) & (time + self.margin <= self.stop)
        pair = 2 * self.hold_out if isinstance(self.hold_out, float | int) else 0.0
        # one fitted block per fold, unless blocks are so long that folds must part them
        stretch = max(self.stretch, pair) if FOLDS * pair <= self.stop - self.start else self.stretch
        since = time - self.start
        if self.period is not None:
            part = self.period / FOLDS
            since, stretch = since % self.period, part / max(1, round(part / stretch))
        dealt = (since // stretch).astype(int) % FOLDS
        folds = dealt if self.fold is None else self.fold
        return np.where(held, HELD_OUT, np.where(near, UNUSED, folds))


HoldOut = float | str | Sequence[str | int] | Mapping[str, float] | None
"""What `hold_out` may be; `EXPECTED` has it in words."""


def held_out_logs(given: Any, names: Sequence[str]) -> tuple[float | str | None, frozenset[int]]:
    """Return what is held out of each log, and which logs are kept aside as a whole.

    A number or part of the logs is spread evenly over them, beginning with the last.

    >>> held_out_logs({"files": 2}, ["a", "b", "c", "d", "e"])
    (None, frozenset({2, 4}))
    """
    if isinstance(given, str) and given == "files":
        given = {"files": SHARE}
    if isinstance(given, Mapping):
        whole = frozenset(_spread(given, len(names)))
    elif isinstance(given, Sequence) and not isinstance(given, str):
        whole = frozenset(k for each in given for k in chosen_logs("hold_out", names, each))
    elif isinstance(given, str) and given != "half":
        if len(names) == 1:
            raise ArgumentError(f"hold_out is {shown(given)}; expected {EXPECTED}")
        whole = frozenset(chosen_logs("hold_out", names, given))
    else:
        return (given if given is None or isinstance(given, str) else _seconds(given)), frozenset()
    if len(whole) == len(names):
        raise ArgumentError(f"hold_out: all {len(names)} log(s) are kept aside; leave some to fit")
    return None, whole


def _seconds(given: Any) -> float:
    try:
        return positive("hold_out", given)
    except ArgumentError:
        raise ArgumentError(f"hold_out is {shown(given)}; expected {EXPECTED}") from None


def _spread(given: Mapping[Any, Any], count: int) -> list[int]:
    """Return a number or a part of the logs, spread evenly."""
    try:
        if set(given) != {"files"}:
            raise ArgumentError("unknown key")
        wanted = positive("files", given["files"])
    except ArgumentError:
        raise ArgumentError(f"hold_out is {shown(given)}; expected {EXPECTED}") from None
    number = max(1, round(wanted * count)) if wanted < 1 else int(wanted)
    if number != wanted and wanted >= 1:
        raise ArgumentError(f"hold_out: {wanted:g} logs; expected a whole number, or a part below 1")
    if number >= count:
        raise ArgumentError(f"hold_out: {number} of {count} log(s) are kept aside; leave some to fit")
    return [count - 1 - k * count // number for k in range(number)]
