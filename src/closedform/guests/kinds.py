"""The kinds of arrays that are not NumPy's, found by the library that defines their type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from ..errors import ArgumentError

KINDS = {
    "torch": "torch_tensors",
    "jax": "jax_arrays",
    "jaxlib": "jax_arrays",
    "cupy": "cupy_arrays",
    "dask": "dask_arrays",
}
"""Libraries whose arrays are guests, and the modules that receive them."""

IN_WORDS = {
    "numpy": "a NumPy array",
    "torch": "a PyTorch tensor",
    "jax": "a JAX array",
    "jaxlib": "a JAX array",
    "cupy": "a CuPy array",
    "dask": "a dask array",
}
"""What arrays are called in messages, by the library that defines their type."""


class Guest(Protocol):
    """What receives the arrays of one library."""

    def call(self, kernel: Any, args: Sequence[Any], out: Any, threads: int) -> Any:
        """Evaluate a kernel; the result is of the kind of its arguments."""

    def shortcut(self, kernel: Any) -> Callable[[Sequence[Any]], Any] | None:
        """Return what evaluates repeated calls in order, and gives None for those it leaves; or None."""

    def bind(self, kernel: Any, args: Sequence[Any], out: Any) -> Callable[[], None]:
        """Return a function of no arguments that evaluates these very arrays into `out`."""


_FOUND: dict[type, Guest | None] = {}
"""The guest of each type met so far."""


def guest_of(array: Any) -> Guest | None:
    """Return what receives an array, None for NumPy's own, numbers and lists."""
    kind = type(array)
    if kind not in _FOUND:
        _FOUND[kind] = _guest(kind)
    return _FOUND[kind]


def _guest(kind: type) -> Guest | None:
    for base in kind.__mro__:
        module = KINDS.get(base.__module__.partition(".")[0])
        if module is not None and hasattr(kind, "shape"):
            found: Guest = import_module(f".{module}", __package__)
            return found
    return None


def is_lazy(*arrays: Any) -> bool:
    """Whether one of these is an array of dask's."""
    return any(
        type(each).__module__.partition(".")[0] == "dask" and guest_of(each) is not None for each in arrays
    )


def kind_in_words(thing: Any) -> str | None:
    """Return in words what kind of array something is, None for numbers, lists and the like."""
    interfaces = ("shape", "__array_interface__", "__cuda_array_interface__")
    if isinstance(thing, np.generic) or not any(hasattr(thing, each) for each in interfaces):
        return None
    for base in type(thing).__mro__:
        words = IN_WORDS.get(base.__module__.partition(".")[0])
        if words is not None:
            return words
    return f"an array of type {type(thing).__name__}"


def known_precision(name: str, dtype: Any) -> np.dtype[Any]:
    """Return float64 or float32 by the name of another library's dtype; others are refused."""
    known = str(dtype).rpartition(".")[2]
    if known not in ("float32", "float64"):
        raise ArgumentError(f"{name}: arrays are {dtype}; expected float32 or float64: convert them first")
    return np.dtype(known)
