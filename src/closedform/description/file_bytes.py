"""Robot files as bytes: regular files of bounded size, never a pipe that waits or a device without end."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ..errors import DescriptionError

MAX_BYTES = 64 * 2**20
"""Size of a robot file."""


def read_bytes(path: str | Path) -> bytes:
    """Return the bytes of a regular file of at most `MAX_BYTES`."""
    name = str(path)
    try:
        # O_NONBLOCK: a pipe that nobody writes to is looked at, not waited for
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(handle, "rb") as file:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode):
                raise DescriptionError(name, ["is not a regular file"])
            data = file.read(MAX_BYTES + 1) if facts.st_size <= MAX_BYTES else b""
    except (FileNotFoundError, NotADirectoryError):
        raise DescriptionError(name, ["no such file"]) from None
    except IsADirectoryError:
        raise DescriptionError(name, ["is not a regular file"]) from None
    except (OSError, ValueError) as error:
        if isinstance(error, DescriptionError):
            raise
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise DescriptionError(name, [f"cannot be read: {reason}"]) from None
    size = max(facts.st_size, len(data))
    if size > MAX_BYTES:
        raise DescriptionError(name, [f"file has {size} bytes; the limit is {MAX_BYTES}"])
    return data


def file_size(path: Path) -> int | None:
    """Return the size of a regular file, or None if there is none."""
    try:
        return path.stat().st_size if path.is_file() else None
    except (OSError, ValueError):  # a name that no file can have
        return None
