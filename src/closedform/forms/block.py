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
from .algebra import constant, skew
from .armature import add_rotor_coriolis, free_rotors
from .factorisation import CHRISTOFFEL, SKEW_CONSISTENT
from .joint_motion import pose_about_centre
from .tree import Tree


@dataclass(frozen=True)
class Blocks:
    """The block matrices of a tree at q: A, X, J = A X, the inertias M, and U = A diag(Ad_C1^-1, ...)."""

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
    bodies = tree.require_numbers("block matrices").bodies
    n = len(bodies)
    D, X, M, U0 = SX(6 * n, 6 * n), SX(6 * n, tree.nv), SX(6 * n, 6 * n), SX(6 * n, 6)
    for i, body in enumerate(bodies):
        rows = slice(6 * i, 6 * i + 6)
        Ad = _adjoint_to_body(body, q)
        if body.parent >= 0:
            D[rows, 6 * body.parent : 6 * body.parent + 6] = Ad
        else:
            U0[rows, :] = Ad
        X[rows, body.iv : body.iv + body.joint.nv] = body.ratio * constant(body.joint.X)
        m, ms, J = parts_from_phi(body.phi)
        S = numeric_skew(ms)
        M[rows, rows] = constant(np.block([[J, S], [S.T, m * np.eye(3)]]))
    A = SX.eye(6 * n)
    for i, body in enumerate(bodies):
        if body.parent >= 0:
            rows, parent = slice(6 * i, 6 * i + 6), slice(6 * body.parent, 6 * body.parent + 6)
            A[rows, : 6 * i] = D[rows, parent] @ A[parent, : 6 * i]
    return Blocks(A, X, A @ X, M, A @ U0)


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


def _adjoint_to_body(body: Body, q: SX) -> SX:
    """Return Ad_{C_{i,i-1}}, from the parent frame to the body frame at q."""
    own = q[body.iq : body.iq + body.joint.nq]
    if body.coupling is not None:
        own = body.ratio * own + body.coupling.offset
    return _adjoint_of_inverse_exp(body, own) @ constant(adjoint(inverse(body.placement)))


def _adjoint_of_inverse_exp(body: Body, q: SX) -> SX:
    """Return Ad of the inverse joint motion exp(X q)^-1 [MuellerKumar2021, Eqs. (6), (11)]."""
    R, p = pose_about_centre(body.joint, q)
    return ca.blockcat(R.T, SX(3, 3), -R.T @ skew(p), R.T)


def upward(tree: Tree) -> SX:
    """Return G = (0; -gravity), the twist with which the base seems to accelerate."""
    return constant(np.concatenate([np.zeros(3), -tree.model.gravity]))


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
