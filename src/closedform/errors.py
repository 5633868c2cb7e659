"""The one exception family of the package: every message names the culprit and a remedy."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

PACKAGE = str(Path(__file__).parent)

SHOWN = 60
"""Problems or names listed in one message; the rest is counted."""

QUOTED = 1000
"""Entries up to which a message quotes a value; the repr of more would take longer than the call."""

LONGEST = 500
"""Characters of one problem in a message; the middle of a longer one is left out."""


LIKELY = 2
"""Names that a message suggests in place of one that is not known."""

COMPARED = (100, 1000)
"""Characters of a name, and number of names, up to which similar ones are looked for."""


def shorten(text: str, longest: int = LONGEST) -> str:
    """Return a text of at most `longest` characters: its beginning and end if it is longer."""
    head, tail = longest * 2 // 3, longest // 3 - 5
    return text if len(text) <= longest else f"{text[:head]} ... {text[-tail:]}"


def shown(value: object) -> str:
    """Return a value as a message quotes it: on one line, and short."""
    try:
        long = not isinstance(value, str | bytes) and len(value) > QUOTED  # type: ignore[arg-type]
    except Exception:  # whatever a foreign object does, the message must come
        long = False
    kind = type(value).__name__
    try:
        text = f"a {kind} of many entries" if long else repr(value)
    except Exception:  # such as lists nested too deeply
        text = f"a {kind} that cannot be shown"
    return shorten(" ".join(text.split()), 80)


def listed(items: Sequence[str], most: int) -> str:
    """Return the first items, separated by commas, and how many more there are."""
    more = f" and {len(items) - most} more" if items[most:] else ""
    return ", ".join(items[:most]) + more


def similar(name: object, known: Iterable[str]) -> str:
    """Return " (did you mean 'tool'?)" for a name that is nearly one of those known, else nothing.

    >>> similar("elbwo", ["shoulder", "elbow"])
    " (did you mean 'elbow'?)"
    """
    longest, most = COMPARED
    names = {each.casefold(): each for each in known if isinstance(each, str)}  # keys of a caller's table
    if not isinstance(name, str) or len(name) > longest or len(names) > most:
        return ""
    wanted = name.casefold()
    turned = [each for each in names if sorted(each) == sorted(wanted)]  # such as dq for qd
    near = turned[:LIKELY] or get_close_matches(wanted, names, LIKELY)
    return f" (did you mean {' or '.join(repr(names[each]) for each in near)}?)" if near else ""


class ClosedFormError(Exception):
    """Base of every error this package raises on purpose."""


class DescriptionError(ClosedFormError, ValueError):
    """A robot description that cannot become a model; `problems` lists every reason found."""

    def __init__(self, source: str, problems: Sequence[str]) -> None:
        self.source = shorten(source)
        self.problems = tuple(shorten(problem) for problem in problems)
        shown = [*self.problems[:SHOWN], *([f"and {len(problems) - SHOWN} more"] if problems[SHOWN:] else [])]
        lines = "".join(f"\n  - {problem}" for problem in shown)
        super().__init__(f"{self.source}: {len(self.problems)} problem(s){lines}")

    def __reduce__(self) -> tuple[type, tuple[str, tuple[str, ...]]]:
        return type(self), (self.source, self.problems)


class ArgumentError(ClosedFormError, TypeError, ValueError):
    """An argument of the wrong number, type or shape; says what was expected and given."""


def no_such_argument(function: str, name: str, known: Sequence[str]) -> ArgumentError:
    """Return the error of an argument by a name that a function does not have."""
    return ArgumentError(
        f"{function}: no argument has the name {shown(name)}{similar(name, known)}; "
        f"it takes {', '.join(known)}"
    )


class UnknownNameError(ClosedFormError, LookupError):
    """A name (frame, form, robot) that does not exist; suggests the nearest and lists those that do."""

    def __init__(self, kind: str, name: object, known: Sequence[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        names = ", ".join(self.known[:SHOWN]) + (", ..." if self.known[SHOWN:] else "")
        meant = similar(name, self.known)
        super().__init__(f"unknown {kind} {shown(name)}{meant}; known: {names or '(none)'}")

    def __reduce__(self) -> tuple[type, tuple[str, object, tuple[str, ...]]]:
        return type(self), (self.kind, self.name, self.known)


class ProgramSizeError(ClosedFormError, MemoryError):
    """A closed form too long for straight-line code."""


class ModelWarning(UserWarning):
    """Something suspicious but usable in a robot description."""


def warn(text: str, category: type[Warning] = ModelWarning) -> None:
    """Warn, pointing at the line of the caller's own code that led here."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(shorten(text), category, stacklevel=level + 1)
