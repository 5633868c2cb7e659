"""Text files of a log: their columns, with a header or without, between commas or white space."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np

from ...errors import shown
from .errors import MOST_COLUMNS, LogError, LogTable
from .faults import FEW

BLANK = {"", "nan", "na", "n/a", "null", "none"}
"""Texts that mean a missing number."""

COMMENTS = ("#", "%")
"""How lines begin that hold no row; the last one before the rows may name the columns."""

LONGEST_LINE = 200_000
"""Characters of a line before the rows."""

MOST_LINES = 1000
"""Lines before the rows."""


@dataclass(frozen=True)
class Layout:
    """How a text file is laid out: names of its columns, what parts them, and lines before the rows.

    Columns are parted by white space if `delimiter` is None. Without a header they are named by
    their index from 0.
    """

    names: list[str]
    delimiter: str | None
    before: int


def read_text(path: Path) -> LogTable:
    """Return the columns of a text file."""
    try:
        layout = _layout(path)
    except UnicodeDecodeError:
        raise LogError(f"{path}: not UTF-8 text as its suffix says; export the log as CSV") from None
    except csv.Error as error:
        raise LogError(f"{path}: the header cannot be read ({error}); is it a log?") from None
    names = layout.names
    if len(names) > MOST_COLUMNS:
        raise LogError(f"{path}: {len(names)} columns; at most {MOST_COLUMNS} are read")
    if len(set(names)) < len(names):
        counts = Counter(names)
        twice = next(name for name in names if counts[name] > 1)
        raise LogError(f"{path}: column {twice!r} appears twice; rename one of them")
    try:
        rows = np.loadtxt(
            path,
            delimiter=layout.delimiter,
            skiprows=layout.before,
            ndmin=2,
            encoding="utf-8-sig",
            comments=None,
        )
    except (ValueError, UnicodeDecodeError):
        rows = _read_rows(path, layout)
    if rows.shape[1] != len(names):
        raise LogError(f"{path}: {len(names)} names in the header but {rows.shape[1]} numbers in a row")
    return {name: rows[:, k] for k, name in enumerate(names)}


def _layout(path: Path) -> Layout:
    """Return the layout that the first lines of a file show."""
    comment, before, first, second = "", 0, "", ""
    with path.open(encoding="utf-8-sig", newline="") as file:
        for line in _lines(file, path):
            if line.startswith(COMMENTS):
                comment = line.lstrip("".join(COMMENTS))
            elif line.strip():
                first = line
                second = file.readline(LONGEST_LINE)
                break
            before += 1
    if not first:
        raise LogError(f"{path}: no row; is the recording complete?")
    delimiter = max(",;\t", key=first.count)
    parts = delimiter if delimiter in first else None
    names = _fields(first, parts)
    if all(is_number(name) or name.lower() in BLANK for name in names) and any(map(is_number, names)):
        said = _fields(comment, parts) if comment.strip() else []
        fits = len(said) == len(names) and not all(map(is_number, said))
        return Layout(said if fits else [str(k) for k in range(len(names))], parts, before)
    if not second.strip():
        raise LogError(f"{path}: no rows under the header; is the recording complete?")
    if parts is None and len(second.split()) == 1:
        names = [first.strip()]
    return Layout(names, parts, before + 1)


def _lines(file: TextIO, path: Path) -> Iterator[str]:
    """Give the first lines of a file."""
    for _ in range(MOST_LINES):
        line = file.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise LogError(f"{path}: the header has more than {LONGEST_LINE} characters; is it a log?")
        if not line:
            return
        yield line


def _fields(line: str, delimiter: str | None) -> list[str]:
    fields = line.split() if delimiter is None else next(csv.reader([line], delimiter=delimiter), [])
    return [field.strip().strip('"') for field in fields]


def _read_rows(path: Path, layout: Layout) -> np.ndarray:
    """Return the rows one by one: slower, but blanks become NaN and a mistake is found by line.

    A last row that is cut off, as a recording that was interrupted leaves it, is NaN throughout: its last
    number may lack digits.
    """
    rows: list[list[float]] = []
    short: LogError | None = None
    with path.open(encoding="utf-8-sig", newline="", errors="replace") as file:
        for _ in islice(file, layout.before):
            pass
        for number, row in _numbered(file, layout, path):
            if short is not None:
                raise short
            if len(row) < len(layout.names):
                short = _wrong_width(row, layout, f"{path}, line {number}")
            else:
                rows.append(_read_cells(row, layout, f"{path}, line {number}"))
    if short is not None:
        if FEW * len(rows) < 1:
            raise short
        rows.append([np.nan] * len(layout.names))
    return np.array(rows).reshape(-1, len(layout.names))


def _numbered(file: TextIO, layout: Layout, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Give the rows after the header that are not blank, each with the number of its line."""
    if layout.delimiter is None:
        for number, line in enumerate(file, layout.before + 1):
            if line.strip():
                yield number, line.split()
        return
    reader = csv.reader(file, delimiter=layout.delimiter)
    try:
        for row in reader:
            if row:
                yield layout.before + reader.line_num, row
    except csv.Error as error:
        number = layout.before + reader.line_num
        raise LogError(f"{path}, line {number}: {error}; is it a log?") from None


def _wrong_width(row: list[str], layout: Layout, where: str) -> LogError:
    first = "the header" if layout.before else "the first line"
    return LogError(f"{where}: {len(row)} fields; expected {len(layout.names)} as in {first}")


def _read_cells(row: list[str], layout: Layout, where: str) -> list[float]:
    if len(row) != len(layout.names):
        raise _wrong_width(row, layout, where)
    cells = [cell.strip() for cell in row]
    for k, cell in enumerate(cells):
        if cell.lower() not in BLANK and not is_number(cell):
            raise LogError(f"{where}: field {k + 1} is {shown(cell)}; expected a number in plain digits")
    return [np.nan if cell.lower() in BLANK else float(cell) for cell in cells]


def is_number(text: str) -> bool:
    """Return whether a cell is a number as other programs write it: ASCII, no underscores."""
    if not text.isascii() or "_" in text:
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True
