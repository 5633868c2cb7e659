"""Programs of derivatives along directions: vector-Jacobian and Jacobian-vector products of any program.

Reverse and forward mode on the operations themselves: a product costs two to three times the program,
however many inputs and outputs it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod

import casadi as ca
from casadi import SX

from .building import BUILDING
from .from_casadi import program as traced
from .program import Program
from .to_casadi import expressions

Named = Sequence[tuple[str, tuple[int, ...]]]


@dataclass(frozen=True)
class Product:
    """A kind of product; a `reverse` one takes a direction per output and gives one per input.

    `direction` and `result` are what it calls these.
    """

    name: str
    says: str
    reverse: bool
    direction: str
    result: str

    def takes(self, inputs: Named, outputs: Named) -> Named:
        """Return the names and shapes of its inputs: those of the program, then the directions."""
        return [*inputs, *_called(outputs if self.reverse else inputs, self.direction)]

    def gives(self, inputs: Named, outputs: Named) -> Named:
        """Return the names and shapes of its outputs."""
        return _called(inputs if self.reverse else outputs, self.result)

    def of(self, program: Program) -> Program:
        """Return the product of a program."""
        takes = self.takes(program.inputs, program.outputs)
        gives = self.gives(program.inputs, program.outputs)
        with BUILDING:
            symbols, outputs = expressions(program)
            directions = [SX.sym(name, prod(shape)) for name, shape in takes[len(symbols) :]]
            x, y, along = (ca.vertcat(*each) for each in (symbols, outputs, directions))
            whole = ca.densify(ca.jtimes(y, x, along, self.reverse))
            parts = ca.vertsplit(whole, [0, *accumulate(prod(shape) for _, shape in gives)])
            given = zip(takes, [*symbols, *directions], strict=True)
            made = zip(gives, parts, strict=True)
            return traced(
                f"{program.name}_{self.name}",
                [(*named, each) for named, each in given],
                [(*named, each) for named, each in made],
            )


PRODUCTS = {
    each.name: each
    for each in (
        Product(
            "vjp",
            "Gradients by each input of the sum of outputs times cotangents",
            True,
            "cotangent",
            "gradient",
        ),
        Product("jvp", "Rates of the outputs along tangents of the inputs", False, "tangent", "tangent"),
    )
}
"""The products by name."""


def _called(arrays: Named, what: str) -> Named:
    return [(f"{name}_{what}", shape) for name, shape in arrays]
