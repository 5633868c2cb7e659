"""Kernels on dask arrays: lazy results, computed chunk by chunk by the workers that hold the chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dask.array as da

from ..errors import ArgumentError
from .dask_kinds import of_one_kind


def call(kernel: Any, args: Sequence[Any], out: Any, threads: int) -> Any:
    """Return lazy dask arrays; workers compile the kernel for themselves."""
    if out is not None:
        raise ArgumentError(f"{kernel.name}: out= does not go with dask arrays; assign the result")
    args = of_one_kind(kernel, args)
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    cores = [[next(letters) for _ in shape] for shape in kernel.input_shapes]
    results = [[next(letters) for _ in shape] for shape in kernel.output_shapes]
    inner, outer = (",".join(f"({','.join(core)})" for core in group) for group in (cores, results))
    sizes = {
        letter: size
        for core, shape in zip(results, kernel.output_shapes, strict=True)
        for letter, size in zip(core, shape, strict=True)
    }
    dtypes = kernel.dtype if len(results) == 1 else [kernel.dtype] * len(results)
    later = da.apply_gufunc(  # type: ignore[no-untyped-call]
        kernel, f"{inner}->{outer}", *args, output_dtypes=dtypes, output_sizes=sizes, allow_rechunk=True
    )
    return kernel.results._make(later) if kernel.results else later


def shortcut(kernel: Any) -> None:
    """Return nothing: making a lazy array takes longer than any call."""


def bind(kernel: Any, args: Sequence[Any], out: Any) -> Callable[[], None]:
    """Refuse: lazy arrays have no memory."""
    raise ArgumentError(f"bind {kernel.name}: dask arrays are lazy and have no memory; call the kernel")
