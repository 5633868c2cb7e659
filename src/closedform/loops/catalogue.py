"""The catalogue of the forms of a robot with loops: what each takes and gives, and its builder.

Shapes: q independent coordinates (of all joints if no formula gives the others), v independent velocities,
u those of the actuated joints, e actuators beyond the degrees of freedom that they move,
n velocities of all joints,
r independent rows of the loops, b moving bodies, f frames, p inertial parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from casadi import SX

from ..emit import layout
from ..emit.names import label
from ..emit.subject import Index
from ..errors import ClosedFormError, listed
from ..forms import Catalogue, Form, Need, Quantity
from ..forms.catalogue import INERTIAS, MOTION
from ..forms.quantities import (
    BIAS,
    BODY_POSES,
    CENTRE,
    CENTRE_JACOBIAN,
    COORDINATES,
    CORIOLIS,
    EXTERNAL,
    FORCES,
    FRAME_POSES,
    GRAVITY,
    JACOBIAN,
    KINETIC,
    KINETIC_ROW,
    MASS,
    MASS_INVERSE,
    PARAMETERS,
    PHI,
    POSE,
    POTENTIAL,
    POTENTIAL_ROW,
    REGRESSOR,
    SLOTINE_LI,
    TWIST,
    A,
    D,
    Q,
    R,
    V,
    W,
)
from ..forms.tree import Tree
from ..forms.variant import LOADS
from ..kernels.cache import source_digest
from . import dynamics, kinematics, parameters, rates, state
from .closed_tree import ClosedTree
from .model import ClosedModel


def _sizes(model: ClosedModel) -> dict[str, int | None]:
    bodies, actuated = len(model.bodies), len(model.av)
    return {
        "q": model.nq if model.explicit else model.tree.nq,
        "v": model.nv,
        "u": actuated,
        "e": actuated - model.nv + len(model.undriven),
        "n": model.tree.nv,
        "r": len(model.rows),
        "b": bodies,
        "f": len(model.frames),
        "p": 10 * bodies,
    }


def _basis(model: ClosedModel, constants: Mapping[str, SX]) -> tuple[ClosedTree]:
    return (ClosedTree(model, Tree.of(model.tree, phi=constants.get("phi"))),)


def _refuse_no_redundancy(model: ClosedModel, what: str) -> None:
    moved = model.nv - len(model.undriven)
    if len(model.av) == moved:
        raise ClosedFormError(
            f"{what}: {model.name!r} has as many actuators as degrees of freedom that they move ({moved}), "
            "so that no torques but zero move nothing; name more joints as actuated"
        )


INSTEAD = {"drive_torque": "generalized_force", "regressor": "generalized_force_regressor"}
"""What takes the place of forms that need a drive for every motion, where names do not tell it."""


def _refuse_undriven(model: ClosedModel, what: str) -> None:
    if model.undriven:
        form = what.partition(":")[0]
        instead = INSTEAD.get(form, form.replace("inverse_dynamics", "generalized_force"))
        raise ClosedFormError(
            f"{what}: nobody drives {listed(list(model.undriven_names), 8)} of {model.name!r}: its actuated "
            f"joints move {model.nv - len(model.undriven)} of {model.nv} degrees of freedom, so that torques "
            f"cannot give every motion; use {instead}, the forces of all independent joints, or "
            "least_squares_torque, or name more joints as actuated"
        )


def _digest(model: ClosedModel) -> str:
    """Return a hash of a model and of the source that writes its expressions."""
    return f"{model.digest} {source_digest(('loops',))}"


REDUNDANT = Need(_refuse_no_redundancy)
"""What forms need: more actuators than degrees of freedom that they move."""

DRIVEN = Need(_refuse_undriven)
"""What torques of a given motion need: actuators that move all degrees of freedom."""

FORMS = Catalogue(ClosedModel, "form of a robot with loops", _sizes, _basis, digest=_digest)
"""Every form of a robot with loops by name."""

EMBEDDING = Quantity("Gamma", r"\Gamma", "1, m or 1/m", "velocities of all joints per independent velocity")
ACTUATION = Quantity("Act", "A", "1, m or 1/m", "velocities of the actuated joints per independent velocity")
LEFT = Quantity("r", "r", "N m or N", "generalised forces that no actuator gives")
LOOP_FORCES = Quantity("lambda", r"\lambda", "N or N m", "forces that the loops transmit, by row")
PRELOAD = Quantity("N", "N", "1", "torques of the actuated joints that move nothing, as columns")
EVERY = replace(
    COORDINATES,
    noun="coordinates of all joints",
    rates=("velocities of all joints", "accelerations of all joints"),
)
DRIVES = replace(FORCES, noun="torques of the actuated joints")
GENERAL_ROWS = replace(REGRESSOR, noun="regressor: the generalised forces are Y phi")
GENERAL = Quantity("f", "f", "N m or N", "generalised forces of all independent joints")

_TAU = (*V, DRIVES.array("u"))
_plain = partial(FORMS.add, group="kinematics")
_framed = partial(_plain, framed=True)
_referred = partial(_framed, choices=("reference",))
_plain(kinematics.joint_velocities, V, EVERY.rate().array("n"))
_plain(kinematics.joint_accelerations, A, EVERY.rate(2).array("n"))
_plain(kinematics.embedding_matrix, Q, EMBEDDING.array("n", "v"))
_plain(kinematics.actuation_matrix, Q, ACTUATION.array("u", "v"))
_framed(kinematics.pose, Q, POSE.array(4, 4))
_framed(kinematics.relative_pose, Q, POSE.array(4, 4), choices=("relative_to",))
_plain(kinematics.frame_poses, Q, FRAME_POSES.array("f", 4, 4))
_plain(kinematics.body_poses, Q, BODY_POSES.array("b", 4, 4))
_referred(kinematics.jacobian, Q, JACOBIAN.array(6, "v"))
_referred(kinematics.jacobian_dot, V, JACOBIAN.rate().array(6, "v"))
_referred(kinematics.jacobian_ddot, A, JACOBIAN.rate(2).array(6, "v"))
_referred(kinematics.frame_velocity, V, TWIST.array(6))
_referred(kinematics.frame_acceleration, A, TWIST.rate().array(6))

_inertial = partial(FORMS.add, optional=(PHI,), needs=(INERTIAS, MOTION))
_centre = partial(_inertial, group="kinematics")
_centre(kinematics.center_of_mass, Q, CENTRE.array(3))
_centre(kinematics.com_jacobian, Q, CENTRE_JACOBIAN.array(3, "v"))
_centre(kinematics.com_velocity, V, CENTRE.rate().array(3))
_centre(kinematics.com_acceleration, A, CENTRE.rate(2).array(3))

_loads = partial(_inertial, choices=LOADS, loaded=W[0])
_factored = partial(_inertial, choices=("factorisation",))
_torques = partial(_loads, needs=(INERTIAS, MOTION, DRIVEN))
_torques(dynamics.inverse_dynamics, A, DRIVES.array("u"))
_loads(dynamics.generalized_force, A, GENERAL.array("v"))
_loads(
    dynamics.least_squares_torque,
    A,
    (DRIVES.array("u", name="torques"), LEFT.array("v", name="residual")),
)
_loads(dynamics.forward_dynamics, _TAU, COORDINATES.rate(2).array("v"))
_torques(dynamics.drive_torque, A, DRIVES.array("u"), choices=LOADS[:2], frictional=True, sprung=True)
_loads(dynamics.bias_force, V, BIAS.array("v"))
_inertial(dynamics.mass_matrix, Q, MASS.array("v", "v"))
_inertial(dynamics.mass_matrix_inverse, Q, MASS_INVERSE.array("v", "v"))
_factored(dynamics.coriolis_matrix, V, CORIOLIS.array("v", "v"))
_inertial(dynamics.gravity_torque, Q, GRAVITY.array("v"))
_wrenches = partial(FORMS.add, needs=(MOTION,), choices=LOADS[:2])
_wrenches(dynamics.external_torque, Q + W[:1], EXTERNAL.array("v"))
_inertial(dynamics.kinetic_energy, V, KINETIC.array())
_inertial(dynamics.potential_energy, Q, POTENTIAL.array(), choices=("springs",))
_loads(dynamics.constraint_forces, A, LOOP_FORCES.array("r"))
FORMS.add(dynamics.actuation_nullspace, Q, PRELOAD.array("u", "e"), needs=(REDUNDANT,))

_time = partial(_inertial, group="time")
_torques(rates.inverse_dynamics_rates, A, (DRIVES.array("u"),), group="time", ordered=True)
_loads(rates.generalized_force_rates, A, (GENERAL.array("v"),), group="time", ordered=True)
_time(rates.mass_matrix_dot, V, MASS.rate().array("v", "v"))
_time(rates.mass_matrix_ddot, A, MASS.rate(2).array("v", "v"))
_factored_time = partial(_factored, group="time")
_factored_time(rates.coriolis_matrix_dot, A, CORIOLIS.rate().array("v", "v"))
_factored_time(rates.coriolis_matrix_ddot, D, CORIOLIS.rate(2).array("v", "v"))
_time(rates.gravity_torque_dot, V, GRAVITY.rate().array("v"))
_time(rates.gravity_torque_ddot, A, GRAVITY.rate(2).array("v"))
_wrench_rates = partial(_wrenches, group="time")
_wrench_rates(rates.external_torque_dot, V + W[:2], EXTERNAL.rate().array("v"))
_wrench_rates(rates.external_torque_ddot, A + W, EXTERNAL.rate(2).array("v"))
_family = partial(_time, ordered=True)
_family(rates.mass_matrix_rates, Q, (MASS.array("v", "v"),))
_factored_time(rates.coriolis_matrix_rates, V, (CORIOLIS.array("v", "v"),), ordered=True)
_family(rates.gravity_torque_rates, Q, (GRAVITY.array("v"),))
_wrench_rates(rates.external_torque_rates, Q + W[:1], (EXTERNAL.array("v"),), ordered=True)
FORMS.add(
    kinematics.jacobian_rates,
    Q,
    (JACOBIAN.array(6, "v"),),
    group="time",
    ordered=True,
    framed=True,
    choices=("reference",),
)

_QD = COORDINATES.rate()
_state = partial(_inertial, group="state")
_loaded_state = partial(_loads, group="state")
_torque_state = partial(_torques, group="state")
_inverse = [
    DRIVES.by(each).array("u", "v", name=f"inverse_dynamics_d{each.symbol}") for each in (COORDINATES, _QD)
]
_general = [
    GENERAL.by(each).array("v", "v", name=f"generalized_force_d{each.symbol}") for each in (COORDINATES, _QD)
]
_forward = [
    COORDINATES.rate(2).by(each).array("v", size, name=f"forward_dynamics_d{each.symbol}")
    for each, size in ((COORDINATES, "v"), (_QD, "v"), (DRIVES, "u"))
]
_state(state.mass_matrix_dq, Q, MASS.by(COORDINATES).array("v", "v", "v"))
_factored(state.coriolis_matrix_dq, V, CORIOLIS.by(COORDINATES).array("v", "v", "v"), group="state")
_factored(state.coriolis_matrix_dqd, V, CORIOLIS.by(_QD).array("v", "v", "v"), group="state")
_state(state.gravity_torque_dq, Q, GRAVITY.by(COORDINATES).array("v", "v"))
_torque_state(state.inverse_dynamics_dq, A, _inverse[0])
_torque_state(state.inverse_dynamics_dqd, A, _inverse[1])
_loaded_state(state.generalized_force_dq, A, _general[0])
_loaded_state(state.generalized_force_dqd, A, _general[1])
_loaded_state(state.forward_dynamics_dq, _TAU, _forward[0])
_loaded_state(state.forward_dynamics_dqd, _TAU, _forward[1])
_loaded_state(state.forward_dynamics_dtau, _TAU, _forward[2])
_torque_state(state.inverse_dynamics_derivatives, A, _inverse)
_loaded_state(state.generalized_force_derivatives, A, _general)
_loaded_state(state.forward_dynamics_derivatives, _TAU, _forward)

_parameters = partial(FORMS.add, group="parameters", needs=(MOTION,))
_parameters(parameters.regressor, A, REGRESSOR.array("u", "p"), needs=(MOTION, DRIVEN))
_parameters(parameters.generalized_force_regressor, A, GENERAL_ROWS.array("v", "p"))
_parameters(parameters.slotine_li_regressor, R, SLOTINE_LI.array("v", "p"), choices=("factorisation",))
_parameters(parameters.mass_matrix_dphi, Q, MASS.by(PARAMETERS).array("v", "v", "p"))
_parameters(
    parameters.coriolis_matrix_dphi,
    V,
    CORIOLIS.by(PARAMETERS).array("v", "v", "p"),
    choices=("factorisation",),
)
_parameters(parameters.gravity_torque_dphi, Q, GRAVITY.by(PARAMETERS).array("v", "p"))
_parameters(parameters.kinetic_energy_regressor, V, KINETIC_ROW.array("p"))
_parameters(parameters.potential_energy_regressor, Q, POTENTIAL_ROW.array("p"))


@layout.register
def _joints(model: ClosedModel, form: Form, index: Index) -> Iterator[str]:
    yield "Independent joints, in order:" if model.explicit else "All joints, in order:"
    names = model.joint_names if model.explicit else model.tree.joint_names
    for k, joint in enumerate(names):
        yield f"  {index('q', (k,))}  {label(joint)}"
