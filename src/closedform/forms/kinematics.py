"""Poses, Jacobians and their time derivatives of any frame, and the centre of mass."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from ..errors import ClosedFormError
from ..model import Frame, Model
from ..rotations import inverse
from .algebra import Rotation, constant, cross_columns
from .motion import minus_ad
from .pairs import plus
from .subtree import composites
from .tree import Node, recursion_tree


def pose(model: Model, q: SX, frame: Frame) -> SX:
    """Return the 4x4 pose of a frame in the base frame, a product of exponentials.

    C(q) = B_1 exp(X_1 q_1) ... B_i exp(X_i q_i) T_frame [MuellerKumar2021, Eq. (3)].
    """
    nodes = recursion_tree(model, regroup=False)
    R, p = _frame_in_node(nodes, frame)
    for i in model.ancestors(frame.body):
        turn, origin = nodes[i].placement(q)
        R, p = turn.out(R), turn.out(p) + origin
    T = SX.eye(4)
    T = ca.densify(T)
    T[:3, :3], T[:3, 3] = R, p
    return T


def jacobian(model: Model, q: SX, frame: Frame) -> SX:
    """Return the 6 x nv Jacobian J with V = J qd, the body twist (omega; v) of a frame in itself.

    Its columns are Ad^-1 X_j for the joints that carry the frame [MuellerKumar2021, Eqs. (8)-(10)].
    """
    return _jacobians(model, q, frame, None, None)[0]


def jacobian_dot(model: Model, q: SX, qd: SX, frame: Frame) -> SX:
    """Return the time derivative of the frame's Jacobian.

    A column turns with the motion of the frame relative to the body of its joint,
    Jd_j = -ad_V J_j with V the relative twist [Garofalo2013, Eq. (28)]. Returns (6, nv).
    """
    return _jacobians(model, q, frame, qd, None)[1]


def jacobian_ddot(model: Model, q: SX, qd: SX, qdd: SX, frame: Frame) -> SX:
    """Return the second time derivative of the frame's Jacobian.

    Jdd_j = -ad_Vd J_j - ad_V Jd_j with the relative twist V and its rate [Garofalo2013, Eq. (29)].
    Returns (6, nv).
    """
    return _jacobians(model, q, frame, qd, qdd)[2]


def _frame_in_node(nodes: tuple[Node, ...], frame: Frame) -> tuple[SX, SX]:
    T = frame.placement
    if frame.body >= 0:
        T = inverse(nodes[frame.body].T_frame) @ T
    return constant(T[:3, :3]), constant(T[:3, 3])


def _jacobians(model: Model, q: SX, frame: Frame, qd: SX | None, qdd: SX | None) -> tuple[SX, SX, SX]:
    """Return J, Jd, Jdd, walking from the frame to the root with the relative twist V and its rate."""
    nodes = recursion_tree(model, regroup=False)
    R, p = _frame_in_node(nodes, frame)
    results = (SX.zeros(6, model.nv), SX.zeros(6, model.nv), SX.zeros(6, model.nv))
    V = Vd = (SX(3, 1), SX(3, 1))
    for i in model.ancestors(frame.body):
        node = nodes[i]
        J = (R.T @ node.Xw, R.T @ (node.Xv + cross_columns(node.Xw, p)))
        orders = [J]
        if qd is not None:
            Jd = minus_ad(V, J)
            orders.append(Jd)
            v = node.rates(qd)
            if qdd is not None:
                Jdd = plus(minus_ad(Vd, J), minus_ad(V, Jd))
                orders.append(Jdd)
                dv = node.rates(qdd)
                Vd = plus(Vd, (J[0] @ dv + Jd[0] @ v, J[1] @ dv + Jd[1] @ v))
            V = plus(V, (J[0] @ v, J[1] @ v))
        factor = 1.0 if node.coupling is None else node.coupling.multiplier
        for total, part in zip(results, orders, strict=False):
            total[:, node.iv : node.iv + node.nv] += factor * ca.vertcat(*part)
        turn, origin = node.placement(q)
        R, p = turn.out(R), turn.out(p) + origin
    return results


def base_placements(nodes: tuple[Node, ...], placements: list[tuple[Rotation, SX]]) -> list[tuple[SX, SX]]:
    """Return the rotation matrix and origin of every body in the base frame."""
    absolute: list[tuple[SX, SX]] = []
    for node, (R, p) in zip(nodes, placements, strict=True):
        if node.parent < 0:
            absolute.append((R.matrix, p))
        else:
            R_p, p_p = absolute[node.parent]
            absolute.append((R.back(R_p.T).T, p_p + R_p @ p))
    return absolute


def first_moment(model: Model, q: SX) -> SX:
    """Return the mass of all moving bodies times their centre of mass, in the base frame."""
    nodes = recursion_tree(model, regroup=False)
    placements = [node.placement(q) for node in nodes]
    total = composites(nodes, placements)
    moment = SX.zeros(3)
    for i, node in enumerate(nodes):
        if node.parent < 0:
            moment = moment + total[i].in_parent(*placements[i]).ms
    return moment


def total_mass(model: Model) -> SX | float:
    """Return the mass of all moving bodies, which a centre of mass needs to have."""
    mass = sum(node.m for node in recursion_tree(model, regroup=False)) if model.bodies else model.mass
    if not isinstance(mass, SX) and mass == 0:
        raise ClosedFormError(f"robot {model.name!r} has no mass that moves, hence no centre of mass")
    return mass


def center_of_mass(model: Model, q: SX) -> SX:
    """Return the centre of mass of all moving bodies in the base frame, (3,).

    What is fixed to the base does not count, unless nothing moves: then it is all there is.
    """
    if not model.bodies:
        return SX(ca.DM(model.base_phi[6:9] / total_mass(model)))
    return first_moment(model, q) / total_mass(model)


def com_jacobian(model: Model, q: SX) -> SX:
    """Return the 3 x nv Jacobian of the centre of mass in the base frame.

    A joint moves the mass it carries with the linear momentum of I_j X_j per unit velocity, so
    column j is R_j f_j / m with f_j the force part of that wrench [Garofalo2013, Eq. (7)].
    """
    nodes = recursion_tree(model, regroup=False)
    placements = [node.placement(q) for node in nodes]
    total = composites(nodes, placements)
    mass = total_mass(model)
    J = SX.zeros(3, model.nv)
    for i, (node, (R, _)) in enumerate(zip(nodes, base_placements(nodes, placements), strict=True)):
        _, f = total[i].momentum((node.Xw, node.Xv))
        factor = 1.0 if node.coupling is None else node.coupling.multiplier
        J[:, node.iv : node.iv + node.nv] += (factor / mass) * (R @ f)
    return J
