"""Forms as CasADi functions that know their own derivatives, for optimal control and code generation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from math import prod
from typing import Any

import casadi as ca
import numpy as np
from casadi import MX, SX, Function

from ..errors import ProgramSizeError
from ..forms import Form
from ..programs import Program, expressions, program, trace
from ..programs.building import BUILDING
from .casadi_derivatives import closed_blocks

DIRECTIONS = 3
"""A Jacobian costs about as much as forward mode along this many directions; with more, CasADi is told to
multiply with the Jacobian. A single direction, forward or reverse, is cheaper without it."""

MAX_SECOND = 60_000
"""Operations times entries of the inputs up to which second derivatives are prepared, in about a second;
beyond, CasADi finds them when they are asked for."""

Shape = tuple[int, ...]
Blocks = list[list[SX]]
"""Blocks of a Jacobian by output and input; rows and columns are column-major, as CasADi's vectors are."""


def casadi_function(model: Any, form: Form) -> Function:
    """Return a form as a CasADi function with closed-form derivatives where the catalogue has them.

    Inputs and outputs have the names and shapes of the form's; of an array with three axes the first two
    are the rows of a matrix.
    """
    with BUILDING:
        it = Expression.of(trace(model, form.name, form.variant))
        blocks = closed_jacobian(model, form, it)
        if blocks is None:
            return it.function({})
        options: dict[str, Any] = {}
        if it.cost <= MAX_SECOND:
            blocks = min(blocks, it.blocks(), key=it.operations)
            reverse, second = it.reverse(blocks, partial(hessian, model, form, it, blocks))
            custom = {"custom_jacobian": reverse.jacobian(second).bare()}
            options["cache"] = {reverse.name: reverse.shared().function(custom)}
        return it.function({"custom_jacobian": it.jacobian(blocks).bare(), **options})


@dataclass(frozen=True)
class Expression:
    """Matrices `y` of expressions in matrices `x` of symbols, their names, and what they cost.

    CasADi knows derivatives by their names and by the order of what they take and give: the inputs, the
    outputs (which ours need not), then directions.
    """

    name: str
    takes: list[str]
    gives: list[str]
    x: list[SX]
    y: list[SX]
    cost: int

    @classmethod
    def of(cls, it: Program) -> Expression:
        """Return a program as expressions."""
        symbols, results = expressions(it)
        takes, gives = ([Function.fix_name(name) for name, _ in each] for each in (it.inputs, it.outputs))
        x = [_matrix(each, shape) for each, (_, shape) in zip(symbols, it.inputs, strict=True)]
        y = [_matrix(each, shape) for each, (_, shape) in zip(results, it.outputs, strict=True)]
        return cls(Function.fix_name(it.name), takes, gives, x, y, len(it.operations) * it.starts[-1])

    def function(self, options: dict[str, Any]) -> Function:
        """Return the function of the expressions; options may give derivatives.

        A map differentiates what it maps along directions. If that is a call, the products with them go
        through its Jacobian; of expressions, each direction would be differentiated anew.
        """
        known = {"jac_penalty": self.penalty, **options}
        inner = Function(self.name, self.x, self.y, self.takes, self.gives, known)
        symbols = [MX.sym(name, *each.shape) for name, each in zip(self.takes, self.x, strict=True)]
        return Function(self.name, symbols, inner.call(symbols), self.takes, self.gives, known)

    def bare(self) -> Function:
        """Return the function of the expressions, whose derivatives nobody asks for."""
        it = self.shared()
        return Function(it.name, it.x, it.y, it.takes, it.gives)

    def shared(self) -> Expression:
        """Return the same in new symbols, with common subexpressions computed once."""
        fresh, columns = expressions(_traced(self.x, self.y))
        x = [_matrix(each, old.shape) for each, old in zip(fresh, self.x, strict=True)]
        y = [SX(old.sparsity(), each) for each, old in zip(columns, self.y, strict=True)]
        return replace(self, x=x, y=y)

    @property
    def penalty(self) -> float:
        """CasADi's `jac_penalty`: it takes the Jacobian if this times the entries is below the directions."""
        entries, results = (sum(each.numel() for each in matrices) for matrices in (self.x, self.y))
        return max(DIRECTIONS / entries, 1.5 / results)

    def blocks(self) -> Blocks:
        """Return the Jacobian as CasADi differentiates."""
        whole = ca.jacobian(ca.veccat(*self.y), ca.veccat(*self.x))
        return ca.blocksplit(whole, _starts(self.y), _starts(self.x))

    def operations(self, blocks: Blocks) -> int:
        """Return how many operations the Jacobian takes."""
        return _traced(self.x, [each for row in blocks for each in row]).counts.total

    def jacobian(self, blocks: Blocks) -> Expression:
        """Return the Jacobian, of given blocks."""
        return Expression(
            f"jac_{self.name}",
            [*self.takes, *_called(self.gives, "out")],
            [f"jac_{one}_{other}" for one in self.gives for other in self.takes],
            [*self.x, *_like(self.y, self.gives, "out")],
            [each for row in blocks for each in row],
            self.cost,
        )

    def reverse(self, blocks: Blocks, hessian: Callable[[list[SX]], SX]) -> tuple[Expression, Blocks]:
        """Return J^T w, and the blocks of its Jacobian: a symmetric matrix by x, and J^T itself by w.

        `hessian` gives the second derivatives of the outputs times w.
        """
        w = _like(self.y, self.gives, "adj")
        if len(w) == w[0].numel() == 1:  # the Jacobian of a number is its gradient
            gradient = ca.horzcat(*blocks[0]).T * w[0]
        else:
            gradient = ca.gradient(self.along(w), ca.veccat(*self.x))
        starts = _starts(self.x)
        by_x = ca.blocksplit(ca.triu2symm(ca.triu(hessian(w))), starts, starts)
        second = []
        for k, row in enumerate(by_x):
            by_y = [SX(self.x[k].numel(), each.numel()) for each in self.y]
            second.append([*row, *by_y, *(each[k].T for each in blocks)])
        parts = zip(ca.vertsplit(ca.densify(gradient), starts), self.x, strict=True)
        it = Expression(
            f"adj1_{self.name}",
            [*self.takes, *_called(self.gives, "out"), *_called(self.gives, "adj")],
            _called(self.takes, "adj"),
            [*self.x, *_like(self.y, self.gives, "out"), *w],
            [ca.reshape(part, *each.shape) for part, each in parts],
            self.cost,
        )
        return it, second

    def along(self, w: list[SX]) -> SX:
        """Return the sum of all outputs times weights."""
        return sum((ca.dot(one, other) for one, other in zip(w, self.y, strict=True)), SX(0))


def closed_jacobian(model: Any, form: Form, it: Expression) -> Blocks | None:
    """Return the Jacobian with blocks of closed forms, the others by CasADi; None if there are none."""
    closed = closed_blocks(model, form)
    if not closed:
        return None
    names = [each.name for each in form.arrays(model)]
    results = {}
    try:
        for each in dict.fromkeys(block.form for block in closed.values()):
            derivative = trace(model, each.name, each.variant)
            symbols, columns = expressions(derivative)
            given = [ca.vec(it.x[names.index(name)].T) for name, _ in derivative.inputs]
            results[each.name] = ca.substitute(columns, symbols, given)
    except ProgramSizeError:
        return None
    blocks = [
        [ca.jacobian(y, x) if (i, k) not in closed else SX() for k, x in enumerate(it.x)]
        for i, y in enumerate(it.y)
    ]
    shapes = form.output_shapes(model), form.input_shapes(model)
    for (i, k), block in closed.items():
        column = results[block.form.name][block.output]
        blocks[i][k] = _tensor_block(column, shapes[0][i], shapes[1][k])
    return blocks


def hessian(model: Any, form: Form, it: Expression, blocks: Blocks, w: list[SX]) -> SX:
    """Return the second derivatives of the outputs times weights."""
    if form.name == "forward_dynamics" and it.takes == ["q", "qd", "tau"]:
        inverse = Expression.of(trace(model, "inverse_dynamics", form.variant))
        return _forward_hessian(inverse, it, blocks[0], w[0])
    return ca.hessian(it.along(w), ca.veccat(*it.x))[0]


def _forward_hessian(inverse: Expression, it: Expression, first: list[SX], w: SX) -> SX:
    """Return the second derivatives of w . qdd from those of mu . tau, with mu = M^-1 w.

    Differentiating tau(q, qd, qdd(q, qd, tau)) = tau twice leaves M times what is asked for, since tau is
    affine in qdd. That costs half of differentiating forward dynamics.
    """
    n = w.numel()
    mu = SX.sym("mu", n)
    second = ca.hessian(inverse.along([mu]), ca.veccat(*inverse.x))[0]
    given = [it.x[0], it.x[1], it.y[0], ca.mtimes(first[2].T, w)]
    (second,) = ca.substitute([second], [*inverse.x, mu], given)
    mixed = ca.mtimes(second[: 2 * n, 2 * n :], ca.horzcat(*first))
    mixed = ca.vertcat(mixed, SX(n, 3 * n))
    return -(ca.diagcat(second[: 2 * n, : 2 * n], SX(n, n)) + mixed + mixed.T)


def _matrix_shape(shape: Shape) -> tuple[int, int]:
    return (prod(shape), 1) if len(shape) < 2 else (prod(shape[:-1]), shape[-1])


def _matrix(column: SX, shape: Shape) -> SX:
    """Return row-major entries as a matrix."""
    rows, columns = _matrix_shape(shape)
    return ca.reshape(column, columns, rows).T


def _tensor_block(column: SX, output: Shape, by: Shape) -> SX:
    """Return the row-major entries of a derivative, its last axes those of `by`, as a block."""
    places = np.arange(prod(output) * prod(by)).reshape(*_matrix_shape(output), *_matrix_shape(by))
    order = places.transpose(3, 2, 1, 0).ravel().tolist()
    return ca.sparsify(ca.reshape(column[order], prod(output), prod(by)))


def _called(names: Sequence[str], what: str) -> list[str]:
    return [f"{what}_{name}" for name in names]


def _like(matrices: Sequence[SX], names: Sequence[str], what: str) -> list[SX]:
    """Return symbols of the shapes of matrices."""
    return [SX.sym(f"{what}_{name}", *each.shape) for name, each in zip(names, matrices, strict=True)]


def _starts(matrices: Sequence[SX]) -> list[int]:
    return [0, *accumulate(each.numel() for each in matrices)]


def _traced(symbols: Sequence[SX], results: Sequence[SX]) -> Program:
    """Return the program of the entries of matrices that are not zero."""
    return program(
        "shared",
        [(f"x{k}", each.shape, each) for k, each in enumerate(symbols)],
        [(f"y{k}", (each.nnz(),), each.nz[:]) for k, each in enumerate(results)],
    )
