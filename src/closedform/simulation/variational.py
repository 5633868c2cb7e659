"""A variational step: the motion of a discrete action, which keeps momenta and never drifts in energy."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from ..errors import ClosedFormError
from ..forms.elimination import Factors
from ..forms.mass import mass_matrix_rates
from ..model import Model
from ..programs import Program
from .plant import NO_REACTIONS, Plant, masked
from .step_symbols import StepSymbols, step_program

ITERATIONS = 8
"""Iterations of the implicit equation; each gains a factor of the step times the joint velocities."""

CONVERGED = 1e-9
"""Last change of the velocity, relative to it, beyond which a step counts as not found."""


def require_plain_coordinates(model: Model) -> None:
    """Refuse joints whose coordinates do not change with their velocities alone."""
    for body in model.independent:
        turned = body.joint.nv > 1 and body.joint.rotation_column is not None
        if body.joint.quaternion is not None or turned:
            raise ClosedFormError(
                f"simulate: the variational method takes joints of one degree of freedom, joint "
                f"{body.joint_name!r} has {body.joint.nv}; take rk4, rk6 or rk8"
            )


def require_no_gear_losses(model: Model) -> None:
    """Refuse friction by load: what gears lose depends on forces of the links that no discrete action has."""
    for body in model.independent:
        if body.load_friction:
            raise ClosedFormError(
                f"simulate: the variational method has no load_friction, joint {body.joint_name!r} has some; "
                "take rk4, rk6 or rosenbrock, or leave friction out"
            )


def variational(plant: Plant, held: bool) -> Program:
    """Return the program of one variational step of second order.

    The midpoint action h L(q + h v / 2, v) gives, with the momentum P = M qd and all forces f,

        P = M v - h/2 (dL/dq + f),  q -> q + h v,  P -> M v + h/2 (dL/dq + f)  at the midpoint

    [MarsdenWest2001, section 2.5]; dL/dq = M' v - C v - g. The first equation is solved for v by iteration.
    The states of a law move to the midpoint by their rates at the start, and on by those at the midpoint.
    A step whose iteration does not converge is NaN.
    """
    given = StepSymbols(plant, held)
    q, qd, h, nv = given.q, given.qd, given.h, plant.nv
    mode, coulomb = given.contact.get("mode"), given.contact.get("coulomb")
    free = SX.ones(nv) if mode is None else mode * mode
    slid = SX(nv, 1) if mode is None or coulomb is None else mode * coulomb
    momentum = plant.mass_matrix(q) @ qd
    z = given.z
    if plant.nz:
        _, z_dot = plant.joint_forces(q, qd, z, given.inputs(0.0), given.constants)
        z = z + h / 2 * z_dot
    v = last = qd
    for _ in range(ITERATIONS):
        M, push, _ = _midpoint(plant, given, q + h / 2 * v, v, z, slid)
        last, v = v, Factors(masked(M, free), from_leaves=True).solve(free * (momentum + h / 2 * push))
    M, push, z_dot = _midpoint(plant, given, q + h / 2 * v, v, z, slid)
    there = q + h * v
    end = Factors(masked(plant.mass_matrix(there), free), from_leaves=True)
    speed = end.solve(free * (M @ v + h / 2 * push))
    change, size = ca.dot(v - last, v - last), ca.dot(v, v)
    lost = ca.if_else(change > CONVERGED**2 * (1e-12 + size), 0, 1)
    speed = speed / lost
    reactions = NO_REACTIONS
    if mode is not None:
        _, reactions, _ = plant.acceleration(
            q, qd, given.z, given.inputs(0.0), given.constants, mode, coulomb
        )
    return step_program(given, "variational_step", there, speed, given.z + h * z_dot, reactions)


def _midpoint(plant: Plant, given: StepSymbols, q: SX, v: SX, z: SX, slid: SX) -> tuple[SX, SX, SX]:
    """Return M, dL/dq with all forces, and the rates of the law's states at the midpoint."""
    M, rate = mass_matrix_rates(plant.tree, q, v)
    p, _, z_dot = plant.forces(q, v, z, given.inputs(0.5), given.constants)
    return M, rate @ v + p - slid, z_dot
