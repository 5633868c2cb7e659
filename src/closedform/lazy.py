"""Properties computed once, without a lock that a forked child could wait for in vain."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # noqa: N801 (used as the one of functools)
    """A property computed at first use; threads that use it at the same time may each compute it.

    Up to Python 3.11, functools.cached_property holds one lock for all instances while it computes: threads
    would trace and compile one after the other, and a child forked meanwhile would inherit a locked lock.
    """

    def __init__(self, func: Callable[[Any], T]) -> None:
        super().__init__(func)
        self.lock = nullcontext()
