"""Expressions of one's own as kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import DTypeLike

from ..checks import text
from ..description.description import MAX_NAME
from ..errors import ArgumentError, shorten, shown
from ..programs import Program, Shaped, core_shape, program
from .kernel import Kernel
from .operand import MAX_AXES
from .recipe import ProgramRecipe

MAX_ARRAYS = 64
"""Most inputs and outputs of a generalised ufunc, NumPy's own limit."""

Named = tuple[str, ca.SX] | Shaped
"""(name, expression), or (name, core shape, expression) if the shape is not the expression's own."""


def compiled(
    name: str,
    inputs: Sequence[Named],
    outputs: Sequence[Named],
    doc: str = "",
    subject: str = "expressions",
    dtype: DTypeLike = np.float64,
) -> Kernel:
    """Return the kernel of CasADi expressions: batches, `out=`, `bind`, like the forms of a robot.

    Columns give core shapes (n,), single entries too (1,), matrices (r, c); a triple (name, shape,
    expression) says otherwise, such as () for a number.

    >>> import casadi as ca, numpy as np
    >>> from closedform.kernels import compiled
    >>> x = ca.SX.sym("x", 2)
    >>> norm = compiled("norm", [("x", x)], [("norm", (), ca.sqrt(ca.dot(x, x)))])
    >>> norm(np.array([[3.0, 4.0], [0.0, 2.0]])).tolist()
    [5.0, 2.0]
    """
    for what, given in (("doc", doc), ("subject", subject)):
        text(f"compiled: {what}", given)
    return Kernel(ProgramRecipe(traced(name, inputs, outputs), doc or name, subject), dtype)


def evaluator(given: Program) -> np.ufunc:
    """Return the machine code of a program as a bare generalised ufunc, which checks nothing but shapes."""
    return Kernel(ProgramRecipe(given, given.name, "expressions")).ufunc


def traced(name: str, inputs: Sequence[Named], outputs: Sequence[Named]) -> Program:
    """Return the program of CasADi expressions."""
    if not 0 < len(text("compiled: name", name)) <= MAX_NAME:
        raise ArgumentError(f"compiled: name has {len(name)} characters; expected 1 to {MAX_NAME}")
    for what, given in (("inputs", inputs), ("outputs", outputs)):
        if not isinstance(given, tuple | list) or not given or not all(map(_named, given)):
            raise ArgumentError(
                f"{name}: {what} is {shown(given)}; expected a list of (name, SX) or (name, shape, SX), "
                f"with up to {MAX_AXES} axes"
            )
        if len({each[0] for each in given}) < len(given):
            names = ", ".join(each[0] for each in given)
            raise ArgumentError(f"{name}: {what} {shorten(names, 200)}: each needs a name of its own")
    if len(inputs) + len(outputs) > MAX_ARRAYS:
        raise ArgumentError(
            f"{name}: {len(inputs)} inputs and {len(outputs)} outputs; NumPy takes {MAX_ARRAYS} arrays in "
            "all: join some into one"
        )
    for each in inputs:
        if not each[-1].is_valid_input():
            raise ArgumentError(f"{name}: input {each[0]!r} is {shown(each[-1])}; expected symbols")
    try:
        return program(name, [_shaped(each) for each in inputs], [_shaped(each) for each in outputs])
    except RuntimeError as error:  # CasADi's, such as for symbols that are no input
        raise ArgumentError(f"{name}: {shorten(str(error), 200)}") from error


def _named(each: Any) -> bool:
    """Return whether an input or output has a name, an expression and a shape that fits it."""
    fine = isinstance(each, tuple | list) and len(each) in (2, 3) and isinstance(each[0], str)
    if not fine or not isinstance(each[-1], ca.SX) or not each[-1].numel():
        return False
    if len(each) == 2:
        return True
    shape = each[1]
    whole = isinstance(shape, tuple) and all(type(size) is int and size > 0 for size in shape)
    return whole and len(shape) <= MAX_AXES and math.prod(shape) == each[-1].numel()


def _shaped(each: Named) -> Shaped:
    return each if len(each) == 3 else (each[0], core_shape(each[1]), each[1])
