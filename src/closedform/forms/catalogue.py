"""The catalogue of forms: name, inputs, outputs, builder and citation of every quantity.

Robot methods, kernels, documentation, tests and benchmarks all loop over `FORMS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from ..errors import ClosedFormError, UnknownNameError
from ..model import Model
from . import block, coriolis, energy, forward, kinematics, mass, newton_euler

SIZES: dict[str, Callable[[Model], int]] = {
    "q": lambda model: model.nq,
    "v": lambda model: model.nv,
    "b": lambda model: len(model.bodies),
}
"""Letters of shapes: coordinates, velocities, bodies."""

INPUTS: dict[str, tuple[str | int, ...]] = {
    "q": ("q",),
    "qd": ("v",),
    "qdd": ("v",),
    "tau": ("v",),
    "wrenches": ("b", 6),
}
"""Shapes of the inputs by name."""


@dataclass(frozen=True)
class Form:
    """One quantity: what it takes, what it gives, and the expression that defines it.

    `build(model, *inputs[, frame])` is the route kernels use; `closed` is the papers' block
    matrix route where there is one. `dynamic` forms need inertias.
    """

    name: str
    group: str
    inputs: tuple[str, ...]
    output: tuple[str | int, ...]
    build: Callable[..., ca.SX]
    closed: Callable[..., ca.SX] | None = None
    framed: bool = False
    dynamic: bool = True

    @property
    def doc(self) -> str:
        """The documentation of the form: a claim, its equation and its source."""
        return (self.build.__doc__ or "").strip()

    @property
    def summary(self) -> str:
        """The first line of the documentation."""
        return self.doc.splitlines()[0]

    def input_shapes(self, model: Model) -> list[tuple[int, ...]]:
        """Return the core shape of each input."""
        return [resolve(INPUTS[name], model) for name in self.inputs]

    def output_shape(self, model: Model) -> tuple[int, ...]:
        """Return the core shape of the output."""
        return resolve(self.output, model)

    def expression(
        self, model: Model, frame: str | None = None, *, closed: bool = False
    ) -> tuple[list[ca.SX], ca.SX]:
        """Return the symbols of the inputs and the expression of the output."""
        if self.dynamic and not model.has_inertia:
            raise ClosedFormError(
                f"{self.name}: robot {model.name!r} has no inertias (geometry only); "
                "give them (inertials=..., or <inertial> elements) or use kinematics"
            )
        builder = self.closed if closed else self.build
        if builder is None:
            raise ClosedFormError(f"{self.name}: has no block-matrix route")
        symbols = [
            ca.SX.sym(name, *shape) for name, shape in zip(self.inputs, self.input_shapes(model), strict=True)
        ]
        extra = (model.frame(frame),) if self.framed else ()
        return symbols, builder(model, *symbols, *extra)


def resolve(shape: tuple[str | int, ...], model: Model) -> tuple[int, ...]:
    """Return a shape of letters as numbers."""
    return tuple(SIZES[size](model) if isinstance(size, str) else size for size in shape)


_KINEMATICS, _DYNAMICS = "kinematics", "dynamics"

FORMS: dict[str, Form] = {
    form.name: form
    for form in (
        Form("pose", _KINEMATICS, ("q",), (4, 4), kinematics.pose, framed=True, dynamic=False),
        Form("jacobian", _KINEMATICS, ("q",), (6, "v"), kinematics.jacobian, framed=True, dynamic=False),
        Form(
            "jacobian_dot",
            _KINEMATICS,
            ("q", "qd"),
            (6, "v"),
            kinematics.jacobian_dot,
            framed=True,
            dynamic=False,
        ),
        Form(
            "jacobian_ddot",
            _KINEMATICS,
            ("q", "qd", "qdd"),
            (6, "v"),
            kinematics.jacobian_ddot,
            framed=True,
            dynamic=False,
        ),
        Form("center_of_mass", _KINEMATICS, ("q",), (3,), kinematics.center_of_mass),
        Form("com_jacobian", _KINEMATICS, ("q",), (3, "v"), kinematics.com_jacobian),
        Form(
            "inverse_dynamics",
            _DYNAMICS,
            ("q", "qd", "qdd"),
            ("v",),
            newton_euler.inverse_dynamics,
            block.inverse_dynamics,
        ),
        Form("forward_dynamics", _DYNAMICS, ("q", "qd", "tau"), ("v",), forward.forward_dynamics),
        Form("mass_matrix", _DYNAMICS, ("q",), ("v", "v"), mass.mass_matrix, block.mass_matrix),
        Form(
            "coriolis_matrix",
            _DYNAMICS,
            ("q", "qd"),
            ("v", "v"),
            coriolis.coriolis_matrix,
            block.coriolis_matrix,
        ),
        Form("gravity_torque", _DYNAMICS, ("q",), ("v",), newton_euler.gravity_torque, block.gravity_torque),
        Form(
            "external_torque",
            _DYNAMICS,
            ("q", "wrenches"),
            ("v",),
            newton_euler.external_torque,
            block.external_torque,
            dynamic=False,
        ),
        Form("kinetic_energy", _DYNAMICS, ("q", "qd"), (), energy.kinetic_energy),
        Form("potential_energy", _DYNAMICS, ("q",), (), energy.potential_energy),
    )
}
"""Every form by name."""


def form(name: str) -> Form:
    """Return the form of that name."""
    if not isinstance(name, str) or name not in FORMS:
        raise UnknownNameError("form", name, tuple(FORMS))
    return FORMS[name]
