"""Forms of an arm as SymPy expressions."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any

import casadi as ca

from ..checks import known_name, some_of
from ..kernels import traced
from .catalogue import FORMS
from .model import KINDS, ArmModel


def arm_equations(
    model: ArmModel, name: str, *, symbolic: bool | str | Collection[str] = False, **options: Any
) -> Any:
    """Return a form of an arm as equations; see `FlexibleArm.equations`."""
    from ..equations import program_equations  # noqa: PLC0415 (SymPy takes half a second to import)
    from ..equations.parameters import Letter  # noqa: PLC0415
    from ..equations.reader import meant  # noqa: PLC0415

    known_name("form of a flexible arm", name, tuple(FORMS))
    constants, letters = model.symbols(some_of("symbolic", symbolic, KINDS))
    inputs, outputs = FORMS[name].expressions(model, constants)
    parameters = [
        Letter(each.name, Fraction(meant(each.value)), _ROLES.get(each.kind, each.kind), each.symbol)
        for each in letters
    ]
    if letters:
        column = ca.vertcat(*(each.symbol for each in letters))
        inputs.append(("parameters", (len(letters),), column))
    return program_equations(
        traced(name, inputs, outputs),
        groups=[list(range(model.joints))] if inputs and inputs[0][0] == "q" else (),
        parameters=parameters,
        kinds=("inertia", "geometry", "gravity") if letters else (),
        **options,
    )


_ROLES = {"stiffness": "inertia", "damping": "inertia"}
