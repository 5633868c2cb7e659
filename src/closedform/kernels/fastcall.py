"""Single calls without NumPy's dispatch: a built-in function that reads its arrays in place.

A generalised ufunc spends most of a microsecond on one sample before its loop starts. The function made
here looks at its arguments itself. If each is a plain contiguous array of exactly the core shape, it
allocates the result and evaluates; otherwise it passes the call on to the kernel.
"""

from __future__ import annotations

import ctypes
import math
import sys
from typing import Any

import numpy as np

from ..programs import Program
from . import memory_layout as layout

_METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002
_METH_NOARGS = 0x0004

OUT = sys.intern("out")
"""The name of the output in a call; Python interns the names that are written in code."""


class _MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


API = ("ndarray", "descriptor", "new", "vectorcall", "none", "keep", "out_name")
"""What the table `@api` holds: addresses of objects and functions of NumPy and CPython."""


def _known(name: str) -> str:
    """Return the instructions that load an entry of the table."""
    at = f"  %{name}.at = getelementptr ptr, ptr @api, i64 {API.index(name)}"
    return f"{at}\n  %{name} = load ptr, ptr %{name}.at"


BOUND_CALL = f"""
define ptr @bound_call(ptr %self, ptr %nothing) #1 {{
  %buffer.at = getelementptr i8, ptr %self, i64 {layout.CTYPES_BUFFER}
  %operands = load ptr, ptr %buffer.at
  call void @bound(ptr %operands)
{_known("none")}
{_known("keep")}
  call void %keep(ptr %none)
  ret ptr %none
}}
"""
"""A built-in of no arguments whose owner is a ctypes array of the operands' addresses."""


def text(program: Program, dtype: np.dtype[Any]) -> str:
    """Return `@fast`, a built-in over `@bound`, and `@api`, the table of addresses it uses.

    It takes the inputs in order, and `out` by name: an array of the output's shape without memory in
    common with an input. It passes any other call on.
    """
    shapes = [shape for _, shape in program.inputs]
    out = program.outputs[0][1]
    arguments = [str(k) for k in range(len(shapes))]
    sizes = {name: dtype.itemsize * math.prod(shape) for name, shape in zip(arguments, shapes, strict=True)}
    lines = [
        f"@api = global [{len(API)} x ptr] zeroinitializer",
        BOUND_CALL,
        f"@shape = internal constant [{len(out)} x i64] [{', '.join(f'i64 {n}' for n in out)}]",
        "define ptr @fast(ptr %self, ptr %args, i64 %count, ptr %names) #1 {",
        "entry:",
        f"  %operands = alloca [{len(shapes) + 1} x ptr]",
        *map(_known, ("ndarray", "descriptor", "vectorcall")),
        f"  %right = icmp eq i64 %count, {len(shapes)}",
        "  br i1 %right, label %named, label %slow",
        *_named_output(len(shapes)),
    ]
    for name, shape in zip(arguments, shapes, strict=True):
        lines += [
            f"  %x{name}.at = getelementptr ptr, ptr %args, i64 {name}",
            f"  %x{name} = load ptr, ptr %x{name}.at",
            *_checks(name, shape, layout.CONTIGUOUS | layout.ALIGNED),
        ]
    lines += [
        "  %fresh = icmp eq ptr %xout, null",
        "  br i1 %fresh, label %make, label %given",
        "make:",
        _known("new"),
        f"  %made = call ptr %new(ptr %ndarray, i32 {len(out)}, ptr @shape, i32 {dtype.num}, "
        "ptr null, ptr null, i32 0, i32 0, ptr null)",
        "  %failed = icmp eq ptr %made, null",
        "  br i1 %failed, label %error, label %evaluate",
        "error:",
        "  ret ptr null",
        "given:",
        *_checks("out", out, layout.CONTIGUOUS | layout.ALIGNED | layout.WRITEABLE),
        *_apart(sizes, dtype.itemsize * math.prod(out)),
        _known("keep"),
        "  call void %keep(ptr %xout)",
        "  br label %evaluate",
        "evaluate:",
        "  %xresult = phi ptr [ %made, %make ], [ %xout, %apart ]",
        _data("result"),
    ]
    for k, name in enumerate((*arguments, "result")):
        lines += [
            f"  %operand{k} = getelementptr ptr, ptr %operands, i64 {k}",
            f"  store ptr %data{name}, ptr %operand{k}",
        ]
    lines += [
        "  call void @bound(ptr %operands)",
        "  ret ptr %xresult",
        "slow:",
        "  %handed = call ptr %vectorcall(ptr %self, ptr %args, i64 %count, ptr %names)",
        "  ret ptr %handed",
        "}",
    ]
    return "\n".join(lines)


def _named_output(count: int) -> list[str]:
    """Return the instructions that find `out`, the only name a call may use, or null without names."""
    return [
        "named:",
        "  %unnamed = icmp eq ptr %names, null",
        "  br i1 %unnamed, label %inputs, label %named.one",
        "named.one:",
        f"  %total.at = getelementptr i8, ptr %names, i64 {layout.TUPLE_SIZE}",
        "  %total = load i64, ptr %total.at",
        "  %one = icmp eq i64 %total, 1",
        "  br i1 %one, label %named.out, label %slow",
        "named.out:",
        f"  %name.at = getelementptr i8, ptr %names, i64 {layout.TUPLE_ITEMS}",
        "  %name = load ptr, ptr %name.at",
        _known("out_name"),
        "  %is.out = icmp eq ptr %name, %out_name",
        f"  %last.at = getelementptr ptr, ptr %args, i64 {count}",
        "  %last = load ptr, ptr %last.at",
        "  br i1 %is.out, label %inputs, label %slow",
        "inputs:",
        "  %xout = phi ptr [ null, %named ], [ %last, %named.out ]",
    ]


def _checks(name: str, shape: tuple[int, ...], flags: int) -> list[str]:
    """Return the branch to `slow` unless %x<name> is an array of the shape with these flags."""
    tests = [
        ("type", layout.TYPE, "ptr", "%ndarray"),
        ("descr", layout.DESCRIPTOR, "ptr", "%descriptor"),
        ("ndim", layout.NDIM, "i32", str(len(shape))),
    ]
    lines = []
    for what, offset, kind, expected in tests:
        lines += [
            f"  %{what}{name}.at = getelementptr i8, ptr %x{name}, i64 {offset}",
            f"  %{what}{name} = load {kind}, ptr %{what}{name}.at",
            f"  %{what}{name}.ok = icmp eq {kind} %{what}{name}, {expected}",
            f"  br i1 %{what}{name}.ok, label %{what}{name}.known, label %slow",
            f"{what}{name}.known:",
        ]
    lines += [
        f"  %flags{name}.at = getelementptr i8, ptr %x{name}, i64 {layout.FLAGS}",
        f"  %flags{name} = load i32, ptr %flags{name}.at",
        f"  %both{name} = and i32 %flags{name}, {flags}",
        f"  %ok{name}.c = icmp eq i32 %both{name}, {flags}",
        f"  %dims{name}.at = getelementptr i8, ptr %x{name}, i64 {layout.DIMENSIONS}",
        f"  %dims{name} = load ptr, ptr %dims{name}.at",
    ]
    known = f"%ok{name}.c"
    for axis, size in enumerate(shape):
        lines += [
            f"  %size{name}.{axis}.at = getelementptr i64, ptr %dims{name}, i64 {axis}",
            f"  %size{name}.{axis} = load i64, ptr %size{name}.{axis}.at",
            f"  %same{name}.{axis} = icmp eq i64 %size{name}.{axis}, {size}",
            f"  %ok{name}.{axis} = and i1 {known}, %same{name}.{axis}",
        ]
        known = f"%ok{name}.{axis}"
    return [*lines, f"  br i1 {known}, label %fits{name}, label %slow", f"fits{name}:", _data(name)]


def _data(name: str) -> str:
    """Return the instructions that load the address of an array's first entry."""
    at = f"  %data{name}.at = getelementptr i8, ptr %x{name}, i64 {layout.DATA}"
    return f"{at}\n  %data{name} = load ptr, ptr %data{name}.at"


def _apart(sizes: dict[str, int], size: int) -> list[str]:
    """Return the branch to `slow` if the bytes of `out` meet those of an input, else to `apart`."""
    lines, known = [f"  %endout = getelementptr i8, ptr %dataout, i64 {size}"], "true"
    for name, bytes_ in sizes.items():
        lines += [
            f"  %end{name} = getelementptr i8, ptr %data{name}, i64 {bytes_}",
            f"  %before{name} = icmp ule ptr %end{name}, %dataout",
            f"  %after{name} = icmp ule ptr %endout, %data{name}",
            f"  %clear{name} = or i1 %before{name}, %after{name}",
            f"  %apart{name} = and i1 {known}, %clear{name}",
        ]
        known = f"%apart{name}"
    return [*lines, f"  br i1 {known}, label %apart, label %slow", "apart:"]


def fill(api: int, dtype: np.dtype[Any]) -> None:
    """Write the addresses that the built-ins need into their table."""
    table = (ctypes.c_void_p * len(API)).from_address(api)
    table[:] = [
        id(np.ndarray),
        id(np.dtype(dtype)),
        layout.array_function(layout.PYARRAY_NEW),
        _address(ctypes.pythonapi.PyObject_Vectorcall),
        id(None),
        _address(ctypes.pythonapi.Py_IncRef),
        id(OUT),
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
