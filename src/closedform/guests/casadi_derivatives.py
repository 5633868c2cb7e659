"""Closed-form partial derivatives that the catalogue has of a form, as blocks of a Jacobian."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..errors import ArgumentError
from ..forms import PLAIN, Form, Variant, catalogue
from ..forms.variant import LOADS
from ..model import Model

PARTIAL = {
    ("inverse_dynamics", "qdd"): "mass_matrix",
    ("inverse_dynamics", "phi"): "regressor",
    ("center_of_mass", "q"): "com_jacobian",
    ("potential_energy", "q"): "gravity_torque",
    ("potential_energy", "phi"): "potential_energy_regressor",
    ("jacobian_dot", "qd"): "jacobian_dq",
}
"""By output and input: forms that are the derivative without being named so."""

TOGETHER = {
    "inverse_dynamics": "inverse_dynamics_derivatives",
    "forward_dynamics": "forward_dynamics_derivatives",
}
"""Forms that give several derivatives of another at once, and share work."""

LOADLESS = ("mass_matrix", "regressor")
"""Derivatives that no load changes: wrenches, friction and springs depend neither on qdd nor on phi."""


@dataclass(frozen=True)
class Block:
    """A form that is a block of a Jacobian: which of its outputs."""

    form: Form
    output: int


def closed_blocks(model: Any, form: Form) -> dict[tuple[int, int], Block]:
    """Return the derivatives that the catalogue has, by the numbers of output and input.

    There are none if that by q is not among them: CasADi finds the other blocks on the way to it.
    """
    if not _has_plain_partials(model):
        return {}
    names = [each.name for each in form.arrays(model)]
    inputs, outputs = form.input_shapes(model), form.output_shapes(model)
    found = {}
    for row, output in enumerate(form.outputs):
        for column, name in enumerate(names):
            shape = (*outputs[row], *inputs[column])
            block = _closed_block(model, form.variant, output, name, shape)
            if block is not None:
                found[row, column] = block
            elif name == "q":
                return {}
    return found


def _has_plain_partials(model: Any) -> bool:
    """Return whether derivatives along joint velocities are those by the entries of q."""
    return isinstance(model, Model) and all(body.joint.nq == body.joint.nv == 1 for body in model.bodies)


def _closed_block(model: Any, variant: Variant, output: str, by: str, shape: tuple[int, ...]) -> Block | None:
    """Return the output of a form that is the derivative of another's output by an input."""
    name, special = f"{output}_d{by}", PARTIAL.get((output, by))
    for candidate in (TOGETHER.get(output), special, name):
        form = _same_variant(model, candidate, variant)
        if form is not None:
            for position, each in enumerate(form.output_shapes(model)):
                if each == shape and (candidate == special or form.outputs[position] == name):
                    return Block(form, position)
    return None


def _same_variant(model: Any, name: str | None, variant: Variant) -> Form | None:
    """Return a form as the variant that another has, if it offers that."""
    forms = catalogue(model)
    if name is None or name not in forms:
        return None
    if name in LOADLESS:
        variant = replace(variant, **{each: getattr(PLAIN, each) for each in LOADS})
    if not forms[name].may_take("phi"):  # linear in phi: the derivative does not depend on it
        variant = replace(variant, phi=False)
    try:
        return forms.form(name, variant)
    except ArgumentError:
        return None
