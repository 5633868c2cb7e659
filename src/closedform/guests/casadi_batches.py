"""Forms of many samples as CasADi functions that run machine code, for optimal control over a horizon.

CasADi evaluates expressions one operation at a time. The functions of this file hand the numbers of all
samples to a kernel in one call, and so do their first and second derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any, NoReturn

import casadi as ca
import numpy as np
from casadi import SX, Callback, Function, Sparsity

from ..checks import MOST_ENTRIES, whole_number
from ..errors import ClosedFormError
from ..lazy import cached_property
from ..programs import Program, program
from ..programs.building import BUILDING
from .casadi_functions import MAX_SECOND, Blocks, Expression, casadi_function, closed_jacobian, hessian

MAX_COMPILED = 50_000
"""Operations of a derivative up to which it becomes machine code, in ten to twenty seconds; beyond, CasADi
evaluates it."""

MAX_ARRAYS = 64
"""Most inputs and outputs of a generalised ufunc, NumPy's own limit."""

Compile = Callable[[Program], Callable[..., Any]]
"""Makes a function of arrays, one row per sample, from a program; it takes a tuple of arrays as `out`."""

_alive: dict[tuple[Any, ...], FormBatch] = {}
"""Functions of forms, by what they follow from. CasADi's graphs do not keep what they call if it is written
in Python, so these stay as long as the process."""


def casadi_batch(recipe: Any, batch: int, compiled: Compile) -> FormBatch:
    """Return the form of a recipe as a CasADi function of `batch` samples side by side, as `map` has them."""
    entries = sum(map(prod, recipe.form.input_shapes(recipe.model)))
    batch = whole_number("casadi: batch", batch, 1, max(1, MOST_ENTRIES // entries**2))
    with BUILDING:
        key = (recipe.name, batch, *recipe.identity)
        if key not in _alive:
            _alive[key] = FormBatch(recipe, batch, compiled)
        return _alive[key]


class Batch(Callback):
    """Expressions of one sample as a function of several samples side by side, evaluated by machine code.

    `parts` are outputs that are computed together, if one of them is asked for. Derivatives are those of the
    same function as CasADi evaluates it, `plain`, unless a subclass knows `blocks`.
    """

    diagonal = False
    """Whether the results of samples lie on a diagonal, as blocks of a Jacobian, or side by side."""

    groups: Sequence[Sequence[int]] | None = None
    """Inputs by which derivatives are computed together; None if by all."""

    def __init__(
        self,
        it: Expression,
        batch: int,
        compiled: Compile,
        parts: Sequence[Sequence[int]] | None = None,
    ) -> None:
        super().__init__()
        self.expression, self.batch, self.compiled = it, batch, compiled
        chosen = [range(len(it.y))] if parts is None else parts
        self._parts = [_Part(it, each, batch, compiled) for each in chosen]
        self._derivatives: list[Batch] = []  # nothing else keeps them
        self.construct(it.name, {"jac_penalty": -1})

    @property
    def plain(self) -> Function:
        """The same function, evaluated by CasADi."""
        raise NotImplementedError

    @property
    def blocks(self) -> Blocks | None:
        """Blocks of the Jacobian of one sample."""
        return None

    def get_n_in(self) -> int:
        """Return the number of inputs."""
        return len(self.expression.x)

    def get_n_out(self) -> int:
        """Return the number of outputs."""
        return len(self.expression.y)

    def get_name_in(self, i: int) -> str:
        """Return the name of an input."""
        return self.expression.takes[i]

    def get_name_out(self, i: int) -> str:
        """Return the name of an output."""
        return self.expression.gives[i]

    def get_sparsity_in(self, i: int) -> Sparsity:
        """Return the shape of an input."""
        rows, columns = self.expression.x[i].shape
        return Sparsity.dense(rows, columns * self.batch)

    def get_sparsity_out(self, i: int) -> Sparsity:
        """Return the pattern of an output."""
        pattern = self.expression.y[i].sparsity()
        return _on_diagonal(pattern, self.batch) if self.diagonal else ca.repmat(pattern, 1, self.batch)

    def has_eval_buffer(self) -> bool:
        """Return that numbers are read and written in place."""
        return True

    def eval_buffer(self, given: Sequence[Any], results: Sequence[Any]) -> int:
        """Evaluate the outputs that are asked for; the others are None."""
        for part in self._parts:
            if any(results[i] is not None for i in part.outputs):
                part(given, results)
        return 0

    def has_jacobian(self) -> bool:
        """Return that there is a Jacobian."""
        return True

    def get_jacobian(self, *_: Any) -> Function:
        """Return the Jacobian: a batch too, unless it is too large for machine code."""
        with BUILDING:
            if self.blocks is not None:
                it, columns = self.expression.jacobian(self.blocks), len(self.expression.x)
                groups = self.groups or [range(columns)]
                parts = [[i for i in range(len(it.y)) if i % columns in group] for group in groups]
                made = JacobianBatch(self, it, parts)
                if made.is_small:
                    return self._kept(made)
            return self.plain.jacobian()

    def has_jac_sparsity(self, *_: int) -> bool:
        """Return that the patterns of the Jacobian are known."""
        return True

    def get_jac_sparsity(self, output: int, by: int, _symmetric: bool) -> Sparsity:
        """Return the pattern of a block of the Jacobian."""
        with BUILDING:
            if self.blocks is None:  # rows for entries that are not zero alone
                y, x = self.expression.y[output].nz[:], ca.vec(self.expression.x[by])
                return _on_diagonal(ca.jacobian_sparsity(y, x), self.batch)
            return _on_diagonal(self.blocks[output][by].sparsity(), self.batch)

    def has_reverse(self, count: int) -> bool:
        """Return whether there is a function of that many cotangents at once."""
        return count == 1

    def get_reverse(self, *_: Any) -> Function:
        """Return J^T w as a function of the inputs and of w."""
        return self.plain.reverse(1)

    @property
    def is_small(self) -> bool:
        """Whether each part can be machine code."""
        programs = [part.program for part in self._parts]
        arrays = max(len(each.inputs) + len(each.outputs) for each in programs)
        return arrays <= MAX_ARRAYS and sum(each.counts.total for each in programs) <= MAX_COMPILED

    def _kept(self, made: Batch) -> Batch:
        self._derivatives.append(made)
        return made

    def __copy__(self) -> Batch:
        return self

    def __deepcopy__(self, _memo: Any = None) -> Batch:
        return self


class FormBatch(Batch):
    """A form of a robot as a function of several samples."""

    def __init__(self, recipe: Any, batch: int, compiled: Compile) -> None:
        self._recipe = recipe
        super().__init__(Expression.of(recipe.program()), batch, compiled)

    @cached_property
    def plain(self) -> Function:
        """The map of the function of one sample."""
        return casadi_function(self._recipe.model, self._recipe.form).map(self.batch)

    @cached_property
    def blocks(self) -> Blocks:
        """Closed forms, or what CasADi finds if that takes fewer operations."""
        it = self.expression
        closed, own = closed_jacobian(self._recipe.model, self._recipe.form, it), it.blocks()
        return own if closed is None else min(closed, own, key=it.operations)

    def get_reverse(self, *_: Any) -> Function:
        """Return J^T w; of large robots CasADi evaluates it."""
        if self.expression.cost > MAX_SECOND:
            return self.plain.reverse(1)
        with BUILDING:
            return self._kept(ReverseBatch(self, partial(hessian, self._recipe.model, self._recipe.form)))

    def __reduce__(self) -> tuple[Any, ...]:
        return casadi_batch, (self._recipe, self.batch, self.compiled)

    def serialize(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: machine code does not travel."""
        self._refuse("serialised")

    def save(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: machine code does not travel."""
        self._refuse("saved")

    def generate(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse: machine code has no source."""
        self._refuse("written as C code")

    def _refuse(self, what: str) -> NoReturn:
        name = self._recipe.name
        raise ClosedFormError(
            f"casadi: {name!r} with batch={self.batch} runs machine code of this process and cannot be "
            f"{what}; robot.casadi({name!r}).map({self.batch}) is the same function as expressions, and can"
        )


class ReverseBatch(Batch):
    """J^T w of a form, with first derivatives: those by the inputs, and apart from them those by w."""

    def __init__(self, form: FormBatch, second: Callable[..., SX]) -> None:
        it, of = form.expression, form.blocks
        made, self._blocks = it.reverse(of, partial(second, it, of))
        self._form = form
        n, results = len(it.x), len(it.y)
        self.groups = [range(n), range(n + results, n + 2 * results)]
        super().__init__(made, form.batch, form.compiled)

    @property
    def plain(self) -> Function:
        """J^T w of the map."""
        return self._form.plain.reverse(1)

    @property
    def blocks(self) -> Blocks:
        """The second derivatives, and J^T by w."""
        return self._blocks


class JacobianBatch(Batch):
    """The Jacobian of a batch: that of each sample, on a diagonal."""

    diagonal = True

    def __init__(self, of: Batch, it: Expression, parts: Sequence[Sequence[int]]) -> None:
        self._of = of
        super().__init__(it, of.batch, of.compiled, parts)

    @property
    def plain(self) -> Function:
        """The Jacobian as CasADi evaluates it."""
        return self._of.plain.jacobian()


class _Part:
    """Outputs that are computed together: their entries that are not zero, sample after sample."""

    def __init__(self, it: Expression, outputs: Sequence[int], batch: int, compiled: Compile) -> None:
        self.outputs = [i for i in outputs if it.y[i].nnz()]
        entries = [it.y[i].nz[:] for i in self.outputs]
        used = [k for k, x in enumerate(it.x) if ca.depends_on(ca.veccat(*entries), ca.vec(x))]
        self._inputs = [(k, (batch, it.x[k].numel())) for k in used]
        self._outputs = [(i, (batch, it.y[i].nnz())) for i in self.outputs]
        self._compiled = compiled
        self.program = program(
            it.name,
            [(it.takes[k], (it.x[k].numel(),), ca.vec(it.x[k])) for k in used],
            [(it.gives[i], (each.numel(),), each) for i, each in zip(self.outputs, entries, strict=True)],
        )

    @cached_property
    def kernel(self) -> Callable[..., Any]:
        """The machine code."""
        return self._compiled(self.program)

    def __call__(self, given: Sequence[Any], results: Sequence[Any]) -> None:
        """Evaluate memory of CasADi into memory of CasADi; None is zeros, or a result that is not needed."""
        arrays = [_array(given[k], shape) for k, shape in self._inputs]
        self.kernel(*arrays, out=tuple(_array(results[i], shape) for i, shape in self._outputs))


def _array(memory: Any, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return np.zeros(shape) if memory is None else np.ndarray(shape, np.float64, memory)


def _on_diagonal(pattern: Sparsity, batch: int) -> Sparsity:
    return ca.kron(Sparsity.diag(batch), pattern)
