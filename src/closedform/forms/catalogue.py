"""The catalogue of forms: name, inputs, outputs, builder and citation of every quantity.

Robot methods, kernels, documentation, tests and benchmarks all loop over `FORMS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import casadi as ca

from ..errors import UnknownNameError
from . import (
    block,
    block_rates,
    coriolis,
    energy,
    external,
    forward,
    gravity,
    kinematics,
    mass,
    matrices,
    newton_euler,
    parameters,
    state,
    tensors,
)
from .form import Form, Shape
from .parametric import parametric

Q, V, A, D = ("q",), ("q", "qd"), ("q", "qd", "qdd"), ("q", "qd", "qdd", "qddd")
TAU, WRENCHES = ("q", "qd", "tau"), ("wrenches", "wrenches_dot", "wrenches_ddot")
VECTOR, MATRIX, TENSOR, PARAMETERS = ("v",), ("v", "v"), ("v", "v", "v"), ("v", "v", "p")


def _one(
    group: str,
    inputs: tuple[str, ...],
    shape: Shape,
    build: Callable[..., ca.SX],
    closed: Callable[..., ca.SX] | None = None,
    *,
    framed: bool = False,
    dynamic: bool = True,
    solves: bool = False,
) -> Form:
    """Return a form of one output, named as the function that builds it."""
    name = build.__name__
    return Form(name, group, inputs, ((name, shape),), build, closed, framed, dynamic, solves=solves)


def _kinematics() -> Iterator[Form]:
    for build, inputs, shape in (
        (kinematics.pose, Q, (4, 4)),
        (kinematics.jacobian, Q, (6, "v")),
        (kinematics.jacobian_dot, V, (6, "v")),
        (kinematics.jacobian_ddot, A, (6, "v")),
    ):
        yield _one("kinematics", inputs, shape, build, framed=True, dynamic=False)
    yield _one("kinematics", Q, (3,), kinematics.center_of_mass)
    yield _one("kinematics", Q, (3, "v"), kinematics.com_jacobian)


def _dynamics() -> Iterator[Form]:
    group = "dynamics"
    yield _one(group, A, VECTOR, newton_euler.inverse_dynamics, block.inverse_dynamics)
    yield _one(group, TAU, VECTOR, forward.forward_dynamics, solves=True)
    yield _one(group, Q, MATRIX, mass.mass_matrix, block.mass_matrix)
    yield _one(group, V, MATRIX, coriolis.coriolis_matrix, block.coriolis_matrix)
    yield _one(group, Q, VECTOR, gravity.gravity_torque, block.gravity_torque)
    yield _one(
        group, (*Q, *WRENCHES[:1]), VECTOR, external.external_torque, block.external_torque, dynamic=False
    )
    yield _one(group, V, (), energy.kinetic_energy)
    yield _one(group, Q, (), energy.potential_energy)


def _time() -> Iterator[Form]:
    group = "time"
    yield Form(
        "inverse_dynamics_rates",
        group,
        A,
        (("tau", VECTOR),),
        newton_euler.inverse_dynamics_rates,
        ordered=True,
    )
    yield _one(group, V, MATRIX, mass.mass_matrix_dot, block_rates.mass_matrix_dot)
    yield _one(group, A, MATRIX, mass.mass_matrix_ddot, block_rates.mass_matrix_ddot)
    yield _one(group, A, MATRIX, coriolis.coriolis_matrix_dot, block_rates.coriolis_matrix_dot)
    yield _one(group, D, MATRIX, coriolis.coriolis_matrix_ddot, block_rates.coriolis_matrix_ddot)
    yield _one(group, V, VECTOR, gravity.gravity_torque_dot, block_rates.gravity_torque_dot)
    yield _one(group, A, VECTOR, gravity.gravity_torque_ddot, block_rates.gravity_torque_ddot)
    yield _one(
        group,
        (*V, *WRENCHES[:2]),
        VECTOR,
        external.external_torque_dot,
        block_rates.external_torque_dot,
        dynamic=False,
    )
    yield _one(
        group,
        (*A, *WRENCHES),
        VECTOR,
        external.external_torque_ddot,
        block_rates.external_torque_ddot,
        dynamic=False,
    )
    once = (("mass_matrix", MATRIX), ("coriolis_matrix", MATRIX), ("gravity_torque", VECTOR))
    rates = tuple((name + "_dot", shape) for name, shape in once)
    yield Form("dynamic_matrices", group, V, once, matrices.dynamic_matrices)
    yield Form("dynamic_matrices_dot", group, A, once + rates, matrices.dynamic_matrices_dot)


def _state() -> Iterator[Form]:
    group = "state"
    yield _one(group, Q, TENSOR, tensors.mass_matrix_dq)
    yield _one(group, V, TENSOR, tensors.coriolis_matrix_dq)
    yield _one(group, V, TENSOR, tensors.coriolis_matrix_dqd)
    yield _one(group, Q, MATRIX, state.gravity_torque_dq)
    yield _one(group, A, MATRIX, state.inverse_dynamics_dq)
    yield _one(group, A, MATRIX, state.inverse_dynamics_dqd)
    yield _one(group, TAU, MATRIX, state.forward_dynamics_dq, solves=True)
    yield _one(group, TAU, MATRIX, state.forward_dynamics_dqd, solves=True)
    yield _one(group, TAU, MATRIX, state.forward_dynamics_dtau, solves=True)
    for build, inputs, by in (
        (state.inverse_dynamics_derivatives, A, ("dq", "dqd")),
        (state.forward_dynamics_derivatives, TAU, ("dq", "dqd", "dtau")),
    ):
        name = build.__name__.removesuffix("_derivatives")
        outputs = tuple((f"{name}_{each}", MATRIX) for each in by)
        yield Form(build.__name__, group, inputs, outputs, build, solves=inputs is TAU)


def _parameters() -> Iterator[Form]:
    group = "parameters"
    yield _one(group, A, ("v", "p"), parameters.regressor)
    yield _one(group, (*V, "qdr", "qddr"), ("v", "p"), parameters.slotine_li_regressor)
    yield _one(group, Q, PARAMETERS, parameters.mass_matrix_dphi)
    yield _one(group, V, PARAMETERS, parameters.coriolis_matrix_dphi)
    yield _one(group, Q, ("v", "p"), parameters.gravity_torque_dphi)
    yield _one(group, V, ("p",), parameters.kinetic_energy_regressor)
    yield _one(group, Q, ("p",), parameters.potential_energy_regressor)


FORMS: dict[str, Form] = {
    form.name: form for group in (_kinematics, _dynamics, _time, _state, _parameters) for form in group()
}
"""Every form by name."""


def form(name: str, order: int | None = None, *, phi: bool = False) -> Form:
    """Return the form of that name, at an order where it is a family, with phi as an input if asked."""
    if not isinstance(name, str) or name not in FORMS:
        raise UnknownNameError("form", name, tuple(FORMS))
    found = FORMS[name]
    if order is not None or found.ordered:
        found = found.at(2 if order is None else order)
    return parametric(found) if phi else found
