"""From a form and a model to its equations."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Collection, Sequence
from fractions import Fraction

import casadi as ca
import sympy as sp

from ..errors import ArgumentError, ClosedFormError, ProgramSizeError, UnknownNameError
from ..forms import Form, form
from ..forms.tree import recursion_tree
from ..model import Model
from ..programs import Program, program
from .axes import parallel_groups
from .collect import Collector, Numbers
from .definitions import as_written
from .naming import Input
from .parameters import CONVENTIONS, KINDS, Parameter, SymbolicModel, symbolic_model
from .reader import Reader, meant
from .result import Equations, EquationsWarning
from .series import Arithmetic, BudgetSpentError, Series
from .vocabulary import Expression, Vocabulary
from .waves import Waves

MAX_OPERATIONS = 3_000
"""Operations of a form beyond which its equations are of no use to a reader."""

DECIMAL = 10**12
"""Denominators up to this belong to fractions and decimals; beyond, a constant is irrational."""

ROUNDING = 1e-13
"""Terms this much smaller than the largest are rounding, where a constant is irrational."""


def equations(
    model: Model,
    name: str,
    frame: str | None = None,
    *,
    order: int | None = None,
    symbolic: bool | str | Collection[str] = False,
    parameters: str = "masses",
    digits: int | None = None,
    rational: bool = False,
    seconds: float = 60.0,
) -> Equations | tuple[Equations, ...]:
    """Return a form as SymPy expressions: multiplied out, angle sums merged, like terms collected.

    `symbolic` says which constants stay letters: True for all, or any of "inertia", "geometry",
    "gravity". `parameters` names inertias: "masses" for m1, c1x, I1xx (about the centre of mass),
    "gautier-khalil" for XX1 ... MX1 ... M1 (about the frame origin) and lengths d2, r3. Other
    constants are numbers, with `digits` significant digits or as `rational` fractions.

    What takes longer than `seconds` is returned correct but as it stands, in terms of
    `definitions`, with an `EquationsWarning`. A form of several outputs gives a tuple.
    """
    kinds = _kinds(symbolic)
    if parameters not in CONVENTIONS:
        raise UnknownNameError("convention of inertial parameters", parameters, CONVENTIONS)
    if digits is not None and (not isinstance(digits, int) or not 1 <= digits <= 15):
        raise ArgumentError(f"digits is {digits!r}; expected a whole number from 1 to 15")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        raise ArgumentError(f"seconds is {seconds!r}; expected a number from 0")
    deadline = time.monotonic() + seconds
    it = form(name, order)
    if frame is not None and not it.framed:
        raise ArgumentError(f"{name}: takes no frame; {frame!r} given")
    lettered = symbolic_model(model, parameters, kinds, model.frame(frame) if it.framed else None)
    traced = _trace(it, lettered, frame)
    inputs = [Input.named(*each) for each in traced.inputs if each[0] != _PARAMETERS]
    numbers = Numbers(rational, digits or 15, fractions=set(kinds) == set(KINDS))
    vocabulary = Vocabulary()
    bound = _bind(vocabulary, inputs, lettered.parameters, kinds)
    coordinates = [bound[k] for k in range(model.nq)] if inputs and inputs[0].stem == "q" else []
    groups = [
        [vocabulary.number(coordinates[k]) for k in group if coordinates]
        for group in parallel_groups(recursion_tree(model, regroup=False))
    ]
    try:
        arithmetic = Arithmetic(Waves(groups), deadline)
        reader = Reader(arithmetic, vocabulary)
        rows = reader.program(traced, [_series(arithmetic, vocabulary, each) for each in bound])
        collector = Collector(arithmetic, vocabulary, numbers)
        outputs = [
            [reader.written(each, collector) for each in _chopped(arithmetic, traced, row)] for row in rows
        ]
        definitions: tuple[tuple[Expression, Expression], ...] = ()
    except BudgetSpentError:
        warnings.warn(
            f"{name}: {traced.counts.total} operations could not be multiplied out in {seconds:g} s; "
            "the equations are correct but stand as they are computed, in terms of definitions",
            EquationsWarning,
            stacklevel=2,
        )
        outputs, definitions = as_written(traced, [_expression(each, numbers) for each in bound])
    results = tuple(
        Equations(
            name=label,
            shape=shape,
            entries=tuple(row),
            definitions=definitions,
            inputs=tuple(inputs),
            values={
                sp.Symbol(each.name): float(each.value) for each in lettered.parameters if each.kind in kinds
            },
            groups=tuple(tuple(vocabulary.symbols[k] for k in group) for group in groups),
            roles={
                s: role for s, role in zip(vocabulary.symbols, vocabulary.roles, strict=True) if s.is_Symbol
            },
            numbers=numbers,
            trajectory=model.nq == model.nv,
        )
        for (label, shape), row in zip(traced.outputs, outputs, strict=True)
    )
    return results if len(results) > 1 else results[0]


_PARAMETERS = "parameters"

Bound = Expression | Fraction
"""An input entry: a symbol, or the number of a constant that is not symbolic."""


def _kinds(symbolic: bool | str | Collection[str]) -> Sequence[str]:
    if isinstance(symbolic, bool):
        return KINDS if symbolic else ()
    if not isinstance(symbolic, Collection):
        raise ArgumentError(f"symbolic is {symbolic!r}; expected True, False or some of {', '.join(KINDS)}")
    kinds = (symbolic,) if isinstance(symbolic, str) else tuple(symbolic)
    for kind in kinds:
        if kind not in KINDS:
            raise UnknownNameError("kind of symbolic constants", kind, KINDS)
    return kinds


def _trace(it: Form, model: SymbolicModel, frame: str | None) -> Program:
    """Return the program of a form whose last input is the vector of all parameters."""
    symbols, expressions = it.expression(model, frame)
    inputs = list(zip(it.inputs, it.input_shapes(model), symbols, strict=True))
    if model.parameters:
        count = len(model.parameters)
        inputs.append((_PARAMETERS, (count,), ca.vertcat(*(each.symbol for each in model.parameters))))
    labels = [label for label, _ in it.outputs]
    traced = program(it.name, inputs, list(zip(labels, it.output_shapes(model), expressions, strict=True)))
    if traced.counts.total > MAX_OPERATIONS:
        raise ProgramSizeError(
            f"{it.name} of {model.name!r} takes {traced.counts.total} operations; equations are printed up "
            f"to {MAX_OPERATIONS}; ask for a smaller form or robot, or export source code"
        )
    if any(name == "const" and math.isnan(value) for name, _, value in traced.operations):
        raise ClosedFormError(f"{it.name}: is not built on the recursion tree and cannot carry symbols")
    return traced


def _bind(
    vocabulary: Vocabulary, inputs: list[Input], parameters: Sequence[Parameter], kinds: Sequence[str]
) -> list[Bound]:
    """Return what each entry of the inputs stands for, and number the symbols in a readable order."""
    bound: list[Bound] = []
    for each in inputs:
        role = "coordinate" if (each.stem, each.order) == ("q", 0) else "rate"
        for name in each.symbols:
            bound.append(sp.Symbol(name))
            vocabulary.number(bound[-1], role)
    for parameter in parameters:
        if parameter.kind in kinds:
            bound.append(sp.Symbol(parameter.name))
            vocabulary.number(bound[-1], parameter.role)
        else:
            bound.append(parameter.value)
    return bound


def _series(arithmetic: Arithmetic, vocabulary: Vocabulary, bound: Bound) -> Series:
    if isinstance(bound, Fraction):
        return arithmetic.constant(bound)
    return arithmetic.symbol(vocabulary.number(bound))


def _expression(bound: Bound, numbers: Numbers) -> Expression:
    return numbers(bound) if isinstance(bound, Fraction) else bound


def _chopped(arithmetic: Arithmetic, traced: Program, row: list[Series]) -> list[Series]:
    """Return the series without terms that are the rounding of irrational constants."""
    constants = [value for name, _, value in traced.operations if name == "const"]
    if all(meant(value).denominator <= DECIMAL for value in constants):
        return row
    largest = 0.0
    for series in row:
        arithmetic.check()
        sizes = (abs(float(x)) for polynomial in series.values() for x in polynomial.values())
        largest = max(largest, max(sizes, default=0.0))
    kept = []
    for series in row:
        arithmetic.check()
        left = {
            wave: {m: x for m, x in polynomial.items() if abs(float(x)) > ROUNDING * largest}
            for wave, polynomial in series.items()
        }
        kept.append({wave: polynomial for wave, polynomial in left.items() if polynomial})
    return kept
