"""Expressions of one's own as kernels."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from numpy.typing import DTypeLike

from ..programs import Program, Shaped, core_shape, program
from .kernel import Kernel
from .recipe import ProgramRecipe

Named = tuple[str, ca.SX] | Shaped
"""(name, expression), or (name, core shape, expression) where the shape is not the expression's own."""


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
    return Kernel(ProgramRecipe(traced(name, inputs, outputs), doc or name, subject), dtype)


def traced(name: str, inputs: Sequence[Named], outputs: Sequence[Named]) -> Program:
    """Return the program of CasADi expressions."""
    return program(name, [_shaped(each) for each in inputs], [_shaped(each) for each in outputs])


def _shaped(each: Named) -> Shaped:
    return each if len(each) == 3 else (each[0], core_shape(each[1]), each[1])
