"""From a program to equations for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from ..checks import flag, whole_number
from ..errors import warn
from ..forms import Quantity
from ..programs import Program
from .collect import Numbers
from .definitions import as_written
from .naming import Input
from .parameters import KINDS, Letter
from .printing import Several
from .reader import Reader
from .result import Equations, EquationsWarning
from .trig_sums import Budget, BudgetSpentError
from .vocabulary import Expression, Vocabulary

PARAMETERS = "parameters"
"""Name of the last input of a program whose constants are letters."""


def program_equations(
    traced: Program,
    quantities: Mapping[str, Quantity] | None = None,
    *,
    groups: Sequence[Sequence[int]] = (),
    parameters: Sequence[Letter] = (),
    kinds: Sequence[str] = (),
    digits: int | None = None,
    rational: bool = False,
    seconds: float = 60.0,
    trajectory: bool = True,
) -> Equations | tuple[Equations, ...]:
    """Return the equations of a program: multiplied out, angle sums merged, like terms collected.

    `quantities` say what its arrays are; one that is not there is a letter of its own name.
    `groups` hold the entries of the first input that are angles of parallel axes, in order.
    `parameters` are the entries of a last input "parameters": letters if their kind is among
    `kinds`, else numbers. In a `trajectory` rates are the time derivatives of their quantities.
    """
    if digits is not None:
        digits = whole_number("digits", digits, 1, 15)
    flag("rational", rational)
    budget = Budget(seconds)
    known = quantities or {}
    inputs = [Input(_quantity(known, name), shape) for name, shape in traced.inputs if name != PARAMETERS]
    numbers = Numbers(rational, digits or 15, fractions=set(kinds) >= set(KINDS))
    vocabulary = Vocabulary()
    bound = _bind(vocabulary, inputs, parameters, kinds)
    numbered = [[vocabulary.number(bound[k]) for k in group] for group in groups]
    reader = Reader(vocabulary, numbered, budget)
    try:
        rows = reader.program(traced, [reader.expression(each) for each in bound])
        outputs = [[reader.written(each, numbers) for each in row] for row in rows]
        definitions: tuple[tuple[Expression, Expression], ...] = ()
    except BudgetSpentError as spent:
        warn(
            f"{traced.name}: {traced.counts.total} operations could not be multiplied out {spent}; "
            "the equations are correct but written as they are computed, in terms of definitions",
            EquationsWarning,
        )
        outputs, definitions = as_written(traced, [x if x.is_Symbol else numbers(x) for x in bound])
    results = Several(
        Equations(
            name=label,
            quantity=_quantity(known, label),
            shape=shape,
            entries=tuple(row),
            definitions=definitions,
            inputs=tuple(inputs),
            values={sp.Symbol(each.name): each.number for each in parameters if each.stays(kinds)},
            groups=tuple(tuple(vocabulary.symbols[k] for k in group) for group in numbered),
            roles={
                s: role for s, role in zip(vocabulary.symbols, vocabulary.roles, strict=True) if s.is_Symbol
            },
            numbers=numbers,
            trajectory=trajectory,
        )
        for (label, shape), row in zip(traced.outputs, outputs, strict=True)
    )
    return results if len(results) > 1 else results[0]


def _quantity(known: Mapping[str, Quantity], name: str) -> Quantity:
    """Return what an array is; of a program that is no form it may have only a name."""
    return known.get(name) or Quantity(name, rf"\mathrm{{{name}}}".replace("_", r"\_"), "", name)


def _bind(
    vocabulary: Vocabulary, inputs: list[Input], parameters: Sequence[Letter], kinds: Sequence[str]
) -> list[Expression]:
    """Return the symbol or number of each input entry, and number the symbols in a readable order."""
    bound: list[Expression] = []
    for each in inputs:
        role = "coordinate" if each.is_coordinate else "rate"
        for name in each.symbols:
            bound.append(sp.Symbol(name))
            vocabulary.number(bound[-1], role)
    for parameter in parameters:
        if parameter.value is None or parameter.stays(kinds):
            bound.append(sp.Symbol(parameter.name))
            vocabulary.number(bound[-1], parameter.role)
        else:
            bound.append(sp.Rational(parameter.value.numerator, parameter.value.denominator))
    return bound
