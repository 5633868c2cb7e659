"""A figure or a table of a paper, made again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..arrays import Array
from ..errors import ClosedFormError
from ..report.figure import Figure, figure
from ..robot import Robot

_NUMBERS = re.compile(r"(?:\d[eE][-+]?\d+|[\s\d.,+%/()−-])*")


@dataclass(frozen=True)
class Table:
    """Rows of texts under a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise ClosedFormError(f"table of {', '.join(self.header)}: a row has {len(row)} cells: {row}")

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Whether each column holds numbers alone; these are set flush right, and words flush left."""
        return tuple(
            all(_NUMBERS.fullmatch(row[column]) for row in self.rows) for column in range(len(self.header))
        )


@dataclass(frozen=True)
class Exhibit:
    """What a paper shows, from our numbers: figures by caption, formulas in LaTeX, a table.

    `text` says what to see, what differs from the print, and why.
    """

    label: str
    title: str
    text: str
    figures: Mapping[str, Figure] = field(default_factory=dict)
    formulas: tuple[str, ...] = ()
    table: Table | None = None


def stick_figure(robot: Robot, q: Array, title: str) -> Figure:
    """Return a robot's link frames as a figure of the size that the page gives it."""
    plot = robot.plot(q).update_layout(title=None, width=None, height=None)
    return figure(plot, title, 420, margin=dict.fromkeys("lrtb", 0))
