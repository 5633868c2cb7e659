"""Kinds of arrays to which no gradients can be attached: what they answer where others do more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .doors import Kind, marched_kernel


class Gradientless:
    """The part of a `Kind` whose arrays have no gradients, or none that come to the host."""

    def followed(self, array: Any) -> bool:
        """Return False: no gradients are asked for."""
        return False

    def detached(self, array: Any) -> Any:
        """Return the array, which has no gradient."""
        return array

    def differentiated(self, array: Any) -> bool:
        """Return False: numbers are all there is."""
        return False

    def searched(
        self: Kind, name: str, array: Any, search: Callable[[np.ndarray[Any, Any]], Any], size: int
    ) -> Any:
        """Return what a search finds from the numbers of an array."""
        return self.array(search(self.host(name, array)))

    def attached(self, values: Any, array: Any, pull: Callable[[Any], Any]) -> Any:
        """Return the values, since no gradient is asked for."""
        return values

    def stepped(
        self: Kind,
        kernel: Any,
        state: Sequence[Any],
        arrays: Sequence[Any],
        moving: Sequence[bool],
        count: int,
    ) -> Any:
        """Return the states of steps of a kernel."""
        return marched_kernel(self, kernel, state, arrays, moving, count)
