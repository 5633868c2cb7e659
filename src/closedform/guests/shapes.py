"""Batch shapes of arrays of any kind, and what is said of those that do not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentError
from .kinds import known_precision


def batch_of(
    kernel: Any, arrays: Sequence[Any], broadcast: Callable[..., Any] = np.broadcast_shapes
) -> tuple[int, ...]:
    """Return the batch shape to which the inputs of a kernel broadcast; inputs that do not fit are named."""
    batches = []
    for name, core, array in zip(kernel.input_names, kernel.input_shapes, arrays, strict=True):
        shape = tuple(array.shape)
        if shape[max(0, len(shape) - len(core)) :] != tuple(core):
            ends = ", ".join(map(str, core))
            raise ArgumentError(f"{kernel.name}: {name} has shape {shape}; expected (..., {ends})")
        batches.append(shape[: len(shape) - len(core)])
    if all(each == batches[0] for each in batches):  # the usual case, without the library's way to broadcast
        return batches[0]
    try:
        return tuple(broadcast(*batches))
    except (RuntimeError, ValueError):
        pairs = zip(kernel.input_names, batches, strict=True)
        listed = ", ".join(f"{name} {each}" for name, each in pairs)
        raise ArgumentError(f"{kernel.name}: batch shapes do not broadcast: {listed}") from None


def outputs_of(kernel: Any, out: Any, batch: tuple[int, ...]) -> tuple[Any, ...]:
    """Return the arrays of `out`, if they hold the results of a batch in the kernel's precision."""
    outs, count = out if isinstance(out, tuple) else (out,), len(kernel.output_shapes)
    if len(outs) != count:
        raise ArgumentError(f"{kernel.name}: out has {len(outs)} arrays; expected a tuple of {count}")
    for k, (each, core) in enumerate(zip(outs, kernel.output_shapes, strict=True)):
        label, shape = f"{kernel.name}: out{f'[{k}]' if count > 1 else ''}", (*batch, *core)
        if tuple(each.shape) != shape:
            raise ArgumentError(f"{label} has shape {tuple(each.shape)}; expected {shape}")
        if each.dtype != kernel.dtype and known_precision(label, each.dtype) != kernel.dtype:
            raise ArgumentError(f"{label} is {each.dtype}; expected {kernel.dtype.name}, as the results are")
    return outs
