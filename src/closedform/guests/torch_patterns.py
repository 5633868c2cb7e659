"""Calls like an earlier one: PyTorch knows the tensors again, and machine code finds their memory.

What is asked of tensors one by one, and what names the arguments of a launch, takes Python longer than small
batches take the hardware. A pattern is a check of all tensors of a call at once, and what evaluates them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from struct import Struct
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils._python_dispatch import BaseTorchDispatchMode

from .torch_cuda import launched

Call = Callable[[Sequence[Any]], Any]
"""A function of the arguments of a call."""

transformed, modes = torch._C._functorch.peek_interpreter_stack, torch._C._len_torch_dispatch_stack
tracing = torch._C._is_tracing


class Pattern(NamedTuple):
    """What tells whether a call is of the pattern, and what evaluates it, or gives None after all."""

    check: Callable[..., bool]
    evaluate: Call


class Exchange(ctypes.Structure):
    """DLPack's exchange API: its version, an older one, and functions, of which two are of use.

    `read` describes a tensor, `stream` tells the current stream of a device.
    """

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("older", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("manage", ctypes.c_void_p),
        ("wrap", ctypes.c_void_p),
        ("read", ctypes.c_void_p),
        ("stream", ctypes.c_void_p),
    )


def pattern_of(kernel: Any, args: Sequence[Tensor], batch: tuple[int, ...]) -> Pattern:
    """Return the pattern of a call of plain tensors without gradients, of a batch that is not empty."""
    return Pattern(check_of(args), _evaluation(kernel, args[0], batch))


def check_of(args: Sequence[Tensor]) -> Callable[..., bool]:
    """Return what tells whether tensors are like these, while no transform, mode or tracer looks on.

    They are alike in shape, strides, precision and device, and ask for no gradients. PyTorch's compiler has
    such a check of all tensors at once, for its own calls. It is used if it tells what is wrong apart from
    what is right.
    """
    if _guards_work():
        return _guards(args)
    expected = [(each.dtype, each.device, each.shape, each.stride()) for each in args]

    def check(*others: Any) -> bool:
        return not (transformed() or modes() or tracing()) and all(
            type(each) is Tensor
            and not each.requires_grad
            and not each.is_neg()
            and (each.dtype, each.device, each.shape, each.stride()) == like
            for each, like in zip(others, expected, strict=True)
        )

    return check


def _compiler() -> Any:
    """Return what PyTorch's compiler has for its own calls; older versions lack some or all of it."""
    try:
        from torch._C._dynamo import guards  # noqa: PLC0415 (may be absent)
    except ImportError:
        return None
    return guards


def _guards(args: Sequence[Tensor]) -> Callable[..., bool]:
    """Return PyTorch's check whether tensors are like these."""
    check: Callable[..., bool] = (
        _compiler()
        .TensorGuards(
            *args,
            dynamic_dims_sizes=[list(each.shape) for each in args],
            dynamic_dims_strides=[list(each.stride()) for each in args],
        )
        .check
    )
    return check


@cache
def _guards_work() -> bool:
    """Whether PyTorch has its check, and it tells tensors apart."""
    wide = torch.zeros(3, 8)
    right = wide[:, :3].contiguous()
    wrong = [
        right[None],
        wide[:, :4],
        wide[:, :3],
        wide[:, :6:2],
        right.half(),
        right.to("meta"),
        torch.nn.Parameter(right, requires_grad=False),
        right.clone().requires_grad_(),
        torch._neg_view(right),
    ]
    try:
        check = _guards([right, right])
        with BaseTorchDispatchMode():
            watched = check(right, right)
        return check(right, right.clone()) and not any(
            [watched, *(check(each, right) or check(right, each) for each in wrong)]
        )
    except (AttributeError, TypeError, ValueError, RuntimeError):
        return False


def _evaluation(kernel: Any, first: Tensor, batch: tuple[int, ...]) -> Call:
    """Return what evaluates whole tensors beside `first`, where this is."""
    results, dtype, new = kernel.results, first.dtype, _new(first.device)
    shapes = [(*batch, *core) for core in kernel.output_shapes]
    outputs = [(shape, torch.empty(shape, device="meta").stride()) for shape in shapes]
    if first.is_cuda:
        return _launching(kernel, first, prod(batch), outputs)
    run = cpu_call(kernel, prod(batch) if batch else None)
    if results is None:
        ((shape, stride),) = outputs

        def only(args: Sequence[Tensor]) -> Tensor:
            made = new(shape, stride, dtype)
            run(*args, made)
            return made

        return only

    def several(args: Sequence[Tensor]) -> Any:
        made = [new(shape, stride, dtype) for shape, stride in outputs]
        run(*args, *made)
        return tuple.__new__(results, made)

    return several


def _launching(kernel: Any, first: Tensor, count: int, outputs: Sequence[Any]) -> Call:
    """Return what evaluates tensors on the GPU of `first`."""
    results, dtype, device, new = kernel.results, first.dtype, first.get_device(), _new(first.device)
    run = launch_call(kernel, device, count)
    current = torch._C._cuda_getDevice

    def evaluate(args: Sequence[Tensor]) -> Any:
        if current() != device:
            return None
        try:
            made = [new(shape, stride, dtype) for shape, stride in outputs]
        except torch.OutOfMemoryError:
            return None  # the usual way says how much memory there is
        if run is None or run(*args, *made) is not None:  # such as a thread that has not used the GPU yet
            launched(kernel, args, made, count)
        return made[0] if results is None else tuple.__new__(results, made)

    return evaluate


def _new(device: torch.device) -> Callable[..., Tensor]:
    """Return what makes a tensor of a shape, strides and precision on a device, which is current.

    The code that PyTorch's compiler writes has such a function, quicker than the one for everybody.
    """
    found: Callable[..., Tensor] | None = getattr(_compiler(), f"_empty_strided_{device.type}", None)
    return found or (lambda shape, stride, dtype: torch.empty(shape, dtype=dtype, device=device))


def launch_call(kernel: Any, device: int, count: int) -> Callable[..., int | None] | None:
    """Return what launches whole tensors on a GPU and gives the driver's error, if machine code can."""
    from ..cuda.tensor_launch import tensor_launch  # noqa: PLC0415 (a later stage, where there is a GPU)

    api = exchange()
    loaded = kernel.__dict__.get("_devices", {}).get(device)
    if api is None or loaded is None:
        return None
    return tensor_launch(kernel, loaded, api.read, api.stream, count)


def cpu_call(kernel: Any, count: int | None) -> Callable[..., None]:
    """Return what evaluates whole tensors on the CPU, inputs and outputs in order: a sample, or a batch.

    PyTorch tells the code itself where they are, by the C functions of DLPack that newer versions have.
    """
    api = exchange()
    found: Callable[..., None] | None = None if api is None else kernel.tensor_call(api.read, count)
    if found is not None:
        return found
    inputs = len(kernel.input_shapes)
    if count is not None:
        return lambda *tensors: _by_numpy(kernel.ufunc, inputs, tensors)
    evaluate = ctypes.PYFUNCTYPE(None, ctypes.c_char_p)(kernel.bound_address)
    pack = Struct(f"{inputs + len(kernel.output_shapes)}P").pack
    return lambda *tensors: evaluate(pack(*[each.data_ptr() for each in tensors]))


def _by_numpy(ufunc: Any, inputs: int, tensors: Sequence[Tensor]) -> None:
    """Evaluate a batch through arrays of NumPy in the same memory."""
    arrays = [each.detach().numpy() for each in tensors]
    with np.errstate(all="ignore"):  # PyTorch does not warn of numbers that are not finite
        ufunc(*arrays[:inputs], out=tuple(arrays[inputs:]))


def exchange() -> Exchange | None:
    """Return the functions of DLPack's exchange API that PyTorch has, if it does."""
    capsule = getattr(Tensor, "__dlpack_c_exchange_api__", None)
    if type(capsule).__name__ != "PyCapsule":
        return None
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    api = Exchange.from_address(get(capsule, b"dlpack_exchange_api"))
    return api if api.major == 1 else None
