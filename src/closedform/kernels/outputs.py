"""The outputs of a form of several as a named tuple."""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from typing import Any


@cache
def named_outputs(name: str, fields: tuple[str, ...]) -> Any:
    """Return the type of a tuple of outputs, with their names as fields; its values pickle.

    >>> from closedform.kernels import named_outputs
    >>> named_outputs("halves", ("first", "second"))(1, 2)
    halves(first=1, second=2)
    """
    plain = name if name.isidentifier() else "outputs"
    made: Any = namedtuple(plain, fields, rename=True)  # type: ignore[misc]
    return type(
        plain, (made,), {"__slots__": (), "__reduce__": lambda self: (_outputs, (name, fields, *self))}
    )


def _outputs(name: str, fields: tuple[str, ...], *values: Any) -> Any:
    return named_outputs(name, fields)(*values)
