"""Lists that readers take with one entry per joint; what does not fit is collected as a problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..checks import collected, number
from ..errors import shown
from .description import MAX_ELEMENTS, Inertial, Limits

Entry = TypeVar("Entry")

KINDS: dict[str, tuple[Any, str]] = {
    "inertials": (Inertial | None, "an Inertial (or None for a massless body)"),
    "limits": (Limits, "Limits"),
    "parents": (Integral, "a whole number"),
    "armature": (Real, "a number"),
    "joint_names": (str, "a text"),
    "body_names": (str, "a text"),
    "screws": (object, "a screw"),
}
"""What the entries of each list are, and how a message says it."""


def as_list(given: Iterable[Entry]) -> list[Entry] | None:
    """Return the entries of a list, an array or another iterable, but not the letters of a text.

    Of one without end it takes one more than any robot may have.
    """
    try:
        return None if isinstance(given, str) else list(islice(given, MAX_ELEMENTS + 1))
    except TypeError:
        return None


def read_entries(
    what: str, given: Iterable[Entry] | None, default: Sequence[Entry], problems: list[str]
) -> list[Entry]:
    """Return as many entries as `default` has; the default itself if none are given or they do not fit."""
    if given is None:
        return list(default)
    kind, words = KINDS[what]
    found = as_list(given)
    if found is None:
        problems.append(f"{what} is {shown(given)}; expected a list with {words} for each joint")
        return list(default)
    wrong = [
        f"{what}[{i}] is {shown(entry)}; expected {words}"
        for i, entry in enumerate(found)
        if not isinstance(entry, kind) or (isinstance(entry, bool | np.timedelta64) and kind is not object)
    ]
    if len(found) != len(default):
        wrong.append(f"{what} has {len(found)} entries; expected {len(default)}, one for each joint")
    problems.extend(wrong)
    return list(default) if wrong else found


class JointEntries(NamedTuple):
    """What tables and screws have in common: one entry per joint or the body behind it."""

    parents: list[int]
    joint_names: list[str]
    inertials: list[Inertial | None]
    armature: list[float]


def read_joint_entries(
    count: int,
    problems: list[str],
    *,
    parents: Iterable[int] | None,
    joint_names: Iterable[str] | None,
    inertials: Iterable[Inertial | None] | None,
    armature: Iterable[float] | None,
) -> JointEntries:
    """Return the entries of `count` joints: by default one chain of massless bodies and no rotors.

    A parent is an index, -1 for the base.
    """
    before = read_entries("parents", parents, range(-1, count - 1), problems)
    problems.extend(
        f"parents[{i}] is {parent}; expected -1 (the base) or an index before {i}"
        for i, parent in enumerate(before)
        if not -1 <= parent < i
    )
    names = read_entries("joint_names", joint_names, [f"joint{i + 1}" for i in range(count)], problems)
    bodies = read_entries("inertials", inertials, [None] * count, problems)
    rotors = read_entries("armature", armature, [0.0] * count, problems)
    for i, name in enumerate(names):
        with collected(problems):
            rotors[i] = number(f"joint {name!r}: armature", rotors[i])
    return JointEntries(before, names, bodies, rotors)
