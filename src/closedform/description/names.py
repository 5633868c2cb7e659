"""Names for what the source leaves without one."""

from __future__ import annotations

from collections.abc import Container
from itertools import count


def unused_name(wanted: str, taken: Container[str]) -> str:
    """Return a name that is not taken: the wanted one, or that with a number."""
    if wanted not in taken:
        return wanted
    return next(name for k in count(2) if (name := f"{wanted}_{k}") not in taken)
