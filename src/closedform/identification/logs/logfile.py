"""Log descriptions: a TOML file that names the files of a log and says what their numbers mean."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path
from typing import Any

from ...errors import shorten, shown
from .options import ReadingOptions
from .tables import LogError

FILES = ("position", "effort", "velocity")
LARGEST = 1_000_000
"""Bytes of a log description."""

OPTIONS = tuple(ReadingOptions.__annotations__)


def log_description(path: Path) -> tuple[Any, dict[str, Any]]:
    """Return the source and the options of `read_log` that a TOML file gives.

    It names a `file`, or one file per quantity (`position`, `effort`, `velocity`), relative to
    itself, and any of the options of `read_log`:

        position = "motor_angles.csv"
        effort = "motor_torques.csv"
        rate = 5000
        reduction = [[50, 0], [32, 32]]
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            raise LogError(f"{path}: not a regular file of at most {LARGEST} bytes; give the path of a log")
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LogError(f"{path}: {error.strerror or error}; give the path of a log") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LogError(f"{path}: not TOML: {shorten(str(error), 200)}") from None
    wrong = [key for key in (*FILES, "file") if not isinstance(content.get(key, ""), str)]
    if wrong:
        raise LogError(f"{path}: `{wrong[0]}` is {shown(content[wrong[0]])}; expected the name of a file")
    unknown = [key for key in content if key not in (*FILES, *OPTIONS, "file")]
    if unknown:
        raise LogError(f"{path}: unknown key {unknown[0]!r}; known: {', '.join(('file', *FILES, *OPTIONS))}")
    files = {key: str(path.parent / content[key]) for key in FILES if key in content}
    if ("file" in content) == bool(files):
        raise LogError(f"{path}: name either one `file`, or `position` and `effort` files")
    source: Any = files or str(path.parent / content["file"])
    if not files and source.lower().endswith(".toml"):
        raise LogError(f"{path}: `file` is {content['file']!r}; expected a .csv or .parquet file")
    return source, {key: content[key] for key in OPTIONS if key in content}
