"""Arrays of a log in NumPy files: checked by their headers before they are read."""

from __future__ import annotations

import math
import zipfile
import zlib
from pathlib import Path
from typing import IO

import numpy as np

from ...errors import shorten
from . import errors
from .errors import MOST_COLUMNS, LogError, LogTable

NUMBERS = "fiub"
"""Kinds of NumPy types that are read: real numbers."""

LONGEST_HEADER = 100_000
"""Characters of the header of a NumPy array."""


def read_npy(path: Path) -> LogTable:
    """Return the columns of a .npy file, named by the fields of its type, or by index from 0."""
    with path.open("rb") as file:
        values = _array(file, path.stat().st_size, str(path))
    if values.dtype.names:
        return {str(name): _real(values[name], f"{path}: field {name!r}") for name in values.dtype.names}
    if values.ndim not in (1, 2):
        raise LogError(f"{path}: an array of shape {values.shape}; expected (rows, columns)")
    values = values.reshape(len(values), -1) if values.size else values.reshape(0, 1)
    if values.shape[1] > MOST_COLUMNS:
        raise LogError(f"{path}: {values.shape[1]} columns; at most {MOST_COLUMNS} are read")
    return {str(k): column for k, column in enumerate(_real(values, str(path)).T)}


def read_npz(path: Path) -> LogTable:
    """Return the arrays of a .npz file by name."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [each for each in archive.infolist() if each.filename.endswith(".npy")]
            size = sum(each.file_size for each in members)
            if len(members) > MOST_COLUMNS or size > errors.LARGEST_TEXT:
                raise LogError(
                    f"{path}: {len(members)} arrays of {size} bytes unpacked; at most {MOST_COLUMNS} of "
                    f"{errors.LARGEST_TEXT} bytes are read. Cut it into parts"
                )
            table: LogTable = {}
            for each in members:
                name = each.filename.removesuffix(".npy")
                if name in table:
                    raise LogError(f"{path}: array {name!r} appears twice; rename one of them")
                with archive.open(each) as file:
                    values = _array(file, each.file_size, f"{path}: array {name!r}")
                table[name] = _real(values, f"{path}: array {name!r}")
            return table
    except (zipfile.BadZipFile, zlib.error, OSError, NotImplementedError, RuntimeError, EOFError) as error:
        raise LogError(f"{path}: damaged .npz file ({shorten(str(error), 200)}); write it again") from None


def _array(file: IO[bytes], size: int, name: str) -> np.ndarray:
    """Return the array that a file of `size` bytes holds; nothing is unpickled."""
    forms = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    try:
        version = np.lib.format.read_magic(file)
        if version not in forms:
            raise ValueError(f"version {version} of the format")
        shape, by_column, kind = forms[version](file, max_header_size=LONGEST_HEADER)
    except Exception as error:  # whatever the parser of the header says
        raise LogError(f"{name}: not a NumPy array ({shorten(str(error), 120)}); use numpy.save") from None
    if kind.hasobject:
        raise LogError(f"{name} holds pickled objects, which are not loaded; save arrays of numbers")
    count = math.prod(shape)
    rest = size - file.tell()
    if min(shape, default=0) < 0 or count * kind.itemsize != rest:
        raise LogError(
            f"{name}: the header announces {count * kind.itemsize} bytes but {rest} follow; write it again"
        )
    values = np.frombuffer(file.read(rest), dtype=kind, count=count) if count else np.empty(0, kind)
    return values.reshape(shape, order="F" if by_column else "C")


def _real(values: np.ndarray, name: str) -> np.ndarray:
    """Return numbers in double precision; other values as they are, to be refused if they are used."""
    if values.ndim > 2:
        raise LogError(f"{name} has shape {values.shape}; expected (rows,) or (rows, joints)")
    return np.array(values, dtype=float) if values.dtype.kind in NUMBERS else values
