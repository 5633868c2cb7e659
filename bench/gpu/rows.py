"""What the bench measures: a row per call that was timed, kept as lines of JSON and as a CSV file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TextIO

OURS = "closedform"
SUM = "sum"
"""The form of the sum of two arrays by their own library."""
TOLERANCES = {"float32": 1e-3, "float64": 1e-9}
"""Errors up to which a result counts as right, relative to its largest entry; peers lose digits too."""


@dataclass(frozen=True)
class Row:
    """The time of one call.

    `library` computed `form` of `robot` on `count` samples that were `arrays` of some kind; `how` says what
    was timed (an eager call, a call in a CUDA graph, the first use). `bytes` must move at least. `error` is
    relative to the largest entry; it is negative if there is nothing to compare.
    """

    robot: str
    form: str
    dtype: str
    count: int
    library: str
    arrays: str
    how: str
    seconds: float
    bytes: int = 0
    error: float = -1.0
    note: str = ""

    @property
    def right(self) -> bool:
        """Whether the result was close to that of the CPU, or was not compared."""
        return self.error < 0 or self.error <= TOLERANCES.get(self.dtype, 0.0)


def found(rows: Iterable[Row], **wanted: Any) -> Row | None:
    """Return the last right row with these fields, or None."""
    matching = [
        row
        for row in rows
        if row.right and all(getattr(row, name) == value for name, value in wanted.items())
    ]
    return matching[-1] if matching else None


def roof(rows: Iterable[Row]) -> float:
    """Return the bytes per second of a copy on the card, 0 if it was not measured."""
    row = found(rows, form="copy")
    return row.bytes / row.seconds if row else 0.0


def share(row: Row, top: float) -> float:
    """Return the share of the memory's speed that a row reaches, 0 if unknown."""
    return row.bytes / row.seconds / top if top and row.bytes else 0.0


def line(row: Row, top: float) -> str:
    """Return a row for people."""
    who = f"{row.library} {row.arrays}".strip()
    text = f"{row.robot:9s} {row.form:6s} {row.dtype:7s} {row.count:8d}  {who:19s} {row.how:12s}"
    text += f" {row.seconds * 1e6:11.2f} us"
    if row.count > 1:
        text += f" {row.count / row.seconds:9.2e}/s"
    if share(row, top):
        text += f" {100 * share(row, top):4.0f}% of roof"
    if row.error >= 0:
        text += f"  error {row.error:.0e}" + ("" if row.right else "  WRONG")
    return f"{text}  {row.note}".rstrip()


class Sink:
    """Where a part of the bench puts its rows: printed at once, and appended to a file."""

    def __init__(self, path: Path, before: Sequence[Row] = ()) -> None:
        self.path, self.rows = path, list(before)

    def add(self, row: Row) -> None:
        """Print and keep a row."""
        self.rows.append(row)
        with self.path.open("a") as file:
            file.write(json.dumps(asdict(row)) + "\n")
        print(line(row, roof(self.rows)), flush=True)


def read_lines(path: Path) -> list[Row]:
    """Return the rows of a file that a part wrote; a last line that was cut off is left out."""
    rows = []
    for text in path.read_text().splitlines() if path.exists() else []:
        try:
            rows.append(Row(**json.loads(text)))
        except (ValueError, TypeError):
            break
    return rows


COLUMNS = [field.name for field in fields(Row)]
KINDS = {"count": int, "bytes": int, "seconds": float, "error": float}


def write_csv(rows: Sequence[Row], facts: dict[str, str]) -> str:
    """Return a CSV file: facts of the machine as comments, then a line per row."""
    text = io.StringIO()
    for name, value in facts.items():
        text.write(f"# {name}: {value}\n")
    top = roof(rows)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*COLUMNS, "samples_per_second", "share_of_roof"])
    for row in rows:
        rate = f"{row.count / row.seconds:.4g}" if row.seconds else ""
        writer.writerow([*asdict(row).values(), rate, f"{share(row, top):.3f}"])
    return text.getvalue()


def read_csv(file: TextIO) -> tuple[list[Row], dict[str, str]]:
    """Return rows and facts of a CSV file."""
    lines = file.read().splitlines()
    facts = dict(each[2:].split(": ", 1) for each in lines if each.startswith("# ") and ": " in each)
    reader = csv.DictReader(each for each in lines if not each.startswith("#"))
    rows = [Row(**{name: KINDS.get(name, str)(each[name]) for name in COLUMNS}) for each in reader]
    return rows, facts
