"""A kernel called again and again in machine code, its arrays moving on by one step each time.

Steps of a simulation depend on each other, so that no batch can hold them; a loop in Python would take
longer than the steps themselves.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache as once
from typing import Any

from ..arrays import Array
from ..errors import ArgumentError
from . import cache, machine
from .kernel import Kernel

TEXT = """
define i64 @march(ptr %function, ptr %bases, ptr %strides, i64 %count, i64 %first, i64 %last,
                  ptr %dimensions, ptr %steps, ptr %margins, i64 %samples) {
entry:
  %here = alloca ptr, i64 %count, align 8
  %single = icmp eq ptr %dimensions, null
  %unwatched = icmp eq ptr %margins, null
  br label %step
step:
  %k = phi i64 [ %first, %entry ], [ %next, %clear ]
  %more = icmp slt i64 %k, %last
  br i1 %more, label %place, label %done
place:
  %i = phi i64 [ 0, %step ], [ %i.next, %place ]
  %base.at = getelementptr ptr, ptr %bases, i64 %i
  %base = load ptr, ptr %base.at, align 8
  %stride.at = getelementptr i64, ptr %strides, i64 %i
  %stride = load i64, ptr %stride.at, align 8
  %offset = mul i64 %stride, %k
  %address = getelementptr i8, ptr %base, i64 %offset
  %here.at = getelementptr ptr, ptr %here, i64 %i
  store ptr %address, ptr %here.at, align 8
  %i.next = add i64 %i, 1
  %placed = icmp eq i64 %i.next, %count
  br i1 %placed, label %call, label %place
call:
  br i1 %single, label %one, label %many
one:
  call void %function(ptr %here)
  br label %called
many:
  call void %function(ptr %here, ptr %dimensions, ptr %steps, ptr null)
  br label %called
called:
  %next = add i64 %k, 1
  br i1 %unwatched, label %clear, label %look
look:
  %j = phi i64 [ 0, %called ], [ %j.next, %fine ]
  %margin.at = getelementptr double, ptr %margins, i64 %j
  %margin = load double, ptr %margin.at, align 8
  %negative = fcmp olt double %margin, 0.0
  br i1 %negative, label %done, label %fine
fine:
  %j.next = add i64 %j, 1
  %all = icmp eq i64 %j.next, %samples
  br i1 %all, label %clear, label %look
clear:
  br label %step
done:
  ret i64 %k
}
"""


@dataclass(frozen=True)
class Moving:
    """An array of a march: ([samples,] *core), with an axis of steps before if it moves on with them."""

    array: Array
    steps: bool = True


class March:
    """Calls of a kernel in a row: call k takes entry k of every array that moves on.

    An output may be an input of the next call: the same array, one entry further on. `march(first, last)`
    makes the calls first, ..., last - 1. With `margins`, one of the outputs, it stops after the first
    call that makes an entry of it negative, and returns the number of that call; otherwise `last`.
    `samples` is None if every call is of a single sample.
    """

    def __init__(
        self,
        kernel: Kernel,
        operands: Sequence[Moving],
        samples: int | None = None,
        margins: Array | None = None,
    ) -> None:
        shapes = [*kernel.input_shapes, *kernel.output_shapes]
        bases, strides, hops = [], [], []
        inner: list[int] = []
        self._steps: int | None = None
        for each, core in zip(operands, shapes, strict=True):
            array = each.array
            own = array.shape[1:] if each.steps else array.shape
            batched = samples is not None and own == (samples, *core)
            if not (batched or own == core) or array.dtype != kernel.dtype or not array.flags.c_contiguous:
                raise ArgumentError(f"march of {kernel.name}: an array of shape {array.shape} does not fit")
            if each.steps:
                self._steps = len(array) if self._steps is None else min(self._steps, len(array))
            bases.append(array.ctypes.data)
            strides.append(array.strides[0] if each.steps else 0)
            hops.append(array.strides[int(each.steps)] if batched else 0)
            inner += array.strides[array.ndim - len(core) :]
        count = len(bases)
        self._alive: tuple[Any, ...] = (kernel, tuple(operands), margins)
        self._bases = (ctypes.c_void_p * count)(*bases)
        self._strides = (ctypes.c_ssize_t * count)(*strides)
        self._dimensions = self._hops = None
        if samples is not None:
            sizes = [size for core in shapes for size in core]
            self._dimensions = (ctypes.c_ssize_t * (1 + len(sizes)))(samples, *sizes)
            self._hops = (ctypes.c_ssize_t * (count + len(inner)))(*hops, *inner)
        self._function = kernel._machine.address("bound" if samples is None else "loop")
        self._margins = None if margins is None else margins.ctypes.data
        self._count, self._samples = count, 1 if samples is None else samples
        self._march, self._machine = _compiled()

    def __call__(self, first: int, last: int) -> int:
        """Make the calls first, ..., last - 1; return the number of the one that stopped, or last."""
        if self._steps is not None and not 0 <= first <= last <= self._steps:
            raise ArgumentError(f"march: steps {first} to {last}; there are {self._steps}")
        return int(
            self._march(
                self._function,
                self._bases,
                self._strides,
                self._count,
                first,
                last,
                self._dimensions,
                self._hops,
                self._margins,
                self._samples,
            )
        )


@once
def _compiled() -> tuple[Any, machine.Machine]:
    """Return the loop over steps as a function that releases the GIL, and what holds its code."""
    key = cache.key("march", TEXT, machine.identity())
    code = cache.load(key)
    if code is None:
        code = machine.compile_text(TEXT)
        cache.save(key, code)
    loaded = machine.Machine(code)
    pointer, number = ctypes.c_void_p, ctypes.c_ssize_t
    kinds = (*[pointer] * 3, *[number] * 3, *[pointer] * 3, number)
    return ctypes.CFUNCTYPE(number, *kinds)(loaded.address("march")), loaded
