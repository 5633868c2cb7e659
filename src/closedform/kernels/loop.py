"""The gufunc inner loop in LLVM: strides, broadcasting, packing of non-contiguous operands."""

from __future__ import annotations

import re

import numpy as np

from ..programs import Program
from . import fastcall
from .body import body
from .copies import copies

STREAM_BYTES = 32 * 2**20
"""Results at least this large are streamed; smaller ones may still be in cache when read."""


def module(program: Program, lanes: int, real: str) -> str:
    """Return the LLVM module of a program: `@loop`, `@bound` and `@fast`.

    `@loop(args, dimensions, steps, data)` has NumPy's loop signature. Operands whose core
    entries are not contiguous are packed into a workspace around each block of samples.
    `@bound(operands)` evaluates one contiguous sample, given an array of pointers; `@fast` is
    a Python built-in over it.
    """
    size = 8 if real == "double" else 4
    vector, scalar = body(program, "vector", lanes, real), body(program, "scalar", 1, real)
    shapes = [shape for _, shape in (*program.inputs, *program.outputs)]
    workspace = max(vector.workspace * lanes, scalar.workspace)
    packed = [max(1, _product(shape)) for shape in shapes]
    total = (workspace + lanes * sum(packed)) * size
    text = [
        "; straight-line closed form",
        copies(lanes, real, size),
        f"@nan = internal constant {real} 0x7FF8000000000000",
        "declare ptr @malloc(i64)",
        "declare void @free(ptr)",
        vector.text,
        scalar.text,
        _loop(program, shapes, lanes, real, size, workspace, packed, total),
        _bound(shapes, packed, size, scalar.workspace),
        fastcall.text(program, np.dtype("f8" if real == "double" else "f4")),
        'attributes #0 = { nounwind "min-legal-vector-width"="512" "prefer-vector-width"="512" }',
        "attributes #1 = { nounwind }",
    ]
    return "\n".join([*_declarations("\n".join(text)), *text])


def _product(shape: tuple[int, ...]) -> int:
    result = 1
    for entries in shape:
        result *= entries
    return result


def _declarations(text: str) -> list[str]:
    """Return declarations of the LLVM intrinsics that the text calls."""
    found = {}
    for match in re.finditer(r"call (\S+|<[^>]+>) @(llvm\.[\w.]+)\((.*)\)", text):
        result, name, arguments = match.groups()
        types = re.findall(r"(<\d+ x \w+>|ptr|i32|double|float) [^,<]*(?:<[^>]*>)?", arguments)
        found[name] = f"declare {result} @{name}({', '.join(types)})"
    return sorted(found.values())


def _loop(
    program: Program,
    shapes: list[tuple[int, ...]],
    lanes: int,
    real: str,
    size: int,
    workspace: int,
    packed: list[int],
    total: int,
) -> str:
    inputs = len(program.inputs)
    count = len(shapes)
    out: list[str] = ["define void @loop(ptr %args, ptr %dimensions, ptr %steps, ptr %data) #1 {", "entry:"]

    def line(text: str) -> None:
        out.append("  " + text)

    def load(name: str, base: str, index: int, kind: str = "i64") -> None:
        line(f"%{name}.p = getelementptr i64, ptr {base}, i64 {index}")
        line(f"%{name} = load {kind}, ptr %{name}.p, align 8")

    load("n", "%dimensions", 0)
    position = count
    flags = []
    for k, shape in enumerate(shapes):
        load(f"base{k}", "%args", k, "ptr")
        load(f"step{k}", "%steps", k)
        strides = []
        for axis in range(len(shape)):
            load(f"stride{k}.{axis}", "%steps", position)
            strides.append(f"%stride{k}.{axis}")
            position += 1
        checks, expected = [], size
        for axis in reversed(range(len(shape))):
            if shape[axis] != 1:
                line(f"%ok{k}.{axis} = icmp eq i64 {strides[axis]}, {expected}")
                checks.append(f"%ok{k}.{axis}")
            expected *= shape[axis]
        flag = "true"
        for number, check in enumerate(checks):
            if flag == "true":
                flag = check
            else:
                line(f"%and{k}.{number} = and i1 {flag}, {check}")
                flag = f"%and{k}.{number}"
        line(f"%contiguous{k} = and i1 {flag}, true")
        flags.append(f"%contiguous{k}")
    every = "true"
    for k, flag in enumerate(flags):
        in_place = flag
        if k >= inputs:
            line(f"%tight{k} = icmp eq i64 %step{k}, {packed[k] * size}")
            line(f"%bytes{k} = mul i64 %n, {packed[k] * size}")
            line(f"%large{k} = icmp sge i64 %bytes{k}, {STREAM_BYTES}")
            line(f"%apart{k} = and i1 %tight{k}, %large{k}")
            line(f"%stream{k} = and i1 %apart{k}, %contiguous{k}")
            line(f"%direct{k} = xor i1 %stream{k}, {flag}")
            in_place = f"%direct{k}"
        line(f"%all{k} = and i1 {every}, {in_place}")
        every = f"%all{k}"
    small = workspace * size <= 32768
    if small:
        line(f"%local = alloca i8, i64 {max(8, workspace * size)}, align 64")
        line(f"br i1 {every}, label %ready, label %allocate")
    else:
        line("br label %allocate")
    out.append("allocate:")
    line(f"%heap = call ptr @malloc(i64 {total + 64})")
    line("%failed = icmp eq ptr %heap, null")
    line("br i1 %failed, label %nomemory, label %align")
    out.append("align:")
    line("%raw = ptrtoint ptr %heap to i64")
    line("%up = add i64 %raw, 63")
    line("%aligned = and i64 %up, -64")
    line("%area = inttoptr i64 %aligned to ptr")
    line("br label %ready")
    out.append("nomemory:")
    for k in range(inputs, count):
        line(_copy_out(k, "%base" + str(k), f"%step{k}", shapes[k], "@nan", "0", ("0", "0"), "%n"))
    line("ret void")
    out.append("ready:")
    if small:
        line("%work = phi ptr [ %local, %entry ], [ %area, %align ]")
        line("%owned = phi ptr [ null, %entry ], [ %heap, %align ]")
    else:
        line("%work = phi ptr [ %area, %align ]")
        line("%owned = phi ptr [ %heap, %align ]")
    offset = workspace * size
    for k in range(count):
        line(f"%pack{k} = getelementptr i8, ptr %work, i64 {offset}")
        offset += lanes * packed[k] * size
    line("br label %block")
    out.append("block:")
    line("%i = phi i64 [ 0, %ready ], [ %next, %advance ]")
    line("%left = sub i64 %n, %i")
    line("%more = icmp sgt i64 %left, 0")
    line("br i1 %more, label %work0, label %finish")
    out.append("work0:")
    line(f"%wide = icmp sge i64 %left, {lanes}")
    line(f"%taken = select i1 %wide, i64 {lanes}, i64 1")
    for k, shape in enumerate(shapes):
        line(f"%offset{k} = mul i64 %i, %step{k}")
        line(f"%here{k} = getelementptr i8, ptr %base{k}, i64 %offset{k}")
        in_place = f"%contiguous{k}" if k < inputs else f"%direct{k}"
        line(f"%ptr{k} = select i1 {in_place}, ptr %here{k}, ptr %pack{k}")
        line(f"%hop{k} = select i1 {in_place}, i64 %step{k}, i64 {packed[k] * size}")
        if k < inputs:
            line(f"br i1 %contiguous{k}, label %have{k}, label %pack_in{k}")
            out.append(f"pack_in{k}:")
            line(_copy_in(k, shape, size, packed[k]))
            line(f"br label %have{k}")
            out.append(f"have{k}:")
    line("br i1 %wide, label %many, label %one")
    arguments = ", ".join(["ptr %work", *(f"ptr %ptr{k}, i64 %hop{k}" for k in range(count))])
    for label, function in (("many", "vector"), ("one", "scalar")):
        out.append(f"{label}:")
        line(f"call void @{function}({arguments})")
        line("br label %computed")
    out.append("computed:")
    for k in range(inputs, count):
        line(f"br i1 %direct{k}, label %left{k}, label %staged{k}")
        out.append(f"staged{k}:")
        line(f"br i1 %stream{k}, label %stream_out{k}, label %pack_out{k}")
        out.append(f"stream_out{k}:")
        line(f"%whole{k} = mul i64 %taken, {packed[k] * size}")
        line(f"call void @stream_copy(ptr %here{k}, ptr %pack{k}, i64 %whole{k})")
        line(f"br label %left{k}")
        out.append(f"pack_out{k}:")
        _, columns = _two(shapes[k])
        line(
            _copy_out(
                k,
                f"%here{k}",
                f"%step{k}",
                shapes[k],
                f"%pack{k}",
                str(packed[k] * size),
                (str(columns * size), str(size)),
                "%taken",
            )
        )
        line(f"br label %left{k}")
        out.append(f"left{k}:")
    line("br label %advance")
    out.append("advance:")
    line("%next = add i64 %i, %taken")
    line("br label %block")
    out.append("finish:")
    line(f"br i1 {every}, label %leave, label %settle")
    out.append("settle:")
    line("fence seq_cst")
    line("br label %leave")
    out.append("leave:")
    line("call void @free(ptr %owned)")
    line("ret void")
    out.append("}")
    return "\n".join(out)


def _two(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return a core shape of up to two axes as rows and columns."""
    return (1, 1) if not shape else (1, shape[0]) if len(shape) == 1 else (shape[0], shape[1])


def _strides(k: int, shape: tuple[int, ...]) -> tuple[str, str]:
    if not shape:
        return "0", "0"
    return ("0", f"%stride{k}.0") if len(shape) == 1 else (f"%stride{k}.0", f"%stride{k}.1")


def _copy_in(k: int, shape: tuple[int, ...], size: int, packed: int) -> str:
    rows, columns = _two(shape)
    s1, s2 = _strides(k, shape)
    return (
        f"call void @strided_copy(ptr %pack{k}, i64 {packed * size}, i64 {columns * size}, i64 {size}, "
        f"ptr %here{k}, i64 %step{k}, i64 {s1}, i64 {s2}, i64 %taken, i64 {rows}, i64 {columns})"
    )


def _copy_out(
    k: int,
    target: str,
    step: str,
    shape: tuple[int, ...],
    source: str,
    hop: str,
    inner: tuple[str, str],
    count: str,
) -> str:
    rows, columns = _two(shape)
    d1, d2 = _strides(k, shape)
    return (
        f"call void @strided_copy(ptr {target}, i64 {step}, i64 {d1}, i64 {d2}, "
        f"ptr {source}, i64 {hop}, i64 {inner[0]}, i64 {inner[1]}, i64 {count}, i64 {rows}, i64 {columns})"
    )


def _bound(shapes: list[tuple[int, ...]], packed: list[int], size: int, workspace: int) -> str:
    lines = [
        "define void @bound(ptr %operands) #1 {",
        f"  %work = alloca i8, i64 {max(8, workspace * size)}, align 64",
    ]
    arguments = ["ptr %work"]
    for k in range(len(shapes)):
        lines.append(f"  %at{k} = getelementptr ptr, ptr %operands, i64 {k}")
        lines.append(f"  %ptr{k} = load ptr, ptr %at{k}, align 8")
        arguments.append(f"ptr %ptr{k}, i64 {packed[k] * size}")
    lines.append(f"  call void @scalar({', '.join(arguments)})")
    return "\n".join([*lines, "  ret void", "}"])
