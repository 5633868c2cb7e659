"""Derivatives by q of Jacobians and of their rates: kinematic Hessians, in any reference.

The derivative by q_h is that for a body-frame (right) perturbation of joint h, T -> T exp(X_h s), by s at
0, along a unit velocity h; of one-dof joints it is d / dq_h. Only joints that carry the frame have entries.
"""

from __future__ import annotations

from casadi import SX

from .algebra import cross_columns
from .kinematics import base_placements, column_rates, reference_twists, stacked_minus_ad
from .mass_centre import total_mass
from .path import Path, Step
from .reference import BODY, TWIST_REFERENCES, Reference
from .series import leibniz
from .subtree import composites
from .tree import Tree


def jacobian_dq(tree: Tree, q: SX, frame: str | None, reference: str = BODY) -> SX:
    """Return dJ / dq, entry [i, j, h] the derivative of J_ij along joint velocity h.

    dJ_j / dq_h = -ad_(V_h) J_j with V_h what a unit velocity h adds to the twist of the `reference`
    against the body of joint j [Garofalo2013, Eqs. (18), (31)]: J_h in "body" if joint h is nearer to
    the frame than j, -J_h in "world" if it is not. The same array is the derivative of J' by qd
    [Garofalo2013, Eq. (30)]. Returns (6, nv, nv).
    """
    return _gradient(Path.of(tree, q, frame), tree.nv, [], reference)


def jacobian_dot_dq(tree: Tree, q: SX, qd: SX, frame: str | None, reference: str = BODY) -> SX:
    """Return dJ' / dq at constant qd, entry [i, j, h] the derivative of J'_ij along joint velocity h.

    It is the rate of dJ_j / dq_h, -ad_(V_h') J_j - ad_(V_h) J_j' [Garofalo2013, Eqs. (20), (32)]. For a
    joint of several dofs, derivatives along its velocities do not commute: V_h' there is what the parent
    of the joint sees. The components are those in the `reference`. Returns (6, nv, nv).
    """
    return _gradient(Path.of(tree, q, frame), tree.nv, [qd], reference)


def com_jacobian_dq(tree: Tree, q: SX) -> SX:
    """Return the derivative by q of the Jacobian of the centre of mass, entry [i, j, h] along velocity h.

    If joint h carries joint j, dJ_j / dq_h = w_h x J_j: the column turns with h. dJ_h / dq_j is the same
    vector, since what j moves is at a lever of h. w_h is the angular velocity per unit of velocity h, in
    base axes, and J_j a column [Garofalo2013, Eqs. (7), (31)]. Returns (3, nv, nv).
    """
    at, mass, nv = tree.own_at(q), total_mass(tree), tree.nv
    turning, moving = [], []
    for node, total, (R, _) in zip(at.nodes, composites(at), base_placements(at), strict=True):
        turning.append(R @ node.Xw)
        moving.append((R @ total.momentum(node.screws)[1]) / mass)
    D = SX(3 * nv, nv)
    for j, node in enumerate(at.nodes):
        for i in tree.model.ancestors(j):
            factor = node.ratio * at.nodes[i].ratio
            for h in range(at.nodes[i].nv):
                block = -factor * cross_columns(moving[j], turning[i][:, h])
                _add(D, nv, block, node.iv, at.nodes[i].iv + h)
                if i != j:
                    for k in range(node.nv):
                        _add(D, nv, block[:, k], at.nodes[i].iv + h, node.iv + k)
    return D


def _gradient(path: Path, nv: int, rates: list[SX], reference: str) -> SX:
    """Return the derivative by q of the Jacobian along a path, or of its rate if there are velocities."""
    refers = TWIST_REFERENCES[reference]
    J = column_rates(path, rates, refers)
    D = SX(6 * nv, nv)
    for h, step in enumerate(path.steps):
        V = [_added_twists(path, refers, h, each) for each in _before_its_joint(step, J[h], rates)]
        for k in range(step.node.nv):
            for j, other in enumerate(path.steps):
                along = [each[j][:, k] for each in V]
                block = leibniz(stacked_minus_ad, along, J[j], len(rates))
                _add(D, nv, step.node.ratio * other.node.ratio * block, other.node.iv, step.node.iv + k)
    return D


def _added_twists(path: Path, reference: Reference, h: int, J: SX) -> list[SX]:
    """Return what the columns of step h add to the twist of the reference against the body of each step."""
    own = [SX(*J.shape)] * len(path.steps)
    own[h] = J
    return reference_twists(path, reference, own)


def _before_its_joint(step: Step, J: list[SX], rates: list[SX]) -> list[SX]:
    """Return the columns of a joint with their rates, as if they were fixed in the parent of the joint.

    [X_h, X_k] of two screws of the joint is the difference between both orders of differentiation; of
    one screw alone it is zero.
    """
    if step.node.nv == 1:
        return J
    return [
        *J[:1],
        *(
            Jd + stacked_minus_ad(J[0] @ step.node.rates(qd), J[0])
            for Jd, qd in zip(J[1:], rates, strict=True)
        ),
    ]


def _add(D: SX, nv: int, block: SX, column: int, h: int) -> None:
    """Add a block of columns to entries [:, column, h], [:, column + 1, h], ... of an array."""
    for k in range(block.size2()):
        rows = [i * nv + column + k for i in range(block.size1())]
        D[rows, h] += block[:, k]
