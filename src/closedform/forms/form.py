"""What a form is: its inputs, outputs and the function that builds its expression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import casadi as ca

from ..checks import whole_number
from ..errors import ArgumentError, ClosedFormError, shown
from ..model import Model
from ..model.idle import refuse_idle_joints, refuse_still
from .tree import Tree

SIZES: dict[str, Callable[[Model], int]] = {
    "q": lambda model: model.nq,
    "v": lambda model: model.nv,
    "b": lambda model: len(model.bodies),
    "p": lambda model: 10 * len(model.bodies),
}
"""Letters of shapes: coordinates, velocities, bodies, inertial parameters."""

Shape = tuple[str | int, ...]

INPUTS: dict[str, Shape] = {
    "q": ("q",),
    "qd": ("v",),
    "qdd": ("v",),
    "qddd": ("v",),
    "qdr": ("v",),
    "qddr": ("v",),
    "tau": ("v",),
    "phi": ("p",),
    "wrenches": ("b", 6),
    "wrenches_dot": ("b", 6),
    "wrenches_ddot": ("b", 6),
}
"""Shapes of the inputs by name; the k-th derivative of q beyond is "q<k>"."""

MAX_ORDER = 12
"""Highest order of a form that exists for any order."""


def derivative_name(k: int) -> str:
    """Return the name of the k-th time derivative of q: q, qd, qdd, qddd, q4, q5, ..."""
    return "q" + "d" * k if k < 4 else f"q{k}"


@dataclass(frozen=True)
class Form:
    """One quantity (or several computed together): what it takes, what it gives, what defines it.

    `build(tree, *inputs[, frame])` is the route kernels use; `closed` is the papers' block
    matrix route where there is one. `dynamic` forms need inertias, and those that `solve` need the
    inverse of M. An `ordered` form stands for a family; `at(order)` is the member that gives
    derivatives up to that order. A form `takes_phi` takes the inertial parameters as its last input.
    """

    name: str
    group: str
    inputs: tuple[str, ...]
    outputs: tuple[tuple[str, Shape], ...]
    build: Callable[..., ca.SX | tuple[ca.SX, ...]]
    closed: Callable[..., ca.SX | tuple[ca.SX, ...]] | None = None
    framed: bool = False
    dynamic: bool = True
    ordered: bool = False
    order: int | None = None
    takes_phi: bool = False
    solves: bool = False

    @property
    def doc(self) -> str:
        """The documentation of the form: a claim, its equation and its source."""
        return (self.build.__doc__ or "").strip()

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return self.doc.splitlines()[0]

    def at(self, order: int) -> Form:
        """Return the member of an ordered family that gives derivatives up to `order`."""
        if not self.ordered:
            raise ArgumentError(f"{self.name} exists for one order only; order={shown(order)} given")
        order = whole_number(f"{self.name}: order", order, 0)
        if order > MAX_ORDER:
            raise ArgumentError(f"{self.name}: order {order} is beyond {MAX_ORDER}")
        inputs = tuple(derivative_name(k) for k in range(order + len(self.inputs)))
        (name, shape), *_ = self.outputs
        outputs = tuple((f"{name}_{k}" if k else name, shape) for k in range(order + 1))
        return replace(self, inputs=inputs, outputs=outputs, order=order)

    def input_shapes(self, model: Model) -> list[tuple[int, ...]]:
        """Return the core shape of each input."""
        return [resolve(INPUTS.get(name, ("v",)), model) for name in self.inputs]

    def output_shapes(self, model: Model) -> list[tuple[int, ...]]:
        """Return the core shape of each output."""
        return [resolve(shape, model) for _, shape in self.outputs]

    def expression(
        self, of: Model | Tree, frame: str | None = None, *, closed: bool = False
    ) -> tuple[list[ca.SX], list[ca.SX]]:
        """Return the symbols of the inputs and the expressions of the outputs on a model or a tree.

        An output with three axes is a matrix whose rows run over the first two.
        """
        tree = of if isinstance(of, Tree) else Tree.of(of)
        self.check(tree.model)
        builder = self.closed if closed else self.build
        if builder is None:
            raise ClosedFormError(f"{self.name}: has no block-matrix route")
        symbols = [
            ca.SX.sym(name, *shape)
            for name, shape in zip(self.inputs, self.input_shapes(tree.model), strict=True)
        ]
        extra = (frame,) if self.framed else ()
        built = builder(tree, *symbols, *extra)
        return symbols, list(built) if isinstance(built, tuple) else [built]

    def check(self, model: Model) -> None:
        """Refuse a model that lacks what the form needs: inertias, motion, an inverse of M."""
        if self.dynamic and not model.has_inertia:
            raise ClosedFormError(
                f"{self.name}: robot {model.name!r} has no inertias (geometry only); "
                "give them (inertials=..., or <inertial> elements) or use kinematics"
            )
        if self.group != "kinematics" or self.takes_phi:
            refuse_still(model, self.name)
        if self.solves and not self.takes_phi:
            refuse_idle_joints(model, self.name)


def resolve(shape: Shape, model: Model) -> tuple[int, ...]:
    """Return a shape of letters as numbers."""
    return tuple(SIZES[size](model) if isinstance(size, str) else size for size in shape)
