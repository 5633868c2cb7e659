"""The kind of the chunks of dask arrays: all of a call are NumPy's, or all are CuPy's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np

from ..errors import ArgumentError
from .kinds import kind_in_words

CUPY = "a CuPy array"


def of_one_kind(kernel: Any, args: Sequence[Any]) -> list[Any]:
    """Return arguments whose chunks are of one kind; beside CuPy's, numbers and lists become CuPy arrays."""
    chunks = [each._meta if isinstance(each, da.Array) else each for each in args]
    kinds = {name: kind_in_words(each) for name, each in zip(kernel.input_names, chunks, strict=True)}
    found = {kind for kind in kinds.values() if kind is not None}
    if CUPY not in found:
        return list(args)
    if len(found) > 1:
        listed = ", ".join(f"{name} {kind}" for name, kind in kinds.items() if kind is not None)
        raise ArgumentError(
            f"{kernel.name}: arrays and chunks are of several kinds: {listed}; convert NumPy arrays with "
            "cupy.asarray, and chunks with .map_blocks(cupy.asarray)"
        )
    like = next(each for each, kind in zip(chunks, kinds.values(), strict=True) if kind == CUPY)
    return [each if isinstance(each, da.Array) else _one_chunk(kernel, each, like) for each in args]


def _one_chunk(kernel: Any, given: Any, like: Any) -> Any:
    array = np.asarray(given, dtype=None if hasattr(given, "dtype") else kernel.dtype, like=like)
    return da.from_array(array, chunks=array.shape, asarray=False)  # type: ignore[no-untyped-call]
