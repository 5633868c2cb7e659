"""A compiled inner loop as a NumPy generalised ufunc, made through NumPy's C interface."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from .memory_layout import UFUNC_FROM_LOOP, owned_by, trusted, ufunc_function

_NO_IDENTITY = -1
"""PyUFunc_None: reductions have no identity."""

_IMMORTAL: list[object] = []
"""What ufuncs of an unknown layout were made from: kept for ever, since the ufunc cannot keep it."""


@cache
def _constructor() -> Any:
    pointer, number, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    kinds = (*[pointer] * 3, *[number] * 4, text, text, number, text)
    return ctypes.PYFUNCTYPE(ctypes.py_object, *kinds)(ufunc_function(UFUNC_FROM_LOOP))


def gufunc(
    name: str,
    doc: str,
    signature: str,
    loop: int,
    inputs: int,
    outputs: int,
    dtype: np.dtype[Any],
    owner: object,
) -> np.ufunc:
    """Return a gufunc over one compiled loop, which keeps `owner`, the holder of the code, alive.

    The loop runs without the GIL, on any batch shape, in the precision of `dtype`.
    """
    functions = (ctypes.c_void_p * 1)(loop)
    data = (ctypes.c_void_p * 1)(None)
    types = ctypes.create_string_buffer(bytes([np.dtype(dtype).num] * (inputs + outputs)))
    texts = [ctypes.create_string_buffer(text.encode()) for text in (name, doc, signature)]
    made: np.ufunc = _constructor()(
        ctypes.addressof(functions),
        ctypes.addressof(data),
        ctypes.addressof(types),
        1,
        inputs,
        outputs,
        _NO_IDENTITY,
        texts[0],
        texts[1],
        0,
        texts[2],
    )
    holder = (owner, functions, data, types, *texts)
    if trusted():  # a ufunc that is freed drops its reference to one object: our holder
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(holder))
        owned_by(made).value = id(holder)
    else:
        _IMMORTAL.append(holder)
    return made
