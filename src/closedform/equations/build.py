"""From a form and a model to its equations."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import casadi as ca

from ..checks import known_name, some_of
from ..errors import ArgumentError, ProgramSizeError, shown
from ..forms import Form, form
from ..forms.tree import Tree
from ..model import Model
from ..programs import Program, program
from .axes import parallel_groups
from .parameters import CONVENTIONS, KINDS, Letter, lettered_tree
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
    tree, letters = lettered_tree(model, parameters, kinds, model.frame(frame) if it.framed else None)
    traced = _trace(it, tree, letters, frame)
    groups = parallel_groups(Tree.of(model).own)
    return program_equations(
        traced,
        groups=groups if it.inputs[:1] == ("q",) else (),
        parameters=letters,
        kinds=kinds,
        digits=digits,
        rational=rational,
        seconds=seconds,
        trajectory=model.nq == model.nv,
    )


def _trace(it: Form, tree: Tree, letters: Sequence[Letter], frame: str | None) -> Program:
    """Return the program of a form whose last input is the vector of all parameters."""
    model = tree.model
    symbols, expressions = it.expression(tree, frame)
    inputs = list(zip(it.inputs, it.input_shapes(model), symbols, strict=True))
    if letters:
        column = ca.vertcat(*(each.symbol for each in letters))
        inputs.append((PARAMETERS, (len(letters),), column))
    labels = [label for label, _ in it.outputs]
    traced = program(it.name, inputs, list(zip(labels, it.output_shapes(model), expressions, strict=True)))
    if traced.counts.total > MAX_OPERATIONS:
        raise ProgramSizeError(
            f"{it.name} of {model.name!r} takes {traced.counts.total} operations; equations are printed up "
            f"to {MAX_OPERATIONS}; ask for a smaller form or robot, or export source code"
        )
    return traced
