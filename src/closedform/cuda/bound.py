"""Arrays on a GPU bound to a kernel once and for all: a call is one launch, and copies nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

from ..errors import ArgumentError
from ..guests.shapes import batch_of, outputs_of
from .rows import Library, as_rows, writable_in_place


class Launch(NamedTuple):
    """What a launch takes besides its stream."""

    samples: int
    inputs: list[int]
    strides: list[int]
    outputs: list[int]


def bound_launch(library: Library, kernel: Any, args: Sequence[Any], out: Any) -> Launch:
    """Return the launch that evaluates arrays of one device into others, where they are."""
    name = f"bind {kernel.name}"
    batch = batch_of(kernel, args)
    outs = outputs_of(kernel, out, batch)
    if not all(library.whole(each) for each in outs):
        raise ArgumentError(f"{name}: out is not contiguous; give one that is, so that nothing is copied")
    if not writable_in_place(library, name, args, outs, kernel.dtype):
        raise ArgumentError(f"{name}: out overlaps an input; give it memory of its own")
    rows = []
    for label, core, each in zip(kernel.input_names, kernel.input_shapes, args, strict=True):

        def refused(array: Any, label: str = label) -> Any:
            raise ArgumentError(
                f"{name}: {label} would have to be copied for every call, since its samples are not rows "
                "an even distance apart; bind a contiguous copy of the whole batch, and write into that"
            )

        rows.append(as_rows(replace(library, packed=refused), each, tuple(core), batch))
    address = library.address
    return Launch(
        prod(batch),
        [address(each) for each, _ in rows],
        [stride for _, stride in rows],
        [address(each) for each in outs],
    )
