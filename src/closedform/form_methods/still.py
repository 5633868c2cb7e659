"""Forms of objects without a moving joint: constants."""

from __future__ import annotations

import math
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from ..forms import Form
from ..model.idle import refuse_still


def is_still(form: Form, model: Any) -> bool:
    """Return whether all inputs of a form are empty: nothing moves, and the form is a constant."""
    return not any(math.prod(shape) for shape in form.input_shapes(model))


def still_value(model: Any, form: Form) -> NDArray[np.float64]:
    """Return the value of a form of an object without a moving joint."""
    if form.variant.inputs:
        refuse_still(model, form.name)
    _, (expression,) = form.expression(model)
    (shape,) = form.output_shapes(model)
    return np.array(ca.evalf(ca.densify(expression))).reshape(shape)
