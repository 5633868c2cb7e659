"""What is wrong with a log, and how large one may be."""

from __future__ import annotations

from typing import Any

from ...errors import ClosedFormError

LogTable = dict[str, Any]
"""Columns by name; each is a one-dimensional array, or a two-dimensional one with a column per joint."""

MOST_COLUMNS = 4096
"""Columns of a table."""

MOST_CELLS = 2**30
"""Numbers of a file: eight gibibytes."""

LARGEST_TEXT = 2**31
"""Bytes of a text file, or of what a packed file holds: its numbers must fit in memory."""


class LogError(ClosedFormError, ValueError):
    """A log that cannot be used; says which column or row, and what to do."""
