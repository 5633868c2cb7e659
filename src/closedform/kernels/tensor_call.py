"""A sample in tensors of another library: machine code asks the library where they are, and evaluates.

The library offers a C function that fills in DLPack's description of a tensor (`DLTensor`, DLPack 1.3: the
exchange API). Asked from Python, one tensor after the other, their addresses would take longer than the
evaluation. Whoever calls this has looked that the tensors are what the kernel takes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

from . import cache as disk
from . import machine
from . import memory_layout as layout
from .built_in import IN_ORDER, built_in
from .call_code import MOST_OPERANDS, field, word

TENSOR = {"data": 0, "offset": 40, "bytes": 48}
"""Places in a `DLTensor`: the address of the memory, where in it the tensor begins; its size."""

TENSOR_CALL = f"""
define ptr @tensor_call(ptr %self, ptr %arguments, i64 %count) #0 {{
entry:
{field("buffer", "self", layout.CTYPES_BUFFER)}
{word("read", "buffer", 0, "ptr")}
{word("bound", "buffer", 1, "ptr")}
{word("keep", "buffer", 2, "ptr")}
{word("none", "buffer", 3, "ptr")}
  %operands = alloca [{MOST_OPERANDS} x ptr]
  %tensor = alloca [{TENSOR["bytes"]} x i8], align 8
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %after, %found ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %ask, label %run
ask:
  %argument.at = getelementptr ptr, ptr %arguments, i64 %i
  %argument = load ptr, ptr %argument.at
  %status = call i32 %read(ptr %argument, ptr %tensor)
  %fine = icmp eq i32 %status, 0
  br i1 %fine, label %found, label %failed
found:
{field("data", "tensor", TENSOR["data"])}
{field("offset", "tensor", TENSOR["offset"], "i64")}
  %place = getelementptr i8, ptr %data, i64 %offset
  %operand = getelementptr ptr, ptr %operands, i64 %i
  store ptr %place, ptr %operand
  %after = add i64 %i, 1
  br label %next
run:
  call void %bound(ptr %operands)
  call void %keep(ptr %none)
  ret ptr %none
failed:
  ret ptr null
}}
attributes #0 = {{ nounwind }}
"""
"""A built-in whose owner is a ctypes array: what reads a tensor, the code for one sample, CPython's function
that counts a reference, and None."""


class _Owner(ctypes.c_void_p * 4):  # type: ignore[misc]
    """The addresses that the code reads, and what keeps them valid."""


def tensor_call(kernel: Any, read: int) -> Callable[..., None] | None:
    """Return a built-in that evaluates a sample of tensors, inputs and outputs in order; None if it cannot.

    `read` is the address of the function of the tensors' library.
    """
    if not layout.trusted():
        return None
    code = _code()
    keep = ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p).value
    owner = _Owner(read, kernel.bound_address, keep, id(None))
    owner.alive = [kernel, code]
    made: Callable[..., None] = built_in(kernel.name, code.address("tensor_call"), IN_ORDER, owner)
    return made


@cache
def _code() -> machine.Machine:
    key = disk.key("tensor call", TENSOR_CALL, machine.identity())
    code = disk.load(key)
    if code is None:
        code = machine.compile_text(TENSOR_CALL)
        disk.save(key, code)
    return machine.Machine(code, "tensor_call")
