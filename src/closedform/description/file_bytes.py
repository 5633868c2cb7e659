"""Robot files as bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import ArgumentError, ClosedFormError, DescriptionError, shown
from ..files import read_regular

MAX_BYTES = 64 * 2**20
"""Size of a robot file."""


def read_bytes(path: str | Path) -> bytes:
    """Return the bytes of a regular file of at most `MAX_BYTES`."""
    try:
        return read_regular(path, MAX_BYTES)
    except ClosedFormError as error:
        raise DescriptionError(str(path), [str(error)]) from None


def read_open_file(place: str, file: Any) -> str | bytes:
    """Return what is left of an open file, a text or bytes, of at most `MAX_BYTES`."""
    parts: list[Any] = []
    left = MAX_BYTES
    while left >= 0:
        try:
            part = file.read(left + 1)
        except (OSError, ValueError, TypeError) as error:  # ValueError: closed, or not of its encoding
            raise DescriptionError(place, [f"cannot be read: {error}"]) from None
        if not isinstance(part, str | bytes) or (parts and type(part) is not type(parts[0])):
            raise ArgumentError(f"{place}: read() gives {shown(part)}; expected a text or bytes")
        parts.append(part)
        left -= len(part)
        if not part:
            return part.join(parts)  # by nothing, a text or bytes
    raise DescriptionError(place, [f"file has more than {MAX_BYTES} bytes, the limit"])
