"""Object code on disk: atomic, checked, safe between processes, and never necessary."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from functools import cache
from importlib import resources
from pathlib import Path

import platformdirs

MAGIC = b"closedform-object-1\n"
LIMIT = 512 * 2**20
"""Bytes kept on disk; the files used longest ago go first."""


def directory() -> Path | None:
    """Return the cache folder, or None where CLOSEDFORM_CACHE is empty (no cache)."""
    chosen = os.environ.get("CLOSEDFORM_CACHE")
    if chosen == "":
        return None
    if chosen is None:
        return Path(platformdirs.user_cache_dir("closedform", appauthor=False))
    return Path(os.path.expanduser(chosen))


@cache
def source_digest() -> str:
    """Return a hash of this package's own code, so that no object outlives what made it."""
    digest = hashlib.sha256()
    package = resources.files("closedform")
    for folder in ("description", "model", "forms", "programs", "emit", "kernels"):
        for item in sorted(package.joinpath(folder).iterdir(), key=lambda entry: entry.name):
            if item.name.endswith(".py"):
                digest.update(item.read_bytes())
    return digest.hexdigest()


def key(*parts: str) -> str:
    """Return the name under which an object is kept."""
    return hashlib.sha256("\0".join((*parts, source_digest())).encode()).hexdigest()


def load(name: str) -> bytes | None:
    """Return a kept object, or None where it is absent, damaged or not ours."""
    folder = directory()
    if folder is None:
        return None
    path = folder / f"{name}.o"
    try:
        with path.open("rb") as file:
            if hasattr(os, "getuid") and os.fstat(file.fileno()).st_uid not in (os.getuid(), 0):
                return None
            data = file.read()
    except OSError:
        return None
    head = len(MAGIC) + 32
    code = data[head:]
    if data[: len(MAGIC)] != MAGIC or hashlib.sha256(code).digest() != data[len(MAGIC) : head]:
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return code


def save(name: str, code: bytes) -> None:
    """Keep an object; a full or read-only disk is no error."""
    folder = directory()
    if folder is None:
        return
    temporary = None
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + hashlib.sha256(code).digest() + code)
        os.replace(temporary, folder / f"{name}.o")
        temporary = None
        _trim(folder)
    except OSError:
        pass
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _trim(folder: Path) -> None:
    """Remove the objects used longest ago until the folder is within its limit."""
    entries = []
    for entry in os.scandir(folder):
        with contextlib.suppress(OSError):
            if entry.name.endswith(".o"):
                status = entry.stat()
                entries.append((status.st_mtime, status.st_size, entry.path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= LIMIT:
            break
        with contextlib.suppress(OSError):
            os.unlink(path)
            total -= size
