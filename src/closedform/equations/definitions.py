"""A program as it stands: shared values named, nothing multiplied out."""

from __future__ import annotations

from collections import Counter

import sympy as sp

from ..programs import Program
from .vocabulary import Expression

MAX_OPERATIONS = 40
"""Operations of a value that is written in place where it is used once."""


def as_written(
    program: Program, inputs: list[Expression]
) -> tuple[list[list[Expression]], tuple[tuple[Expression, Expression], ...]]:
    """Return the outputs of a program and the definitions (x1 = ..., x2 = ...) they are written in.

    A value used more than once gets a name, so that the text is as long as the program, however
    long it would be multiplied out.
    """
    used = Counter(x for _, operands, _ in program.operations for x in operands)
    values: list[Expression] = []
    sizes: list[int] = []
    definitions: list[tuple[Expression, Expression]] = []
    for k, (name, operands, value) in enumerate(program.operations):
        size = 1 + sum(sizes[x] for x in operands)
        if name == "const":
            values.append(sp.Integer(int(value)) if value == int(value) else sp.Float(value))
            size = 0
        elif name == "input":
            values.append(inputs[int(value)])
            size = 0
        else:
            written = _apply(name, [values[x] for x in operands])
            if not written.is_Atom and ((used[k] > 1 and size > 1) or size > MAX_OPERATIONS):
                symbol = sp.Symbol(f"x{len(definitions) + 1}")
                definitions.append((symbol, written))
                written, size = symbol, 0
            values.append(written)
        sizes.append(size)
    return [[values[x] for x in row] for row in program.results], tuple(definitions)


def _apply(name: str, x: list[Expression]) -> Expression:
    if name == "add":
        return x[0] + x[1]
    if name == "sub":
        return x[0] - x[1]
    if name == "mul":
        return x[0] * x[1]
    if name == "div":
        return x[0] / x[1]
    if name == "neg":
        return -x[0]
    return function(name, x)


def function(name: str, x: list[Expression]) -> Expression:
    """Return a function of SymPy expressions."""
    if name == "where":
        return sp.Piecewise((x[1], sp.Ne(x[0], 0)), (0, True))
    if name in _RELATIONS:
        return sp.Piecewise((1, _RELATIONS[name](*x)), (0, True))
    return getattr(sp, _NAMES.get(name, name))(*x)


_NAMES = {"abs": "Abs", "min": "Min", "max": "Max", "pow": "Pow"}
_RELATIONS = {"less": sp.Lt, "at_most": sp.Le, "not": lambda x: sp.Eq(x, 0)}
