"""Kernels on dask arrays: lazy results, computed chunk by chunk by the workers that hold the chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dask.array as da
import numpy as np
from dask.array.utils import meta_from_array

from ..errors import ArgumentError
from .kinds import kind_of


def call(kernel: Any, args: Sequence[Any], out: Any, threads: int) -> Any:
    """Return lazy dask arrays; workers compile the kernel for themselves."""
    if out is not None:
        raise ArgumentError(f"{kernel.name}: out= does not go with dask arrays; assign the result")
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    cores = [[next(letters) for _ in shape] for shape in kernel.input_shapes]
    results = [[next(letters) for _ in shape] for shape in kernel.output_shapes]
    inner, outer = (",".join(f"({','.join(core)})" for core in group) for group in (cores, results))
    sizes = {
        letter: size
        for core, shape in zip(results, kernel.output_shapes, strict=True)
        for letter, size in zip(core, shape, strict=True)
    }
    given, like = _alike(kernel, args)
    chunk = meta_from_array(like, dtype=kernel.dtype)  # type: ignore[no-untyped-call]
    meta = chunk if len(results) == 1 else (chunk,) * len(results)
    later = da.apply_gufunc(  # type: ignore[no-untyped-call]
        kernel, f"{inner}->{outer}", *given, meta=meta, output_sizes=sizes, allow_rechunk=True
    )
    return kernel.results._make(later) if kernel.results else later


def shortcut(kernel: Any) -> None:
    """Return nothing: making a lazy array takes longer than any call."""


def bind(kernel: Any, args: Sequence[Any], out: Any) -> Callable[[], None]:
    """Refuse: lazy arrays have no memory."""
    raise ArgumentError(f"bind {kernel.name}: dask arrays are lazy and have no memory; call the kernel")


def _alike(kernel: Any, args: Sequence[Any]) -> tuple[list[Any], Any]:
    """Return arguments whose chunks are all of one kind, and a chunk; numbers and lists become arrays."""
    chunks = [each._meta if isinstance(each, da.Array) else each for each in args]
    kinds = {name: kind_of(each) for name, each in zip(kernel.input_names, chunks, strict=True)}
    found = {kind for kind in kinds.values() if kind is not None}
    if "a CuPy array" in found and len(found) > 1:
        listed = ", ".join(f"{name} {kind}" for name, kind in kinds.items() if kind is not None)
        raise ArgumentError(
            f"{kernel.name}: arrays or chunks are of several kinds ({listed}); convert those that are not "
            "CuPy's, such as by .map_blocks(cupy.asarray)"
        )
    like = next(each._meta for each in args if isinstance(each, da.Array))
    if "a CuPy array" not in found:
        return list(args), like
    return [
        np.asarray(each, dtype=kernel.dtype, like=like) if kind is None else each
        for each, kind in zip(args, kinds.values(), strict=True)
    ], like
