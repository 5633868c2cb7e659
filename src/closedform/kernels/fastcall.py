"""Single calls without NumPy's dispatch: a built-in function that reads its arrays in place.

A generalised ufunc spends most of a microsecond on one sample before its loop starts. The function made
here looks at its arguments itself. If each is a plain contiguous array of exactly the core shape, it
allocates the result and evaluates; otherwise it passes the call on to the kernel.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ..programs import Program
from . import memory_layout as layout

_METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002
_METH_NOARGS = 0x0004


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


BOUND_CALL = f"""
define ptr @bound_call(ptr %self, ptr %nothing) #1 {{
  %buffer.at = getelementptr i8, ptr %self, i64 {layout.CTYPES_BUFFER}
  %operands = load ptr, ptr %buffer.at
  call void @bound(ptr %operands)
  %none.at = getelementptr ptr, ptr @api, i64 4
  %none = load ptr, ptr %none.at
  %keep.at = getelementptr ptr, ptr @api, i64 5
  %keep = load ptr, ptr %keep.at
  call void %keep(ptr %none)
  ret ptr %none
}}
"""
"""A built-in of no arguments whose owner is a ctypes array of the operands' addresses."""


def text(program: Program, dtype: np.dtype[Any]) -> str:
    """Return `@fast`, a built-in over `@bound`, and `@api`, the table of addresses it uses."""
    shapes = [shape for _, shape in program.inputs]
    out = program.outputs[0][1]
    lines = [
        "@api = global [6 x ptr] zeroinitializer",
        BOUND_CALL,
        f"@shape = internal constant [{len(out)} x i64] [{', '.join(f'i64 {n}' for n in out)}]",
        "define ptr @fast(ptr %self, ptr %args, i64 %count, ptr %names) #1 {",
        "entry:",
        f"  %operands = alloca [{len(shapes) + 1} x ptr]",
        "  %ndarray = load ptr, ptr @api",
        *(
            f"  %{name}.at = getelementptr ptr, ptr @api, i64 {k}\n  %{name} = load ptr, ptr %{name}.at"
            for k, name in ((1, "descriptor"), (2, "new"), (3, "vectorcall"))
        ),
        f"  %right = icmp eq i64 %count, {len(shapes)}",
        "  %plain = icmp eq ptr %names, null",
        "  %may = and i1 %right, %plain",
        "  br i1 %may, label %argument0, label %slow",
    ]
    for k, shape in enumerate(shapes):
        following = f"argument{k + 1}"
        lines += [f"argument{k}:", f"  %p{k} = getelementptr ptr, ptr %args, i64 {k}"]
        lines += [f"  %x{k} = load ptr, ptr %p{k}", *_checks(k, shape, following)]
    lines += [f"argument{len(shapes)}:"]
    lines += [
        f"  %result = call ptr %new(ptr %ndarray, i32 {len(out)}, ptr @shape, i32 {dtype.num}, "
        "ptr null, ptr null, i32 0, i32 0, ptr null)",
        "  %failed = icmp eq ptr %result, null",
        "  br i1 %failed, label %error, label %evaluate",
        "error:",
        "  ret ptr null",
        "evaluate:",
    ]
    for k in range(len(shapes) + 1):
        source = f"%x{k}" if k < len(shapes) else "%result"
        lines += [
            f"  %d{k}.at = getelementptr i8, ptr {source}, i64 {layout.DATA}",
            f"  %d{k} = load ptr, ptr %d{k}.at",
            f"  %o{k} = getelementptr ptr, ptr %operands, i64 {k}",
            f"  store ptr %d{k}, ptr %o{k}",
        ]
    lines += [
        "  call void @bound(ptr %operands)",
        "  ret ptr %result",
        "slow:",
        "  %handed = call ptr %vectorcall(ptr %self, ptr %args, i64 %count, ptr %names)",
        "  ret ptr %handed",
        "}",
    ]
    return "\n".join(lines)


def _checks(k: int, shape: tuple[int, ...], following: str) -> list[str]:
    """Return the branch to `following` if argument k is a contiguous array of the shape, else to `slow`."""
    tests = [
        ("type", layout.TYPE, "ptr", "%ndarray"),
        ("descr", layout.DESCRIPTOR, "ptr", "%descriptor"),
        ("ndim", layout.NDIM, "i32", str(len(shape))),
    ]
    lines = []
    for number, (name, offset, kind, expected) in enumerate(tests):
        lines += [
            f"  %{name}{k}.at = getelementptr i8, ptr %x{k}, i64 {offset}",
            f"  %{name}{k} = load {kind}, ptr %{name}{k}.at",
            f"  %{name}{k}.ok = icmp eq {kind} %{name}{k}, {expected}",
            f"  br i1 %{name}{k}.ok, label %check{k}.{number}, label %slow",
            f"check{k}.{number}:",
        ]
    plain = layout.CONTIGUOUS | layout.ALIGNED
    lines += [
        f"  %flags{k}.at = getelementptr i8, ptr %x{k}, i64 {layout.FLAGS}",
        f"  %flags{k} = load i32, ptr %flags{k}.at",
        f"  %both{k} = and i32 %flags{k}, {plain}",
        f"  %ok{k}.c = icmp eq i32 %both{k}, {plain}",
        f"  %dims{k}.at = getelementptr i8, ptr %x{k}, i64 {layout.DIMENSIONS}",
        f"  %dims{k} = load ptr, ptr %dims{k}.at",
    ]
    known = f"%ok{k}.c"
    for axis, size in enumerate(shape):
        lines += [
            f"  %size{k}.{axis}.at = getelementptr i64, ptr %dims{k}, i64 {axis}",
            f"  %size{k}.{axis} = load i64, ptr %size{k}.{axis}.at",
            f"  %same{k}.{axis} = icmp eq i64 %size{k}.{axis}, {size}",
            f"  %ok{k}.{axis} = and i1 {known}, %same{k}.{axis}",
        ]
        known = f"%ok{k}.{axis}"
    return [*lines, f"  br i1 {known}, label %{following}, label %slow"]


def fill(api: int, dtype: np.dtype[Any]) -> None:
    """Write the addresses that the built-ins need into their table."""
    table = (ctypes.c_void_p * 6).from_address(api)
    table[:] = [
        id(np.ndarray),
        id(np.dtype(dtype)),
        layout.array_function(layout.PYARRAY_NEW),
        _address(ctypes.pythonapi.PyObject_Vectorcall),
        id(None),
        _address(ctypes.pythonapi.Py_IncRef),
    ]


def _address(function: Any) -> int | None:
    return ctypes.cast(function, ctypes.c_void_p).value


def definition(name: str, doc: str, function: int, *, arguments: bool = True) -> _MethodDef:
    """Return the definition of a built-in; it must outlive every built-in made from it."""
    flags = _METH_FASTCALL_KEYWORDS if arguments else _METH_NOARGS
    return _MethodDef(name.encode(), function, flags, doc.encode())


def builtin(method: _MethodDef, owner: object) -> Any:
    """Return a built-in function that keeps `owner` alive; the owner must keep `method` alive."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(method), owner, None)
