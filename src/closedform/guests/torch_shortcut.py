"""Repeated calls with plain tensors, without the way through names, choices and checks.

A call of tensors that are all contiguous, of one precision, on one device and of one batch shape needs no
more than outputs and a launch; one that is like an earlier call, not even to be looked at tensor by tensor.
Whatever is otherwise takes the usual way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from numpy import asarray, errstate
from torch import Tensor

from .torch_cuda import launched
from .torch_patterns import Call, Pattern, modes, pattern_of, tracing, transformed

grad_enabled, empty = torch.is_grad_enabled, torch.empty
forward = torch.autograd.forward_ad

PATTERNS = 4
"""How many patterns of calls of a kernel are known at a time."""


def plain_call(kernel: Any, differentiable: Call) -> Call | None:
    """Return a function that evaluates plain tensors on the CPU or a GPU, and gives None for others.

    Tensors that are plain besides their gradients go to `differentiable`.
    """
    if any(not shape for shape in kernel.input_shapes):
        return None
    known: tuple[Pattern, ...] = ()  # the newest first
    before: tuple[int, ...] | None = None

    def learn(args: Sequence[Tensor], batch: tuple[int, ...]) -> None:
        """Know the pattern of a call again if its batch shape comes twice in a row."""
        nonlocal known, before
        if batch == before:
            known = (pattern_of(kernel, args, batch), *known[: PATTERNS - 1])
            before = None
        else:
            before = batch

    general = _general(kernel, differentiable, learn)

    def call(args: Sequence[Any]) -> Any:
        if forward._current_level >= 0:
            return None
        try:
            for each in args:
                if each.is_nested:  # PyTorch's check of one ends the process
                    return None
            for check, evaluate in known:
                if check(*args):
                    result = evaluate(args)
                    if result is not None:
                        return result
                    break
        except (AttributeError, TypeError):  # no tensor
            return None
        return None if modes() or tracing() else general(args)

    return call


def _general(kernel: Any, differentiable: Call, learn: Any) -> Call:
    """Return what evaluates tensors of one batch shape on the CPU or a GPU."""
    dtype = torch.float64 if kernel.dtype.itemsize == 8 else torch.float32
    cores = [tuple(shape) for shape in kernel.input_shapes]
    depth, alike = len(cores[0]), len(set(cores)) == 1
    outputs, results, fast = kernel.output_shapes, kernel.results, kernel.fast

    def call(args: Sequence[Any]) -> Any:
        first = args[0]
        shape = first.shape
        if shape[-depth:] != cores[0] or transformed():
            return None
        batch, device = shape[:-depth], first.get_device()
        for each, core in zip(args, cores, strict=True):
            if (
                type(each) is not Tensor
                or each.dtype is not dtype
                or each.layout is not torch.strided
                or each.is_neg()
                or each.shape != (shape if alike else (*batch, *core))
                or each.get_device() != device
                or not each.is_contiguous()
            ):
                return None
        leaves = any(each.requires_grad for each in args)
        if leaves and grad_enabled():
            return differentiable(args)
        if first.is_cuda:
            try:
                made = [empty((*batch, *core), dtype=dtype, device=device) for core in outputs]
            except torch.OutOfMemoryError:
                return None  # the usual way says how much memory there is
            launched(kernel, args, made, batch.numel())
        elif first.is_cpu:
            arrays = [each.detach().numpy() if leaves else each.numpy() for each in args]
            with errstate(all="ignore"):  # PyTorch does not warn of numbers that are not finite
                found = fast(*arrays)
            made = [torch.from_numpy(asarray(each)) for each in (found if results else (found,))]
        else:
            return None
        if batch.numel() and not leaves:
            learn(args, batch)
        return made[0] if results is None else tuple.__new__(results, made)

    return call
