"""Tables of a log: named columns from CSV or Parquet files, data frames and mappings of arrays."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArgumentError, ClosedFormError, shown

Table = dict[str, Any]
"""Columns by name; each is a one-dimensional array, or a two-dimensional one with a column per joint."""

BLANK = {"", "nan", "na", "n/a", "null", "none"}
"""What stands for a missing number in a text file."""


class LogError(ClosedFormError, ValueError):
    """A log that cannot be used; says which column or row, and what to do."""


def read_table(source: Any) -> Table:
    """Return the columns of a CSV or Parquet path, a data frame, or a mapping of arrays."""
    if isinstance(source, str | os.PathLike):
        return read_file(Path(source))
    if isinstance(source, Mapping):
        return {str(name): _column(values) for name, values in source.items()}
    if hasattr(source, "column_names") and hasattr(source, "column"):  # an Arrow table
        return {name: _column(source.column(name)) for name in source.column_names}
    if hasattr(source, "columns") and hasattr(source, "__getitem__"):  # a data frame
        return {str(name): _column(source[name]) for name in source.columns}
    raise ArgumentError(
        f"a log is a path (.csv, .parquet), a mapping of arrays, a data frame or a Log; {shown(source)} given"
    )


def _column(values: Any) -> Any:
    """Return one column: lazy arrays as they are, numbers in double precision."""
    if hasattr(values, "compute") and hasattr(values, "chunks"):
        return values
    try:
        array = np.asarray(values)
    except ValueError:  # ragged
        array = np.asarray(values, dtype=object)
    return array.astype(float) if array.dtype.kind in "fiub" else array


def read_file(path: Path) -> Table:
    """Return the columns of a CSV or Parquet file; a file that is not what its suffix says is refused."""
    try:
        with path.open("rb") as file:
            start = file.read(4096)
    except (OSError, ValueError) as error:  # a path with a zero byte is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise LogError(f"{str(path)!r}: {reason}; give the path of a log") from None
    suffix = path.suffix.lower()
    parquet = start[:4] == b"PAR1"
    if suffix in (".parquet", ".pq"):
        if not parquet:
            raise LogError(f"{path}: not a Parquet file (it does not begin with PAR1); is it a CSV file?")
        return _read_parquet(path)
    if suffix not in (".csv", ".tsv", ".txt"):
        raise LogError(f"{path}: unknown kind of log {suffix!r}; expected .csv, .tsv, .txt or .parquet")
    if parquet:
        raise LogError(f"{path}: a Parquet file under the name of a text file; rename it to .parquet")
    if not start:
        raise LogError(f"{path}: the file is empty")
    if b"\0" in start:
        raise LogError(f"{path}: binary, not text as its suffix says; export the log as CSV or Parquet")
    return _read_text(path)


def _read_parquet(path: Path) -> Table:
    try:
        from pyarrow import ArrowException, parquet  # noqa: PLC0415 (an extra)
    except ImportError:
        raise ClosedFormError(
            "reading Parquet needs pyarrow; install the extra closedform[identification]"
        ) from None
    try:
        table = parquet.read_table(path)
    except (ArrowException, OSError) as error:
        raise LogError(f"{path}: damaged Parquet file ({error})") from None
    return {name: _column(table.column(name).to_numpy()) for name in table.column_names}


def _read_text(path: Path) -> Table:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            second = file.readline()
    except UnicodeDecodeError:
        raise LogError(f"{path}: not UTF-8 text as its suffix says; export the log as CSV") from None
    delimiter = max(",;\t", key=first.count)
    try:
        names = [name.strip().strip('"') for name in next(csv.reader([first], delimiter=delimiter), [])]
    except csv.Error as error:
        raise LogError(f"{path}: the header cannot be read ({error}); is it a log?") from None
    if not second.strip():
        raise LogError(f"{path}: no rows under the header; is the recording complete?")
    if all(_is_number(name) for name in names):
        raise LogError(f"{path}: the first line holds numbers; add a header such as time, q1, ..., tau1, ...")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise LogError(f"{path}: column {twice!r} appears twice; rename one of them")
    try:
        rows = np.loadtxt(path, delimiter=delimiter, skiprows=1, ndmin=2, encoding="utf-8-sig", comments=None)
    except (ValueError, UnicodeDecodeError):
        rows = _read_rows(path, delimiter, len(names))
    if rows.shape[1] != len(names):
        raise LogError(f"{path}: {len(names)} names in the header but {rows.shape[1]} numbers in a row")
    return {name: rows[:, k] for k, name in enumerate(names)}


def _read_rows(path: Path, delimiter: str, width: int) -> np.ndarray:
    """Return the rows one by one: slower, but blanks become NaN and a mistake is found by line."""
    rows: list[list[float]] = []
    with path.open(encoding="utf-8-sig", newline="", errors="replace") as file:
        reader = csv.reader(file, delimiter=delimiter)
        try:
            next(reader)
            for row in reader:
                if row:  # blank lines hold nothing
                    rows.append(_read_cells(row, width, f"{path}, line {reader.line_num}"))
        except csv.Error as error:
            raise LogError(f"{path}, line {reader.line_num}: {error}; is it a log?") from None
    return np.array(rows).reshape(-1, width)


def _read_cells(row: list[str], width: int, where: str) -> list[float]:
    if len(row) != width:
        raise LogError(f"{where}: {len(row)} fields; expected {width} as in the header")
    cells = [cell.strip() for cell in row]
    for k, cell in enumerate(cells):
        if cell.lower() not in BLANK and not _is_number(cell):
            raise LogError(f"{where}: field {k + 1} is {shown(cell)}; expected a number")
    return [np.nan if cell.lower() in BLANK else float(cell) for cell in cells]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
