"""Tensors on a GPU: kernels run where the tensors are, in the order of the current stream."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor

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
    with torch.cuda.device(device):
        made = outs or [torch.empty(shape, dtype=tensors[0].dtype, device=device) for shape in shapes]
        stream = torch.cuda.current_stream(device).cuda_stream
        evaluate(library(), kernel, device.index, stream, tensors, made, batch)
    return list(made)


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
