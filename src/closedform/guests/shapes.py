"""Batch shapes of arrays of any kind, and what is said of those that do not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentError


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
    try:
        return tuple(broadcast(*batches))
    except (RuntimeError, ValueError):
        pairs = zip(kernel.input_names, batches, strict=True)
        listed = ", ".join(f"{name} {each}" for name, each in pairs)
        raise ArgumentError(f"{kernel.name}: batch shapes do not broadcast: {listed}") from None
