"""The centre of mass: of all moving bodies, of one, or of what a body carries, and how it moves."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from ..errors import ClosedFormError
from .algebra import constant
from .kinematics import base_placements
from .moments import Moment
from .subtree import composites
from .tree import Posture, Tree


def first_moment(at: Posture) -> SX:
    """Return the mass of all moving bodies times their centre of mass, in the base frame."""
    moment = SX.zeros(3)
    for (node, placement), total in zip(at, composites(at), strict=True):
        if node.parent < 0:
            moment = moment + total.in_parent(*placement).ms
    return moment


def total_mass(tree: Tree) -> SX | float:
    """Return the mass of all moving bodies, which a centre of mass needs to have."""
    mass = sum(node.m for node in tree.own) if tree.own else tree.model.mass
    return _not_zero(tree, mass, "what moves")


def center_of_mass(tree: Tree, q: SX) -> SX:
    """Return the centre of mass of all moving bodies in the base frame, (3,).

    What is fixed to the base does not count, unless nothing moves: then it is all there is.
    """
    if not tree.own:
        return SX(ca.DM(tree.model.base_phi[6:9] / total_mass(tree)))
    return first_moment(tree.own_at(q)) / total_mass(tree)


def com_jacobian(tree: Tree, q: SX) -> SX:
    """Return the 3 x nv Jacobian of the centre of mass in the base frame.

    A joint moves the mass it carries with the linear momentum of I_j X_j per unit velocity, so
    column j is R_j f_j / m with f_j the force part of that wrench [Garofalo2013, Eq. (7)].
    """
    at, mass = tree.own_at(q), total_mass(tree)
    J = SX.zeros(3, tree.nv)
    for node, total, (R, _) in zip(at.nodes, composites(at), base_placements(at), strict=True):
        _, f = total.momentum(node.screws)
        J[:, node.velocities] += (node.ratio / mass) * (R @ f)
    return J


def com_velocity(tree: Tree, q: SX, qd: SX) -> SX:
    """Return the velocity of the centre of mass in the base frame, c' = J_c qd, without forming J_c.

    First moments and their rates are gathered from the leaves to the base. Returns (3,).
    """
    return _motion(tree, q, qd, SX(tree.nv, 1)).rate / total_mass(tree)


def com_acceleration(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the acceleration of the centre of mass in the base frame, c'' = J_c qdd + J_c' qd.

    Mass times c'' is the sum of all forces on the robot, gravity and those on its base included.
    Returns (3,).
    """
    return _motion(tree, q, qd, qdd).second / total_mass(tree)


def _motion(tree: Tree, q: SX, qd: SX, qdd: SX) -> Moment:
    """Return the first moment of all moving bodies, with its derivatives, as the base sees it."""
    total = [Moment.at_rest(node.m, constant(node.ms)) for node in tree.own]
    base = Moment.at_rest(0.0, SX(3, 1))
    for i, node, placement in tree.own_at(q).leaves_first():
        seen = total[i].across(node.twist(qd), node.twist(qdd), *placement)
        if node.parent >= 0:
            total[node.parent] = total[node.parent] + seen
        else:
            base = base + seen
    return base


def body_center_of_mass(tree: Tree, q: SX, frame: str | None) -> SX:
    """Return the centre of mass, in the base frame, of the body that a frame is fixed to.

    What is fixed to the base is one body here. Returns (3,).
    """
    body = tree.frame(frame)[0]
    if body < 0:
        phi = tree.model.base_phi
        return constant(phi[6:9]) / _not_zero(tree, float(phi[9]), "what is fixed to the base")
    node = tree.own[body]
    return _in_base(tree, q, body, constant(node.ms) / _not_zero(tree, node.m, _named(tree, body)))


def subtree_center_of_mass(tree: Tree, q: SX, frame: str | None) -> SX:
    """Return the centre of mass, in the base frame, of the body of a frame with all it carries.

    Of a frame that is fixed to the base it is that of all moving bodies, as in `center_of_mass`.
    Returns (3,).
    """
    body = tree.frame(frame)[0]
    if body < 0:
        return center_of_mass(tree, q)
    carried = composites(tree.own_at(q))[body]
    mass = sum(tree.own[i].m for i in range(len(tree.own)) if body in tree.model.ancestors(i))
    whole = f"{_named(tree, body)} with all it carries"
    return _in_base(tree, q, body, carried.ms / _not_zero(tree, mass, whole))


def _named(tree: Tree, body: int) -> str:
    return f"body {tree.model.bodies[body].name!r}"


def _not_zero(tree: Tree, mass: SX | float, what: str) -> SX | float:
    """Return a mass that first moments are divided by; zero is refused."""
    if not isinstance(mass, SX) and mass == 0:
        raise ClosedFormError(f"robot {tree.model.name!r}: {what} has no mass, hence no centre of mass")
    return mass


def _in_base(tree: Tree, q: SX, body: int, point: SX) -> SX:
    """Return a point of a body in the base frame."""
    for i in tree.model.ancestors(body):
        turn, origin = tree.own[i].placement(q)
        point = turn.out(point) + origin
    return point
