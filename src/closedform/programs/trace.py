"""From a form and a model to its program."""

from __future__ import annotations

from ..forms import form
from ..model import Model
from .program import Program, program


def trace(model: Model, name: str, frame: str | None = None, *, closed: bool = False) -> Program:
    """Return the program of a form on a model; `closed` takes the papers' block-matrix route."""
    it = form(name)
    symbols, expression = it.expression(model, frame, closed=closed)
    inputs = list(zip(it.inputs, symbols, strict=True))
    return program(name, inputs, [(name, it.output_shape(model), expression)])
