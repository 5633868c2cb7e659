"""Kernels on dask arrays: lazy results, computed chunk by chunk by the workers that hold the chunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ArgumentError
from .signature import Signature


def lazy(kernel: Callable[..., Any], signature: Signature, args: Sequence[Any], out: Any) -> Any:
    """Return lazy dask arrays; workers compile the kernel for themselves."""
    import dask.array as da  # noqa: PLC0415 (an extra, needed only here)

    if out is not None:
        raise ArgumentError(f"{signature.name}: out= does not go with dask arrays; assign the result")
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    cores = [[next(letters) for _ in shape] for shape in signature.input_shapes]
    results = [[next(letters) for _ in shape] for shape in signature.output_shapes]
    inner, outer = (",".join(f"({','.join(core)})" for core in group) for group in (cores, results))
    sizes = {
        letter: size
        for core, shape in zip(results, signature.output_shapes, strict=True)
        for letter, size in zip(core, shape, strict=True)
    }
    dtypes = signature.dtype if len(results) == 1 else [signature.dtype] * len(results)
    return da.apply_gufunc(  # type: ignore[no-untyped-call]
        kernel, f"{inner}->{outer}", *args, output_dtypes=dtypes, output_sizes=sizes, allow_rechunk=True
    )
