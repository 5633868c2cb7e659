"""From a program back to CasADi expressions: what differentiates them again, or hands them to other tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
from casadi import SX

from .building import BUILDING
from .program import Program

CASADI: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "sqrt": ca.sqrt,
    "sin": ca.sin,
    "cos": ca.cos,
    "tan": ca.tan,
    "asin": ca.asin,
    "acos": ca.acos,
    "atan": ca.atan,
    "atan2": ca.atan2,
    "sinh": ca.sinh,
    "cosh": ca.cosh,
    "tanh": ca.tanh,
    "exp": ca.exp,
    "log": ca.log,
    "pow": ca.power,
    "abs": ca.fabs,
    "sign": ca.sign,
    "min": ca.fmin,
    "max": ca.fmax,
    "less": lambda x, y: x < y,
    "at_most": lambda x, y: x <= y,
    "not": ca.logic_not,
    "where": lambda c, x: ca.if_else(c, x, 0),
}
"""CasADi's function of each operation."""


def expressions(program: Program) -> tuple[list[SX], list[SX]]:
    """Return the inputs of a program as columns of symbols, and its outputs as columns of expressions.

    Entries are in row-major order, as in the program.
    """
    with BUILDING:
        sizes = [after - before for before, after in zip(program.starts, program.starts[1:], strict=False)]
        symbols = [SX.sym(name, size) for (name, _), size in zip(program.inputs, sizes, strict=True)]
        entries = [entry for column in symbols for entry in column.elements()]
        values: list[Any] = []
        for name, operands, number in program.operations:
            if name == "const":
                values.append(SX(number))
            elif name == "input":
                values.append(entries[int(number)])
            else:
                values.append(CASADI[name](*(values[x] for x in operands)))
        return symbols, [ca.vertcat(*(values[x] for x in row)) for row in program.results]
