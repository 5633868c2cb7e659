"""File names of reports."""

from __future__ import annotations

import re


def default_name(name: str) -> str:
    """Return a file name for a robot's page; a robot's name may hold any character."""
    stem = re.sub(r"[^\w.-]+", "_", name).strip("._-")[:80]
    return f"{stem or 'robot'}.html"
