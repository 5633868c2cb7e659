"""Robot files as bytes."""

from __future__ import annotations

from pathlib import Path

from ..errors import ClosedFormError, DescriptionError
from ..files import read_regular

MAX_BYTES = 64 * 2**20
"""Size of a robot file."""


def read_bytes(path: str | Path) -> bytes:
    """Return the bytes of a regular file of at most `MAX_BYTES`."""
    try:
        return read_regular(path, MAX_BYTES)
    except ClosedFormError as error:
        raise DescriptionError(str(path), [str(error)]) from None
