"""Functions whose calls go straight to machine code: a type of object that CPython calls by address.

CPython calls an object of such a type through an address in the object itself, with the arguments where
they are ("vectorcall", PEP 590). The type is made by `PyType_FromSpecWithBases`, whose structures are part
of the stable interface of CPython.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from . import memory_layout as layout
from .dispatch import dispatcher
from .patterns import Patterns

_CALL, _MEMBERS = 50, 72
"""Numbers of the slots tp_call and tp_members."""

_HAVE_VECTORCALL = 1 << 11
_SIZE, _READ_ONLY = 19, 1
"""Kind of a member that is a size, and the flag of members that Python code cannot set."""

_KEPT: list[object] = []
"""What the types were made from: types live as long as the process."""


class _Slot(ctypes.Structure):
    _fields_ = (("number", ctypes.c_int), ("value", ctypes.c_void_p))


class _Member(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Spec(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("size", ctypes.c_int),
        ("item_size", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.c_void_p),
    )


class FastCall:
    """A function that knows patterns of calls; subclasses say in `resolve` what other calls do.

    Subclasses have no attributes beside `subject`, whatever a call is about: the machine code finds its
    table behind these two.
    """

    __slots__ = ("patterns", "subject")

    patterns: Patterns | None
    subject: Any

    def __init__(self, subject: Any) -> None:
        self.subject, self.patterns = subject, None

    def resolve(self, /, *args: Any, **named: Any) -> Any:
        """Evaluate a call of any kind, and learn its pattern."""
        raise NotImplementedError

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        """Evaluate; types made by `called_in_place` do the same without Python."""
        return self.resolve(*args, **named)

    @classmethod
    def of(cls, subject: Any) -> Any:
        """Return a function about something: of machine code if CPython and NumPy are as expected."""
        if not layout.trusted():
            return cls(subject)
        kind: Any = cls
        made = called_in_place(kind)(subject)
        code = dispatcher()
        made.patterns = Patterns(ctypes.c_void_p.from_address(id(made) + layout.FAST_TABLE), code)
        ctypes.c_void_p.from_address(id(made) + layout.FAST_CODE).value = code.address("dispatch")
        return made


@cache
def called_in_place(kind: Any) -> type[FastCall]:
    """Return the subclass whose objects are called through their address."""
    if kind.__basicsize__ != layout.FAST_CODE:
        raise TypeError(f"{kind.__name__} has attributes of its own, where the machine code has its table")
    members = (_Member * 3)(
        _Member(b"__vectorcalloffset__", _SIZE, layout.FAST_CODE, _READ_ONLY, None),
        _Member(b"__weaklistoffset__", _SIZE, layout.FAST_WEAK, _READ_ONLY, None),
    )
    call = ctypes.cast(ctypes.pythonapi.PyVectorcall_Call, ctypes.c_void_p)
    slots = (_Slot * 3)(_Slot(_CALL, call), _Slot(_MEMBERS, ctypes.addressof(members)))
    name = f"{kind.__module__}.{kind.__name__}".encode()
    spec = _Spec(name, layout.FAST_SIZE, 0, _HAVE_VECTORCALL, ctypes.addressof(slots))
    make = ctypes.pythonapi.PyType_FromSpecWithBases
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object]
    made: type[FastCall] = make(ctypes.addressof(spec), (kind,))
    made.__doc__ = vars(kind)["__doc__"]
    _KEPT.append((members, slots, name, spec))
    return made
