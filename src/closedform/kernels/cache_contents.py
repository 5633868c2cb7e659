"""What the cache holds, whether it can be used, and how it is emptied."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from ..errors import ClosedFormError, shown
from .cache import TEMPORARY, abandoned, exposed, place

OWN = re.compile(rf"[0-9a-f]{{64}}\.o|{TEMPORARY}\d+-[0-9a-f]+\.tmp")
"""Names of the files that the cache writes: objects under their keys, and unfinished ones."""


@dataclass(frozen=True)
class CacheContents:
    """The cache folder, its files and their bytes, and why kernels are not kept there, if they are not."""

    folder: Path | None
    files: int
    size: int
    problem: str


def cache_contents() -> CacheContents:
    """Return what the cache holds; a folder that cannot be used is no error."""
    folder, reason = place()
    if folder is None:
        chosen = os.environ.get("CLOSEDFORM_CACHE")
        return CacheContents(None, 0, 0, f"cache folder {shown(chosen)} {reason}" if chosen else reason)
    found = _own_files(folder)
    reason = _problem(folder)
    problem = f"cache folder {shown(str(folder))} {reason}" if reason else ""
    return CacheContents(folder, len(found), sum(each.st_size for each in found.values()), problem)


def clear_cache() -> CacheContents:
    """Remove the files of the cache, and return what was removed.

    Only files that the cache has written go: those of other names or of other users stay, as do links,
    folders, and files that a running process is about to finish.
    """
    found = cache_contents()
    if found.folder is None or found.problem:
        raise ClosedFormError(f"{found.problem}. Nothing was removed")
    count = size = 0
    for path, status in _own_files(found.folder).items():
        if path.suffix == ".tmp" and not abandoned(path.name, status.st_mtime):
            continue
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue  # another process was faster
        except OSError as error:
            raise ClosedFormError(
                f"cache folder {shown(str(found.folder))}: {path.name} cannot be removed ({error.strerror}); "
                f"{count} files were"
            ) from None
        count, size = count + 1, size + status.st_size
    return CacheContents(found.folder, count, size, "")


def _own_files(folder: Path) -> dict[Path, os.stat_result]:
    """Return the plain files in a folder that have a name of the cache and belong to the user."""
    found = {}
    with contextlib.suppress(OSError, ValueError):  # no folder, or one that cannot be read
        for entry in os.scandir(folder):
            with contextlib.suppress(OSError):  # a file that has just gone
                if OWN.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    if not hasattr(os, "getuid") or status.st_uid == os.getuid():
                        found[folder / entry.name] = status
    return found


def _problem(folder: Path) -> str:
    """Return why kernels are not kept in a folder, and what to do; nothing if they are."""
    try:
        status = os.stat(folder)
    except FileNotFoundError:
        above = next((each for each in folder.absolute().parents if each.exists()), None)
        if above is not None and above.is_dir() and os.access(above, os.W_OK | os.X_OK):
            return ""  # it is made with the first kernel
        return f"cannot be made, as {above} cannot be written; set CLOSEDFORM_CACHE to a folder of your own"
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        return f"cannot be used ({reason}); set CLOSEDFORM_CACHE to a folder of your own"
    if not stat.S_ISDIR(status.st_mode):
        return "is not a folder; set CLOSEDFORM_CACHE to one"
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return f"cannot be read and written; say chmod u+rwx {folder}, or set CLOSEDFORM_CACHE to another one"
    return exposed(folder, status)
