"""Machine code as a built-in function of Python."""

from __future__ import annotations

import ctypes
from typing import Any

NO_ARGUMENTS, IN_ORDER = 0x0004, 0x0080
"""How CPython calls the code: with its owner alone, or also with the arguments and their number."""


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def built_in(name: str, address: int, flags: int, owner: Any) -> Any:
    """Return a function that hands its owner to the code at an address.

    The owner lives as long as the function, and with it what is in its list `alive`.
    """
    method = _MethodDef(name.encode(), address, flags, None)
    owner.alive.append(method)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(method), owner, None)
