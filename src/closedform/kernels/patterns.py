"""Patterns of calls that a function knows, in tables that machine code reads.

A pattern is what two calls have in common: how many arguments come in order, the names of the others, and
every argument that is no array, such as the name of a frame. It decides the kernel and which argument is
which array. Texts are compared by their letters; None, True and False by identity, and so are the names of
arguments (Python interns those written in code; calls with others take the way through Python).

A function only ever learns patterns, up to `MOST`. Entries of its tables, and the kernels behind them, stay
as long as the function, so that a call never reads freed memory, whatever other threads or finalizers do.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Mapping, Sequence
from itertools import chain
from threading import Lock
from typing import Any, Protocol

import numpy as np

from .call_code import ARRAY, MULTIPLIER, OPERAND, PLAN, TUPLE
from .operand import MAX_AXES

MOST = 1024
"""Patterns that one function learns."""

BITS = 64
NOTHING = 2**BITS - 1
"""The word -1."""

Mark = tuple[int, object]
"""The word of an argument, and the object that it compares with, if it is neither an array nor a tuple."""


class Evaluated(Protocol):
    """A kernel, as a plan sees it: its arrays, where its code for one sample is, the type of its results."""

    input_names: tuple[str, ...]
    input_shapes: list[tuple[int, ...]]
    output_shapes: list[tuple[int, ...]]
    dtype: np.dtype[Any]
    bound_address: int
    results: Any

    def __call__(self, /, *args: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """Evaluate arrays."""


class Plan:
    """What machine code must know of a kernel to evaluate one sample.

    Results are a tuple of the type `results`, if there is one.
    """

    def __init__(self, kernel: Evaluated, results: Any = None) -> None:
        self.kernel, self.results = kernel, results
        shapes = [*kernel.input_shapes, *kernel.output_shapes]
        self.operands = [_operand(shape, kernel.dtype.itemsize) for shape in shapes]
        self.words = _words(
            kernel.bound_address,
            id(kernel.dtype),
            len(kernel.input_shapes),
            len(kernel.output_shapes),
            0 if results is None else id(results),
            *chain(*self.operands),
        )

    @property
    def only(self) -> int:
        """The address of the words of the only output, if it is an array."""
        first, *others = self.kernel.output_shapes
        if others or self.results is not None or not first:
            return 0
        number = PLAN["operands"] + len(self.kernel.input_shapes) * OPERAND["words"]
        return ctypes.addressof(self.words) + number * ctypes.sizeof(ctypes.c_uint64)

    def mark(self, role: str, value: Any) -> Mark | None:
        """Return how machine code knows an argument again, None if it cannot."""
        kernel, kind = self.kernel, type(value)
        if role in kernel.input_names or (role == "out" and kind is np.ndarray and self.results is None):
            return (ARRAY, None) if kind is np.ndarray and value.dtype is kernel.dtype else None
        if role == "out" and kind is tuple and len(kernel.output_shapes) > 1:
            return TUPLE, None
        word = kind is str and role != "out"
        return (id(value), value) if word or value is None or kind is bool else None


class Patterns:
    """The patterns that a function knows, and the field of the function that points to their table.

    They live as long as the function, and keep what reads the table, `code`, alive.
    """

    def __init__(self, field: ctypes.c_void_p, code: object) -> None:
        self._field, self._code = field, code
        self._entries: dict[tuple[Any, ...], tuple[int, int, Any]] = {}
        self._learning = Lock()
        self._publish()

    def learn(self, plan: Plan, args: Sequence[Any], named: Mapping[str, Any], roles: Sequence[str]) -> None:
        """Add the pattern of a call, if it has one; `roles` says what the arguments in order are."""
        names = tuple(map(sys.intern, named))
        roles = (*roles, *names)
        marks = [plan.mark(role, each) for role, each in zip(roles, (*args, *named.values()), strict=True)]
        known = [mark for mark in marks if mark is not None]
        if len(known) < len(marks) or len(self._entries) >= MOST:
            return
        dtype = plan.kernel.dtype
        key = (len(args), names, dtype, *(value if type(value) is str else word for word, value in known))
        # Nobody waits: what is not learned while another thread learns, or in a child forked meanwhile,
        # takes the way through Python.
        if key in self._entries or not self._learning.acquire(blocking=False):
            return
        try:
            words = _entry(plan, len(args), names, known, roles)
            alive = (plan, names, known, words)
            self._entries[key] = _hash(len(args), names, known, dtype), ctypes.addressof(words), alive
            self._publish()
        finally:
            self._learning.release()

    def expect(self, plan: Plan) -> None:
        """Add the patterns of calls with all arrays in order, and with `out`."""
        kernel = plan.kernel
        blank, count = np.empty(0, kernel.dtype), len(kernel.output_shapes)
        for named in ({}, {"out": blank if count == 1 else (blank,) * count}):
            self.learn(plan, [blank] * len(kernel.input_names), named, kernel.input_names)

    def _publish(self) -> None:
        """Write a table of all entries, and let the function use it in place of the one before."""
        bits = max(1, (2 * len(self._entries)).bit_length())
        slots = [0] * 2**bits
        for number, address, _ in self._entries.values():
            at = number >> (BITS - bits)
            while slots[at]:
                at = (at + 1) % len(slots)
            slots[at] = address
        table = _words(BITS - bits, len(slots) - 1, 0, *slots)
        self._field.value = ctypes.addressof(table)
        self._table = table


def _words(*numbers: int) -> Any:
    """Return numbers as words of memory."""
    return (ctypes.c_uint64 * len(numbers))(*numbers)


def _operand(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """Return the words of an operand."""
    rest = MAX_AXES - len(shape)
    return len(shape), *shape, *[0] * rest, size * math.prod(shape)


def _entry(plan: Plan, count: int, names: Sequence[str], marks: Sequence[Mark], roles: Sequence[str]) -> Any:
    """Return the entry of a pattern; its kernel takes batches, unless results become a tuple afterwards."""
    kernel = plan.kernel
    out = roles.index("out") if "out" in roles else None
    if out is not None and marks[out][0] not in (ARRAY, TUPLE):
        out = None  # None was given
    inputs = {name: (k, *plan.operands[k]) for k, name in enumerate(kernel.input_names)}
    other = (NOTHING, *_operand((), 0))
    return _words(
        count,
        len(names),
        ctypes.addressof(plan.words),
        NOTHING if out is None else out,
        id(kernel) if plan.results is kernel.results else 0,
        plan.only if out is None else 0,
        *chain(*((word, *inputs.get(role, other)) for (word, _), role in zip(marks, roles, strict=True))),
        *map(id, names),
    )


def _hash(count: int, names: Sequence[str], marks: Sequence[Mark], dtype: np.dtype[Any]) -> int:
    """Return the hash that the machine code computes of such a call."""
    words = {ARRAY: id(dtype), TUPLE: id(tuple)}
    found = count
    for word, value in marks:
        here = hash(value) if type(value) is str else words.get(word, word)
        found = ((found ^ here) * MULTIPLIER) % 2**BITS
    for name in names:
        found = ((found ^ id(name)) * MULTIPLIER) % 2**BITS
    return found
