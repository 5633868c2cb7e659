"""Machine code that reads a call of XLA, which is how JAX runs kernels: no Python, no copy, no lock.

The code is the same for all kernels: each has a copy of it in memory, with a table of its own. XLA hands
over inputs of shape (n, ...) or (1, ...) and outputs of shape (n, ...), all dense; the code checks that they
are what the table says, and collects their addresses and steps. What it does with them then is the text of
the processor: `xla_handler.py` runs the inner loop here, `cuda/xla_launch.py` launches it on a GPU.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache

from . import cache as disk
from . import machine
from . import xla_layout as layout
from .call_code import MOST_OPERANDS, field, repeat, word
from .operand import MAX_AXES

TABLE = {"code": 0, "major": 1, "minor": 2, "dtype": 3, "inputs": 4, "operands": 5, "words": 6, "ranks": 7}
"""Words of a table: address of what runs, version of XLA's interface, precision, numbers of inputs and
of all operands, length of the steps; then the rank of each operand, and the steps of a whole batch."""

STEPS = TABLE["ranks"] + MOST_OPERANDS
TABLE_WORDS = STEPS + MOST_OPERANDS * (1 + MAX_AXES)

MESSAGE = b"closedform: XLA handed over other arrays than the kernel takes; install a newer closedform\0"


def refusal(label: str, message: str, code: int) -> str:
    """Return the block that ends a call with an error of XLA."""
    return f"""
{label}:
{field(f"{label}.api", "frame", layout.FRAME["api"])}
{field(f"{label}.create", f"{label}.api", layout.ERROR_CREATE)}
  %{label}.error = alloca [{layout.ERROR_SIZE + 4} x i8], align 8
{put(f"{label}.error", layout.ERROR["size"], f"i64 {layout.ERROR_SIZE}")}
{put(f"{label}.error", layout.ERROR["extension"], "ptr null")}
{put(f"{label}.error", layout.ERROR["message"], f"ptr {message}")}
{put(f"{label}.error", layout.ERROR["code"], f"i32 {code}")}
  %{label}.made = call ptr %{label}.create(ptr %{label}.error)
  ret ptr %{label}.made"""


def put(structure: str, offset: int, value: str) -> str:
    """Return the instructions that store a field of a structure."""
    place = f"%{structure}.put{offset}"
    return f"  {place} = getelementptr i8, ptr %{structure}, i64 {offset}\n  store {value}, ptr {place}"


def _metadata(traits: int) -> str:
    """Return the block that answers which version of the interface this follows, and with what traits."""
    return f"""
extended:
{field("asked", "extension", layout.EXTENSION["type"], "i32")}
  %which = icmp eq i32 %asked, {layout.METADATA}
  br i1 %which, label %answer, label %staged
answer:
{field("metadata", "extension", layout.EXTENSION["metadata"])}
{field("major", "table", 8 * TABLE["major"], "i32")}
{field("minor", "table", 8 * TABLE["minor"], "i32")}
{put("metadata", layout.ANSWER["major"], "i32 %major")}
{put("metadata", layout.ANSWER["minor"], "i32 %minor")}
{put("metadata", layout.ANSWER["traits"], f"i32 {traits}")}
  ret ptr null"""


def _checked(name: str, test: str, following: str) -> str:
    """Return the branch to `following` if a comparison holds, else to the refusal."""
    return f"  %{name}.holds = icmp {test}\n  br i1 %{name}.holds, label %{following}, label %refuse"


def _list(name: str, count: str, following: str) -> str:
    """Return the instructions that check one structure of arrays and load its items."""
    at = layout.FRAME[name]
    return f"""
{name}:
  %{name}.list = getelementptr i8, ptr %frame, i64 {at}
{field(f"{name}.size", f"{name}.list", layout.LIST["size"], "i64")}
{_checked(f"{name}.size", f"eq i64 %{name}.size, {layout.LIST_SIZE}", f"{name}.counted")}
{name}.counted:
{field(f"{name}.count", f"{name}.list", layout.LIST["count"], "i64")}
{field(f"{name}.items", f"{name}.list", layout.LIST["items"])}
{_checked(f"{name}.count", f"eq i64 %{name}.count, {count}", following)}"""


def text(evaluate: str, traits: int = 0, constants: str = "") -> str:
    """Return the LLVM module of a handler that checks a call and then goes to the block `evaluate`.

    That finds the number of samples in %n and %dimensions, and for every operand its address in %pointers
    and its step in %steps, which is 0 for inputs of one sample.
    """
    return f"""
@table = global [{TABLE_WORDS} x i64] zeroinitializer
@message = internal constant [{len(MESSAGE)} x i8] c"{MESSAGE[:-1].decode()}\\00"
{constants}
define ptr @handler(ptr %frame) #0 {{
entry:
  %table = getelementptr i8, ptr @table, i64 0
{field("extension", "frame", layout.FRAME["extension"])}
  %plain = icmp eq ptr %extension, null
  br i1 %plain, label %staged, label %extended
{_metadata(traits)}
staged:
{field("size", "frame", 0, "i64")}
{_checked("size", f"uge i64 %size, {layout.FRAME_SIZE}", "sized")}
sized:
{field("stage", "frame", layout.FRAME["stage"], "i32")}
{_checked("stage", f"eq i32 %stage, {layout.EXECUTE}", "expected")}
expected:
{word("expected.inputs", "table", TABLE["inputs"])}
{word("operands", "table", TABLE["operands"])}
{word("dtype", "table", TABLE["dtype"], "i32")}
  %expected.outputs = sub i64 %operands, %expected.inputs
  br label %inputs
{_list("inputs", "%expected.inputs", "outputs")}
{_list("outputs", "%expected.outputs", "first")}
first:
{word("first.output", "outputs.items", 0, "ptr")}
{field("first.size", "first.output", layout.BUFFER["size"], "i64")}
{_checked("first.size", f"eq i64 %first.size, {layout.BUFFER_SIZE}", "first.sized")}
first.sized:
{field("first.rank", "first.output", layout.BUFFER["rank"], "i64")}
{_checked("first.rank", "sgt i64 %first.rank, 0", "room")}
room:
{field("first.dims", "first.output", layout.BUFFER["dims"])}
{word("n", "first.dims", 0)}
  %dimensions = alloca i64
  store i64 %n, ptr %dimensions
  %pointers = alloca [{MOST_OPERANDS} x ptr]
{word("words", "table", TABLE["words"])}
  %steps = alloca i64, i64 %words
  %bytes = mul i64 %words, 8
  %whole = getelementptr i64, ptr %table, i64 {STEPS}
  call void @llvm.memcpy.p0.p0.i64(ptr %steps, ptr %whole, i64 %bytes, i1 false)
{repeat("k", "room", "%operands", "evaluate")}
  %is.input = icmp ult i64 %k, %expected.inputs
  %after = sub i64 %k, %expected.inputs
  %items = select i1 %is.input, ptr %inputs.items, ptr %outputs.items
  %index = select i1 %is.input, i64 %k, i64 %after
{word("buffer", "items", "%index", "ptr")}
{field("buffer.size", "buffer", layout.BUFFER["size"], "i64")}
{_checked("buffer.size", f"eq i64 %buffer.size, {layout.BUFFER_SIZE}", "buffer.sized")}
buffer.sized:
{field("kind", "buffer", layout.BUFFER["dtype"], "i32")}
{field("data", "buffer", layout.BUFFER["data"])}
{field("rank", "buffer", layout.BUFFER["rank"], "i64")}
  %ranks = getelementptr i64, ptr %table, i64 {TABLE["ranks"]}
{word("deep", "ranks", "%k")}
  %same.kind = icmp eq i32 %kind, %dtype
  %same.rank = icmp eq i64 %rank, %deep
  %alike = and i1 %same.kind, %same.rank
  br i1 %alike, label %measured, label %refuse
measured:
{field("dims", "buffer", layout.BUFFER["dims"])}
{word("samples", "dims", 0)}
  %pointer = getelementptr ptr, ptr %pointers, i64 %k
  store ptr %data, ptr %pointer
  %full = icmp eq i64 %samples, %n
  br i1 %full, label %k.next, label %repeated
repeated:
  %single = icmp eq i64 %samples, 1
  %repeats = and i1 %single, %is.input
  br i1 %repeats, label %still, label %refuse
still:
  %step = getelementptr i64, ptr %steps, i64 %k
  store i64 0, ptr %step
  br label %k.next
{evaluate}
{refusal("refuse", "@message", layout.INVALID_ARGUMENT)}
}}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
attributes #0 = {{ nounwind }}
"""


@cache
def _code(text: str) -> bytes:
    """Return the object code, from the cache if it was made before."""
    key = disk.key("xla", text, machine.identity())
    code = disk.load(key)
    if code is None:
        code = machine.compile_text(text)
        disk.save(key, code)
    return code


class Handler:
    """A function that XLA calls for one kernel: machine code with a table of its own.

    `shapes` are those of the inputs and outputs without the batch axis; `steps` lead from sample to sample
    for each operand, then whatever else the text wants to find there.
    """

    major = layout.MAJOR

    def __init__(
        self, text: str, shapes: Sequence[Sequence[int]], inputs: int, dtype: str, steps: Sequence[int]
    ) -> None:
        self.machine = machine.Machine(_code(text), "handler", "table")
        self.address = self.machine.address("handler")
        self.table = (ctypes.c_int64 * TABLE_WORDS).from_address(self.machine.address("table"))
        head = {
            "dtype": layout.DTYPES[dtype],
            "inputs": inputs,
            "operands": len(shapes),
            "words": len(steps),
        }
        for name, value in head.items():
            self.table[TABLE[name]] = value
        for k, shape in enumerate(shapes):
            self.table[TABLE["ranks"] + k] = 1 + len(shape)
        for k, step in enumerate(steps):
            self.table[STEPS + k] = step

    def follow(self, minor: int) -> None:
        """Answer XLA that this follows version 0.`minor` of its interface."""
        self.table[TABLE["major"]], self.table[TABLE["minor"]] = self.major, minor
