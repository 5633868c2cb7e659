"""From a form and a model to its equations."""

from __future__ import annotations

import math
from collections.abc import Collection

import casadi as ca

from ..checks import known_name, some_of
from ..errors import ArgumentError, ClosedFormError, ProgramSizeError, shown
from ..forms import Form, form
from ..forms.tree import recursion_tree
from ..model import Model
from ..programs import Program, program
from .axes import parallel_groups
from .parameters import CONVENTIONS, KINDS, SymbolicModel, symbolic_model
from .result import Equations
from .write import PARAMETERS, program_equations

MAX_OPERATIONS = 3_000
"""Operations of a form beyond which its equations are of no use to a reader."""


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
    kinds = some_of("symbolic", symbolic, KINDS)
    known_name("convention of inertial parameters", parameters, CONVENTIONS)
    it = form(name, order)
    if frame is not None and not it.framed:
        raise ArgumentError(f"{name}: takes no frame; {shown(frame)} given")
    it.check(model)
    lettered = symbolic_model(model, parameters, kinds, model.frame(frame) if it.framed else None)
    traced = _trace(it, lettered, frame)
    groups = parallel_groups(recursion_tree(model, regroup=False))
    return program_equations(
        traced,
        groups=groups if it.inputs[:1] == ("q",) else (),
        parameters=lettered.parameters,
        kinds=kinds,
        digits=digits,
        rational=rational,
        seconds=seconds,
        trajectory=model.nq == model.nv,
    )


def _trace(it: Form, model: SymbolicModel, frame: str | None) -> Program:
    """Return the program of a form whose last input is the vector of all parameters."""
    symbols, expressions = it.expression(model, frame)
    inputs = list(zip(it.inputs, it.input_shapes(model), symbols, strict=True))
    if model.parameters:
        count = len(model.parameters)
        inputs.append((PARAMETERS, (count,), ca.vertcat(*(each.symbol for each in model.parameters))))
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
