"""Tables of a log: named columns from files, data frames and mappings of arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...checks import file_path
from ...errors import ArgumentError, ClosedFormError, listed, shorten, shown
from ...files import is_folder, read_start
from . import bags, errors
from .archives import read_npy, read_npz
from .errors import MOST_COLUMNS, LogError, LogTable
from .json_logs import read_json
from .matlab import read_mat
from .text import read_text

TEXTS = (".csv", ".tsv", ".txt", ".dat")
PARQUETS = (".parquet", ".pq")
JSONS = (".json", ".jsonl")
KINDS = (*TEXTS, *PARQUETS, ".npy", ".npz", ".mat", *JSONS, *bags.SUFFIXES)


def read_table(source: Any, topic: str | None = None, joints: Sequence[str] = ()) -> LogTable:
    """Return the columns of a file, a data frame, or a mapping of arrays."""
    if isinstance(source, str | os.PathLike):
        path = file_path("log", source)
        if is_folder(path) or path.suffix.lower() in bags.SUFFIXES:
            return bags.read_bag(path, topic, joints)
        return read_file(path)
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
        "a log is a path (.csv, .parquet, .npz, .mat, .json), a mapping of arrays, a data frame or a Log; "
        f"{shown(source)} given"
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
    """Return the columns of a file; a file that is not what its suffix says is refused."""
    try:
        start, size = read_start(path, 4096)
    except ClosedFormError as error:
        raise LogError(f"{str(path)!r}: {error}; give the path of a log") from None
    suffix = path.suffix.lower()
    if suffix not in KINDS:
        raise LogError(f"{path}: unknown kind of log {suffix!r}; expected {listed(KINDS, len(KINDS))}")
    if not start:
        raise LogError(f"{path}: the file is empty")
    parquet = start[:4] == b"PAR1"
    if suffix in PARQUETS:
        if not parquet:
            raise LogError(f"{path}: not a Parquet file (it does not begin with PAR1); is it a CSV file?")
        return _read_parquet(path)
    if size > errors.LARGEST_TEXT:
        raise LogError(
            f"{path}: {size} bytes; at most {errors.LARGEST_TEXT} are read. Cut it into parts, or "
            "write it as Parquet"
        )
    if suffix in JSONS:
        return read_json(path)
    if suffix not in TEXTS:
        return {".npy": read_npy, ".npz": read_npz, ".mat": read_mat}[suffix](path)
    if parquet:
        raise LogError(f"{path}: a Parquet file under the name of a text file; rename it to .parquet")
    if b"\0" in start:
        raise LogError(f"{path}: binary, not text as its suffix says; export the log as CSV or Parquet")
    return read_text(path)


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
            if size.num_columns > MOST_COLUMNS or size.num_rows * size.num_columns > errors.MOST_CELLS:
                raise LogError(
                    f"{path}: {size.num_rows} rows of {size.num_columns} columns; at most {MOST_COLUMNS} "
                    f"columns and {errors.MOST_CELLS} numbers are read. Give a lazy table (dask), or a part"
                )
        table = parquet.read_table(path)
    except (ArrowException, OSError, ValueError, KeyError, OverflowError, MemoryError) as error:
        if isinstance(error, LogError):
            raise
        raise LogError(f"{path}: damaged Parquet file ({shorten(str(error), 200)})") from None
    columns = {name: table.column(name) for name in table.column_names}
    return {name: _column(name, lambda key: columns[key].to_numpy(), name) for name in columns}
