"""Files: read only if they are regular ones of bounded size, written whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, TextIO

from .checks import file_path
from .errors import ClosedFormError, shorten

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

OLD = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""O_NONBLOCK: a pipe that nobody writes to is looked at, not waited for."""


def read_regular(path: str | os.PathLike[str], most: int) -> bytes:
    """Return the bytes of a regular file of at most `most`; see `read_start` for what is refused."""
    with _regular(path) as (file, size):
        data = file.read(most + 1) if size <= most else b""
    size = max(size, len(data))
    if size > most:
        raise ClosedFormError(f"file has {size} bytes; the limit is {most}")
    return data


def read_start(path: str | os.PathLike[str], count: int) -> tuple[bytes, int]:
    """Return the first `count` bytes of a regular file, and its size.

    Anything else (a pipe that waits, a device without end) is refused with the reason alone: the caller
    puts the name of the file before it.
    """
    with _regular(path) as (file, size):
        return file.read(count), size


@contextlib.contextmanager
def _regular(path: str | os.PathLike[str]) -> Iterator[tuple[BinaryIO, int]]:
    """Give a regular file to read, and its size, or raise an error that says why it cannot be read."""
    try:
        handle = os.open(path, OLD)
        with open(handle, "rb") as file:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode):
                raise IsADirectoryError
            yield file, facts.st_size
    except (FileNotFoundError, NotADirectoryError):
        raise ClosedFormError("no such file") from None
    except IsADirectoryError:
        raise ClosedFormError("is not a regular file") from None
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        raise ClosedFormError(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None


def file_size(path: Path) -> int | None:
    """Return the size of a regular file, or None if there is none."""
    try:
        return path.stat().st_size if path.is_file() else None
    except (OSError, ValueError):  # a name that no file can have
        return None


def is_folder(path: Path) -> bool:
    """Whether there is a folder of that name."""
    try:
        return path.is_dir()
    except (OSError, ValueError):  # a name that no folder can have
        return False


@contextlib.contextmanager
def made_folder(path: Path) -> Iterator[None]:
    """Make a folder and those above it for a block; if the block fails, those that were made vanish."""
    missing = []
    for each in (path, *path.parents):
        if is_folder(each):
            break
        missing.append(each)
    made = []
    try:
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
            made.append(each)
        yield
    except BaseException as error:  # also Ctrl-C
        for each in reversed(made):
            with contextlib.suppress(OSError):
                each.rmdir()  # only if it is empty: someone else may write there
        if isinstance(error, OSError):
            raise _unwritable(path, error) from None
        raise


@contextlib.contextmanager
def replaced(target: Path, *, prefix: str = ".", mode: int = 0o666, keep: bool = False) -> Iterator[BinaryIO]:
    """Give a file that takes the place of `target` when the block ends well, and vanishes otherwise.

    It is written in the folder of the target, under a random name that begins with `prefix`. With `keep`, a
    target that somebody else has written meanwhile stays, where the file system has hard links.
    """
    temporary = target.with_name(f"{prefix}{secrets.token_hex(8)}.tmp")
    handle = os.open(temporary, NEW, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        if keep:
            try:
                os.link(temporary, target)
                return
            except FileExistsError:
                return
            except (OSError, NotImplementedError, AttributeError):
                pass  # no hard links here
        os.replace(temporary, target)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Give a text file that becomes `path` when the block ends well, and vanishes otherwise.

    A target that cannot be written is refused before the block runs, not after its work is done.
    """
    target = check_writable(path)
    try:
        with replaced(target) as file, io.TextIOWrapper(file, "utf-8", newline="\n") as text:
            yield text
    except (OSError, UnicodeError) as error:
        raise _unwritable(path, error) from None


def write_files(texts: Mapping[Path, str]) -> tuple[Path, ...]:
    """Write all files, or none of them; return their paths."""
    with contextlib.ExitStack() as together:
        for path, text in texts.items():
            file = together.enter_context(whole_file(path))
            file.write(text)
            file.flush()  # a full disk shows before the first file is put in its place
    return tuple(texts)


def write_bytes(path: Path, data: bytes) -> Path:
    """Write a file, whole or not at all; return its path."""
    try:
        with replaced(check_writable(path)) as file:
            file.write(data)
    except OSError as error:
        raise _unwritable(path, error) from None
    return path


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Return the file that a path means, links resolved, or say why it cannot be written."""
    given = file_path("path", path)
    try:
        target = given.resolve()
        if target.exists() and not target.is_file():
            problem = "not a file); choose another name"
        elif target.exists() and not os.access(target, os.W_OK):
            problem = "read-only file); choose another name"
        elif not target.parent.is_dir() or not os.access(target.parent, os.W_OK):
            problem = "no folder to write in); choose another folder"
        else:
            return target
    except (OSError, RuntimeError, ValueError) as error:
        raise _unwritable(path, error) from None
    raise ClosedFormError(f"{shorten(str(path))}: cannot be written ({problem}")


def _unwritable(path: str | os.PathLike[str], error: Exception) -> ClosedFormError:
    reason = getattr(error, "strerror", None) or str(error)
    return ClosedFormError(
        f"{shorten(str(path))}: cannot be written ({reason}); choose another name or folder"
    )
