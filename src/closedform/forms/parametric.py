"""Forms that keep the inertial parameters as an input, for adaptive control."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import casadi as ca
from casadi import SX

from ..errors import ArgumentError
from .form import Form
from .tree import Tree


def parametric(form: Form) -> Form:
    """Return the form with one more input, `phi`, in place of the robot's own inertial parameters."""
    if form.framed or not form.dynamic or form.group == "parameters" or form.takes_phi:
        raise ArgumentError(f"{form.name} does not take phi as an input: it does not depend on it")
    build = form.build

    def with_phi(tree: Tree, *inputs: SX) -> ca.SX | tuple[ca.SX, ...]:
        *others, phi = inputs
        return build(Tree.of(tree.model, phi=phi), *others)

    with_phi.__doc__ = _documented(build)
    return replace(
        form, inputs=(*form.inputs, "phi"), build=with_phi, closed=None, ordered=False, takes_phi=True
    )


def _documented(build: Callable[..., object]) -> str:
    more = "The inertial parameters `phi` (10 bodies) are the last input."
    return f"{(build.__doc__ or '').rstrip()}\n\n    {more}\n"
