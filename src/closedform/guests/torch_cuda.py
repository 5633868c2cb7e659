"""Tensors on a GPU: kernels run where the tensors are, in the order of the current stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from math import prod
from typing import Any

import torch
from torch import Tensor

from ..errors import ClosedFormError
from .torch_shapes import whole_shapes


@cache
def library() -> Any:
    """Return what rows of memory are made with."""
    from ..cuda.rows import Library  # noqa: PLC0415 (a later stage, needed where there is a GPU)

    return Library(Tensor.data_ptr, Tensor.stride, Tensor.is_contiguous, Tensor.expand, Tensor.contiguous)


def on_device(kernel: Any, tensors: Sequence[Tensor], outs: Sequence[Tensor] | None = None) -> list[Tensor]:
    """Evaluate a kernel on tensors of one GPU, into new tensors if none are given."""
    from ..cuda.rows import evaluate  # noqa: PLC0415 (a later stage, needed where there is a GPU)

    device = tensors[0].device
    shapes = whole_shapes(kernel, tensors)
    batch = shapes[0][: len(shapes[0]) - len(kernel.output_shapes[0])]
    with torch.cuda.device(device), _memory_in_words(kernel, device, shapes):
        made = outs or [torch.empty(shape, dtype=tensors[0].dtype, device=device) for shape in shapes]
        stream = torch.cuda.current_stream(device).cuda_stream
        evaluate(library(), kernel, device.index, stream, tensors, made, batch)
    return list(made)


@contextmanager
def _memory_in_words(kernel: Any, device: torch.device, shapes: Sequence[tuple[int, ...]]) -> Iterator[None]:
    """Say what was asked for and what there is, if a GPU has no memory for results or packed inputs."""
    try:
        yield
    except torch.OutOfMemoryError as error:
        size = kernel.dtype.itemsize * sum(map(prod, shapes)) / 2**20
        free, total = (each / 2**20 for each in torch.cuda.mem_get_info(device))
        raise ClosedFormError(
            f"{kernel.name}: {device} has no memory for results of {size:,.0f} MiB: {free:,.0f} of "
            f"{total:,.0f} MiB are free; split the batch, or free other tensors"
        ) from error


def into(kernel: Any, tensors: Sequence[Tensor], outs: Sequence[Tensor]) -> None:
    """Evaluate a kernel into tensors of its GPU: in place if they are whole and apart from the inputs."""
    from ..cuda.rows import writable_in_place  # noqa: PLC0415 (a later stage, needed where there is a GPU)

    if writable_in_place(library(), kernel.name, tensors, outs, kernel.dtype):
        on_device(kernel, tensors, outs)
        return
    for each, result in zip(outs, on_device(kernel, tensors), strict=True):
        each.copy_(result)


def launched(kernel: Any, tensors: Sequence[Tensor], made: Sequence[Tensor], count: int) -> None:
    """Evaluate a kernel on contiguous tensors of one batch shape and one GPU, into others."""
    device = made[0].get_device()
    loaded = kernel.__dict__.get("_devices", {}).get(device)
    if loaded is None or device != torch.cuda.current_device():
        on_device(kernel, tensors, made)
        return
    loaded.launch(
        count,
        [each.data_ptr() for each in tensors],
        loaded.strides,
        [each.data_ptr() for each in made],
        torch._C._cuda_getCurrentRawStream(device),
    )
