"""Tensors of another library: machine code asks the library where they are, and evaluates.

The library offers a C function that fills in DLPack's description of a tensor (`DLTensor`, DLPack 1.3: the
exchange API). Asked from Python, one tensor after the other, their addresses would take longer than the
evaluation. Whoever calls this has looked that the tensors are what the kernel takes. What is done with the
addresses is the text of a processor: here a sample and a batch, in `cuda/tensor_launch.py` a launch.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from . import cache as disk
from . import machine
from . import memory_layout as layout
from .built_in import IN_ORDER, built_in
from .call_code import MOST_OPERANDS, field, word

TENSOR = {"data": 0, "offset": 40, "bytes": 48}
"""Places in a `DLTensor`: the address of the memory, where in it the tensor begins; its size."""

OWNER = {"read": 0, "keep": 1, "none": 2, "save": 3, "restore": 4, "more": 5}
"""Words of the owner of such a built-in: what reads a tensor; CPython's function that counts a reference,
None, its functions that give up the lock of the interpreter and take it again; then what the text wants."""

SAMPLE = f"""
{word("bound", "buffer", OWNER["more"], "ptr")}
  call void %bound(ptr %operands)
  br label %done"""
"""Evaluates one sample, by the code for one."""

BATCH = f"""
{word("loop", "buffer", OWNER["more"], "ptr")}
  %dimensions = getelementptr i64, ptr %buffer, i64 {OWNER["more"] + 1}
  %steps = getelementptr i64, ptr %buffer, i64 {OWNER["more"] + 2}
  %state = call ptr %save()
  call void %loop(ptr %operands, ptr %dimensions, ptr %steps, ptr null)
  call void %restore(ptr %state)
  br label %done"""
"""Evaluates a batch, by the inner loop: its address, the number of samples, the steps."""


def text(run: str) -> str:
    """Return the LLVM module of a built-in of tensors, which finds their addresses in %operands and runs.

    What runs sees its owner's words in %buffer, and ends at %done, or returns an object of its own.
    """
    return f"""
define ptr @tensor_call(ptr %self, ptr %arguments, i64 %count) #0 {{
entry:
{field("buffer", "self", layout.CTYPES_BUFFER)}
{word("read", "buffer", OWNER["read"], "ptr")}
{word("keep", "buffer", OWNER["keep"], "ptr")}
{word("none", "buffer", OWNER["none"], "ptr")}
{word("save", "buffer", OWNER["save"], "ptr")}
{word("restore", "buffer", OWNER["restore"], "ptr")}
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
  %answered = call i32 %read(ptr %argument, ptr %tensor)
  %fine = icmp eq i32 %answered, 0
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
{run}
done:
  call void %keep(ptr %none)
  ret ptr %none
failed:
  ret ptr null
}}
attributes #0 = {{ nounwind }}
"""


def tensor_sample(kernel: Any, read: int) -> Callable[..., None] | None:
    """Return a built-in that evaluates a sample of tensors, inputs and outputs in order; None if it cannot.

    `read` is the address of the function of the tensors' library.
    """
    return tensor_built_in(kernel, read, SAMPLE, [kernel.bound_address])


def tensor_batch(
    kernel: Any, read: int, count: int, loop: int, steps: Sequence[int]
) -> Callable[..., None] | None:
    """Return a built-in that evaluates a batch of `count` samples in whole tensors; None if it cannot."""
    return tensor_built_in(kernel, read, BATCH, [loop, count, *steps])


def tensor_built_in(
    kernel: Any, read: int, run: str, words: Sequence[int], *alive: Any
) -> Callable[..., Any] | None:
    """Return a built-in of a kernel that does with tensors what a text says; None if it cannot."""
    if not layout.trusted():
        return None
    code = _code(run)
    functions = ("Py_IncRef", "PyEval_SaveThread", "PyEval_RestoreThread")
    keep, save, restore = (
        ctypes.cast(getattr(ctypes.pythonapi, each), ctypes.c_void_p).value for each in functions
    )
    owner = _owner(OWNER["more"] + len(words))(read, keep, id(None), save, restore, *words)
    owner.alive = [kernel, code, *alive]
    made: Callable[..., Any] = built_in(kernel.name, code.address("tensor_call"), IN_ORDER, owner)
    return made


@cache
def _owner(count: int) -> Any:
    """Return the type of the words that the code reads; instances hold what keeps these valid."""
    return type("Owner", (ctypes.c_int64 * count,), {})


@cache
def _code(run: str) -> machine.Machine:
    module = text(run)
    key = disk.key("tensor call", module, machine.identity())
    code = disk.load(key)
    if code is None:
        code = machine.compile_text(module)
        disk.save(key, code)
    return machine.Machine(code, "tensor_call")
