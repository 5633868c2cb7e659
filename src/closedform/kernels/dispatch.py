"""Calls without NumPy's dispatch: machine code that reads the arguments in place.

A generalised ufunc spends most of a microsecond on one sample before its loop starts, and Python as much
again on names and frames. `@dispatch` looks a call up in the table of the patterns that its function knows
(`patterns.py`). If each array is plain, contiguous and of exactly the core shape, it makes the results and
evaluates; batches and other arrays it hands to the kernel, in order; a call of no known pattern it passes on
to the function's method `resolve`, as it came.

The code is the same for all functions: tables say what differs. It runs under the global lock of Python,
and nothing that it calls between reading a table and evaluating runs other Python code.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from . import cache as disk
from . import machine
from . import memory_layout as layout
from .call_code import API, OUT_NAMES, RESOLVE, call, field, known, word
from .call_evaluation import EVALUATE, PASS_ON
from .call_lookup import LOOK_UP

BOUND_CALL = f"""
define ptr @bound_call(ptr %self, ptr %nothing) #0 {{
{field("buffer", "self", layout.CTYPES_BUFFER)}
{word("bound", "buffer", 0, "ptr")}
  %operands = getelementptr ptr, ptr %buffer, i64 1
  call void %bound(ptr %operands)
{known("none", "none")}
{call("keep", "void", "Py_IncRef", "ptr %none")}
  ret ptr %none
}}
"""
"""A built-in of no arguments whose owner is a ctypes array: the code, then the operands' addresses."""


def text() -> str:
    """Return the LLVM module of `@dispatch` and `@bound_call`."""
    return "\n".join(
        [
            f"@api = global [{len(API)} x ptr] zeroinitializer",
            BOUND_CALL,
            LOOK_UP + EVALUATE + PASS_ON,
            "attributes #0 = { nounwind }",
        ]
    )


@cache
def dispatcher() -> machine.Machine:
    """Return the machine code, loaded once per process and ready to use."""
    key = disk.key("dispatch", machine.identity())
    code = disk.load(key)
    if code is None:
        code = machine.compile_text(text())
        disk.save(key, code)
    loaded = machine.Machine(code)
    api = (ctypes.c_void_p * len(API)).from_address(loaded.address("api"))
    api[:] = [_address(name) for name in API]
    return loaded


def _address(name: str) -> int | None:
    """Return the address of an entry of `@api`."""
    objects = {
        "ndarray": np.ndarray,
        "str": str,
        "tuple": tuple,
        "new_tuple": NEW_TUPLE,
        "none": None,
        "resolve": RESOLVE,
        "out_names": OUT_NAMES,
    }
    if name in objects:
        return id(objects[name])
    numbers = {"NewFromDescr": layout.PYARRAY_NEW_FROM_DESCR, "Scalar": layout.PYARRAY_SCALAR}
    if name in numbers:
        return layout.array_function(numbers[name])
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value


NEW_TUPLE: Any = tuple.__new__
"""Makes a named tuple of a tuple, without the checks of its own constructor; kept for its address."""
