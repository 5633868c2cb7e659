"""What is made of a kernel once, and stays as long as the kernel."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

T = TypeVar("T")


def once_per_kernel(make: Callable[[Any], T]) -> Callable[[Any], T]:
    """Let a function of a kernel be evaluated once; a cache of all kernels would never let one go."""
    name = f"_{make.__name__} of {make.__module__}"

    @wraps(make)
    def found(kernel: Any) -> T:
        kept: dict[str, Any] = kernel.__dict__
        if name not in kept:
            kept[name] = make(kernel)
        return kept[name]  # type: ignore[no-any-return]

    return found
