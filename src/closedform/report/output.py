"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from ..checks import file_path
from ..errors import ArgumentError, ClosedFormError


def default_name(name: str) -> str:
    """Return a file name for a robot's page; a robot's name may hold any character."""
    stem = re.sub(r"[^\w.-]+", "_", name).strip("._-")[:80]
    return f"{stem or 'robot'}.html"


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Give a text file that becomes `path` when the block ends well, and vanishes otherwise.

    A target that cannot be written is told before the block runs, not after its work is done.
    """
    target = check_writable(path)
    try:
        temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except (OSError, RuntimeError, ValueError) as error:
        raise _unwritable(path, error) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            yield file
        os.replace(temporary, target)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Return the file that a path stands for, or say why it cannot be written."""
    try:
        target = file_path("path", path).resolve()
        if target.exists() and not target.is_file():
            raise ClosedFormError(f"{path}: cannot be written (not a file); choose another name")
        if target.exists() and not os.access(target, os.W_OK):
            raise ClosedFormError(f"{path}: cannot be written (read-only file); choose another name")
        if not target.parent.is_dir() or not os.access(target.parent, os.W_OK):
            raise ClosedFormError(f"{path}: cannot be written (no folder to write in); choose another folder")
    except ArgumentError:
        raise
    except (OSError, RuntimeError, ValueError) as error:
        raise _unwritable(path, error) from None
    return target


def _unwritable(path: str | os.PathLike[str], error: Exception) -> ClosedFormError:
    reason = getattr(error, "strerror", None) or str(error)
    return ClosedFormError(f"{path}: cannot be written ({reason}); choose another name or folder")
