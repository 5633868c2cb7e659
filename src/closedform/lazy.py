"""Properties computed once, without a lock that a forked child could wait on for ever."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # noqa: N801 (used as the one of functools)
    """A property computed at first use; threads that come at once may each compute it.

    Up to Python 3.11 that of functools holds one lock for all instances while it computes: threads would
    trace and compile in turn, and a fork in the meantime leaves the child with a lock nobody opens.
    """

    def __init__(self, func: Callable[[Any], T]) -> None:
        super().__init__(func)
        self.lock = nullcontext()
