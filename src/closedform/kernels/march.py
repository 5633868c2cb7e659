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

CALL = """
define internal void @call(ptr %one, i64 %k) noinline {
entry:
  %function = load ptr, ptr %one, align 8
  %bases.at = getelementptr ptr, ptr %one, i64 1
  %bases = load ptr, ptr %bases.at, align 8
  %strides.at = getelementptr ptr, ptr %one, i64 2
  %strides = load ptr, ptr %strides.at, align 8
  %count.at = getelementptr i64, ptr %one, i64 3
  %count = load i64, ptr %count.at, align 8
  %dimensions.at = getelementptr ptr, ptr %one, i64 4
  %dimensions = load ptr, ptr %dimensions.at, align 8
  %hops.at = getelementptr ptr, ptr %one, i64 5
  %hops = load ptr, ptr %hops.at, align 8
  %here = alloca ptr, i64 %count, align 8
  br label %place
place:
  %i = phi i64 [ 0, %entry ], [ %i.next, %place ]
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
  br i1 %placed, label %ready, label %place
ready:
  %single = icmp eq ptr %dimensions, null
  br i1 %single, label %one.sample, label %samples
one.sample:
  call void %function(ptr %here)
  ret void
samples:
  call void %function(ptr %here, ptr %dimensions, ptr %hops, ptr null)
  ret void
}
"""
"""Calls one kernel of a step: (function, bases, strides, count of arrays, dimensions, strides of samples)."""

MARCH = """
define i64 @march(ptr %before, ptr %step, i64 %first, i64 %last, ptr %margins, i64 %samples) {
entry:
  %alone = icmp eq ptr %before, null
  %unwatched = icmp eq ptr %margins, null
  br label %next
next:
  %k = phi i64 [ %first, %entry ], [ %k.next, %clear ]
  %more = icmp slt i64 %k, %last
  br i1 %more, label %begin, label %done
begin:
  br i1 %alone, label %main, label %prepare
prepare:
  call void @call(ptr %before, i64 %k)
  br label %main
main:
  call void @call(ptr %step, i64 %k)
  br i1 %unwatched, label %clear, label %look
look:
  %j = phi i64 [ 0, %main ], [ %j.next, %fine ]
  %margin.at = getelementptr double, ptr %margins, i64 %j
  %margin = load double, ptr %margin.at, align 8
  %negative = fcmp olt double %margin, 0.0
  br i1 %negative, label %done, label %fine
fine:
  %j.next = add i64 %j, 1
  %all = icmp eq i64 %j.next, %samples
  br i1 %all, label %clear, label %look
clear:
  %k.next = add i64 %k, 1
  br label %next
done:
  ret i64 %k
}
"""
"""The loop over steps, which ends early after a step that leaves a negative margin."""


@dataclass(frozen=True)
class Moving:
    """An array of a march: ([samples,] *core), with an axis of steps before if it moves on with them."""

    array: Array
    steps: bool = True


class Repeated:
    """A kernel and its arrays, ready to be called step by step: call k takes entry k of those that move on.

    `samples` is None if every call is of a single sample.
    """

    def __init__(self, kernel: Kernel, operands: Sequence[Moving], samples: int | None = None) -> None:
        shapes = [*kernel.input_shapes, *kernel.output_shapes]
        bases, strides, hops = [], [], []
        inner: list[int] = []
        lengths = []
        for each, core in zip(operands, shapes, strict=True):
            array = each.array
            own = array.shape[1:] if each.steps else array.shape
            batched = samples is not None and own == (samples, *core)
            if not (batched or own == core) or array.dtype != kernel.dtype or not array.flags.c_contiguous:
                raise ArgumentError(f"march of {kernel.name}: an array of shape {array.shape} does not fit")
            lengths += [len(array)] if each.steps else []
            bases.append(array.ctypes.data)
            strides.append(array.strides[0] if each.steps else 0)
            hops.append(array.strides[int(each.steps)] if batched else 0)
            inner += array.strides[array.ndim - len(core) :]
        count = len(bases)
        self.steps = min(lengths, default=None)
        parts: list[Any] = [
            (ctypes.c_void_p * count)(*bases),
            (ctypes.c_ssize_t * count)(*strides),
            None,
            None,
        ]
        if samples is not None:
            sizes = [size for core in shapes for size in core]
            parts[2] = (ctypes.c_ssize_t * (1 + len(sizes)))(samples, *sizes)
            parts[3] = (ctypes.c_ssize_t * (count + len(inner)))(*hops, *inner)
        self._alive: tuple[Any, ...] = (kernel, tuple(operands), parts)
        function = kernel._machine.address("bound" if samples is None else "loop")
        places = [None if part is None else ctypes.addressof(part) for part in parts]
        self.fields = (ctypes.c_void_p * 6)(function, *places[:2], count, *places[2:])


class March:
    """Calls of a kernel in a row, in machine code.

    An output may be an input of the next call: the same array, one entry further on. `march(first, last)`
    makes the calls first, ..., last - 1. With `margins`, an array that the kernel writes to, it stops after
    the first call that makes an entry of it negative, and returns the number of that call; otherwise
    `last`. `before` is called ahead of each.
    """

    def __init__(self, step: Repeated, margins: Array | None = None, before: Repeated | None = None) -> None:
        self._step, self._before, self._margins = step, before, margins
        self._march, self._machine = _compiled()
        self._margins_at = None if margins is None else margins.ctypes.data
        self._samples = 1 if margins is None else margins.size

    def __call__(self, first: int, last: int) -> int:
        """Make the calls first, ..., last - 1; return the number of the one that stopped, or last."""
        for each in (self._step, self._before):
            if each is not None and each.steps is not None and not 0 <= first <= last <= each.steps:
                raise ArgumentError(f"march: steps {first} to {last}; there are {each.steps}")
        before = None if self._before is None else self._before.fields
        return int(self._march(before, self._step.fields, first, last, self._margins_at, self._samples))


@once
def _compiled() -> tuple[Any, machine.Machine]:
    """Return the loop over steps as a function that releases the GIL, and what holds its code."""
    text = CALL + MARCH
    key = cache.key("march", text, machine.identity())
    code = cache.load(key)
    if code is None:
        code = machine.compile_text(text)
        cache.save(key, code)
    loaded = machine.Machine(code, "march")
    pointer, number = ctypes.c_void_p, ctypes.c_ssize_t
    kinds = (pointer, pointer, number, number, pointer, number)
    return ctypes.CFUNCTYPE(number, *kinds)(loaded.address("march")), loaded
