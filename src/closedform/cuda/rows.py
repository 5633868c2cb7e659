"""Arrays as rows in the memory of a GPU: what a launch reads in place, what is packed first, what overlaps.

A launch reads inputs in rows that are any stride apart, and writes outputs whole, one row after the other.
Slices whose rows are whole are therefore read in place; other views are packed on the device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from ..kernels.overlap import check_outputs
from .device import device_kernel


@dataclass(frozen=True)
class Library:
    """What a library of arrays on GPUs says of an array, and makes of it.

    `strides` are in entries; `whole` is whether it lies in row-major order without gaps; `repeated` gives a
    view of a shape to which it broadcasts, and `packed` a whole copy.
    """

    address: Callable[[Any], int]
    strides: Callable[[Any], Sequence[int]]
    whole: Callable[[Any], bool]
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
    depth, size = array.ndim - len(core), prod(core)
    own = tuple(array.shape[:depth])
    if own == batch and library.whole(array):
        return array, size
    if prod(own) != 1 and own != batch:
        array, depth = library.repeated(array, (*batch, *core)), len(batch)
    shape, strides = tuple(array.shape), tuple(library.strides(array))
    apart = _step(shape[:depth], strides[:depth])
    if apart is not None and (size == 1 or _step(shape[depth:], strides[depth:]) == 1):
        return array, apart
    return library.packed(array), 0 if prod(shape[:depth]) == 1 else size


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
    size = dtype.itemsize
    outs, given = ([_span(library, each, size) for each in arrays] for arrays in (outputs, inputs))
    whole = all(library.whole(each) for each in outputs)
    if not whole or any(_meet(one, other) for one, other in combinations(outs, 2)):
        check_outputs(name, [_shadow(library, each, dtype) for each in outputs])
    return whole and not any(_meet(one, other) for one in outs for other in given)


def _span(library: Library, array: Any, size: int) -> tuple[int, int]:
    """Return where an array begins and ends in memory, in bytes."""
    first, entries = library.address(array), prod(array.shape)
    if library.whole(array) or not entries:
        return first, first + size * entries
    reach = [(n - 1) * step for n, step in zip(array.shape, library.strides(array), strict=True)]
    ends = (sum(each for each in reach if each < 0), sum(each for each in reach if each > 0) + 1)
    return first + size * ends[0], first + size * ends[1]


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two arrays may share memory."""
    return max(one[0], other[0]) < min(one[1], other[1])


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
