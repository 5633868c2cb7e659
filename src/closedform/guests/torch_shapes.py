"""Shapes of tensors: what broadcasts, what is summed again, and where a further batch goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ..errors import ArgumentError
from .shapes import batch_of

BATCHED = torch._C._parse_dispatch_key("Batched")
"""What PyTorch's first way of batching, which `torch.autograd` still uses, marks its tensors with."""


def common_device(name: str, tensors: Sequence[Tensor]) -> torch.device:
    """Return the device that all tensors are on; it is the CPU or an NVIDIA GPU."""
    devices = {each.device for each in tensors}
    if len(devices) > 1:
        places = " and ".join(sorted(map(str, devices)))
        raise ArgumentError(f"{name}: tensors are on {places}; move them to one device with .to(...)")
    (device,) = devices
    if device.type not in ("cpu", "cuda"):
        raise ArgumentError(
            f"{name}: tensors on {device} are not taken; move them to the CPU or to a CUDA device"
        )
    return device


def whole_shapes(kernel: Any, tensors: Sequence[Tensor]) -> list[tuple[int, ...]]:
    """Return the shapes of the results of a call; inputs that do not fit are named."""
    batch = batch_of(kernel, tensors, torch.broadcast_shapes)
    return [(*batch, *core) for core in kernel.output_shapes]


def summed(gradient: Tensor, shape: Sequence[int]) -> Tensor:
    """Return a gradient summed over the axes along which its input was repeated."""
    return gradient.sum_to_size(tuple(shape)) if gradient.shape != tuple(shape) else gradient


def in_front(kernel: Any, tensors: Sequence[Tensor], dims: Sequence[int | None]) -> list[Tensor]:
    """Return tensors whose axis `dims` is the first of their batch axes, the same one for all."""
    deepest = max(
        each.ndim - len(core) - (dim is not None)
        for each, core, dim in zip(tensors, kernel.input_shapes, dims, strict=True)
    )
    moved = []
    for each, core, dim in zip(tensors, kernel.input_shapes, dims, strict=True):
        if dim is None:
            moved.append(each)
            continue
        first = each.movedim(dim, 0)
        missing = deepest - (first.ndim - 1 - len(core))
        moved.append(first.reshape(first.shape[0], *(1,) * missing, *first.shape[1:]))
    return moved


def is_batched(tensor: Tensor) -> bool:
    """Whether a tensor stands for several, as in `torch.autograd.grad(..., is_grads_batched=True)`."""
    return bool(torch._C._dispatch_keys(tensor).has(BATCHED))
