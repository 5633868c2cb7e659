"""From a form and a model to its program, by the route that costs fewer operations."""

from __future__ import annotations

from ..forms import form
from ..forms.tree import Tree
from ..model import Model
from .from_casadi import program
from .program import Program
from .size import check_size

COMPARED = {"dynamics": 8}
"""Trees of up to this many bodies are traced by both routes; elsewhere recursions always win."""


def trace(
    of: Model | Tree,
    name: str,
    frame: str | None = None,
    *,
    order: int | None = None,
    closed: bool | None = None,
    phi: bool = False,
) -> Program:
    """Return the program of a form on a model or a tree.

    `order` chooses the member of a family of forms; `phi` makes the inertial parameters an
    input. `closed` takes the papers' block-matrix route (True) or the recursion (False); None
    takes whichever has fewer operations.
    """
    it = form(name, order, phi=phi)
    model = of.model if isinstance(of, Tree) else of
    check_size(it, model)
    if closed is None:
        recursive = trace(of, name, frame, order=order, closed=False, phi=phi)
        if it.closed is None or len(model.bodies) > COMPARED.get(it.group, 0):
            return recursive
        block = trace(of, name, frame, order=order, closed=True)
        return min(recursive, block, key=lambda each: each.counts.total)
    symbols, expressions = it.expression(of, frame, closed=closed)
    inputs = list(zip(it.inputs, it.input_shapes(model), symbols, strict=True))
    names = [label for label, _ in it.outputs]
    return program(name, inputs, list(zip(names, it.output_shapes(model), expressions, strict=True)))
