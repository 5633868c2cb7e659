"""Poses, Jacobians and their time derivatives of any frame, and the centre of mass."""

from __future__ import annotations

from typing import Any

import casadi as ca
from casadi import SX

from ..errors import ClosedFormError
from .algebra import cross_columns
from .series import applied, leibniz
from .subtree import composites
from .tree import Posture, Tree
from .twists import minus_ad


def pose(tree: Tree, q: SX, frame: str | None) -> SX:
    """Return the 4x4 pose of a frame in the base frame, a product of exponentials.

    C(q) = B_1 exp(X_1 q_1) ... B_i exp(X_i q_i) T_frame [MuellerKumar2021, Eq. (3)].
    """
    body, R, p = tree.frame(frame)
    for i in tree.model.ancestors(body):
        turn, origin = tree.own[i].placement(q)
        R, p = turn.out(R), turn.out(p) + origin
    T = SX.eye(4)
    T = ca.densify(T)
    T[:3, :3], T[:3, 3] = R, p
    return T


def jacobian(tree: Tree, q: SX, frame: str | None) -> SX:
    """Return the 6 x nv Jacobian J with V = J qd, the body twist (omega; v) of a frame in itself.

    Its columns are Ad^-1 X_j for the joints that carry the frame [MuellerKumar2021, Eqs. (8)-(10)].
    """
    return jacobian_rates(tree, q, frame)[0]


def jacobian_dot(tree: Tree, q: SX, qd: SX, frame: str | None) -> SX:
    """Return the time derivative of the frame's Jacobian.

    A column turns with the motion of the frame relative to the body of its joint,
    Jd_j = -ad_V J_j with V the relative twist [Garofalo2013, Eq. (28)]. Returns (6, nv).
    """
    return jacobian_rates(tree, q, qd, frame)[1]


def jacobian_ddot(tree: Tree, q: SX, qd: SX, qdd: SX, frame: str | None) -> SX:
    """Return the second time derivative of the frame's Jacobian.

    Jdd_j = -ad_Vd J_j - ad_V Jd_j with the relative twist V and its rate [Garofalo2013, Eq. (29)].
    Returns (6, nv).
    """
    return jacobian_rates(tree, q, qd, qdd, frame)[2]


def jacobian_rates(tree: Tree, q: SX, *rates_and_frame: Any) -> tuple[SX, ...]:
    """Return (J, J', J'', ...), the Jacobian of a frame along a motion and its time derivatives.

    From q, qd, qdd, ...: as many derivatives of J as of q. Column j changes with the twist V of the
    frame relative to the body of joint j, J_j' = -ad_V J_j [Garofalo2013, Eq. (28)]; J_j^(k + 1) follows by
    Leibniz' rule, and V = sum of J qd over the joints between. Each is (6, nv).
    """
    *rates, frame = rates_and_frame
    body, R, p = tree.frame(frame)
    total = [SX.zeros(6, tree.nv) for _ in range(len(rates) + 1)]
    V = [SX(6, 1) for _ in rates]
    for i in tree.model.ancestors(body):  # from the frame to the base
        node = tree.own[i]
        J = [ca.vertcat(R.T @ node.Xw, R.T @ (node.Xv + cross_columns(node.Xw, p)))]
        for k in range(len(rates)):
            J.append(leibniz(_minus_ad, V, J, k))
        own = [node.rates(rate) for rate in rates]
        V = [twist + leibniz(applied, J, own, k) for k, twist in enumerate(V)]
        for matrix, columns in zip(total, J, strict=True):
            matrix[:, node.velocities] += node.ratio * columns
        turn, origin = node.placement(q)
        R, p = turn.out(R), turn.out(p) + origin
    return tuple(total)


def _minus_ad(V: SX, X: SX) -> SX:
    """Return -ad_V X of a stacked twist and stacked screws."""
    return ca.vertcat(*minus_ad((V[:3], V[3:]), (X[:3, :], X[3:, :])))


def base_placements(at: Posture) -> list[tuple[SX, SX]]:
    """Return the rotation matrix and origin of every body in the base frame."""
    absolute: list[tuple[SX, SX]] = []
    for node, (R, p) in at:
        if node.parent < 0:
            absolute.append((R.matrix, p))
        else:
            R_p, p_p = absolute[node.parent]
            absolute.append((R.back(R_p.T).T, p_p + R_p @ p))
    return absolute


def first_moment(tree: Tree, q: SX) -> SX:
    """Return the mass of all moving bodies times their centre of mass, in the base frame."""
    at = tree.own_at(q)
    moment = SX.zeros(3)
    for (node, placement), total in zip(at, composites(at), strict=True):
        if node.parent < 0:
            moment = moment + total.in_parent(*placement).ms
    return moment


def total_mass(tree: Tree) -> SX | float:
    """Return the mass of all moving bodies, which a centre of mass needs to have."""
    mass = sum(node.m for node in tree.own) if tree.own else tree.model.mass
    if not isinstance(mass, SX) and mass == 0:
        raise ClosedFormError(f"robot {tree.model.name!r} has no mass that moves, hence no centre of mass")
    return mass


def center_of_mass(tree: Tree, q: SX) -> SX:
    """Return the centre of mass of all moving bodies in the base frame, (3,).

    What is fixed to the base does not count, unless nothing moves: then it is all there is.
    """
    if not tree.own:
        return SX(ca.DM(tree.model.base_phi[6:9] / total_mass(tree)))
    return first_moment(tree, q) / total_mass(tree)


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
