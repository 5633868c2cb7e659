"""The operations of programs: their names, CasADi's numbers for them, and NumPy's functions.

Robots need arithmetic, square roots, sines and cosines. The others are for users' own expressions:
machine code calls libm for most of them, one sample at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

SIMPLIFIED = {ca.OP_ADD: "add", ca.OP_SUB: "sub", ca.OP_MUL: "mul", ca.OP_DIV: "div", ca.OP_NEG: "neg"}
"""Operations that fold constants and pull signs outwards."""

FUNCTIONS = {
    ca.OP_SQRT: "sqrt",
    ca.OP_SIN: "sin",
    ca.OP_COS: "cos",
    ca.OP_TAN: "tan",
    ca.OP_ASIN: "asin",
    ca.OP_ACOS: "acos",
    ca.OP_ATAN: "atan",
    ca.OP_ATAN2: "atan2",
    ca.OP_SINH: "sinh",
    ca.OP_COSH: "cosh",
    ca.OP_TANH: "tanh",
    ca.OP_EXP: "exp",
    ca.OP_LOG: "log",
    ca.OP_POW: "pow",
    ca.OP_CONSTPOW: "pow",
    ca.OP_FABS: "abs",
    ca.OP_SIGN: "sign",
    ca.OP_FMIN: "min",
    ca.OP_FMAX: "max",
    ca.OP_LT: "less",
    ca.OP_LE: "at_most",
    ca.OP_NOT: "not",
    ca.OP_IF_ELSE_ZERO: "where",
}
"""Functions by name; comparisons give 1 or 0, and where(c, x) is x if c is not 0, else 0."""


def _truth(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *x: np.asarray(function(*x), dtype=float)


NUMPY: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "exp": np.exp,
    "log": np.log,
    "pow": np.power,
    "abs": np.abs,
    "sign": np.sign,
    "min": np.fmin,
    "max": np.fmax,
    "less": _truth(np.less),
    "at_most": _truth(np.less_equal),
    "not": _truth(np.logical_not),
    "where": lambda c, x: np.where(c != 0, x, 0.0),
}
"""The function of NumPy that defines each operation."""
