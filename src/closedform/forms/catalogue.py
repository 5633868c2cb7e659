"""The catalogue of a robot's forms: what each takes and gives, and the function that builds it.

Robot methods, kernels, equations, exported code, documentation, tests and benchmarks all read
`FORMS`. Shapes: q coordinates, v velocities, b moving bodies, p inertial parameters.
"""

from __future__ import annotations

from functools import partial

from casadi import SX

from ..errors import ClosedFormError
from ..model import Model
from ..model.idle import refuse_idle_joints, refuse_still
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
from .form import Catalogue, Form, Need, Variant
from .quantities import (
    CENTRE,
    CENTRE_JACOBIAN,
    COORDINATES,
    CORIOLIS,
    EXTERNAL,
    FORCES,
    GRAVITY,
    JACOBIAN,
    KINETIC,
    KINETIC_ROW,
    MASS,
    PARAMETERS,
    PHI,
    POSE,
    POTENTIAL,
    POTENTIAL_ROW,
    REGRESSOR,
    SLOTINE_LI,
    TAU,
    A,
    D,
    Q,
    R,
    V,
    W,
)
from .tree import Tree


def _sizes(model: Model) -> dict[str | int, int | None]:
    bodies = len(model.bodies)
    return {"q": model.nq, "v": model.nv, "b": bodies, "p": 10 * bodies}


def _subject(model: Model, constants: tuple[SX, ...]) -> tuple[Tree]:
    return (Tree.of(model, phi=constants[0] if constants else None),)


def _refuse_massless(model: Model, what: str) -> None:
    if not model.has_inertia:
        raise ClosedFormError(
            f"{what}: robot {model.name!r} has no inertias (geometry only); "
            "give them (inertials=..., or <inertial> elements) or use kinematics"
        )


INERTIAS, MOTION, INVERSE = Need(_refuse_massless), Need(refuse_still), Need(refuse_idle_joints, values=True)
"""What forms need: bodies with inertias, a joint that moves, a mass matrix that has an inverse."""

FORMS = Catalogue(Model, "form", _sizes, _subject, digest=lambda model: model.digest)
"""Every form of a robot by name."""

_add = partial(FORMS.add, group="kinematics")
_add(kinematics.pose, Q, POSE.array(4, 4), framed=True)
_add(kinematics.jacobian, Q, JACOBIAN.array(6, "v"), framed=True)
_add(kinematics.jacobian_dot, V, JACOBIAN.rate().array(6, "v"), framed=True)
_add(kinematics.jacobian_ddot, A, JACOBIAN.rate(2).array(6, "v"), framed=True)
_add = partial(_add, needs=(INERTIAS,), optional=(PHI,))
_add(kinematics.center_of_mass, Q, CENTRE.array(3))
_add(kinematics.com_jacobian, Q, CENTRE_JACOBIAN.array(3, "v"))

_add = partial(FORMS.add, group="dynamics", needs=(INERTIAS, MOTION), optional=(PHI,))
_add(newton_euler.inverse_dynamics, A, FORCES.array("v"), closed=block.inverse_dynamics)
_add(forward.forward_dynamics, TAU, COORDINATES.rate(2).array("v"), needs=(INERTIAS, MOTION, INVERSE))
_add(mass.mass_matrix, Q, MASS.array("v", "v"), closed=block.mass_matrix)
_add(coriolis.coriolis_matrix, V, CORIOLIS.array("v", "v"), closed=block.coriolis_matrix)
_add(gravity.gravity_torque, Q, GRAVITY.array("v"), closed=block.gravity_torque)
FORMS.add(
    external.external_torque,
    (*Q, *W[:1]),
    EXTERNAL.array("v"),
    group="dynamics",
    closed=block.external_torque,
    needs=(MOTION,),
)
_add(energy.kinetic_energy, V, KINETIC.array())
_add(energy.potential_energy, Q, POTENTIAL.array())

_add = partial(_add, group="time")
_add(newton_euler.inverse_dynamics_rates, A, (FORCES.array("v"),), ordered=True)
_add(mass.mass_matrix_dot, V, MASS.rate().array("v", "v"), closed=block_rates.mass_matrix_dot)
_add(mass.mass_matrix_ddot, A, MASS.rate(2).array("v", "v"), closed=block_rates.mass_matrix_ddot)
_add(coriolis.coriolis_matrix_dot, A, CORIOLIS.rate().array("v", "v"), closed=block_rates.coriolis_matrix_dot)
_add(
    coriolis.coriolis_matrix_ddot,
    D,
    CORIOLIS.rate(2).array("v", "v"),
    closed=block_rates.coriolis_matrix_ddot,
)
_add(gravity.gravity_torque_dot, V, GRAVITY.rate().array("v"), closed=block_rates.gravity_torque_dot)
_add(gravity.gravity_torque_ddot, A, GRAVITY.rate(2).array("v"), closed=block_rates.gravity_torque_ddot)
_external = partial(FORMS.add, group="time", needs=(MOTION,))
_external(
    external.external_torque_dot,
    (*V, *W[:2]),
    EXTERNAL.rate().array("v"),
    closed=block_rates.external_torque_dot,
)
_external(
    external.external_torque_ddot,
    (*A, *W),
    EXTERNAL.rate(2).array("v"),
    closed=block_rates.external_torque_ddot,
)
_once = (
    MASS.array("v", "v", name="mass_matrix"),
    CORIOLIS.array("v", "v", name="coriolis_matrix"),
    GRAVITY.array("v", name="gravity_torque"),
)
_rates = tuple(each.quantity.rate().array(*each.shape, name=f"{each.name}_dot") for each in _once)
_add(matrices.dynamic_matrices, V, _once)
_add(matrices.dynamic_matrices_dot, A, _once + _rates)
_family = partial(_add, ordered=True)
_family(mass.mass_matrix_rates, Q, (MASS.array("v", "v"),))
_family(coriolis.coriolis_matrix_rates, V, (CORIOLIS.array("v", "v"),))
_family(gravity.gravity_torque_rates, Q, (GRAVITY.array("v"),))
_external(external.external_torque_rates, (*Q, *W[:1]), (EXTERNAL.array("v"),), ordered=True)
_external(kinematics.jacobian_rates, Q, (JACOBIAN.array(6, "v"),), ordered=True, framed=True)

_add = partial(_add, group="state")
_QD = COORDINATES.rate()
_add(tensors.mass_matrix_dq, Q, MASS.by(COORDINATES).array("v", "v", "v"))
_add(tensors.coriolis_matrix_dq, V, CORIOLIS.by(COORDINATES).array("v", "v", "v"))
_add(tensors.coriolis_matrix_dqd, V, CORIOLIS.by(_QD).array("v", "v", "v"))
_add(state.gravity_torque_dq, Q, GRAVITY.by(COORDINATES).array("v", "v"))
_add(state.inverse_dynamics_dq, A, FORCES.by(COORDINATES).array("v", "v"))
_add(state.inverse_dynamics_dqd, A, FORCES.by(_QD).array("v", "v"))
_inverse = [
    FORCES.by(each).array("v", "v", name=f"inverse_dynamics_d{each.symbol}") for each in (COORDINATES, _QD)
]
_forward = [
    COORDINATES.rate(2).by(each).array("v", "v", name=f"forward_dynamics_d{each.symbol}")
    for each in (COORDINATES, _QD, FORCES)
]
_solve = partial(_add, needs=(INERTIAS, MOTION, INVERSE))
_solve(state.forward_dynamics_dq, TAU, _forward[0])
_solve(state.forward_dynamics_dqd, TAU, _forward[1])
_solve(state.forward_dynamics_dtau, TAU, _forward[2])
_add(state.inverse_dynamics_derivatives, A, _inverse)
_solve(state.forward_dynamics_derivatives, TAU, _forward)

_add = partial(FORMS.add, group="parameters", needs=(INERTIAS, MOTION))
_add(parameters.regressor, A, REGRESSOR.array("v", "p"))
_add(parameters.slotine_li_regressor, R, SLOTINE_LI.array("v", "p"))
_add(parameters.mass_matrix_dphi, Q, MASS.by(PARAMETERS).array("v", "v", "p"))
_add(parameters.coriolis_matrix_dphi, V, CORIOLIS.by(PARAMETERS).array("v", "v", "p"))
_add(parameters.gravity_torque_dphi, Q, GRAVITY.by(PARAMETERS).array("v", "p"))
_add(parameters.kinetic_energy_regressor, V, KINETIC_ROW.array("p"))
_add(parameters.potential_energy_regressor, Q, POTENTIAL_ROW.array("p"))


def form(name: str, order: int | None = None, *, frame: str | None = None, phi: bool = False) -> Form:
    """Return the form of that name, at an order if it is a family, of a frame, with phi as an input."""
    return FORMS.form(name, Variant(frame, order, phi))
