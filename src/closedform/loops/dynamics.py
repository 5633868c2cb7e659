"""Equations of motion of a robot with loops in its independent coordinates."""

from __future__ import annotations

from dataclasses import replace

from casadi import SX

from ..forms import coriolis, energy, external, gravity, mass, newton_euler
from ..forms.elimination import Factors, Rotations
from ..forms.external import Frames
from ..forms.factorisation import CHRISTOFFEL
from ..forms.loads import NO_LOADS, Loads
from ..forms.reference import BODY
from .closed_tree import ClosedTree, Posture, congruence


def generalized_force(closed: ClosedTree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return the generalised forces M qdd + C qd + g of a motion, as if all independent joints drove.

    G^T tau with the forces tau of all joints of the tree [JainEmbedding2012], whoever drives: torques of
    the actuated joints give the motion if A^T tau_a is equal to them. `wrenches`, `reference`, `friction`
    and `springs` as in `inverse_dynamics`. Returns (nv).
    """
    at = closed.at(q)
    return forces_of(at, qd, qdd, loads)


def inverse_dynamics(closed: ClosedTree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return the torques of the actuated joints in a motion.

    The forces tau of all joints of the tree, as if each were driven, do the virtual work of G^T tau along
    the independent coordinates [JainEmbedding2012]. The actuated joints, moving with A qd, do the same
    with A^T tau_a = G^T tau. If there are more of them than degrees of freedom, tau_a is the one of least
    norm, and `actuation_nullspace` gives the others. If nobody drives some degrees of freedom, no torques
    give every motion: see `generalized_force`. Returns (actuated).

    `wrenches`, `reference`, `friction` and `springs` as for trees; joints that are not driven have
    friction and springs too.
    """
    at = closed.at(q)
    return at.torques(forces_of(at, qd, qdd, loads))


def least_squares_torque(
    closed: ClosedTree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS
) -> tuple[SX, SX]:
    """Return torques of the actuated joints that come nearest to a motion, and what they leave.

    f = A^T tau + residual with the least |residual| and, of these, the least |tau|, for any set of
    actuated joints. The residual, generalised forces that nobody gives, vanishes if the motion is
    possible: then torques are those of the motion. If the actuated joints are some of the independent
    ones, torques are their generalised forces, and the residual those of the others. Returns (actuated)
    and (nv).
    """
    at = closed.at(q)
    f = forces_of(at, qd, qdd, loads)
    tau = at.torques(f)
    return tau, f - at.forces(tau)


def drive_torque(closed: ClosedTree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return the torques of the actuated joints in a motion, friction and springs of all joints included.

    `inverse_dynamics` with `friction=True` and `springs=True`. Returns (actuated).
    """
    return inverse_dynamics(closed, q, qd, qdd, loads=replace(loads, friction=True, springs=True))


def forward_dynamics(closed: ClosedTree, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return the accelerations of the independent coordinates under torques of the actuated joints.

    G^T M G qdd = A^T tau - h with the bias h = G^T (M G' qd + C v + g) [JainEmbedding2012]: no constraint
    force is needed. `wrenches`, `friction` and `springs` as in `inverse_dynamics`. Returns (nv).
    """
    at = closed.at(q)
    return _factors(at).solve(at.forces(tau) - _bias(at, qd, loads))


def bias_force(closed: ClosedTree, q: SX, qd: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return C qd + g, the generalised forces of a motion without accelerations. Returns (nv)."""
    return _bias(closed.at(q), qd, loads)


def mass_matrix(closed: ClosedTree, q: SX) -> SX:
    """Return the mass matrix G^T M G of the independent coordinates, symmetric and positive definite.

    Returns (nv, nv).
    """
    at = closed.at(q)
    return embedded_mass(at)


def mass_matrix_inverse(closed: ClosedTree, q: SX) -> SX:
    """Return the inverse of the mass matrix. Returns (nv, nv)."""
    return _factors(closed.at(q)).inverse()


def coriolis_matrix(closed: ClosedTree, q: SX, qd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return the Coriolis matrix G^T (M G' + C_tree G), for which Mdot - 2 C is skew-symmetric.

    Mdot - 2 C = G'^T M G - G^T M G' + G^T (M_tree' - 2 C_tree) G, and both parts are skew if the
    `factorisation` of the tree's is. Returns (nv, nv).
    """
    at = closed.at(q)
    v = at.G @ qd
    G, Gd = at.embedding_rates([v])
    M = mass.mass_matrix(at.tree, at.x)
    return G.T @ (M @ Gd + coriolis.coriolis_matrix(at.tree, at.x, v, factorisation) @ G)


def gravity_torque(closed: ClosedTree, q: SX) -> SX:
    """Return the generalised forces G^T g that hold the mechanism still. Returns (nv)."""
    at = closed.at(q)
    return at.G.T @ gravity.gravity_torque(at.tree, at.x)


def external_torque(
    closed: ClosedTree, q: SX, wrenches: SX, *, frames: Frames = None, reference: str = BODY
) -> SX:
    """Return the generalised forces G^T J^T W of wrenches that the environment applies to the bodies.

    Wrenches as for robots without loops. Returns (nv).
    """
    at = closed.at(q)
    return at.G.T @ external.external_torque(at.tree, at.x, wrenches, frames=frames, reference=reference)


def kinetic_energy(closed: ClosedTree, q: SX, qd: SX) -> SX:
    """Return the kinetic energy of all bodies."""
    at = closed.at(q)
    return energy.kinetic_energy(at.tree, at.x, at.G @ qd)


def potential_energy(closed: ClosedTree, q: SX, springs: bool = False) -> SX:
    """Return the potential energy of all bodies, with `springs=True` that of all joints' springs too."""
    return energy.potential_energy(closed.tree, closed.assembled(q), springs=springs)


def constraint_forces(closed: ClosedTree, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return the forces lambda that the loops transmit in a motion, one per independent row.

    M v' + C v + g = tau + B^T lambda over all joints of the tree; the dependent rows of it give lambda.
    Row by row they are forces and moments on frame B from frame A, in the axes of A; the rows are
    `robot.row_names`. If nobody drives some degrees of freedom, a motion that torques give has these
    torques; what else a motion needs acts at the independent joints. Returns (rows).
    """
    at = closed.at(q)
    v, vd = at.velocities([qd, qdd])
    tau = newton_euler.inverse_dynamics(at.tree, at.x, v, vd, loads=loads)
    driven = SX(at.tree.nv, 1)
    driven[list(at.model.av)] = at.torques(at.G.T @ tau)
    return at.system.solve_transposed((tau - driven)[list(at.model.dv)])


def actuation_nullspace(closed: ClosedTree, q: SX) -> SX:
    """Return an orthonormal basis N of torques of the actuated joints that move nothing, A^T N = 0.

    inverse_dynamics(...) + N s for any s drives the same motion: preload of redundant actuators.
    Returns (actuated, actuators beyond the degrees of freedom that they move).
    """
    at = closed.at(q)
    return Rotations(at.sharing.T if at.model.undriven else at.A.T).null.T


def embedded_mass(at: Posture) -> SX:
    """Return G^T M G."""
    return congruence(at.G, mass.mass_matrix(at.tree, at.x))


def forces_of(at: Posture, qd: SX, qdd: SX, loads: Loads) -> SX:
    """Return the generalised forces of a motion."""
    v, vd = at.velocities([qd, qdd])
    return at.G.T @ newton_euler.inverse_dynamics(at.tree, at.x, v, vd, loads=loads)


def _factors(at: Posture) -> Factors:
    return Factors(embedded_mass(at), from_leaves=True)


def _bias(at: Posture, qd: SX, loads: Loads) -> SX:
    v = at.G @ qd
    return at.G.T @ newton_euler.inverse_dynamics(at.tree, at.x, v, at.drift(v), loads=loads)
