"""The one exception family of the package: every message names the culprit and a remedy."""

from __future__ import annotations

from collections.abc import Sequence

SHOWN = 60
"""Problems or names listed in one message; the rest is counted."""


class ClosedFormError(Exception):
    """Base of every error this package raises on purpose."""


class DescriptionError(ClosedFormError, ValueError):
    """A robot description that cannot become a model; `problems` lists every reason found."""

    def __init__(self, source: str, problems: Sequence[str]) -> None:
        self.source = source
        self.problems = tuple(problems)
        shown = [*self.problems[:SHOWN], *([f"and {len(problems) - SHOWN} more"] if problems[SHOWN:] else [])]
        lines = "".join(f"\n  - {problem}" for problem in shown)
        super().__init__(f"{source}: {len(self.problems)} problem(s){lines}")

    def __reduce__(self) -> tuple[type, tuple[str, tuple[str, ...]]]:
        return type(self), (self.source, self.problems)


class ArgumentError(ClosedFormError, TypeError, ValueError):
    """An argument of the wrong number, type or shape; says what was expected and given."""


class UnknownNameError(ClosedFormError, LookupError):
    """A name (frame, form, robot) that does not exist; lists those that do."""

    def __init__(self, kind: str, name: object, known: Sequence[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        shown = ", ".join(self.known[:SHOWN]) + (", ..." if self.known[SHOWN:] else "")
        text = repr(name) if len(repr(name)) <= 80 else repr(name)[:77] + "..."
        super().__init__(f"unknown {kind} {text}; known: {shown or '(none)'}")

    def __reduce__(self) -> tuple[type, tuple[str, object, tuple[str, ...]]]:
        return type(self), (self.kind, self.name, self.known)


class ProgramSizeError(ClosedFormError, MemoryError):
    """A closed form too long for straight-line code."""


class ModelWarning(UserWarning):
    """Something suspicious but usable in a robot description."""
