"""Tensors bound to a kernel once and for all: a call evaluates them where they are, and allocates nothing.

A bound call holds its tensors, so that their memory stays. PyTorch may still give a tensor other memory
(`resize_`, `set_`, `.data = ...`); every call looks whether the tensors are where they were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ..errors import ArgumentError, shown
from .kinds import kind_in_words, known_precision
from .torch_cuda import library


def bind(kernel: Any, args: Sequence[Any], out: Any) -> Callable[[], None]:
    """Return a function of no arguments that evaluates these tensors into `out`."""
    outs = out if isinstance(out, tuple) else (out,)
    names = [*kernel.input_names, *["out"] * len(outs)]
    for label, each in zip(names, (*args, *outs), strict=True):
        _check(f"bind {kernel.name}: {label}", kernel, each, args[0] if args else outs[0])
    if args[0].is_cuda:
        return _on_gpu(kernel, args, outs)
    arrays = [each.detach().numpy() for each in (*args, *outs)]
    made = tuple(arrays[len(args) :])
    evaluate = kernel.bind(*arrays[: len(args)], out=made if len(made) > 1 else made[0])
    return _guarded(kernel, [*args, *outs], outs, evaluate)


def _check(name: str, kernel: Any, given: Any, first: Any) -> None:
    """Refuse what is no plain tensor of the kernel's precision beside the first one."""
    if type(given) not in (Tensor, torch.nn.Parameter):
        raise ArgumentError(
            f"{name} is {kind_in_words(given) or shown(given)}; expected a tensor, like the others"
        )
    if given.device.type not in ("cpu", "cuda") or given.device != first.device:
        raise ArgumentError(
            f"{name} is on {given.device}; expected all tensors on one device, the CPU or a CUDA device"
        )
    if known_precision(name, given.dtype) != kernel.dtype:
        raise ArgumentError(f"{name} is {given.dtype}; expected {kernel.dtype.name}, as the kernel is")
    if given.layout is not torch.strided or given.is_neg():
        raise ArgumentError(f"{name} is sparse or a negated view; bind a dense copy of it")
    if given.requires_grad and torch.is_grad_enabled():
        raise ArgumentError(
            f"{name} requires a gradient, and bound calls have none; detach it or bind within torch.no_grad()"
        )


def _on_gpu(kernel: Any, args: Sequence[Tensor], outs: Sequence[Tensor]) -> Callable[[], None]:
    """Return what launches the kernel in the order of the current stream."""
    from ..cuda.bound import bound_launch  # noqa: PLC0415 (a later stage, needed where there is a GPU)
    from ..cuda.device import device_kernel  # noqa: PLC0415 (the same)

    prepared = bound_launch(library(), kernel, args, tuple(outs))
    device = args[0].get_device()
    with torch.cuda.device(device):
        launch = device_kernel(kernel, device).bound(*prepared)
    stream, current = torch._C._cuda_getCurrentRawStream, torch._C._cuda_getDevice

    def evaluate() -> None:
        if current() == device:
            launch(stream(device))
        else:
            with torch.cuda.device(device):
                launch(stream(device))

    return _guarded(kernel, [*args, *outs], outs, evaluate)


def _guarded(
    kernel: Any, tensors: Sequence[Tensor], outs: Sequence[Tensor], evaluate: Callable[[], Any]
) -> Callable[[], None]:
    """Return what evaluates tensors that are where they were, and tells PyTorch that the outputs change."""
    places = [each.data_ptr() for each in tensors]
    written = tuple(each for each in outs if not each.is_inference())
    changed = torch.autograd.graph.increment_version

    def call() -> None:
        if [each.data_ptr() for each in tensors] != places:
            raise ArgumentError(
                f"bound {kernel.name}: a tensor has other memory than when it was bound (resize_, set_ or "
                ".data = ...); bind the tensors again"
            )
        evaluate()
        if written:
            changed(written)

    call.__name__ = call.__qualname__ = f"bound {kernel.name}"
    return call
