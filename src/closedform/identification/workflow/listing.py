"""Tables of facts: typed cells first, then their text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .prediction import Errors


@dataclass(frozen=True)
class Column:
    """A column of numbers: its heading, and how they are written (`scale` 100 and `unit` % for shares)."""

    heading: str
    format: str
    scale: float = 1.0
    unit: str = ""
    width: int = 12
    none: str = ""

    def text(self, value: float | None) -> str:
        """Return a number as it is shown; `none` if there is no number."""
        return self.none if value is None else f"{self.scale * value:{self.format}}{self.unit}"


@dataclass(frozen=True)
class Table:
    """Rows of a name and numbers, None if there is none; `heading` is that of the names."""

    heading: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[float | None, ...]], ...]

    def cells(self) -> list[list[str]]:
        """Return the rows as texts, the name first."""
        return [
            [name, *(column.text(value) for column, value in zip(self.columns, values, strict=True))]
            for name, values in self.rows
        ]

    def lines(self, width: int = 24) -> list[str]:
        """Return heading and rows as lines of text, with names in `width` characters."""
        cells = [[self.heading, *(column.heading for column in self.columns)], *self.cells()]
        widths = [column.width for column in self.columns]
        lines = (
            f"{name:<{width}}" + "".join(f"{text:>{w}}" for text, w in zip(texts, widths, strict=True))
            for name, *texts in cells
        )
        return [line.rstrip() for line in lines]


def parameter_table(rows: Sequence[tuple[str, tuple[float | None, ...]]]) -> Table:
    """Return the table of parameters: value, standard error and described value of each."""
    columns = (Column("value", ".4g"), Column("std. error", ".2g"), Column("described", ".4g", width=16))
    return Table("parameter", columns, tuple(rows))


def error_table(joints: Sequence[str], errors: Mapping[str, Errors]) -> Table:
    """Return the table of relative torque errors: of each joint and in total, by kind of rows."""
    columns = tuple(Column(name, ".2f", 100.0, " %") for name in errors)
    rows = [(joint, tuple(e.relative[j] for e in errors.values())) for j, joint in enumerate(joints)]
    total = ("total", tuple(e.total for e in errors.values()))
    return Table("torque error", columns, (*rows, total))
