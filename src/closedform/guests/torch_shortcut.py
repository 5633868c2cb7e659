"""Repeated calls with plain tensors, without the way through names, choices and checks.

A call of tensors that are all contiguous, of one precision, on one device and of one batch shape needs no
more than outputs and a launch; a single sample on the CPU, no more than the addresses of its tensors.
Whatever is otherwise takes the usual way.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from struct import Struct
from typing import Any

import torch
from numpy import errstate
from torch import Tensor

from .torch_cuda import launched

grad_enabled, empty, empty_like = torch.is_grad_enabled, torch.empty, torch.empty_like
transformed, modes = torch._C._functorch.peek_interpreter_stack, torch._C._len_torch_dispatch_stack
tracing = torch._C._is_tracing
forward = torch.autograd.forward_ad


def shortcut(kernel: Any) -> Callable[[Sequence[Any]], Any] | None:
    """Return a function that evaluates plain tensors on the CPU or a GPU, and gives None for others."""
    if any(not shape for shape in kernel.input_shapes):
        return None
    single, batch = _single(kernel), _batch(kernel)
    core = torch.Size(kernel.input_shapes[0])

    def call(args: Sequence[Any]) -> Any:
        if transformed() or modes() or tracing() or forward._current_level >= 0:
            return None
        try:
            return single(args) if args[0].shape == core else batch(args)
        except RuntimeError:  # a nested tensor has no shape
            if args[0].is_nested:
                return None
            raise

    return call


def _single(kernel: Any) -> Callable[[Sequence[Any]], Any]:
    """Return what evaluates one sample on the CPU: the machine code takes the addresses of its tensors."""
    dtype, cores = _precision(kernel), [torch.Size(shape) for shape in kernel.input_shapes]
    evaluate = ctypes.PYFUNCTYPE(None, ctypes.c_char_p)(kernel.bound_address)
    pack = Struct(f"{len(cores) + len(kernel.output_shapes)}P").pack
    outputs, results, batch = kernel.output_shapes, kernel.results, _batch(kernel)
    like = results is None and outputs[0] == kernel.input_shapes[0]

    def call(args: Sequence[Any]) -> Any:
        places = []
        for each, core in zip(args, cores):  # noqa: B905 (as many, and quicker unchecked)
            if (
                type(each) is not Tensor
                or not each.is_cpu
                or each.dtype is not dtype
                or each.shape != core
                or not each.is_contiguous()
                or (each.requires_grad and grad_enabled())
            ):
                return batch(args)
            places.append(each.data_ptr())
        if like:
            result = empty_like(each)
            evaluate(pack(*places, result.data_ptr()))
            return result
        made = [empty(shape, dtype=dtype) for shape in outputs]
        evaluate(pack(*places, *[each.data_ptr() for each in made]))
        return made[0] if results is None else tuple.__new__(results, made)

    return call


def _batch(kernel: Any) -> Callable[[Sequence[Any]], Any]:
    """Return what evaluates tensors of one batch shape on the CPU or a GPU."""
    dtype, cores = _precision(kernel), [tuple(shape) for shape in kernel.input_shapes]
    depth, alike = len(cores[0]), len(set(cores)) == 1
    outputs, results, fast = kernel.output_shapes, kernel.results, kernel.fast

    def call(args: Sequence[Any]) -> Any:
        first = args[0]
        shape = first.shape
        if shape[-depth:] != cores[0]:
            return None
        batch, device = shape[:-depth], first.get_device()
        for each, core in zip(args, cores, strict=True):
            if (
                type(each) is not Tensor
                or each.dtype is not dtype
                or each.shape != (shape if alike else (*batch, *core))
                or each.get_device() != device
                or not each.is_contiguous()
                or (each.requires_grad and grad_enabled())
            ):
                return None
        if first.is_cuda:
            try:
                made = [empty((*batch, *core), dtype=dtype, device=device) for core in outputs]
            except torch.OutOfMemoryError:
                return None  # the usual way says how much memory there is
            launched(kernel, args, made, batch.numel())
        elif first.is_cpu:
            arrays = [each.detach().numpy() if each.requires_grad else each.numpy() for each in args]
            with errstate(all="ignore"):  # PyTorch does not warn of numbers that are not finite
                found = fast(*arrays)
            made = [torch.from_numpy(each) for each in (found if results else (found,))]
        else:
            return None
        return made[0] if results is None else tuple.__new__(results, made)

    return call


def _precision(kernel: Any) -> torch.dtype:
    return torch.float64 if kernel.dtype.itemsize == 8 else torch.float32
