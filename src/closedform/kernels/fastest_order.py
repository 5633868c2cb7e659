"""The order of operations that runs fastest on this machine: compiled and timed once, then cached."""

from __future__ import annotations

import ctypes
import math
import os
import time

import numpy as np

from ..programs import Order, Program
from . import machine
from .body import HUGE
from .module import module

TRIED = 1500
"""Programs of up to this many operations are compiled in both depth-first orders, and timed."""

LONG = 8000
"""Programs of at least this many operations compile twice as fast, and run no slower, with less effort."""

SAMPLES, ROUNDS = 256, 15


def tuned() -> bool:
    """Return whether orders are compared by time: yes, unless CLOSEDFORM_TUNE is 0.

    Without, compiling takes less, and the same machine code comes of every run on machines of one kind.
    """
    return os.environ.get("CLOSEDFORM_TUNE") != "0"


def fastest_code(program: Program, lanes: int, real: str) -> bytes:
    """Return the object code of a program, in the order that ran fastest on this machine."""
    orders = _candidates(program)
    effort = _effort(program)
    codes = [machine.compile_text(module(program, lanes, real, order), effort) for order in orders]
    if len(codes) == 1:
        return codes[0]
    contestants = [(machine.Machine(code, "loop"), code) for code in codes]
    best = [math.inf] * len(codes)
    for _ in range(ROUNDS):
        for k, (loaded, _code) in enumerate(contestants):
            best[k] = min(best[k], _seconds(loaded, program, real))
    return contestants[int(np.argmin(best))][1]


def _candidates(program: Program) -> tuple[Order, ...]:
    """Return the orders worth timing.

    Long programs are not timed: matrices are fastest depth first, entry by entry, and vectors in the
    order of their recursion, which needs fewer registers at a time.
    """
    if len(program.operations) <= TRIED:
        return (Order.FIRST_OPERAND, Order.LAST_OPERAND) if tuned() else (Order.FIRST_OPERAND,)
    return (Order.FIRST_OPERAND,) if _stores_much(program) else (Order.AS_WRITTEN,)


def _effort(program: Program) -> int:
    """Return LLVM's effort; huge matrices run as fast without any, since storing them takes the time."""
    if len(program.operations) < LONG:
        return 2
    return 0 if len(program.operations) >= HUGE and _stores_much(program) else 1


def _stores_much(program: Program) -> bool:
    """Whether a program stores at least one entry per twenty operations."""
    return 20 * sum(len(row) for row in program.results) >= len(program.operations)


def _seconds(loaded: machine.Machine, program: Program, real: str) -> float:
    """Return the time of one loop over a small batch of numbers near one."""
    dtype = np.float64 if real == "double" else np.float32
    shapes = [shape for _, shape in (*program.inputs, *program.outputs)]
    arrays = [np.full((SAMPLES, *shape), 0.7, dtype) for shape in shapes]
    strides = [array.strides for array in arrays]
    inner = [stride for each in strides for stride in each[1:]]
    pointers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
    sizes = (ctypes.c_ssize_t * 1)(SAMPLES)
    steps = (ctypes.c_ssize_t * (len(arrays) + len(inner)))(*(each[0] for each in strides), *inner)
    loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(loaded.address("loop"))
    addresses = [ctypes.addressof(each) for each in (pointers, sizes, steps)]
    start = time.perf_counter()
    loop(*addresses, None)
    return time.perf_counter() - start
