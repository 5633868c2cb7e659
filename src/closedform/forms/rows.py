"""Rows of a task: which of the six directions of a frame count, by name."""

from __future__ import annotations

from typing import Any

from ..checks import instances, known_name
from ..errors import ArgumentError, shown

ROWS = ("rx", "ry", "rz", "x", "y", "z")
"""Rows of a pose in the order of a twist: rotation first, then position."""

NAMED: dict[str, tuple[str, ...]] = {
    "pose": ROWS,
    "position": ("x", "y", "z"),
    "orientation": ("rx", "ry", "rz"),
    "planar": ("x", "y", "rz"),
}
"""Selections with a name; any word of the letters x, y, z ("xy") is one too."""


def task_rows(what: str, given: Any) -> tuple[str, ...]:
    """Return the names of rows: of a selection with a name, a word such as "xz", or a list of rows.

    >>> from closedform.forms.rows import task_rows
    >>> task_rows("rows", "position"), task_rows("rows", "xz"), task_rows("rows", ["x", "rz"])
    (('x', 'y', 'z'), ('x', 'z'), ('x', 'rz'))
    """
    if isinstance(given, str):
        word = given and set(given) <= set("xyz")
        given = NAMED.get(given, tuple(given) if word else (given,))
    rows = instances(what, given, str, f"rows out of {', '.join(ROWS)}, or one of {', '.join(NAMED)}")
    for row in rows:
        known_name(f"{what}: row", row, (*ROWS, *NAMED))
        if row not in ROWS:
            raise ArgumentError(f"{what} is {shown(given)}; {row!r} is several rows: give it alone")
    if not rows or len(set(rows)) != len(rows):
        raise ArgumentError(f"{what} is {shown(given)}; expected rows, none of them twice")
    return rows
