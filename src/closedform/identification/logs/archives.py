"""Arrays of a log in NumPy and MATLAB files: checked by their headers before they are read."""

from __future__ import annotations

import math
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np

from ...errors import shorten, shown
from . import errors
from .errors import MOST_COLUMNS, LogError, LogTable

NUMBERS = "fiub"
"""Kinds of NumPy types that are read: real numbers."""

LONGEST_HEADER = 100_000
"""Characters of the header of a NumPy array."""

FEWEST_ROWS = 50
"""Rows below which a matrix with more columns holds a row per joint."""

COMPRESSED = 15
"""The type of a compressed element of a MATLAB file."""


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


def read_mat(path: Path) -> LogTable:
    """Return the matrices of a MATLAB file by name; vectors are columns."""
    from scipy import io  # noqa: PLC0415 (takes a while to import)

    with path.open("rb") as file:
        start = file.read(1024)
    if start[:19] == b"MATLAB 7.3 MAT-file" or b"\x89HDF\r\n\x1a\n" in (start[:8], start[512:520]):
        raise LogError(
            f"{path}: a MATLAB file of version 7.3 (HDF5), which is not read; write it by save(..., '-v7')"
        )
    if start[:1] == b"\0" or start[124:128] not in (b"\0\1IM", b"\1\0MI"):
        raise LogError(f"{path}: not a MATLAB file of version 5 to 7; write it by save(..., '-v7')")
    try:
        _check_unpacked(path, "little" if start[126:128] == b"IM" else "big")
        kinds = {name: kind for name, _, kind in io.whosmat(path)}
        wanted = [name for name, kind in kinds.items() if kind in MATLAB_NUMBERS]
        found = io.loadmat(path, variable_names=wanted, verify_compressed_data_integrity=True)
    except LogError:
        raise
    except Exception as error:  # whatever the reader of a damaged file does
        raise LogError(f"{path}: damaged MATLAB file ({shorten(str(error), 200)}); write it again") from None
    if len(kinds) > MOST_COLUMNS:
        raise LogError(f"{path}: {len(kinds)} variables; at most {MOST_COLUMNS} are read")
    if not wanted:
        name, kind = next(iter(kinds.items()), ("nothing", "empty"))
        raise LogError(
            f"{path}: no matrix of numbers ({shown(name)} is {kind}); write the fields of a structure as "
            "variables by save(..., '-struct', 'name', '-v7')"
        )
    return {name: _upright(_real(found[name], f"{path}: {name!r}")) for name in wanted}


MATLAB_NUMBERS = (
    "double",
    "single",
    "logical",
    *(f"{sign}int{size}" for sign in ("", "u") for size in (8, 16, 32, 64)),
)
"""Classes of a MATLAB file that are read; structures, cells and objects are left alone: SciPy's
reader recurses into them, and a crafted file would end the process."""


def _upright(values: np.ndarray) -> np.ndarray:
    """Return vectors as columns, and matrices with a row per joint turned: MATLAB has no other vectors."""
    if values.ndim == 2 and 1 in values.shape:
        return values.reshape(-1)
    return values.T if values.ndim == 2 and values.shape[0] < FEWEST_ROWS <= values.shape[1] else values


def _check_unpacked(path: Path, order: Any) -> None:
    """Refuse a file whose compressed elements unpack to more than fits: they are counted, not kept."""
    total = 0
    with path.open("rb") as file:
        file.seek(128)
        while len(tag := file.read(8)) == 8:
            kind, size = (int.from_bytes(tag[k : k + 4], order) for k in (0, 4))
            if kind != COMPRESSED:
                file.seek(size, 1)
                continue
            unpack, left = zlib.decompressobj(), size
            while left > 0 and (packed := file.read(min(left, 2**16))):
                left -= len(packed)
                while packed:
                    total += len(unpack.decompress(packed, 2**20))
                    packed = unpack.unconsumed_tail
                    if total > errors.LARGEST_TEXT:
                        raise LogError(
                            f"{path}: more than {errors.LARGEST_TEXT} bytes unpacked; cut it into parts"
                        )
