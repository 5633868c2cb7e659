"""MATLAB files of a log, versions 4 to 7: their matrices of real numbers, every length checked.

SciPy's reader ends the process on some damaged files, so it is not used.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ...errors import shorten, shown
from . import errors
from .errors import MOST_COLUMNS, LogError, LogTable

MATRIX, COMPRESSED = 14, 15
"""Types of the elements of a file."""

NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
"""Types of stored numbers."""

CLASSES = range(6, 16)
"""Classes of matrices of numbers: double, single and integers; others (structures, cells) are left alone."""

COMPLEX = 0x800
"""The flag of a complex matrix."""

STORED = ("f8", "f4", "i4", "i2", "u2", "u1")
"""Types of stored numbers in files of version 4."""

FEWEST_ROWS = 50
"""Rows below which a matrix with more columns holds a row per joint."""


def read_mat(path: Path) -> LogTable:
    """Return the matrices of a MATLAB file by name; vectors are columns."""
    data = path.read_bytes()
    if data[:19] == b"MATLAB 7.3 MAT-file" or b"\x89HDF\r\n\x1a\n" in (data[:8], data[512:520]):
        raise LogError(
            f"{path}: a MATLAB file of version 7.3 (HDF5), which is not read; write it by save(..., '-v7')"
        )
    if data[124:128] in (b"\0\1IM", b"\1\0MI"):
        order = "<" if data[126:128] == b"IM" else ">"
        matrices = _matrices(memoryview(data)[128:], order, path)
    else:
        matrices = _version_4(memoryview(data), _order_4(data, path), path)
    table: LogTable = {}
    others: list[str] = []
    try:
        for count, (name, values) in enumerate(matrices):
            if count == MOST_COLUMNS:
                raise LogError(f"{path}: more than {MOST_COLUMNS} matrices; save those of the log only")
            if values is None:
                others.append(name)
            elif values.ndim > 2:
                raise LogError(f"{path}: {name!r} has shape {values.shape}; expected (rows, joints)")
            else:
                table[name] = _upright(values)
    except (struct.error, ValueError, zlib.error) as error:
        if isinstance(error, LogError):
            raise
        raise LogError(f"{path}: damaged MATLAB file ({shorten(str(error), 120)}); write it again") from None
    if not table:
        what = f" ({shown(others[0])} is of another kind)" if others else ""
        raise LogError(
            f"{path}: no matrix of real numbers{what}; write the fields of a structure as variables by "
            "save(..., '-struct', 'name', '-v7')"
        )
    return table


def _elements(data: memoryview, order: str, *, padded: bool) -> Iterator[tuple[int, memoryview]]:
    """Give the type and the content of each element; short ones hold their content in their tag."""
    at = 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from(f"{order}II", data, at)
        if kind >> 16:
            kind, size, start, end = kind & 0xFFFF, kind >> 16, at + 4, at + 8
            if size > 4:
                raise ValueError(f"a short element of {size} bytes")
        else:
            start, end = at + 8, at + 8 + size + (-size % 8 if padded else 0)
        if start + size > len(data):
            raise ValueError("it ends within an element")
        yield kind, data[start : start + size]
        at = end


def _matrices(data: memoryview, order: str, path: Path) -> Iterator[tuple[str, np.ndarray | None]]:
    """Give the names and numbers of the matrices of versions 5 to 7, unpacked."""
    left = errors.LARGEST_TEXT
    for kind, content in _elements(data, order, padded=False):
        found = [(kind, content)]
        if kind == COMPRESSED:
            unpacked = zlib.decompressobj().decompress(content, left + 1)
            left -= len(unpacked)
            if left < 0:
                raise LogError(f"{path}: more than {errors.LARGEST_TEXT} bytes unpacked; cut it into parts")
            found = list(_elements(memoryview(unpacked), order, padded=True))
        yield from (_matrix(each, order) for what, each in found if what == MATRIX)


def _matrix(content: memoryview, order: str) -> tuple[str, np.ndarray | None]:
    """Return the name of a matrix and its numbers, None if it holds others than real ones."""
    parts = _elements(content, order, padded=True)
    try:
        flags = struct.unpack_from(f"{order}I", next(parts)[1])[0]
        if flags & 0xFF not in {*CLASSES, 1, 2, 3, 4, 5}:
            return "an object", None
        shape = np.frombuffer(next(parts)[1], f"{order}i4").tolist()
        name = bytes(next(parts)[1]).decode("latin-1")
        if flags & 0xFF not in CLASSES or flags & COMPLEX:
            return name, None
        kind, numbers = next(parts)
    except StopIteration:
        raise ValueError("a matrix without numbers") from None
    if kind not in NUMBERS:
        raise ValueError(f"numbers of type {kind}")
    stored = np.dtype(f"{order}{NUMBERS[kind]}")
    if len(shape) > 8 or min(shape, default=-1) < 0 or math.prod(shape) * stored.itemsize != len(numbers):
        raise ValueError(f"{len(numbers)} bytes for shape {shape[:8]}")
    values = np.frombuffer(numbers, stored) if len(numbers) else np.empty(0)
    return name, values.astype(float).reshape(shape, order="F")


def _order_4(data: bytes, path: Path) -> str:
    """Return the order of bytes in a file of version 4, by the thousands of its first integer."""
    first = data[:4].ljust(4, b"\xff")
    for order, thousands in (("<", 0), (">", 1)):
        if struct.unpack(f"{order}I", first)[0] // 1000 == thousands:
            return order
    raise LogError(f"{path}: not a MATLAB file of version 4 to 7; write it by save(..., '-v7')")


def _version_4(data: memoryview, order: str, path: Path) -> Iterator[tuple[str, np.ndarray | None]]:
    """Give the names and numbers of the matrices of version 4, None for texts, sparse and complex ones.

    Each has five integers: 1000 M + 10 P + T (M the order of bytes, P the type of numbers, T the kind of
    matrix: 0 of numbers, 1 text, 2 sparse), rows, columns, whether it is complex, and the length of its name.
    """
    at, left = 0, errors.MOST_CELLS
    while at < len(data):
        code, rows, columns, parts, length = struct.unpack_from(f"{order}5i", data, at)
        kind, number = code % 10, code // 10 - 100 * (order == ">")
        if kind > 2 or not 0 <= number < len(STORED) or min(rows, columns) < 0 or parts not in (0, 1):
            raise ValueError(f"a matrix of type {code}, {rows} rows and {columns} columns")
        stored = np.dtype(f"{order}{STORED[number]}")
        start, size = at + 20 + length, rows * columns * stored.itemsize
        at = start + size * (1 + parts)
        if length < 1 or at > len(data):
            raise ValueError(f"it ends within a matrix of {rows} rows and {columns} columns")
        name = bytes(data[start - length : start]).rstrip(b"\0").decode("latin-1")
        if kind or parts:
            yield name, None
            continue
        left -= rows * columns
        if left < 0:
            raise LogError(f"{path}: more than {errors.MOST_CELLS} numbers; cut it into parts")
        values = np.frombuffer(data[start:at], stored).astype(float)
        yield name, values.reshape(rows, columns, order="F")


def _upright(values: np.ndarray) -> np.ndarray:
    """Return vectors as columns, and matrices with a row per joint turned."""
    if 1 in values.shape:
        return values.reshape(-1)
    turned = values.ndim == 2 and values.shape[0] < FEWEST_ROWS <= values.shape[1]
    return values.T if turned else values
