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
from numpy import asarray, errstate
from torch import Tensor

from .torch_cuda import launched

grad_enabled, empty, empty_like = torch.is_grad_enabled, torch.empty, torch.empty_like
transformed, modes = torch._C._functorch.peek_interpreter_stack, torch._C._len_torch_dispatch_stack
tracing, nested = torch._C._is_tracing, Tensor.is_nested.__get__
forward = torch.autograd.forward_ad


class _Exchange(ctypes.Structure):
    """DLPack's exchange API: its version, an older one, and functions, of which one describes a tensor."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("older", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("manage", ctypes.c_void_p),
        ("wrap", ctypes.c_void_p),
        ("read", ctypes.c_void_p),
    )


Call = Callable[[Sequence[Any]], Any]
"""A function of the arguments of a call."""


def plain_call(kernel: Any, differentiable: Call) -> Call | None:
    """Return a function that evaluates plain tensors on the CPU or a GPU, and gives None for others.

    Tensors that are plain besides their gradients go to `differentiable`.
    """
    if any(not shape for shape in kernel.input_shapes):
        return None
    batch, dtype = _batch(kernel, differentiable), _precision(kernel)
    outputs, results = kernel.output_shapes, kernel.results
    like = results is None and outputs[0] == kernel.input_shapes[0]
    plain: Callable[..., bool] | None = None
    evaluate = sample_call(kernel)

    def call(args: Sequence[Any]) -> Any:
        nonlocal plain
        if modes() or tracing() or forward._current_level >= 0:
            return None
        if plain is None:
            if transformed():
                return None
            plain = plain_samples(kernel)
        try:
            if True in map(nested, args) or not plain(*args):  # the check of a nested one ends the process
                return batch(args)
        except TypeError:  # no tensor
            return None
        if like:
            result = empty_like(args[0])
            evaluate(*args, result)
            return result
        made = [empty(shape, dtype=dtype) for shape in outputs]
        evaluate(*args, *made)
        return made[0] if results is None else tuple.__new__(results, made)

    return call


def sample_call(kernel: Any) -> Callable[..., None]:
    """Return what evaluates a sample on the CPU, of inputs and outputs whose addresses machine code takes.

    PyTorch tells them to the code itself, through the C functions of DLPack that newer versions have.
    """
    capsule = getattr(Tensor, "__dlpack_c_exchange_api__", None)
    if type(capsule).__name__ == "PyCapsule":
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        api = _Exchange.from_address(get(capsule, b"dlpack_exchange_api"))
        found = kernel.tensor_call(api.read) if api.major == 1 else None
        if found is not None:
            return found  # type: ignore[no-any-return]
    evaluate = ctypes.PYFUNCTYPE(None, ctypes.c_char_p)(kernel.bound_address)
    pack = Struct(f"{len(kernel.input_shapes) + len(kernel.output_shapes)}P").pack
    return lambda *tensors: evaluate(pack(*[each.data_ptr() for each in tensors]))


def plain_samples(kernel: Any) -> Callable[..., bool]:
    """Return what tells whether tensors are a single sample on the CPU, contiguous and without gradients.

    PyTorch's compiler has such a check of all tensors at once, for its own calls. It is used if it tells what
    is wrong apart from what is right.
    """
    dtype, cores = _precision(kernel), [tuple(shape) for shape in kernel.input_shapes]
    with torch.inference_mode(False), torch.enable_grad():
        check = _guards([empty(core, dtype=dtype) for core in cores])
    if check is not None:
        return check

    def plain(*args: Any) -> bool:
        return not transformed() and all(
            type(each) is Tensor
            and each.is_cpu
            and each.dtype is dtype
            and each.shape == core
            and each.is_contiguous()
            and not (each.requires_grad and grad_enabled())
            for each, core in zip(args, cores, strict=True)
        )

    return plain


def _guards(right: list[Tensor]) -> Callable[..., bool] | None:
    """Return PyTorch's check whether tensors are like these, None if there is none that works."""
    first, *others = right
    wide = empty((*first.shape[:-1], 2 * first.shape[-1] + 2), dtype=first.dtype)
    wrong = [
        first[None],
        wide[..., : first.shape[-1] + 1],
        wide[..., : 2 * first.shape[-1] : 2] if first.numel() > 1 else first[None],
        first.half(),
        first.to("meta"),
        torch.nn.Parameter(first, requires_grad=False),
        first.clone().requires_grad_(),
    ]
    try:
        from torch._C._dynamo.guards import TensorGuards  # noqa: PLC0415 (may be absent)

        check: Callable[..., bool] = TensorGuards(
            *right,
            dynamic_dims_sizes=[list(each.shape) for each in right],
            dynamic_dims_strides=[list(each.stride()) for each in right],
        ).check
        works = check(*right) and not any(check(each, *others) for each in wrong)
    except (ImportError, TypeError, ValueError, RuntimeError):
        return None
    return check if works else None


def _batch(kernel: Any, differentiable: Call) -> Call:
    """Return what evaluates tensors of one batch shape on the CPU or a GPU."""
    dtype, cores = _precision(kernel), [tuple(shape) for shape in kernel.input_shapes]
    depth, alike = len(cores[0]), len(set(cores)) == 1
    outputs, results, fast = kernel.output_shapes, kernel.results, kernel.fast

    def call(args: Sequence[Any]) -> Any:
        first = args[0]
        if first.is_nested:
            return None
        shape = first.shape
        if shape[-depth:] != cores[0] or transformed():
            return None
        batch, device = shape[:-depth], first.get_device()
        for each, core in zip(args, cores, strict=True):
            if (
                type(each) is not Tensor
                or each.dtype is not dtype
                or each.layout is not torch.strided
                or each.is_nested
                or each.is_neg()
                or each.shape != (shape if alike else (*batch, *core))
                or each.get_device() != device
                or not each.is_contiguous()
            ):
                return None
        if grad_enabled() and any(each.requires_grad for each in args):
            return differentiable(args)
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
            made = [torch.from_numpy(asarray(each)) for each in (found if results else (found,))]
        else:
            return None
        return made[0] if results is None else tuple.__new__(results, made)

    return call


def _precision(kernel: Any) -> torch.dtype:
    return torch.float64 if kernel.dtype.itemsize == 8 else torch.float32
