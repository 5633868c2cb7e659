"""Names made safe: robots and joints may be called anything, and none of it becomes code."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from ..errors import ArgumentError

LONGEST = 54
"""Characters of a function's name: 63 are significant in C99 and MATLAB, less "_part" and a number."""

SHOWN = 60
"""Characters of a foreign name shown in a comment."""

_LOCAL = re.compile(r"[vscx]\d+|[scxw]")
"""Names of variables in generated code."""


def identifier(text: str, longest: int) -> str:
    """Return an identifier of every language from any text, with at most `longest` characters.

    Separators become underscores. Text that loses more than those gets a digest, so that
    different names stay different.
    """
    plain = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    if not plain or not plain[0].isalpha():
        plain = f"robot_{plain}".rstrip("_")
    if len(plain) <= longest and re.fullmatch(r"[A-Za-z0-9 _./:-]+", text):
        return plain
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain[: longest - 9].rstrip('_')}_{digest}"


def checked_identifier(name: str, language: str, reserved: frozenset[str]) -> str:
    """Return a function's name given by the user, or say why the language cannot take it."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ArgumentError(
            f"{name!r} cannot name a {language} function; use letters, digits and underscores, a letter first"
        )
    if len(name) > LONGEST:
        raise ArgumentError(
            f"{name!r} is too long for a {language} function; use at most {LONGEST} characters"
        )
    if name in reserved:
        raise ArgumentError(f"{name!r} is a word of {language} itself; choose another name")
    return name


def distinct(names: Iterable[str], reserved: frozenset[str]) -> list[str]:
    """Return parameter names that are no words of the language, no local variables and no repetitions."""
    chosen: list[str] = []
    for name in names:
        safe = name
        while safe in reserved or safe in chosen or _LOCAL.fullmatch(safe):
            safe += "_"
        chosen.append(safe)
    return chosen


def label(text: str) -> str:
    """Return a foreign name as one short piece of plain text."""
    plain = re.sub(r"[^A-Za-z0-9 _.,:;+=()\[\]/-]", "_", text)
    return plain if len(plain) <= SHOWN else plain[: SHOWN - 3] + "..."


def comment(text: str) -> str:
    """Return a line of text that can neither end a comment or docstring nor continue its line."""
    plain = re.sub(r"[^ -~]", "_", text).replace("\\", "_").replace('"', "'")
    for sign in ("*/", "/*", "??"):
        while sign in plain:
            plain = plain.replace(sign, f"{sign[0]} {sign[1]}")
    return plain.rstrip()
