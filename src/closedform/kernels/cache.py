"""Object code on disk: atomic, bound to its key, safe between processes and users, and never necessary.

What is loaded here is run. So the folder and its files must belong to the user and be writable by
nobody else, and the digest of a file covers the key that it is kept under.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import platformdirs

from ..errors import shown, warn
from ..files import replaced

MAGIC = b"closedform-object-2\n"
HEAD = len(MAGIC) + hashlib.sha256().digest_size
LIMIT = 512 * 2**20
"""Most bytes kept on disk, and most of one file; the files used longest ago are removed first."""

LOOKS = 64
"""Objects that a process saves between two looks at the whole folder, which take longer the fuller it is.

What other processes save in between is not seen: the folder may be that much beyond its limit for a while.
"""

ABANDONED = 600.0
"""Seconds after which an unfinished file counts as left behind."""

TEMPORARY = "closedform-"
"""How the names of unfinished files begin; the number of the process follows."""

ROOMS = ("rotations.py", "joints", "description", "model", "forms", "programs", "kernels")
"""Modules and packages that decide what machine code a model gets; their text is part of every key."""

_REFUSED: set[str] = set()
"""Folders that a warning was given about."""

_SEEN: dict[Path, tuple[int, int]] = {}
"""Bytes in a folder by the last look at it and what was saved since, and how many objects that are."""


def place() -> tuple[Path | None, str]:
    """Return the cache folder, or None and why there is none."""
    chosen = os.environ.get("CLOSEDFORM_CACHE")
    if chosen is None:
        return Path(platformdirs.user_cache_dir("closedform", appauthor=False)), ""
    if chosen == "":
        return None, "CLOSEDFORM_CACHE is empty, which turns the cache off; unset it to keep kernels"
    expanded = os.path.expanduser(chosen)
    if expanded.startswith("~"):
        return None, "names a user who does not exist; write a folder's path"
    return Path(expanded), ""


def directory() -> Path | None:
    """Return the cache folder, or None if CLOSEDFORM_CACHE is empty (no cache) or names no folder."""
    folder, reason = place()
    chosen = os.environ.get("CLOSEDFORM_CACHE")
    if folder is None and chosen:
        _refuse(chosen, reason)
    return folder


def _refuse(folder: str, reason: str) -> None:
    """Warn, once, that a folder is not used."""
    if folder not in _REFUSED:
        _REFUSED.add(folder)
        text = f"cache folder {shown(folder)} {reason}. Kernels are compiled anew in every process until then"
        warn(text, RuntimeWarning)


def _private(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to the user and nobody else may write to it."""
    if not hasattr(os, "getuid"):
        return True  # Windows keeps a user's folders private by other means
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _trusted(folder: Path) -> bool:
    """Whether a folder exists and is private; warn if it exists and is not."""
    try:
        status = os.stat(folder)
    except (OSError, ValueError):
        return False
    if not stat.S_ISDIR(status.st_mode):
        return False
    reason = exposed(folder, status)
    if reason:
        _refuse(str(folder), reason)
    return not reason


def exposed(folder: Path, status: os.stat_result) -> str:
    """Return why a folder is not private, and what to do; nothing if it is."""
    if _private(status):
        return ""
    if status.st_uid != os.getuid():
        return "belongs to another user; set CLOSEDFORM_CACHE to a folder of your own"
    return f"can be written by others; say chmod go-w {folder}"


@cache
def source_digest(rooms: tuple[str, ...] = ROOMS) -> str:
    """Return a hash of the code that shapes kernels, so that no object outlives what made it."""
    digest = hashlib.sha256()
    for room in rooms:
        for code in _sources(resources.files("closedform").joinpath(room)):
            digest.update(code)
    return digest.hexdigest()


def _sources(place: Traversable) -> Iterator[bytes]:
    """Yield the text of a Python file, or of all in a folder and the folders within it."""
    if place.name.endswith(".py"):
        yield place.read_bytes()
    elif "." not in place.name and place.name != "__pycache__":
        for item in sorted(place.iterdir(), key=lambda entry: entry.name):
            yield from _sources(item)


def key(*parts: str) -> str:
    """Return the name under which an object is kept."""
    return hashlib.sha256("\0".join((*parts, source_digest())).encode()).hexdigest()


def _digest(name: str, code: bytes) -> bytes:
    """Return a hash of an object together with the key it is kept under."""
    return hashlib.sha256(name.encode() + b"\0" + code).digest()


def _read(path: Path) -> bytes | None:
    """Return the bytes of a plain private file, or None; a pipe does not block, a link is not followed."""
    flags = ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY", "O_NOCTTY")
    try:
        handle = os.open(path, os.O_RDONLY | sum(getattr(os, flag, 0) for flag in flags))
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or not _private(status) or status.st_size > LIMIT:
                return None
            return file.read(LIMIT)
    except (OSError, ValueError):
        return None


def load(name: str) -> bytes | None:
    """Return a kept object, or None if it is absent, damaged, of another key or not ours."""
    folder = directory()
    if folder is None or not _trusted(folder):
        return None
    path = folder / f"{name}.o"
    data = _read(path)
    if data is None:
        return None
    code = data[HEAD:]
    if data[:HEAD] != MAGIC + _digest(name, code):
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return code


def save(name: str, code: bytes) -> bytes:
    """Keep an object, and return it, or the one that another process kept first.

    So processes that compile at once compute with the same operations in the same order, to the last bit.
    A full or read-only disk is no error.
    """
    folder = directory()
    if folder is None:
        return code
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _trusted(folder):
            return code
        first = load(name)
        if first is None:
            target, prefix = folder / f"{name}.o", f"{TEMPORARY}{os.getpid()}-"
            with replaced(target, prefix=prefix, mode=0o600, keep=not target.exists()) as file:
                file.write(MAGIC + _digest(name, code) + code)
        _count(folder, HEAD + len(code))
    except (OSError, ValueError):
        return code
    return first or load(name) or code


def _count(folder: Path, size: int) -> None:
    """Take note of an object that was saved, and look at the whole folder at times, or if it may be full."""
    total, saved = _SEEN.get(folder, (0, LOOKS))
    if saved < LOOKS and total + size <= LIMIT:
        _SEEN[folder] = total + size, saved + 1
    else:
        _SEEN[folder] = _trim(folder), 0


def _trim(folder: Path) -> int:
    """Remove files left behind by killed processes, and the objects used longest ago beyond the limit.

    Return the bytes that stay.
    """
    entries = []
    for entry in os.scandir(folder):
        with contextlib.suppress(OSError):
            if entry.name.endswith((".o", ".tmp")) and entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                if entry.name.endswith(".tmp") and abandoned(entry.name, status.st_mtime):
                    os.unlink(entry.path)
                else:
                    entries.append((status.st_mtime, status.st_size, entry.path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= LIMIT:
            break
        if path.endswith(".o"):
            with contextlib.suppress(OSError):
                os.unlink(path)
                total -= size
    return total


def abandoned(name: str, written: float) -> bool:
    """Whether an unfinished file is old, or its process has ended."""
    if abs(time.time() - written) > ABANDONED:
        return True
    process = name.removeprefix(TEMPORARY).split("-")[0]
    if os.name != "posix" or not name.startswith(TEMPORARY) or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
