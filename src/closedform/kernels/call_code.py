"""LLVM text of the code that reads calls: its tables, and the few things that it does again and again."""

from __future__ import annotations

import sys

from . import memory_layout as layout
from .operand import MAX_AXES

MOST_OPERANDS = 64
"""Inputs and outputs of a kernel; NumPy makes no ufunc of more."""

MULTIPLIER = 0x9E3779B97F4A7C15
"""Odd number that spreads hashes: 2^64 over the golden ratio."""

ARRAY, TUPLE = 0, 1
"""Marks of arguments that differ from call to call: an array, a tuple of arrays; others are objects."""

TABLE = {"shift": 0, "mask": 1, "last": 2, "slots": 3}
"""Words of a table: how far hashes are shifted, the number of slots less one, the entry of the call before
or 0, then entries or 0."""

ENTRY = {"count": 0, "named": 1, "plan": 2, "out": 3, "general": 4, "only": 5, "records": 6}
"""Words of an entry: arguments in order and by name; the plan of the kernel; which argument is `out`, or
-1; the kernel, which takes batches in place of `resolve`, or 0; the only output, if it is a new array, the
usual case, or 0; then a record per argument, and the names."""

OPERAND = {"axes": 0, "shape": 1, "bytes": 1 + MAX_AXES, "words": 2 + MAX_AXES}
"""Words of an operand: the number of its axes, its shape, its bytes."""

RECORD = {"mark": 0, "operand": 1, "axes": 2, "words": 2 + OPERAND["words"]}
"""Words of an argument: its mark; which input it is, or -1; then those of an operand."""

PLAN = {"bound": 0, "dtype": 1, "inputs": 2, "outputs": 3, "tuple": 4, "operands": 5}
"""Words of a plan: address of the code for one sample, dtype, numbers of inputs and outputs, the type of
a tuple of outputs or 0; then the inputs and outputs."""

API = (
    "ndarray",
    "str",
    "tuple",
    "new_tuple",
    "none",
    "resolve",
    "out_names",
    "NewFromDescr",
    "Scalar",
    "PyObject_Vectorcall",
    "PyObject_GetAttr",
    "PyObject_Hash",
    "PyUnicode_Compare",
    "PyTuple_New",
    "PyTuple_SetItem",
    "Py_IncRef",
    "Py_DecRef",
)
"""What the table `@api` holds: objects and functions of CPython and NumPy."""

RESOLVE = sys.intern("resolve")
"""Name of the method that takes the calls that are passed on."""

OUT_NAMES = (sys.intern("out"),)
"""Names of the arguments of a kernel that are not in order."""


def known(name: str, entry: str) -> str:
    """Return the instructions that load an entry of `@api` as %name."""
    return (
        f"  %{name}.at = getelementptr ptr, ptr @api, i64 {API.index(entry)}\n"
        f"  %{name} = load ptr, ptr %{name}.at"
    )


def call(name: str, kind: str, function: str, arguments: str) -> str:
    """Return the call of a function of `@api`; %name is its result."""
    result = "" if kind == "void" else f"%{name} = "
    return f"{known(f'{name}.code', function)}\n  {result}call {kind} %{name}.code({arguments})"


def word(name: str, base: str, at: str | int, kind: str = "i64") -> str:
    """Return the instructions that load a word, by its number, of a piece of memory."""
    return f"  %{name}.at = getelementptr i64, ptr %{base}, i64 {at}\n  %{name} = load {kind}, ptr %{name}.at"


def field(name: str, base: str, offset: int, kind: str = "ptr") -> str:
    """Return the instructions that load a field of an object, by its offset."""
    return (
        f"  %{name}.at = getelementptr i8, ptr %{base}, i64 {offset}\n  %{name} = load {kind}, ptr %{name}.at"
    )


def repeat(name: str, before: str, count: str, after: str) -> str:
    """Return the head of a loop over %name from 0; its body ends with a branch to <name>.next."""
    return f"""  br label %{name}.head
{name}.next:
  %{name}.more = add i64 %{name}, 1
  br label %{name}.head
{name}.head:
  %{name} = phi i64 [ 0, %{before} ], [ %{name}.more, %{name}.next ]
  %{name}.left = icmp ult i64 %{name}, {count}
  br i1 %{name}.left, label %{name}.body, label %{after}
{name}.body:"""


def fits(name: str, operand: str, flags: int, following: str, otherwise: str) -> str:
    """Return the branch to `following` if the array %name is as the words %operand say, with these flags.

    Its data are then %name.data.
    """
    return f"""
{word(f"{name}.axes", operand, OPERAND["axes"], "i32")}
{field(f"{name}.ndim", name, layout.NDIM, "i32")}
{field(f"{name}.flags", name, layout.FLAGS, "i32")}
{field(f"{name}.dims", name, layout.DIMENSIONS)}
{field(f"{name}.data", name, layout.DATA)}
  %{name}.shape = getelementptr i64, ptr %{operand}, i64 {OPERAND["shape"]}
  %{name}.both = and i32 %{name}.flags, {flags}
  %{name}.flagged = icmp eq i32 %{name}.both, {flags}
  %{name}.deep = icmp eq i32 %{name}.ndim, %{name}.axes
  %{name}.alike = and i1 %{name}.flagged, %{name}.deep
  %{name}.count = zext i32 %{name}.axes to i64
  br i1 %{name}.alike, label %{name}.sizes, label %{otherwise}
{name}.sizes:
{repeat(f"{name}.axis", f"{name}.sizes", f"%{name}.count", following)}
{word(f"{name}.size", f"{name}.dims", f"%{name}.axis")}
{word(f"{name}.expected", f"{name}.shape", f"%{name}.axis")}
  %{name}.same = icmp eq i64 %{name}.size, %{name}.expected
  br i1 %{name}.same, label %{name}.axis.next, label %{otherwise}"""


READABLE = layout.CONTIGUOUS | layout.ALIGNED
WRITABLE = READABLE | layout.WRITEABLE
