"""The logs that a list, a folder or a pattern of file names means, each with its options of reading."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from glob import glob, has_magic
from itertools import islice
from pathlib import Path
from typing import Any

from ...checks import file_path
from ...errors import ArgumentError, shown, similar
from ...files import file_size, is_folder
from .bags import SUFFIXES
from .errors import LogError
from .importance import Importance
from .log import Log
from .options import OPTIONS, log_description
from .tables import JSONS, KINDS

MOST_LOGS = 100_000
"""Logs that are read together."""


@dataclass(frozen=True)
class LogSource:
    """One log to read: what messages call it, what `read_log` takes, its options, and which efforts count."""

    name: str
    source: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    importance: Importance | None = None

    @property
    def is_file(self) -> bool:
        """Whether the log is named by a path, and not in memory."""
        return isinstance(self.source, str | os.PathLike)

    @property
    def size(self) -> int:
        """Bytes of the file; 0 of what is in memory, or of files that a description names."""
        return (file_size(Path(self.source)) or 0) if self.is_file else 0

    @property
    def absolute(self) -> LogSource:
        """The same log by its absolute path, for processes that run in another folder."""
        return replace(self, source=os.path.abspath(self.source)) if self.is_file else self


def log_sources(given: Any, options: Mapping[str, Any]) -> list[LogSource]:
    """Return the logs that are meant, with `options` of `read_log` for all of them.

    `given` is what `read_log` takes, a folder of such files, a pattern of paths ("runs/*.csv"), or a list
    of these; in a list a pair (log, options) has options of its own, which win.
    """
    if not isinstance(given, list | tuple):
        return _expanded(given, dict(options), "log")
    if not given:
        raise LogError("the list of logs is empty; give at least one log")
    found: list[LogSource] = []
    for k, each in enumerate(given[: MOST_LOGS + 1]):
        own = dict(options)
        if isinstance(each, tuple):
            if len(each) != 2 or not isinstance(each[1], Mapping):
                raise ArgumentError(f"logs[{k}] is {shown(each)}; expected a log, or a log and its options")
            unknown = [key for key in each[1] if key not in OPTIONS]
            if unknown:
                meant = similar(str(unknown[0]), OPTIONS)
                raise ArgumentError(
                    f"logs[{k}]: unknown option {shown(unknown[0])}{meant}; known: {', '.join(OPTIONS)}"
                )
            own, each = {**own, **each[1]}, each[0]  # noqa: PLW2901
        if isinstance(each, list | tuple):
            raise ArgumentError(f"logs[{k}] is {shown(each)}; expected one log: a path, arrays or a Log")
        found += _expanded(each, own, f"logs[{k}]")
    if len(found) > MOST_LOGS:
        raise LogError(f"more than {MOST_LOGS} logs are given; identify a part of them")
    return _told_apart(found)


def _told_apart(logs: Sequence[LogSource]) -> list[LogSource]:
    """Return logs whose names differ: one that is given again has a number."""
    seen: dict[str, int] = {}
    found = []
    for log in logs:
        seen[log.name] = count = seen.get(log.name, 0) + 1
        found.append(log if count == 1 else replace(log, name=f"{log.name} ({count})"))
    return found


def _expanded(given: Any, options: dict[str, Any], name: str) -> list[LogSource]:
    """Return one log, or the logs of a folder or a pattern."""
    if isinstance(given, Log):
        return [LogSource(name if given.source == "log" else given.source, given, options)]
    if not isinstance(given, str | os.PathLike):
        return [LogSource(name, given, options)]
    path = file_path("log", given)
    if is_folder(path):
        files = _folder(path)
    elif has_magic(str(path)) and file_size(path) is None:
        files = sorted(islice(map(Path, glob(str(path), recursive=True)), MOST_LOGS + 1))
        if not files:
            raise LogError(f"{str(path)!r}: no file matches; give a pattern such as 'runs/*.csv'")
    else:
        files = [path]
    return [LogSource(str(file), str(file), options) for file in files]


def _folder(path: Path) -> list[Path]:
    """Return the logs in a folder; a folder with files of a bag is one log."""
    try:
        inside = sorted(islice(path.iterdir(), 4 * MOST_LOGS))
    except OSError as error:
        raise LogError(f"{path}: the folder cannot be read ({error.strerror})") from None
    if any(each.suffix.lower() in SUFFIXES for each in inside):
        return [path]
    described = [each for each in inside if each.suffix.lower() == ".toml"]
    parts: set[str] = set()
    for each in described:
        source = log_description(each)[0]
        parts.update(
            os.path.abspath(name) for name in ([source] if isinstance(source, str) else source.values())
        )
    files = [
        each
        for each in inside
        if each.suffix.lower() in KINDS and not is_folder(each) and os.path.abspath(each) not in parts
    ]
    bags = [each for each in inside if is_folder(each) and _is_bag(each)]
    others = [each for each in files if each.suffix.lower() not in JSONS]
    if others or described or bags:  # JSON files beside logs are settings and results
        files = others
    if not (files or described or bags):
        raise LogError(f"{path}: a folder without logs; expected files that end in {', '.join(KINDS)}")
    return sorted([*files, *described, *bags])


def _is_bag(path: Path) -> bool:
    return any(each.suffix.lower() in SUFFIXES for each in islice(path.iterdir(), MOST_LOGS))


def chosen_logs(what: str, names: Sequence[str], given: Any) -> list[int]:
    """Return which logs an index, a name or a pattern of names means; a name may go without its folder."""
    if isinstance(given, int) and not isinstance(given, bool):
        if not -len(names) <= given < len(names):
            raise ArgumentError(f"{what}: there is no log {given}; {len(names)} are given")
        return [given % len(names)]
    if not isinstance(given, str | os.PathLike):
        raise ArgumentError(f"{what} has {shown(given)}; expected names of logs, or indices from 0")
    pattern = os.fspath(file_path(what, given))
    found = [k for k, name in enumerate(names) if pattern in (name, os.path.abspath(name))]
    found = found or [k for k, name in enumerate(names) if Path(name).name == Path(pattern).name == pattern]
    found = found or [
        k for k, name in enumerate(names) if any(fnmatchcase(n, pattern) for n in (name, Path(name).name))
    ]
    if not found:
        meant = similar(pattern, [*names[:1000], *(Path(name).name for name in names[:1000])])
        raise ArgumentError(f"{what}: no log is named {pattern!r}{meant}; there are {len(names)}")
    return found
