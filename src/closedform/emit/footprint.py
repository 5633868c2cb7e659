"""What a function of C takes of a small computer: stack, numbers and machine code."""

from __future__ import annotations

from dataclasses import dataclass

from ..programs import Program
from .statements import Local, Stream

BYTES = {"double": 8, "float": 4}

TEMPORARIES = 1.25
"""Stack per variable: compilers that do not optimise keep parts of expressions there too."""

FRAMES = 512
"""Bytes for the saved registers, arguments and return addresses of at most three nested functions."""

PER_OPERATION = {"Arm": 8, "x86-64": 14}
"""Bytes of machine code per operation, roughly, by GCC 12 with -O2; a part is constants."""

HELPER = {"double": 600, "float": 150}
"""Bytes of machine code of the function for sines and cosines; in single precision it calls libm."""


@dataclass(frozen=True)
class Footprint:
    """Bytes of stack (a bound), the distinct constants, and bytes of machine code (an estimate)."""

    stack: int
    constants: int
    code: dict[str, int]


def footprint(program: Program, stream: Stream, real: str) -> Footprint:
    """Return what a function takes; the functions of libm that it calls are not counted.

    The bound of the stack is the workspace that parts share, the sines and cosines, and every variable of
    the longest part, with something for temporaries and calls. Compilers that optimise need less: variables
    live in registers, and those that are not needed at the same time share a place.
    """
    variables = max(sum(isinstance(each.target, Local) for each in part.statements) for part in stream.parts)
    angles = 3 * (len(stream.angles) + 3)  # angle, sine and cosine, each padded by three at most
    numbers = variables + stream.workspace + angles
    stack = round(TEMPORARIES * BYTES[real] * numbers) + FRAMES
    constants = {value for name, _, value in program.operations if name == "const"}
    helper = HELPER[real] if stream.angles else 0
    code = {name: per * program.counts.total + helper for name, per in PER_OPERATION.items()}
    return Footprint(-(-stack // 16) * 16, len(constants), code)
