"""A compiled inner loop as a NumPy generalised ufunc, made through NumPy's C interface."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

_FROM_FUNC_AND_DATA_AND_SIGNATURE = 31
"""Index of PyUFunc_FromFuncAndDataAndSignature in NumPy's table of ufunc functions."""

_NONE = -1
"""PyUFunc_None: reductions have no identity."""


def _constructor() -> Any:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = get(_multiarray_umath._UFUNC_API, None)
    address = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))[_FROM_FUNC_AND_DATA_AND_SIGNATURE]
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_char_p,
        ctypes.c_int,
        ctypes.c_char_p,
    )
    return prototype(address)


_make = _constructor()


_NAME, _TYPES, _DOC, _OBJECT = 56, 64, 72, 88
"""Offsets of a ufunc's fields: what it was made from, and the object it keeps alive."""


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
    made: np.ufunc = _make(
        ctypes.addressof(functions),
        ctypes.addressof(data),
        ctypes.addressof(types),
        1,
        inputs,
        outputs,
        _NONE,
        texts[0],
        texts[1],
        0,
        texts[2],
    )
    _keep_alive(made, (owner, functions, data, types, *texts), texts[0], types, texts[1])
    return made


_IMMORTAL: list[object] = []
"""What ufuncs of an unknown layout were made from: kept for good, since nothing else can."""


def _keep_alive(made: np.ufunc, holder: object, name: Any, types: Any, doc: Any) -> None:
    """Tie the holder's life to the ufunc's, through the reference that ufuncs drop when they die."""

    def field(offset: int) -> Any:
        return ctypes.c_void_p.from_address(id(made) + offset)

    known = ((_NAME, name), (_TYPES, types), (_DOC, doc))
    if all(field(at).value == ctypes.addressof(what) for at, what in known) and not field(_OBJECT).value:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(holder))
        field(_OBJECT).value = id(holder)
    else:
        _IMMORTAL.append(holder)
