"""Arrays bound to a kernel once and for all, so that a call checks and converts nothing."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import ArgumentError
from . import memory_layout
from .built_in import NO_ARGUMENTS, built_in
from .dispatch import dispatcher
from .signature import Shape, Signature, described


def bound_call(kernel: Any, signature: Signature, args: Sequence[Array], outs: Sequence[Array]) -> Any:
    """Return a function of no arguments that evaluates these arrays, which it keeps alive."""
    pairs = zip(args, signature.input_shapes, strict=False)
    if any(isinstance(each, np.ndarray) and each.ndim > len(shape) for each, shape in pairs):
        return _bound_batch(kernel, signature, args, outs)
    found = addresses(signature, args, outs, kernel.bound_address)
    found.alive = [kernel, args, outs]
    if not memory_layout.trusted():
        evaluate = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(kernel.bound_address)
        return partial(_evaluate, evaluate, found)
    code = dispatcher()
    found.alive.append(code)
    return built_in(f"bound {signature.name}", code.address("bound_call"), NO_ARGUMENTS, found)


def _bound_batch(kernel: Any, signature: Signature, args: Sequence[Array], outs: Sequence[Array]) -> Any:
    """Return a function of no arguments that evaluates a batch."""
    for label, each in zip(signature.input_names, args, strict=True):
        if not isinstance(each, np.ndarray):
            raise ArgumentError(f"bind {signature.name}: {label} is {described(each)}; expected an array")
    try:
        batch = signature.batch(args)
    except ValueError as error:
        raise signature.explained(args, None, error) from None
    cores = zip(args, signature.input_shapes, strict=True)
    shapes = [each.shape[: each.ndim - len(core)] + core for each, core in cores]
    _check(signature, args, outs, shapes, [batch + core for core in signature.output_shapes])
    return partial(_evaluate_batch, kernel.ufunc, tuple(args), tuple(outs))


def addresses(signature: Signature, args: Sequence[Array], outs: Sequence[Array], code: int) -> Any:
    """Return the addresses of the code, of inputs and of outputs, after checking the arrays."""
    _check(signature, args, outs, signature.input_shapes, signature.output_shapes)
    operands = [*args, *outs]
    return _addresses(len(operands) + 1)(code, *(operand.ctypes.data for operand in operands))


def _check(
    signature: Signature,
    args: Sequence[Array],
    outs: Sequence[Array],
    input_shapes: Sequence[Shape],
    output_shapes: Sequence[Shape],
) -> None:
    """Refuse arrays that are not of these shapes and the precision, or that a call would have to copy."""
    name = f"bind {signature.name}"
    if len(args) != len(input_shapes):
        raise signature.wrong_count(args)
    if len(outs) != len(output_shapes):
        expected = f"{len(output_shapes)} array(s)"
        raise ArgumentError(f"{name}: out should be {expected}; {len(outs)} given")
    names = [*signature.input_names, *(["out"] * len(outs))]
    shapes = [*input_shapes, *output_shapes]
    cores = [*signature.input_shapes, *signature.output_shapes]
    for label, operand, shape, core in zip(names, [*args, *outs], shapes, cores, strict=True):
        if not isinstance(operand, np.ndarray) or operand.dtype != signature.dtype or operand.shape != shape:
            batch = f", the batch of {' and '.join(signature.input_names)}" if shape != core else ""
            raise ArgumentError(
                f"{name}: {label} is {described(operand)}; expected {signature.dtype} {shape}{batch}"
            )
        sample = operand if label == "out" or not operand.size else operand[(0,) * (len(shape) - len(core))]
        if not sample.flags.c_contiguous or not operand.flags.aligned:
            raise ArgumentError(f"{name}: {label} must be C-contiguous and aligned")
    for k, written in enumerate(outs):
        if not written.flags.writeable:
            raise ArgumentError(f"{name}: out is read-only")
        if any(np.may_share_memory(written, other) for other in (*args, *outs[:k])):
            raise ArgumentError(f"{name}: out overlaps another array; give it memory of its own")


@cache
def _addresses(count: int) -> Any:
    """Return the type of an array of addresses; its instances can hold what keeps the addresses valid."""
    return type("Addresses", (ctypes.c_void_p * count,), {})


def _evaluate(code: Any, found: Any) -> None:
    """Evaluate the operands behind the first address, that of the code."""
    code(ctypes.addressof(found) + ctypes.sizeof(ctypes.c_void_p))


def _evaluate_batch(ufunc: Any, args: Sequence[Array], outs: tuple[Array, ...]) -> None:
    """Evaluate a batch into its outputs."""
    ufunc(*args, out=outs)
