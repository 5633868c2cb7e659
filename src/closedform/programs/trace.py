"""From a form and a model to its program, by the route that costs fewer operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..forms import PLAIN, Form, Variant, catalogue
from .building import BUILDING
from .from_casadi import Shaped, program
from .program import Program
from .size import check_size

COMPARED = {"dynamics": 8}
"""By group of forms: trees of up to this many bodies are traced by both routes. Otherwise recursions win."""


def trace(
    model: Any,
    name: str,
    variant: Variant = PLAIN,
    *,
    closed: bool | None = None,
    basis: tuple[Any, ...] | None = None,
) -> Program:
    """Return the program of a form on a model, or on a `basis` other than the model's own numbers.

    `closed` takes the papers' block-matrix route (True) or the recursion (False); None takes
    whichever has fewer operations.
    """
    it = catalogue(model).form(name, variant)
    check_size(it, model)
    if closed is None:
        recursive = trace(model, name, variant, closed=False, basis=basis)
        if it.closed is None or len(model.bodies) > COMPARED.get(it.group, 0):
            return recursive
        block = trace(model, name, variant, closed=True, basis=basis)
        return min(recursive, block, key=lambda each: each.counts.total)
    return form_program(it, model, closed=closed, basis=basis)


def form_program(
    form: Form,
    model: Any,
    *,
    closed: bool = False,
    basis: tuple[Any, ...] | None = None,
    more: Sequence[Shaped] = (),
) -> Program:
    """Return the program of a form by one route, with `more` inputs after its own."""
    with BUILDING:
        symbols, expressions = form.expression(model, closed=closed, basis=basis)
        names = [each.name for each in form.arrays(model)]
        inputs = zip(names, form.input_shapes(model), symbols, strict=True)
        outputs = zip(form.outputs, form.output_shapes(model), expressions, strict=True)
        return program(form.name, [*inputs, *more], list(outputs))
