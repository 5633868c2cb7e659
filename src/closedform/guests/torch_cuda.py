"""Tensors on a GPU: kernels run where the tensors are, in the order of the current stream."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor

from .torch_shapes import whole_shapes


def on_device(kernel: Any, tensors: Sequence[Tensor], outs: Sequence[Tensor] | None = None) -> list[Tensor]:
    """Evaluate a kernel on tensors of one GPU, into new tensors if none are given."""
    from ..cuda.device import device_kernel  # noqa: PLC0415 (a later stage, needed where there is a GPU)

    device = tensors[0].device
    shapes = whole_shapes(kernel, tensors)
    batch = shapes[0][: len(shapes[0]) - len(kernel.output_shapes[0])]
    count = prod(batch)
    inputs, strides = [], []
    for core, each in zip(kernel.input_shapes, tensors, strict=True):
        rows, stride = _rows(each, core, batch, count)
        inputs.append(rows)
        strides.append(stride)
    with torch.cuda.device(device):
        made = outs or [torch.empty(shape, dtype=tensors[0].dtype, device=device) for shape in shapes]
        loaded = device_kernel(kernel, device.index)
        stream = torch.cuda.current_stream(device).cuda_stream
        loaded.launch(
            count, [each.data_ptr() for each in inputs], strides, [each.data_ptr() for each in made], stream
        )
    return list(made)


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


def _rows(tensor: Tensor, core: Sequence[int], batch: Sequence[int], count: int) -> tuple[Tensor, int]:
    """Return a tensor as rows of memory, and how far they are apart: 0 if all samples share one."""
    size = prod(core)
    shape = tensor.shape[: tensor.ndim - len(core)]
    if prod(shape) == 1:
        return tensor.contiguous(), 0
    if tuple(shape) != tuple(batch):
        tensor = tensor.expand(*batch, *core)
    return tensor.contiguous(), size
