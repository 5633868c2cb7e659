"""A program as it is computed: shared values named, nothing multiplied out."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable

import sympy as sp

from ..programs import Program
from .vocabulary import Expression, new_symbols

MAX_OPERATIONS = 40
"""Operations up to which a value that is used once is written in place."""


def as_written(
    program: Program, inputs: list[Expression]
) -> tuple[list[list[Expression]], tuple[tuple[Expression, Expression], ...]]:
    """Return the outputs of a program and the definitions (x1 = ..., x2 = ...) they are written in.

    A value used more than once gets a name, so that the text is as long as the program, however
    long it would be multiplied out.
    """
    used = Counter(x for _, operands, _ in program.operations for x in operands)
    names = new_symbols(inputs)
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
            written = function(name, [values[x] for x in operands])
            if not written.is_Atom and ((used[k] > 1 and size > 1) or size > MAX_OPERATIONS):
                symbol = next(names)
                definitions.append((symbol, written))
                written, size = symbol, 0
            values.append(written)
        sizes.append(size)
    return [[values[x] for x in row] for row in program.results], tuple(definitions)


def function(name: str, x: list[Expression]) -> Expression:
    """Return an operation of a program on SymPy expressions."""
    if name == "where":
        return sp.Piecewise((x[1], sp.Ne(x[0], 0)), (0, True))
    if name in _RELATIONS:
        return sp.Piecewise((1, _RELATIONS[name](*x)), (0, True))
    return _FUNCTIONS[name](*x) if name in _FUNCTIONS else getattr(sp, name)(*x)


_FUNCTIONS: dict[str, Callable[..., Expression]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "abs": sp.Abs,
    "min": sp.Min,
    "max": sp.Max,
    "pow": sp.Pow,
}
_RELATIONS = {"less": sp.Lt, "at_most": sp.Le, "not": lambda x: sp.Eq(x, 0)}
