"""One contiguous sample in LLVM: what bound calls and single calls run instead of the loop."""

from __future__ import annotations

from .operand import MAX_AXES, Operand

LOCAL_BYTES = 32 * 2**10
"""Workspaces of up to this many bytes are on the stack."""


def single_sample(operands: list[Operand], workspace: int) -> str:
    """Return `@bound`, which evaluates one contiguous sample, given the addresses of the operands."""
    lines = ["define void @bound(ptr %operands) #1 {", "entry:"]
    for operand in operands:
        k = operand.number
        lines.append(f"  %at{k} = getelementptr ptr, ptr %operands, i64 {k}")
        lines.append(f"  %ptr{k} = load ptr, ptr %at{k}, align 8")
    samples = (f"ptr %ptr{operand.number}, i64 {operand.bytes}" for operand in operands)
    call = f"  call void @scalar({', '.join(['ptr %work', *samples])})"
    if workspace <= LOCAL_BYTES:
        lines += [f"  %work = alloca i8, i64 {max(8, workspace)}, align 64", call]
        return "\n".join([*lines, "  ret void", "}"])
    nothing = ("@nan", "0", ["0"] * MAX_AXES)
    return "\n".join(
        [
            *lines,
            f"  %work = call ptr @malloc(i64 {workspace})",
            "  %failed = icmp eq ptr %work, null",
            "  br i1 %failed, label %nomemory, label %evaluate",
            "evaluate:",
            call,
            "  call void @free(ptr %work)",
            "  ret void",
            "nomemory:",
            *(
                "  "
                + each.copy((f"%ptr{each.number}", "0", list(map(str, each.packed_strides))), nothing, "1")
                for each in operands
                if each.output
            ),
            "  ret void",
            "}",
        ]
    )
