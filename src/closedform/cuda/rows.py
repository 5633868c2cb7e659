"""Arrays as rows in the memory of a GPU: what a launch reads in place, what is packed first, what overlaps.

A launch reads inputs in rows that are any stride apart, and writes outputs whole, one row after the other.
Slices whose rows are whole are therefore read in place; other views are packed on the device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..kernels.overlap import check_outputs, share
from .device import device_kernel


@dataclass(frozen=True)
class Library:
    """What a library of arrays on GPUs says of an array, and makes of it.

    `strides` are in entries; `repeated` gives a view of a shape to which an array broadcasts, and `packed` a
    copy in row-major order.
    """

    address: Callable[[Any], int]
    strides: Callable[[Any], Sequence[int]]
    repeated: Callable[[Any, tuple[int, ...]], Any]
    packed: Callable[[Any], Any]


def evaluate(
    library: Library,
    kernel: Any,
    device: int,
    stream: int,
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    batch: tuple[int, ...],
) -> None:
    """Evaluate a kernel on arrays of a device, which is current, into whole arrays apart from them."""
    rows = [
        as_rows(library, each, tuple(core), batch)
        for each, core in zip(inputs, kernel.input_shapes, strict=True)
    ]
    address = library.address
    device_kernel(kernel, device).launch(
        prod(batch),
        [address(each) for each, _ in rows],
        [stride for _, stride in rows],
        [address(each) for each in outputs],
        stream,
    )


def as_rows(library: Library, array: Any, core: tuple[int, ...], batch: tuple[int, ...]) -> tuple[Any, int]:
    """Return an array whose samples are rows of memory, and how far they are apart: 0 if all share one."""
    depth = array.ndim - len(core)
    if prod(array.shape[:depth]) != 1 and tuple(array.shape[:depth]) != batch:
        array, depth = library.repeated(array, (*batch, *core)), len(batch)
    shape, strides = tuple(array.shape), tuple(library.strides(array))
    size, apart = prod(core), _step(shape[:depth], strides[:depth])
    if apart is not None and (size == 1 or _step(shape[depth:], strides[depth:]) == 1):
        return array, apart
    return library.packed(array), 0 if prod(shape[:depth]) == 1 else size


def is_whole(library: Library, array: Any) -> bool:
    """Whether the entries of an array follow each other in memory, in row-major order."""
    return _step(tuple(array.shape), library.strides(array)) in (0, 1)


def _step(shape: Sequence[int], strides: Sequence[int]) -> int | None:
    """Return the distance from entry to entry if it is one throughout: 0 for a single entry, None if not."""
    axes = [(n, step) for n, step in zip(shape, strides, strict=True) if n != 1]
    if not axes:
        return 0
    size, step = 1, axes[-1][1]
    for length, stride in reversed(axes):
        if stride != step * size:
            return None
        size *= length
    return step


def writable_in_place(
    library: Library, name: str, inputs: Sequence[Any], outputs: Sequence[Any], dtype: np.dtype[Any]
) -> bool:
    """Whether a launch may write outputs where they are: whole, and apart from the inputs.

    Outputs that share memory with each other are refused.
    """
    outs = [_shadow(library, each, dtype) for each in outputs]
    check_outputs(name, outs)
    if not all(each.flags.c_contiguous for each in outs):
        return False
    given = [_shadow(library, each, dtype) for each in inputs]
    return not any(share(one, other) for one in given for other in outs)


class _Interface:
    """What NumPy asks of an array that is not its own."""

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface


def _shadow(library: Library, array: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return an array of NumPy at the same addresses, to compare them; its entries must not be touched."""
    strides = tuple(each * dtype.itemsize for each in library.strides(array))
    place = library.address(array) or dtype.itemsize  # an empty array may have none
    interface = {
        "version": 3,
        "typestr": dtype.str,
        "shape": tuple(array.shape),
        "strides": strides,
        "data": (place, False),
    }
    return np.asarray(_Interface(interface))
