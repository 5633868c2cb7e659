"""Repeated calls with plain tensors, without the way through names, choices and checks.

A call of tensors that are all contiguous, of one precision, on one device and of one batch shape needs no more
than an output and a launch. Whatever is otherwise takes the usual way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from .torch_cuda import launched

grad_enabled, empty = torch.is_grad_enabled, torch.empty
transformed = torch._C._functorch.peek_interpreter_stack
compiling = torch.compiler.is_compiling


def shortcut(kernel: Any) -> Callable[[Sequence[Any]], Any] | None:
    """Return a function that evaluates plain tensors on the CPU or a GPU, and gives None for others."""
    if kernel.results is not None or any(not shape for shape in kernel.input_shapes):
        return None
    dtype = torch.float64 if kernel.dtype.itemsize == 8 else torch.float32
    cores = [tuple(shape) for shape in kernel.input_shapes]
    deep = [len(core) for core in cores]
    (result,) = kernel.output_shapes
    fast = kernel.fast
    checked = list(zip(cores, deep, strict=True))
    first_deep = deep[0]

    def call(args: Sequence[Any]) -> Any:
        first = args[0]
        batch = first.shape[:-first_deep]
        for each, (core, depth) in zip(args, checked, strict=True):
            if (
                type(each) is not Tensor
                or each.dtype is not dtype
                or each.shape[-depth:] != core
                or each.shape[:-depth] != batch
                or each.device != first.device
                or not each.is_contiguous()
                or (each.requires_grad and grad_enabled())
            ):
                return None
        if compiling() or transformed() or torch.autograd.forward_ad._current_level >= 0:
            return None
        if first.is_cuda:
            made = empty((*batch, *result), dtype=dtype, device=first.device)
            launched(kernel, args, made, batch.numel())
            return made
        if first.device.type != "cpu":
            return None
        return torch.from_numpy(fast(*[each.detach().numpy() for each in args]))

    return call
