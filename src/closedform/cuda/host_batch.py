"""Batches of NumPy arrays that a GPU evaluates: what is given is checked before the GPU is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..arrays import Array
from ..checks import function, whole_number
from ..errors import ArgumentError
from ..guests import guest_of
from ..guests.kinds import kind_in_words
from ..kernels import overlap
from ..kernels.signature import Signature
from .chunks import Work, evaluate_in_chunks
from .driver import primary_context

MOST_THREADS = 64
"""Threads that copy; each has memory for a chunk."""


def evaluate_on_gpu(
    kernel: Any,
    signature: Signature,
    args: Sequence[Any],
    out: Any,
    device: int,
    chunk: int | None,
    threads: int | None,
    progress: Callable[[float], Any] | None,
) -> tuple[Array, ...]:
    """Return the results of a kernel as NumPy arrays, computed on a GPU in chunks."""
    name = f"{kernel.name}: on_gpu"
    device = whole_number(f"{name}: device", device, 0)
    chunk = None if chunk is None else whole_number(f"{name}: chunk", chunk, 1)
    threads = None if threads is None else whole_number(f"{name}: threads", threads, 1, MOST_THREADS)
    if progress is not None:
        function(f"{name}: progress", progress, "the fraction done")
    arrays, batch = _inputs(signature, args, out)
    if prod(batch):
        primary_context(device)  # before memory for the results is taken
    outs = _outputs(signature, arrays, batch, out)
    if prod(batch):
        evaluate_in_chunks(Work(kernel, batch, arrays, outs), device, chunk, threads, progress)
    return outs


def _inputs(signature: Signature, args: Sequence[Any], out: Any) -> tuple[list[Array], tuple[int, ...]]:
    """Return the inputs as they are in memory, and the shape of the batch."""
    for label, each in zip(signature.input_names, args, strict=True):
        if guest_of(each) is not None:
            raise ArgumentError(
                f"{signature.name}: on_gpu takes NumPy arrays, and {label} is {kind_in_words(each)}; call "
                "the kernel itself: it evaluates arrays where they are"
            )
    try:
        arrays = [np.asarray(each) for each in signature.plain(args)]
        for each in arrays:
            if each.dtype.kind not in "fiub" or not np.can_cast(each.dtype, signature.dtype, "same_kind"):
                raise TypeError(each.dtype)
        return arrays, signature.batch(arrays)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise signature.explained(args, out, error) from None


def _outputs(
    signature: Signature, arrays: Sequence[Array], batch: tuple[int, ...], out: Any
) -> tuple[Array, ...]:
    """Return the arrays of the caller, if they can hold the results, or new ones."""
    shapes = [batch + shape for shape in signature.output_shapes]
    if out is None:
        try:
            return tuple(np.empty(shape, signature.dtype) for shape in shapes)
        except (MemoryError, ValueError) as error:
            raise ArgumentError(
                f"{signature.name}: the result does not fit in memory ({error}); give out=, such as an "
                "np.memmap, or split the batch"
            ) from None
    outs = out if isinstance(out, tuple) else (out,)
    signature.check_outputs(outs)
    wrong = signature.wrong_output(out, batch)
    if wrong is not None:
        raise wrong
    for each, shape in zip(outs, shapes, strict=True):
        given = getattr(each, "shape", None)
        if given != shape:
            raise ArgumentError(f"{signature.name}: out has shape {given}; expected {shape}")
    overlap.check_outputs(signature.name, outs)
    for label, each in zip(signature.input_names, arrays, strict=True):
        if any(overlap.share(each, other) for other in outs):
            raise ArgumentError(
                f"{signature.name}: out overlaps {label}, and chunks are evaluated in any order; give it "
                "memory of its own"
            )
    return outs
