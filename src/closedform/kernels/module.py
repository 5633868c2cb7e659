"""The LLVM module of a program: everything that becomes its object code."""

from __future__ import annotations

import re

from ..programs import Order, Program
from .body import HUGE, body, through_lanes
from .loop import loop
from .operand import Operand
from .sample_copies import copy_functions
from .single_sample import single_sample


def module(program: Program, lanes: int, real: str, order: Order = Order.FIRST_OPERAND) -> str:
    """Return the LLVM module of a program: `@loop` and `@bound`.

    `@loop` is NumPy's inner loop over samples. `@bound(operands)` evaluates one contiguous sample, given
    an array of addresses.
    """
    size = 8 if real == "double" else 4
    vector = body(program, "vector", lanes, real, order)
    if len(program.operations) < HUGE:
        scalar = body(program, "scalar", 1, real, order)
    else:
        scalar = through_lanes(program, "scalar", vector)
    operands = [
        Operand(k, shape, size, k >= len(program.inputs))
        for k, (_, shape) in enumerate((*program.inputs, *program.outputs))
    ]
    workspace = max(vector.workspace, scalar.workspace) * size
    text = "\n".join(
        [
            copy_functions(lanes, real, size),
            f"@nan = internal constant {real} 0x7FF8000000000000",
            "declare ptr @malloc(i64)",
            "declare void @free(ptr)",
            vector.text,
            scalar.text,
            loop(operands, lanes, workspace),
            single_sample(operands, scalar.workspace * size),
            'attributes #0 = { nounwind "min-legal-vector-width"="512" "prefer-vector-width"="512" }',
            "attributes #1 = { nounwind }",
        ]
    )
    return "\n".join([*_declarations(text), text])


def _declarations(text: str) -> list[str]:
    """Return declarations of the LLVM intrinsics that the text calls."""
    found = {}
    for match in re.finditer(r"call (\S+|<[^>]+>) @(llvm\.[\w.]+)\((.*)\)", text):
        result, name, arguments = match.groups()
        types = re.findall(r"(<\d+ x \w+>|ptr|i1|i8|i32|i64|double|float) [^,<]*(?:<[^>]*>)?", arguments)
        found[name] = f"declare {result} @{name}({', '.join(types)})"
    return sorted(found.values())
