"""The catalogue of a robot's forms: what each takes and gives, and the function that builds it.

Robot methods, kernels, equations, exported code, documentation, tests and benchmarks all read
`FORMS`. Shapes: q coordinates, v velocities, b moving bodies, s their stacked twists, f frames, p inertial
parameters, t rows of a task.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Unpack

from casadi import SX

from ..errors import ClosedFormError
from ..model import Model
from ..model.idle import refuse_idle_joints, refuse_still
from . import (
    block,
    centroidal,
    coriolis,
    energy,
    external,
    forward,
    frame_motion,
    friction,
    gravity,
    kinematics,
    mass,
    mass_centre,
    matrices,
    newton_euler,
    parameters,
    springs,
    state,
    task_space,
    tensors,
    velocity_maps,
)
from . import block_rates as rates
from . import jacobian_gradients as gradients
from .form import Form
from .form_catalogue import Catalogue
from .need import Need
from .quantities import (
    BIAS,
    BODY_CENTRE,
    BODY_POSES,
    CENTRE,
    CENTRE_JACOBIAN,
    CLASSICAL,
    CONSISTENT,
    COORDINATES,
    CORIOLIS,
    EXTERNAL,
    FORCES,
    FRAME_POSES,
    FRICTION,
    GRAVITY,
    JACOBIAN,
    KINETIC,
    KINETIC_ROW,
    MASS,
    MASS_INVERSE,
    MOMENTUM,
    MOMENTUM_MATRIX,
    NULLSPACE,
    PARAMETERS,
    PHI,
    PLACES,
    POSE,
    POTENTIAL,
    POTENTIAL_ROW,
    REGRESSOR,
    RELATIVE_JACOBIAN,
    SLOTINE_LI,
    SPRINGS,
    SUBTREE_CENTRE,
    TASK_INERTIA,
    TASK_MOBILITY,
    TAU,
    TWIST,
    TWIST_BIAS,
    VELOCITY_MAP,
    VELOCITY_MAP_INVERSE,
    A,
    D,
    Q,
    R,
    V,
    W,
)
from .tree import Tree
from .variant import LOADS, Choices, Variant


def _sizes(model: Model) -> dict[str, int | None]:
    bodies = len(model.bodies)
    return {
        "q": model.nq,
        "v": model.nv,
        "b": bodies,
        "s": 6 * bodies,
        "f": len(model.frames),
        "p": 10 * bodies,
        "t": 6,
    }


def _basis(model: Model, constants: Mapping[str, SX]) -> tuple[Tree]:
    return (Tree.of(model, phi=constants.get("phi"), geometry=constants.get("geometry")),)


def _refuse_massless(model: Model, what: str) -> None:
    if not model.has_inertia:
        raise ClosedFormError(
            f"{what}: robot {model.name!r} has no inertias (geometry only); "
            "give them (inertials=..., or <inertial> elements) or use kinematics"
        )


INERTIAS, MOTION, INVERSE = Need(_refuse_massless), Need(refuse_still), Need(refuse_idle_joints, values=True)
"""What forms need: bodies with inertias, a joint that moves, a mass matrix that has an inverse."""

FORMS = Catalogue(Model, "form", _sizes, _basis, digest=lambda model: model.digest)
"""Every form of a robot by name."""

_placed = partial(FORMS.add, optional=(PLACES,))
_inertial = partial(FORMS.add, optional=(PHI, PLACES))
_framed = partial(_placed, group="kinematics", framed=True)
_referred = partial(_framed, choices=("reference",))
_framed(kinematics.pose, Q, POSE.array(4, 4))
_referred(kinematics.jacobian, Q, JACOBIAN.array(6, "v"))
_referred(kinematics.jacobian_dot, V, JACOBIAN.rate().array(6, "v"))
_referred(kinematics.jacobian_ddot, A, JACOBIAN.rate(2).array(6, "v"))
_centre = partial(_inertial, group="kinematics", needs=(INERTIAS,))
_centre(mass_centre.center_of_mass, Q, CENTRE.array(3))
_centre(mass_centre.com_jacobian, Q, CENTRE_JACOBIAN.array(3, "v"))

_motion = partial(_referred, group="frames")
_motion(frame_motion.frame_velocity, V, TWIST.array(6))
_motion(frame_motion.frame_acceleration, A, TWIST.rate().array(6))
_motion(frame_motion.frame_classical_acceleration, A, CLASSICAL.array(6))
_motion(frame_motion.bias_acceleration, V, TWIST_BIAS.array(6))
_relative = partial(_motion, choices=("relative_to", "reference"))
_relative(kinematics.relative_pose, Q, POSE.array(4, 4), choices=("relative_to",))
_relative(kinematics.relative_jacobian, Q, RELATIVE_JACOBIAN.array(6, "v"))
_relative(kinematics.relative_jacobian_dot, V, RELATIVE_JACOBIAN.rate().array(6, "v"))
_velocities = partial(FORMS.add, group="frames", choices=("coordinates",))
_velocities(velocity_maps.velocity_map, Q, VELOCITY_MAP.array("v", "q"))
_velocities(velocity_maps.velocity_map_inverse, Q, VELOCITY_MAP_INVERSE.array("q", "v"))
_velocities(velocity_maps.velocity_map_dot, V, VELOCITY_MAP.rate().array("v", "q"))
_placed(kinematics.frame_poses, Q, FRAME_POSES.array("f", 4, 4), group="frames")
_placed(kinematics.body_poses, Q, BODY_POSES.array("b", 4, 4), group="frames")

_centroidal = partial(_centre, group="centroidal")
_centroidal(mass_centre.com_velocity, V, CENTRE.rate().array(3))
_centroidal(mass_centre.com_acceleration, A, CENTRE.rate(2).array(3))
_centroidal(mass_centre.body_center_of_mass, Q, BODY_CENTRE.array(3), framed=True)
_centroidal(mass_centre.subtree_center_of_mass, Q, SUBTREE_CENTRE.array(3), framed=True)
_centroidal(centroidal.centroidal_momentum, V, MOMENTUM.array(6))
_centroidal(centroidal.centroidal_momentum_dot, A, MOMENTUM.rate().array(6))
_centroidal(centroidal.centroidal_momentum_matrix, Q, MOMENTUM_MATRIX.array(6, "v"))
_centroidal(centroidal.centroidal_momentum_matrix_dot, V, MOMENTUM_MATRIX.rate().array(6, "v"))

_dynamics = partial(_inertial, needs=(INERTIAS, MOTION))
_solve = partial(_inertial, needs=(INERTIAS, MOTION, INVERSE))
_wrenches = partial(_placed, needs=(MOTION,), choices=LOADS[:2])
_loads = partial(_dynamics, choices=LOADS, loaded=W[0])
_loaded_solve = partial(_solve, choices=LOADS, loaded=W[0])
_loads(newton_euler.inverse_dynamics, A, FORCES.array("v"), closed=block.inverse_dynamics)
_loaded_solve(forward.forward_dynamics, TAU, COORDINATES.rate(2).array("v"))
_loads(newton_euler.drive_torque, A, FORCES.array("v"), choices=LOADS[:2], frictional=True, sprung=True)
_loads(newton_euler.bias_force, V, BIAS.array("v"))
_dynamics(mass.mass_matrix, Q, MASS.array("v", "v"), closed=block.mass_matrix)
_factored = partial(_dynamics, choices=("factorisation",))
_factored(coriolis.coriolis_matrix, V, CORIOLIS.array("v", "v"), closed=block.coriolis_matrix)
_dynamics(gravity.gravity_torque, Q, GRAVITY.array("v"), closed=block.gravity_torque)
_solve(forward.mass_matrix_inverse, Q, MASS_INVERSE.array("v", "v"))
FORMS.add(friction.friction_torque, V[1:], FRICTION.array("v"), needs=(MOTION,), frictional=True)
FORMS.add(springs.spring_torque, Q, SPRINGS.array("v"), needs=(MOTION,), sprung=True)
_wrenches(external.external_torque, Q + W[:1], EXTERNAL.array("v"), closed=block.external_torque)
_dynamics(energy.kinetic_energy, V, KINETIC.array())
_dynamics(energy.potential_energy, Q, POTENTIAL.array(), choices=("springs",))
_task = partial(_solve, group="task space", framed=True, choices=("reference", "rows"))
_task(task_space.task_inertia, Q, TASK_INERTIA.array("t", "t"))
_task(task_space.task_inertia_inverse, Q, TASK_MOBILITY.array("t", "t"))
_task(task_space.dynamically_consistent_inverse, Q, CONSISTENT.array("v", "t"))
_task(task_space.nullspace_projector, Q, NULLSPACE.array("v", "v"))

_time = partial(_dynamics, group="time")
_loads(newton_euler.inverse_dynamics_rates, A, (FORCES.array("v"),), group="time", ordered=True)
_time(mass.mass_matrix_dot, V, MASS.rate().array("v", "v"), closed=rates.mass_matrix_dot)
_time(mass.mass_matrix_ddot, A, MASS.rate(2).array("v", "v"), closed=rates.mass_matrix_ddot)
_factored_time = partial(_factored, group="time")
_factored_time(
    coriolis.coriolis_matrix_dot, A, CORIOLIS.rate().array("v", "v"), closed=rates.coriolis_matrix_dot
)
_factored_time(
    coriolis.coriolis_matrix_ddot, D, CORIOLIS.rate(2).array("v", "v"), closed=rates.coriolis_matrix_ddot
)
_time(gravity.gravity_torque_dot, V, GRAVITY.rate().array("v"), closed=rates.gravity_torque_dot)
_time(gravity.gravity_torque_ddot, A, GRAVITY.rate(2).array("v"), closed=rates.gravity_torque_ddot)
_wrench_rates = partial(_wrenches, group="time")
_wrench_rates(
    external.external_torque_dot, V + W[:2], EXTERNAL.rate().array("v"), closed=rates.external_torque_dot
)
_wrench_rates(
    external.external_torque_ddot, A + W, EXTERNAL.rate(2).array("v"), closed=rates.external_torque_ddot
)
_once = (
    MASS.array("v", "v", name="mass_matrix"),
    CORIOLIS.array("v", "v", name="coriolis_matrix"),
    GRAVITY.array("v", name="gravity_torque"),
)
_rates = tuple(each.quantity.rate().array(*each.shape, name=f"{each.name}_dot") for each in _once)
_time(matrices.dynamic_matrices, V, _once)
_time(matrices.dynamic_matrices_dot, A, _once + _rates)
_family = partial(_time, ordered=True)
_family(mass.mass_matrix_rates, Q, (MASS.array("v", "v"),))
_factored_time(coriolis.coriolis_matrix_rates, V, (CORIOLIS.array("v", "v"),), ordered=True)
_family(gravity.gravity_torque_rates, Q, (GRAVITY.array("v"),))
_wrench_rates(external.external_torque_rates, Q + W[:1], (EXTERNAL.array("v"),), ordered=True)
_placed(
    kinematics.jacobian_rates,
    Q,
    (JACOBIAN.array(6, "v"),),
    group="time",
    needs=(MOTION,),
    ordered=True,
    framed=True,
    choices=("reference",),
)

_state = partial(_dynamics, group="state")
_QD = COORDINATES.rate()
_state(tensors.mass_matrix_dq, Q, MASS.by(COORDINATES).array("v", "v", "v"))
_factored(tensors.coriolis_matrix_dq, V, CORIOLIS.by(COORDINATES).array("v", "v", "v"), group="state")
_factored(tensors.coriolis_matrix_dqd, V, CORIOLIS.by(_QD).array("v", "v", "v"), group="state")
_state(state.gravity_torque_dq, Q, GRAVITY.by(COORDINATES).array("v", "v"))
_wrenches(external.external_torque_dq, Q + W[:1], EXTERNAL.by(COORDINATES).array("v", "v"), group="state")
_loaded_state = partial(_loads, group="state")
_loaded_state(state.inverse_dynamics_dq, A, FORCES.by(COORDINATES).array("v", "v"))
_loaded_state(state.inverse_dynamics_dqd, A, FORCES.by(_QD).array("v", "v"))
_inverse = [
    FORCES.by(each).array("v", "v", name=f"inverse_dynamics_d{each.symbol}") for each in (COORDINATES, _QD)
]
_forward = [
    COORDINATES.rate(2).by(each).array("v", "v", name=f"forward_dynamics_d{each.symbol}")
    for each in (COORDINATES, _QD, FORCES)
]
_loaded_solve(state.forward_dynamics_dq, TAU, _forward[0], group="state")
_loaded_solve(state.forward_dynamics_dqd, TAU, _forward[1], group="state")
_loaded_solve(state.forward_dynamics_dtau, TAU, _forward[2], group="state")
_loaded_state(state.inverse_dynamics_derivatives, A, _inverse)
_loaded_solve(state.forward_dynamics_derivatives, TAU, _forward, group="state")

_hessian = partial(_referred, group="state", needs=(MOTION,))
_hessian(gradients.jacobian_dq, Q, JACOBIAN.by(COORDINATES).array(6, "v", "v"))
_hessian(gradients.jacobian_dot_dq, V, JACOBIAN.rate().by(COORDINATES).array(6, "v", "v"))
_state(gradients.com_jacobian_dq, Q, CENTRE_JACOBIAN.by(COORDINATES).array(3, "v", "v"))

_parameters = partial(_placed, group="parameters", needs=(MOTION,))
_parameters(parameters.regressor, A, REGRESSOR.array("v", "p"))
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


def form(
    name: str,
    order: int | None = None,
    *,
    frame: str | None = None,
    phi: bool = False,
    geometry: bool = False,
    **choices: Unpack[Choices],
) -> Form:
    """Return the form of that name: of a frame, of an order if it is a family, with numbers as inputs."""
    return FORMS.form(name, Variant(frame, order, phi, geometry, **choices))
