"""The options of reading a log: given to a function, or by a TOML file that describes the log."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from numpy.typing import ArrayLike

from ...errors import ClosedFormError, shorten, shown, similar
from ...files import read_regular
from .errors import LogError
from .quantities import FILES

LARGEST_FILE = 1_000_000
"""Bytes of a log description."""


class ReadingOptions(TypedDict, total=False):
    """Options of `read_log`, which says what they mean; `identify` and its relatives pass them on."""

    columns: Mapping[str, Any] | None
    units: Mapping[str, str] | None
    rate: float | Mapping[str, float] | None
    window: Sequence[float | None] | None
    topic: str | None
    reduction: ArrayLike | None
    offset: ArrayLike | None
    gain: ArrayLike | None
    motor_positions: bool
    missing: str


OPTIONS = tuple(ReadingOptions.__annotations__)


def log_description(path: Path) -> tuple[Any, dict[str, Any]]:
    """Return the source and the options of `read_log` that a TOML file gives.

    It names a `file`, or one file per quantity (`position`, `effort`, `velocity`, `time`), relative to
    itself, and any of the options of `read_log`:

        position = "motor_angles.csv"
        effort = "motor_torques.csv"
        rate = 5000
        reduction = [[50, 0], [32, 32]]
    """
    try:
        content = tomllib.loads(read_regular(path, LARGEST_FILE).decode())
    except ClosedFormError as error:
        raise LogError(f"{path}: {error}; give the path of a log") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LogError(f"{path}: not TOML: {shorten(str(error), 200)}") from None
    wrong = [key for key in (*FILES, "file") if not isinstance(content.get(key, ""), str)]
    if wrong:
        raise LogError(f"{path}: `{wrong[0]}` is {shown(content[wrong[0]])}; expected the name of a file")
    known = ("file", *FILES, *OPTIONS)
    unknown = [key for key in content if key not in known]
    if unknown:
        meant = similar(unknown[0], known)
        raise LogError(f"{path}: unknown key {unknown[0]!r}{meant}; known: {', '.join(known)}")
    files = {key: str(path.parent / content[key]) for key in FILES if key in content}
    if ("file" in content) == bool(files):
        raise LogError(f"{path}: name either one `file`, or `position` and `effort` files")
    source: Any = files or str(path.parent / content["file"])
    if not files and source.lower().endswith(".toml"):
        raise LogError(f"{path}: `file` is {content['file']!r}; expected a file of numbers")
    return source, {key: content[key] for key in OPTIONS if key in content}
