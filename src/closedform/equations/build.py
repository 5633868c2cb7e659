"""From a form and a model to its equations."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any, Unpack

import casadi as ca
import numpy as np

from ..checks import known_name, some_of
from ..description.mdh_row import ANGLES
from ..errors import ArgumentError, ProgramSizeError
from ..forms import Choices, Form, Variant, catalogue
from ..forms.joint_frames import nodes_of
from ..forms.lettered import Lettered, lettered
from ..model import Frame, Model
from ..model.idle import refuse_still
from ..programs import Program, form_program
from .parameters import CONVENTIONS, KINDS, Letter, kept_rows, lettered_tree
from .result import Equations
from .write import PARAMETERS, program_equations

MAX_OPERATIONS = 3_000
"""Operations of a form beyond which its equations are of no use to a reader."""

PARALLEL = 1e-12
"""Sine of the angle below which two axes count as parallel."""


def equations(
    model: Any,
    name: str,
    frame: str | None = None,
    *,
    order: int | None = None,
    symbolic: bool | str | Collection[str] = False,
    parameters: str = "masses",
    digits: int | None = None,
    rational: bool = False,
    seconds: float = 60.0,
    **choices: Unpack[Choices],
) -> Equations | tuple[Equations, ...]:
    """Return a form as SymPy expressions: multiplied out, angle sums merged, like terms collected.

    `symbolic` says which constants stay letters: True for all, or any of the kinds of the model
    ("inertia", "geometry", "gravity", "friction", "springs" of a robot). `parameters` names inertias:
    "masses" for m1, c1x, I1xx (about the centre of mass), "gautier-khalil" for XX1 ... MX1 ... M1 (about the
    frame origin) and lengths d2, r3. Other constants are numbers, with `digits` significant digits or as
    `rational` fractions.

    What takes longer than `seconds` is returned correct but as it is computed, in terms of
    `definitions`, with an `EquationsWarning`. A form of several outputs gives a tuple.
    """
    form = catalogue(model).form(name, Variant(frame, order, **choices))
    if form.variant.inputs:
        raise ArgumentError(
            f"{name}: phi and geometry are inputs of kernels and code; for letters in equations take "
            "symbolic='inertia', symbolic='geometry' or symbolic=True"
        )
    it = lettered(model, form, symbolic, parameters)
    return program_equations(
        _trace(form, model, it),
        {each.name: each.quantity for each in (*form.arrays(model), *form.gives)},
        groups=it.groups if form.inputs[:1] == ("q",) else (),
        parameters=it.parameters,
        kinds=it.kinds,
        digits=digits,
        rational=rational,
        seconds=seconds,
        trajectory=it.trajectory,
    )


@lettered.register
def _robot(model: Model, form: Form, symbolic: bool | str | Collection[str], convention: str) -> Lettered:
    """Return a robot with letters for masses, lengths, gravity, friction and springs."""
    kinds = some_of("symbolic", symbolic, KINDS)
    known_name("convention of inertial parameters", convention, CONVENTIONS)
    refuse_still(model, "equations")
    form.check(model)
    taken = [kind for kind, own in (("friction", form.frictional), ("springs", form.sprung)) if own]
    tree, letters = lettered_tree(model, convention, kinds, _frames(model, form), taken)
    trajectory = model.nq == model.nv
    groups = angle_groups(model.generic if "geometry" in kinds else model.filled)
    _add_angles(groups, model, form, letters, kinds)
    return Lettered((tree,), letters, kinds, groups, trajectory, MAX_OPERATIONS)


def _add_angles(
    groups: list[list[int]], model: Model, form: Form, letters: Sequence[Letter], kinds: Sequence[str]
) -> None:
    """Add letters of angles to the groups: theta of a turning joint to its coordinate, others alone.

    They are entries of the last input, after those of the form.
    """
    rows = kept_rows(model, "geometry" in kinds)
    first = sum(math.prod(shape) for shape in form.input_shapes(model))
    places = {each.name: first + k for k, each in enumerate(letters) if each.stays(kinds)}
    taken: set[str] = set()
    for body, row in zip(model.bodies, rows, strict=True):
        own = () if row is None else row.of(ANGLES)
        turned = row.of(("theta",)) if row is not None and body.joint.turns_about_axis else ()
        for name in (*turned, *own):
            if name in places and name not in taken:
                taken.add(name)
                group = next((each for each in groups if name in turned and body.iq in each), [])
                if not group:
                    groups.append(group)
                group.append(places[name])


def _frames(model: Model, form: Form) -> dict[str, Frame]:
    """Return the frames that a form is of, by the letters of their lengths if links do not name them."""
    if any("f" in each.shape for each in form.gives):
        return {f"LF{k + 1}": frame for k, frame in enumerate(model.frames)}
    if form.variant.wrench_frames is not None:
        names = form.variant.wrench_frames
        return {f"LW{k + 1}" if k else "LE": model.frame(name) for k, name in enumerate(names)}
    if not form.framed:
        return {}
    other = form.variant.relative_to
    return {"LE": model.frame(form.variant.frame)} | ({"LR": model.frame(other)} if other else {})


def angle_groups(model: Model) -> list[list[int]]:
    """Return the coordinates of a robot that are angles, grouped by parallel axes that follow each other.

    A joint joins the group of the last joint before it that turns, if their axes are parallel;
    prismatic joints between them do not matter. Joints of one coordinate (mimics) are in one
    group.
    """
    groups: dict[int, int] = {}
    turning: list[tuple[int, np.ndarray] | None] = []
    for node in nodes_of(model):
        above = turning[node.parent] if node.parent >= 0 else None
        before = None if above is None else (above[0], np.asarray(node.R0).T @ above[1])
        if node.joint.quaternion is not None:
            turning.append(None)
            continue
        columns = np.flatnonzero(np.abs(node.X[:3]).sum(axis=0))
        if len(columns) == 0:
            turning.append(before)
            continue
        column = int(columns[0])
        coordinate, e = node.iq + column, node.X[:3, column]
        own = groups.setdefault(coordinate, coordinate)
        if before is not None and np.abs(np.cross(before[1], e)).max() < PARALLEL:
            other = groups[before[0]]
            for key, label in groups.items():
                if label == own:
                    groups[key] = other
        turning.append((coordinate, e))
    labels = sorted(set(groups.values()))
    return [sorted(key for key, label in groups.items() if label == each) for each in labels]


def _trace(form: Form, model: Any, it: Lettered) -> Program:
    """Return the program of a form whose last input is the vector of all parameters."""
    letters = ca.vertcat(*(each.symbol for each in it.parameters))
    more = [(PARAMETERS, (len(it.parameters),), letters)] if it.parameters else []
    traced = form_program(form, model, basis=it.basis, more=more)
    if it.most is not None:
        refuse_long(traced, model.name, it.most)
    return traced


def refuse_long(traced: Program, owner: str, most: int = MAX_OPERATIONS) -> None:
    """Raise if a program has more operations than its reader would read."""
    if traced.counts.total > most:
        raise ProgramSizeError(
            f"{traced.name} of {owner!r} takes {traced.counts.total} operations; equations are printed "
            f"up to {most}; ask for a smaller form or robot, or export source code"
        )
