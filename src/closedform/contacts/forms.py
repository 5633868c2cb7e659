"""The forms of a robot with contacts."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from ..forms import newton_euler
from ..forms.loads import NO_LOADS, Loads
from ..forms.tree import Tree
from .model import ContactModel
from .touching import Touching


@dataclass(frozen=True, eq=False)
class Held:
    """A tree and what holds it: what the forms of a robot with contacts are built on."""

    model: ContactModel
    tree: Tree

    def at(self, q: SX) -> Touching:
        """Return the robot at q."""
        return Touching(self.model, self.tree, q)


def forward_dynamics(held: Held, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return the accelerations under torques while contacts hold, J qdd + J' qd = 0.

    By the Delassus matrix [Featherstone2008, section 8.5]. tau are the forces of all velocities; those of
    a floating base are zero unless something else pushes it. Contacts hold both ways: whether they should
    let go, `contact_forces` tells. `wrenches`, `friction` and `springs` as for trees. Returns (nv).
    """
    at = held.at(q)
    free = at.free(qd, tau, loads)
    return free + at.pushed(at.held(qd, free))


def contact_forces(held: Held, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return the forces of the contacts on the robot under torques, row by row as `row_names`.

    Forces in the axes of the contact, z along its normal, then moments. If rows depend on each other
    (four points of one foot), the forces of least norm that give the same motion. Returns (rows).
    """
    at = held.at(q)
    return at.shared(at.held(qd, at.free(qd, tau, loads)))


def impact(held: Held, q: SX, qd: SX) -> tuple[SX, SX]:
    """Return the velocities after contacts are made at once, and the impulses of the contacts.

    M (qd_after - qd) = J^T p with J qd_after = -e J qd and the restitution e [Featherstone2008, section
    11.7]. Returns (nv) and (rows).
    """
    at = held.at(q)
    p = at.stopped(qd)
    return qd + at.pushed(p), at.shared(p)


def inverse_dynamics(held: Held, q: SX, qd: SX, qdd: SX, *, loads: Loads = NO_LOADS) -> tuple[SX, SX]:
    """Return torques and contact forces of a motion, the contact forces of least norm.

    The contacts give what joints without torque, such as a floating base, cannot:
    (J^T lambda)_u = (M qdd + C qd + g)_u with the least |lambda|; the other joints give the rest. Returns
    (nv), zero for joints without torque, and (rows).
    """
    at = held.at(q)
    forces = newton_euler.inverse_dynamics(at.tree, q, qd, qdd, loads=loads)
    found = at.supporting(forces)
    tau = SX(at.tree.nv, 1)
    driven = list(held.model.driven)
    tau[driven] = (forces - at.rows()[0].T @ found)[driven]
    return tau, found


def contact_jacobian(held: Held, q: SX) -> SX:
    """Return the velocities of the contacts per velocity of the joints, all rows. Returns (rows, nv)."""
    return held.at(q).rows()[0]


def contact_acceleration(held: Held, q: SX, qd: SX, qdd: SX) -> SX:
    """Return J qdd + J' qd, which vanishes while contacts hold, all rows. Returns (rows)."""
    J, Jd = held.at(q).rows(qd)
    return J @ qdd + Jd @ qd


def delassus_matrix(held: Held, q: SX) -> SX:
    """Return J M^-1 J^T of the independent rows: accelerations of contacts per force there.

    Symmetric, and positive definite where the rows are independent [Featherstone2008, section 8.5].
    Returns (independent rows, independent rows).
    """
    return ca.densify(held.at(q).delassus)
