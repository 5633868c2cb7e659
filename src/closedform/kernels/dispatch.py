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


class Dispatcher:
    """The machine code loaded into the process, with the objects that it refers to.

    Whatever is called through its addresses keeps it alive.
    """

    def __init__(self) -> None:
        code_text = text()  # part of the key, since some offsets depend on the version of Python
        key = disk.key("dispatch", code_text, machine.identity())
        code = disk.load(key)
        if code is None:
            code = machine.compile_text(code_text)
            disk.save(key, code)
        self._machine = machine.Machine(code, "api", "bound_call", "dispatch")
        self._objects: dict[str, object] = {
            "ndarray": np.ndarray,
            "str": str,
            "tuple": tuple,
            "new_tuple": tuple.__new__,  # makes a named tuple without the checks of its own constructor
            "none": None,
            "resolve": RESOLVE,
            "out_names": OUT_NAMES,
        }
        api = (ctypes.c_void_p * len(API)).from_address(self.address("api"))
        api[:] = [id(self._objects[name]) if name in self._objects else _function(name) for name in API]

    def address(self, name: str) -> int:
        """Return the address of a function."""
        return self._machine.address(name)


@cache
def dispatcher() -> Dispatcher:
    """Return the machine code of this process; threads that ask at the same time may each get their own."""
    return Dispatcher()


def _function(name: str) -> int | None:
    """Return the address of a function of NumPy or CPython."""
    numbers = {"NewFromDescr": layout.PYARRAY_NEW_FROM_DESCR, "Scalar": layout.PYARRAY_SCALAR}
    if name in numbers:
        return layout.array_function(numbers[name])
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
