"""Tables of a log: named columns from CSV or Parquet files, data frames and mappings of arrays."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...checks import file_path
from ...errors import ArgumentError, ClosedFormError, shorten, shown
from ...files import read_start

LogTable = dict[str, Any]
"""Columns by name; each is a one-dimensional array, or a two-dimensional one with a column per joint."""

BLANK = {"", "nan", "na", "n/a", "null", "none"}
"""Texts that mean a missing number."""

LARGEST_TEXT = 2**31
"""Bytes of a text file: its numbers must fit in memory."""

LONGEST_HEADER = 200_000
"""Characters of the first line of a text file."""

MOST_COLUMNS = 4096
"""Columns of a table."""

MOST_CELLS = 2**30
"""Numbers of a Parquet file: eight gibibytes."""


class LogError(ClosedFormError, ValueError):
    """A log that cannot be used; says which column or row, and what to do."""


def read_table(source: Any) -> LogTable:
    """Return the columns of a CSV or Parquet path, a data frame, or a mapping of arrays."""
    if isinstance(source, str | os.PathLike):
        return read_file(file_path("log", source))
    names: Any = None
    if isinstance(source, Mapping):
        names, column = list(source), source.__getitem__
    elif hasattr(source, "column_names") and hasattr(source, "column"):  # an Arrow table
        names, column = source.column_names, source.column
    elif hasattr(source, "columns") and hasattr(source, "__getitem__"):  # a data frame
        names, column = source.columns, source.__getitem__
    if names is not None:
        if len(names) > MOST_COLUMNS:
            raise LogError(f"the log has {len(names)} columns; at most {MOST_COLUMNS} are read")
        return {str(name): _column(str(name), column, name) for name in names}
    raise ArgumentError(
        f"a log is a path (.csv, .parquet), a mapping of arrays, a data frame or a Log; {shown(source)} given"
    )


def _column(label: str, column: Callable[[Any], Any], name: Any) -> Any:
    """Return one column: lazy arrays as they are, numbers in double precision."""
    try:
        values = column(name)
        if hasattr(values, "compute") and hasattr(values, "chunks"):
            return values
        array = np.asarray(values)
        return array.astype(float) if array.dtype.kind in "fiub" else array
    except Exception as error:  # whatever a foreign container does
        raise LogError(
            f"column {shown(label)} cannot be read as numbers ({shorten(str(error), 120)})"
        ) from None


def read_file(path: Path) -> LogTable:
    """Return the columns of a CSV or Parquet file; a file that is not what its suffix says is refused."""
    try:
        start, size = read_start(path, 4096)
    except ClosedFormError as error:
        raise LogError(f"{str(path)!r}: {error}; give the path of a log") from None
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
    if size > LARGEST_TEXT:
        raise LogError(
            f"{path}: {size} bytes of text; at most {LARGEST_TEXT} are read. Cut it into parts, or "
            "write it as Parquet"
        )
    if b"\0" in start:
        raise LogError(f"{path}: binary, not text as its suffix says; export the log as CSV or Parquet")
    return _read_text(path)


def _read_parquet(path: Path) -> LogTable:
    try:
        from pyarrow import ArrowException, parquet  # noqa: PLC0415 (an extra)
    except ImportError:
        raise ClosedFormError(
            "reading Parquet needs pyarrow; install the extra closedform[identification]"
        ) from None
    try:
        with parquet.ParquetFile(path) as file:
            size = file.metadata
            if size.num_columns > MOST_COLUMNS or size.num_rows * size.num_columns > MOST_CELLS:
                raise LogError(
                    f"{path}: {size.num_rows} rows of {size.num_columns} columns; at most {MOST_COLUMNS} "
                    f"columns and {MOST_CELLS} numbers are read. Give a lazy table (dask), or a part of it"
                )
        table = parquet.read_table(path)
    except (ArrowException, OSError, ValueError, KeyError, OverflowError, MemoryError) as error:
        if isinstance(error, LogError):
            raise
        raise LogError(f"{path}: damaged Parquet file ({shorten(str(error), 200)})") from None
    columns = {name: table.column(name) for name in table.column_names}
    return {name: _column(name, lambda key: columns[key].to_numpy(), name) for name in columns}


def _read_text(path: Path) -> LogTable:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline(LONGEST_HEADER + 1)
            second = file.readline(LONGEST_HEADER + 1)
    except UnicodeDecodeError:
        raise LogError(f"{path}: not UTF-8 text as its suffix says; export the log as CSV") from None
    if len(first) > LONGEST_HEADER:
        raise LogError(f"{path}: the header has more than {LONGEST_HEADER} characters; is it a log?")
    delimiter = max(",;\t", key=first.count)
    try:
        names = [name.strip().strip('"') for name in next(csv.reader([first], delimiter=delimiter), [])]
    except csv.Error as error:
        raise LogError(f"{path}: the header cannot be read ({error}); is it a log?") from None
    if len(names) > MOST_COLUMNS:
        raise LogError(f"{path}: the header names {len(names)} columns; at most {MOST_COLUMNS} are read")
    if not second.strip():
        raise LogError(f"{path}: no rows under the header; is the recording complete?")
    if all(_is_number(name) for name in names):
        raise LogError(f"{path}: the first line holds numbers; add a header such as time, q1, ..., tau1, ...")
    if len(set(names)) < len(names):
        counts = Counter(names)
        twice = next(name for name in names if counts[name] > 1)
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
            raise LogError(f"{where}: field {k + 1} is {shown(cell)}; expected a number in plain digits")
    return [np.nan if cell.lower() in BLANK else float(cell) for cell in cells]


def _is_number(text: str) -> bool:
    """Return whether a cell is a number as other programs write it: ASCII, no underscores."""
    if not text.isascii() or "_" in text:
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True
