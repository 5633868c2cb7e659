"""A figure or a table of a paper, made again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import ClosedFormError
from ..report.figure import Figure


@dataclass(frozen=True)
class Table:
    """Rows of texts under a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.header):
                raise ClosedFormError(f"table of {', '.join(self.header)}: a row has {len(row)} cells: {row}")


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
