"""Where NumPy, CPython and ctypes keep what our machine code reads: tested before it is trusted.

Built-in functions of kernels read arrays in place, and a ufunc owns its machine code through a field that
Python does not show. The offsets used for that are here and nowhere else. `trusted` compares them, once
per process, with what Python itself says of a few objects; if they disagree, nothing is read in place and
kernels are plain gufuncs.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

from ..errors import ClosedFormError, warn

TYPE = 8
"""Offset of the type in any object of CPython."""

DATA, NDIM, DIMENSIONS, DESCRIPTOR, FLAGS = 16, 24, 32, 56, 64
"""Offsets of the fields of an array."""

CONTIGUOUS, ALIGNED, WRITEABLE = 0x0001, 0x0100, 0x0400
"""Bits of an array's flags."""

TUPLE_SIZE, TUPLE_ITEMS = 16, tuple.__basicsize__
"""Offsets of the number of entries of a tuple, and of the first."""

FAST_CODE, FAST_TABLE, FAST_WEAK, FAST_SIZE = 32, 40, 48, 56
"""Offsets in a function of `fast_call.py`, whose class has two attributes: the address of the code, that of
its table, the list of weak references; and its size."""

UFUNC_OBJECT = 88
"""Offset of the object that a ufunc releases when it is freed."""

CTYPES_BUFFER = 16
"""Offset of the buffer's address in an object of ctypes."""

ABI = 0x02000000
"""The version of NumPy's binary interface; within it, the numbers of functions never change."""

VERSION, PYARRAY_SCALAR, PYARRAY_NEW_FROM_DESCR = 0, 60, 94
"""Numbers of PyArray_GetNDArrayCVersion, PyArray_Scalar and PyArray_NewFromDescr among NumPy's array
functions."""

UFUNC_FROM_LOOP = 31
"""Number of PyUFunc_FromFuncAndDataAndSignature among NumPy's ufunc functions."""


def array_function(number: int) -> int:
    """Return the address of a function of NumPy's array interface."""
    return _address(_multiarray_umath._ARRAY_API, number)


def ufunc_function(number: int) -> int:
    """Return the address of a function of NumPy's ufunc interface, after checking its version."""
    version = ctypes.PYFUNCTYPE(ctypes.c_uint)(array_function(VERSION))()
    if version != ABI:
        raise ClosedFormError(
            f"NumPy {np.__version__} has binary interface {version:#x}; expected {ABI:#x}: "
            "install numpy>=2,<3"
        )
    return _address(_multiarray_umath._UFUNC_API, number)


def _address(capsule: Any, number: int) -> int:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(ctypes.cast(get(capsule, None), ctypes.POINTER(ctypes.c_size_t))[number])


@cache
def trusted() -> bool:
    """Whether the offsets hold in this process; warn if NumPy or CPython keep something elsewhere."""
    if sys.implementation.name != "cpython" or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return False  # other interpreters, and Python without its global lock, have other objects
    moved = next(_moved(), None)
    if moved is not None:
        warn(
            f"NumPy {np.__version__} on Python {sys.version.split()[0]} keeps {moved} elsewhere than "
            "expected. Results are right, but single calls take up to a microsecond longer: "
            "install a newer closedform, or an older NumPy",
            RuntimeWarning,
        )
    return moved is None


def _moved() -> Iterator[str]:
    """Yield what the offsets do not find.

    Pointers are followed last: if all other fields are where they should be, these are pointers.
    """

    class Subclass(np.ndarray[Any, Any]):
        pass

    arrays: list[np.ndarray[Any, Any]] = [
        np.zeros(()),
        np.zeros((3, 5)),
        np.zeros((2, 4, 6), np.float32)[:, ::2],
        np.zeros((5, 2), np.int16).T,
        np.zeros(17, np.uint8)[1:].view(np.float64),
        np.zeros(7).view(Subclass),
    ]
    arrays[0].flags.writeable = False
    for array in arrays:
        flags = _field(array, FLAGS, ctypes.c_int)
        found = {
            "the type of an object": (_field(array, TYPE), id(type(array))),
            "the data of an array": (_field(array, DATA), array.ctypes.data),
            "the number of an array's axes": (_field(array, NDIM, ctypes.c_int), array.ndim),
            "the dtype of an array": (_field(array, DESCRIPTOR), id(array.dtype)),
            "the flag of contiguous arrays": (bool(flags & CONTIGUOUS), array.flags.c_contiguous),
            "the flag of aligned arrays": (bool(flags & ALIGNED), array.flags.aligned),
            "the flag of writeable arrays": (bool(flags & WRITEABLE), array.flags.writeable),
        }
        yield from (what for what, (given, expected) in found.items() if given != expected)
    for array in arrays[1:]:
        if tuple((ctypes.c_ssize_t * array.ndim).from_address(_field(array, DIMENSIONS))) != array.shape:
            yield "the shape of an array"
    if _TwoAttributes.__basicsize__ != FAST_CODE:
        yield "the attributes of an object"
    pair = (np, sys)
    if (_field(pair, TUPLE_SIZE), _field(pair, TUPLE_ITEMS)) != (len(pair), id(np)):
        yield "the entries of a tuple"
    numbers = (ctypes.c_ssize_t * 2)(2, 3)
    if _field(numbers, CTYPES_BUFFER) != ctypes.addressof(numbers):
        yield "the buffer of a ctypes array"
    if _field(np.frompyfunc(_moved, 0, 1), UFUNC_OBJECT) != id(_moved):
        yield "the owner of a ufunc"
    single = np.dtype(np.float32)
    made = _new_array(numbers, single)
    if (type(made), made.shape, made.dtype, made.flags.owndata) != (np.ndarray, (2, 3), single, True):
        yield "the function that makes arrays"
    number = _number(ctypes.c_float(0.5), single)
    if (type(number), number) != (np.float32, 0.5):
        yield "the function that makes numbers"


class _TwoAttributes:
    """Like a function of `fast_call.py`."""

    __slots__ = ("patterns", "subject")


def _field(owner: object, offset: int, kind: Any = ctypes.c_void_p) -> Any:
    return kind.from_address(id(owner) + offset).value


def _new_array(shape: ctypes.Array[Any], dtype: np.dtype[Any]) -> Any:
    """Return an array from PyArray_NewFromDescr, called as machine code does."""
    pointer, number = ctypes.c_void_p, ctypes.c_int
    kinds = (pointer, pointer, number, pointer, pointer, pointer, number, pointer)
    new = ctypes.PYFUNCTYPE(ctypes.py_object, *kinds)(array_function(PYARRAY_NEW_FROM_DESCR))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(dtype))  # which the function takes over
    return new(id(np.ndarray), id(dtype), len(shape), ctypes.addressof(shape), None, None, 0, None)


def _number(value: ctypes.c_float, dtype: np.dtype[Any]) -> Any:
    """Return a number from PyArray_Scalar, called as machine code does."""
    pointer = ctypes.c_void_p
    make = ctypes.PYFUNCTYPE(ctypes.py_object, *[pointer] * 3)(array_function(PYARRAY_SCALAR))
    return make(ctypes.addressof(value), id(dtype), None)


def owned_by(made: np.ufunc) -> ctypes.c_void_p:
    """Return the field of a ufunc that holds the object it keeps alive."""
    return ctypes.c_void_p.from_address(id(made) + UFUNC_OBJECT)
