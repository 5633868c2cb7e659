"""Arrays bound to a kernel once and for all, so that a call checks and converts nothing."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import ArgumentError
from .signature import Signature, described


def addresses(signature: Signature, args: Sequence[Array], outs: Sequence[Array], owner: object) -> Any:
    """Return the addresses of inputs and outputs after checking them; they keep arrays and owner alive."""
    name = f"bind {signature.name}"
    if len(args) != len(signature.input_shapes):
        raise signature.wrong_count(args)
    if len(outs) != len(signature.output_shapes):
        expected = f"{len(signature.output_shapes)} array(s)"
        raise ArgumentError(f"{name}: out should be {expected}; {len(outs)} given")
    operands = [*args, *outs]
    names = [*signature.input_names, *(["out"] * len(outs))]
    shapes = [*signature.input_shapes, *signature.output_shapes]
    for label, operand, shape in zip(names, operands, shapes, strict=True):
        if not isinstance(operand, np.ndarray) or operand.dtype != signature.dtype or operand.shape != shape:
            raise ArgumentError(
                f"{name}: {label} is {described(operand)}; expected {signature.dtype} {shape}"
            )
        if not operand.flags.c_contiguous or not operand.flags.aligned:
            raise ArgumentError(f"{name}: {label} must be C-contiguous and aligned")
    for k, written in enumerate(outs):
        if not written.flags.writeable:
            raise ArgumentError(f"{name}: out is read-only")
        if any(np.may_share_memory(written, other) for other in (*args, *outs[:k])):
            raise ArgumentError(f"{name}: out overlaps another array; give it memory of its own")
    found = _addresses(len(operands))(*(operand.ctypes.data for operand in operands))
    found.alive = (owner, operands)
    return found


@cache
def _addresses(count: int) -> Any:
    """Return the type of an array of addresses; its instances can hold what keeps the addresses valid."""
    return type("Addresses", (ctypes.c_void_p * count,), {})
