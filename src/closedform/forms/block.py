"""The papers' closed form: block matrices A, X, a, b, M over all bodies, and J = A X.

The same quantities as the recursions, by another route: adjoint matrices in the user's own
body frames, no regrouping, no composite bodies. Tests hold the two equal; kernels use the
recursions, which cost fewer operations.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

from ..model import Body
from ..model.inertia import parts_from_phi
from ..rotations import adjoint, inverse
from ..rotations import skew as numeric_skew
from .algebra import Rotation, constant, skew
from .armature import add_rotor_coriolis, free_rotors
from .factorisation import CHRISTOFFEL, SKEW_CONSISTENT
from .joint_motion import pose_about_centre
from .node import Node
from .subtree import Composite
from .tree import Tree


@dataclass(frozen=True)
class Blocks:
    """The block matrices of a tree at q: D, A, X, J = A X, the inertias M, and U = A diag(Ad_C1^-1, ...)."""

    D: SX
    A: SX
    X: SX
    J: SX
    M: SX
    U: SX


def blocks(tree: Tree, q: SX) -> Blocks:
    """Return the block matrices of [MuellerKumar2021, Eqs. (9), (10), (16), (21), (26)] for a tree.

    Joints of several dofs contribute 6 x k blocks to X; a mimic joint's block is in the
    column of the joint that drives it.
    """
    bodies, X = tree.model.bodies, screws(tree)
    n = len(bodies)
    D, M, U0 = SX(6 * n, 6 * n), SX(6 * n, 6 * n), SX(6 * n, 6)
    for i, body in enumerate(bodies):
        rows = slice(6 * i, 6 * i + 6)
        Ad = _adjoint_of_node(tree, i, q) if tree.symbolic else _adjoint_to_body(body, q)
        if body.parent >= 0:
            D[rows, 6 * body.parent : 6 * body.parent + 6] = Ad
        else:
            U0[rows, :] = Ad
        M[rows, rows] = _inertia_of_node(tree, i) if tree.symbolic else _inertia(body)
    A = SX.eye(6 * n)
    for i, body in enumerate(bodies):
        if body.parent >= 0:
            rows, parent = slice(6 * i, 6 * i + 6), slice(6 * body.parent, 6 * body.parent + 6)
            A[rows, : 6 * i] = D[rows, parent] @ A[parent, : 6 * i]
    return Blocks(D, A, X, A @ X, M, A @ U0)


def screws(tree: Tree) -> SX:
    """Return X, the screws of all joints, which are constant [MuellerKumar2021, Eqs. (4), (10)]."""
    X = SX(6 * len(tree.model.bodies), tree.nv)
    for i, body in enumerate(tree.model.bodies):
        X[6 * i : 6 * i + 6, body.iv : body.iv + body.joint.nv] = body.ratio * constant(body.joint.X)
    return X


def mass_matrix(tree: Tree, q: SX) -> SX:
    """Return M(q) = J^T M J [MuellerKumar2021, Eq. (20)]."""
    B = blocks(tree, q)
    return B.J.T @ B.M @ B.J + _armature(tree)


def coriolis_matrix(tree: Tree, q: SX, qd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return J^T (M Jd + c J), by default of the Christoffel factorisation c = (M b - b^T M + N) / 2.

    Jd = A a X - A a J holds for joints of several dofs too. N(h) V = -ad_V^T h is the
    skew matrix of the momenta h = M V. The papers have c = M b - b^T M [MuellerKumar2021, Eq. (54)],
    [Garofalo2013, Eq. (6b)], or c = -b^T M [MuellerKumar2021, Eq. (22)].
    """
    B = blocks(tree, q)
    a = diag_ad(B.X @ qd)
    Jd = B.A @ a @ B.X - B.A @ a @ B.J
    C = B.J.T @ (B.M @ Jd + velocity_part(B, B.J @ qd, factorisation) @ B.J)
    return add_rotor_coriolis(C, free_rotors(tree.own), qd)


def gravity_torque(tree: Tree, q: SX) -> SX:
    """Return g = J^T M U G with G = (0; -gravity) [MuellerKumar2021, Eqs. (25), (26)]."""
    B = blocks(tree, q)
    return B.J.T @ (B.M @ (B.U @ upward(tree)))


def external_torque(tree: Tree, q: SX, wrenches: SX) -> SX:
    """Return J^T W, W stacking the wrenches of all bodies [MuellerKumar2021, Eq. (27)]."""
    return blocks(tree, q).J.T @ ca.vec(wrenches.T)


def inverse_dynamics(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return M qdd + C qd + g from the block matrices [MuellerKumar2021, Eq. (1)]."""
    M, C, g = mass_matrix(tree, q), coriolis_matrix(tree, q, qd), gravity_torque(tree, q)
    return M @ qdd + C @ qd + g


def _armature(tree: Tree) -> SX:
    diagonal = np.zeros(tree.nv)
    for body in tree.model.bodies:
        diagonal[body.iv : body.iv + body.joint.nv] += body.ratio**2 * body.armature
    return constant(np.diag(diagonal))


def _inertia(body: Body) -> SX:
    """Return the 6 x 6 inertia matrix of a body about its frame origin [MuellerKumar2021, Eq. (24)]."""
    m, ms, J = parts_from_phi(body.phi)
    S = numeric_skew(ms)
    return constant(np.block([[J, S], [S.T, m * np.eye(3)]]))


def _inertia_of_node(tree: Tree, i: int) -> SX:
    """Return the same of a body whose inertia has symbols, from its node."""
    R, c = _frame_of_node(tree.own[i])
    return Composite.of(tree.own[i]).in_parent(Rotation([R]), c).matrix


def _adjoint_of_node(tree: Tree, i: int, q: SX) -> SX:
    """Return Ad_{C_{i,i-1}} of a body whose lengths may be symbols, from its node."""
    node = tree.own[i]
    turn, p = node.placement(q)
    R_own, c = _frame_of_node(node)
    R_parent, c_parent = _frame_of_node(tree.own[node.parent]) if node.parent >= 0 else (SX.eye(3), SX(3, 1))
    R = R_parent @ turn.matrix @ R_own.T
    return _adjoint_of_inverse(R, c_parent + R_parent @ p - R @ c)


def _frame_of_node(node: Node) -> tuple[SX, SX]:
    """Return rotation and origin of a node's frame in the user's body frame."""
    return constant(node.T_frame[:3, :3]), constant(node.T_frame[:3, 3])


def _adjoint_to_body(body: Body, q: SX) -> SX:
    """Return Ad_{C_{i,i-1}}, from the parent frame to the body frame at q."""
    own = q[body.iq : body.iq + body.joint.nq]
    if body.coupling is not None:
        own = body.ratio * own + body.coupling.offset
    return _adjoint_of_inverse_exp(body, own) @ constant(adjoint(inverse(body.placement)))


def _adjoint_of_inverse_exp(body: Body, q: SX) -> SX:
    """Return Ad of the inverse joint motion exp(X q)^-1 [MuellerKumar2021, Eqs. (6), (11)]."""
    return _adjoint_of_inverse(*pose_about_centre(body.joint, q))


def _adjoint_of_inverse(R: SX, p: SX) -> SX:
    return ca.blockcat(R.T, SX(3, 3), -R.T @ skew(p), R.T)


def upward(tree: Tree) -> SX:
    """Return G = (0; -gravity), the twist with which the base seems to accelerate."""
    return ca.vertcat(SX(3, 1), -constant(tree.gravity))


def velocity_part(B: Blocks, V: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return c, the part of the block matrix of C that is linear in the twists V: (M b - b^T M + N) / 2.

    Of the papers' factorisations it is M b - b^T M, or -b^T M alone [MuellerKumar2021, Eqs. (54), (22)].
    """
    Mb = B.M @ diag_ad(V)
    if not SKEW_CONSISTENT[factorisation]:
        return -Mb.T
    if factorisation != CHRISTOFFEL:
        return Mb - Mb.T
    return 0.5 * (Mb - Mb.T + _skew_momentum(B.M @ V))


def diag_ad(V: SX) -> SX:
    """Return diag(ad_V1, ad_V2, ...): a of the joints' own twists X qd, b of those of the bodies.

    [MuellerKumar2021, Eqs. (13), (14), (23)]
    """
    each = []
    for i in range(V.size1() // 6):
        w, v = skew(V[6 * i : 6 * i + 3]), skew(V[6 * i + 3 : 6 * i + 6])
        each.append(ca.blockcat(w, SX(3, 3), v, w))
    return ca.diagcat(*each)


def _skew_momentum(h: SX) -> SX:
    """Return N(h) with N(h) V = -ad_V^T h, skew-symmetric."""
    each = []
    for i in range(h.size1() // 6):
        k, p = skew(h[6 * i : 6 * i + 3]), skew(h[6 * i + 3 : 6 * i + 6])
        each.append(-ca.blockcat(k, p, p, SX(3, 3)))
    return ca.diagcat(*each)
