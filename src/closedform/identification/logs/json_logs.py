"""Logs in JSON: columns by name, or records one after the other, such as the joint states of a script."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import ClosedFormError, listed, shorten, shown
from ...files import read_regular
from .errors import MOST_COLUMNS, LogError, LogTable

LARGEST_JSON = 2**28
"""Bytes of a JSON file, which takes ten times as many in memory."""

MOST_ENTRIES = 2**26
"""Records times names of entries; more do not fit in a file of that size if every record has every entry."""

NAMES = ("name", "names", "joint_name", "joint_names")
"""Entries that say which joint the numbers of a list belong to."""

Record = Mapping[str, Any]


def read_json(path: Path) -> LogTable:
    """Return the columns of a JSON file; entries that are no numbers are passed over.

    A file has a mapping of columns, lists with a number or a list of numbers per row; or a list of records,
    which may stand in a mapping, or one to a line (.jsonl). Lists of numbers may have names of joints beside
    them.
    """
    try:
        text = read_regular(path, LARGEST_JSON).decode()
        content = _lines(text) if path.suffix.lower() == ".jsonl" else _parsed(text)
        records = _records(content)
    except (ValueError, RecursionError) as error:
        raise LogError(f"{path}: not JSON ({shorten(str(error), 120)}); write it again") from None
    except LogError:
        raise
    except ClosedFormError as error:
        raise LogError(f"{path}: {error}; cut it into parts, or write it as .npz or .parquet") from None
    if records is not None:
        return _of_records(records, path)
    if not isinstance(content, dict):
        raise LogError(f"{path}: expected a mapping of columns or a list of records")
    for name, rows in content.items():
        if isinstance(rows, list) and rows and all(isinstance(row, list) for row in rows):
            _check_alike(name, {len(row) for row in rows}, path)
    return _named({name: _numbers(each) for name, each in content.items()}, _joints(content), path)


def _check_alike(name: str, lengths: set[int], path: Path) -> None:
    """Refuse rows of different lengths."""
    if len(lengths) > 1:
        raise LogError(
            f"{path}: {shown(name)} has rows of {min(lengths)} and of {max(lengths)} numbers; record all "
            "joints in every row, with null where a number is missing"
        )


def _lines(text: str) -> list[Any]:
    """Return the records of a file with one to a line."""
    return [_parsed(line) for line in text.splitlines() if line.strip()]


def _parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return a mapping whose names differ."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{shown(name)} appears twice")
        found[name] = value
    return found


def _records(content: Any) -> list[Record] | None:
    """Return the records of a file: a list of mappings, or the only such list in a mapping."""
    lists = [content] if isinstance(content, list) else []
    if isinstance(content, dict):
        lists = [each for each in content.values() if isinstance(each, list)]
    found = [each for each in lists if each and all(isinstance(record, dict) for record in each)]
    return found[0] if len(found) == 1 else None


def _of_records(records: Sequence[Record], path: Path) -> LogTable:
    """Return records as columns; where an entry is missing there is no number."""
    names = dict.fromkeys(key for record in records for key in record)
    if len(names) * len(records) > MOST_ENTRIES:
        raise LogError(
            f"{path}: {len(records)} records with {len(names)} names; at most {MOST_ENTRIES} are "
            "read. Cut the log into parts, or write it as .npz or .parquet"
        )
    first, order = _joints(records[0]), None
    if first:
        order = [_places(first, _joints(record), k, path) for k, record in enumerate(records)]
    columns: dict[str, Array | None] = {}
    for name in names:
        entries = [_numbers(record.get(name)) for record in records]
        shapes = {each.shape for each in entries if each is not None and each.ndim < 2}
        if not shapes:
            continue
        _check_alike(name, {shape[0] if shape else 1 for shape in shapes}, path)
        shape = max(shapes)
        rows = np.array([np.broadcast_to(np.nan if each is None else each, shape) for each in entries])
        if order is not None and shape == (len(first),):
            rows = np.take_along_axis(rows, np.array(order), axis=1)
        columns[name] = rows
    return _named(columns, first, path)


def _numbers(entry: Any) -> Array | None:
    """Return an entry as numbers, null as none; None if it is anything else."""
    try:
        found = np.asarray(entry)
        if found.dtype == object and entry is not None:
            numbers = (each is None or type(each) in (int, float) for each in found.ravel())
            found = found.astype(float) if all(numbers) else found
    except (ValueError, OverflowError):  # rows of different lengths, integers beyond all floats
        return None
    return found.astype(float) if found.dtype.kind in "iuf" else None


def _joints(entry: Record) -> list[str]:
    """Return the names of joints in a record or a mapping of columns; none if there are none."""
    for name in NAMES:
        given = entry.get(name)
        if isinstance(given, list) and given and all(isinstance(each, str) for each in given):
            return given
    return []


def _places(joints: Sequence[str], own: Sequence[str], row: int, path: Path) -> list[int]:
    """Return where the joints of the first record stand in another."""
    places = {joint: k for k, joint in enumerate(own)}
    if len(places) < len(own) or places.keys() != set(joints):
        raise LogError(
            f"{path}: record {row} has the joints {listed(own, 8) or 'none'}, the first {listed(joints, 8)}; "
            "record all joints in every one"
        )
    return [places[joint] for joint in joints]


def _named(columns: Mapping[str, Array | None], joints: Sequence[str], path: Path) -> LogTable:
    """Return columns of numbers; those of joints that are named have names of their own."""
    if len(set(joints)) < len(joints):
        raise LogError(f"{path}: joints {listed(joints, 8)}, one of them twice; name each once")
    table: LogTable = {}
    for name, values in columns.items():
        if values is None or values.ndim not in (1, 2):
            continue
        if joints and values.ndim == 2 and values.shape[1] == len(joints):
            table |= {f"{joint} {name}": column for joint, column in zip(joints, values.T, strict=True)}
        else:
            table[name] = values
    width = sum(1 if values.ndim == 1 else values.shape[1] for values in table.values())
    if not table or width > MOST_COLUMNS:
        raise LogError(
            f"{path}: {width} columns of numbers; expected 1 to {MOST_COLUMNS}, in lists or records"
        )
    return table
