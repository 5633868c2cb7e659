"""The papers' block matrices by their letters, over all bodies in the user's own frames.

Rows come in sixes, one (omega; v) or (moment; force) per moving body, in the order of `robot.body_names`.
J^T Y J with Y = M, M1, M2, C, C1, C2 gives the mass matrix (without armatures), the Coriolis matrix and their
time derivatives, for joints of every kind: J' = T J, where T = -A a for one-dof joints and -A a D otherwise.
"""

from __future__ import annotations

from casadi import SX

from . import block_rates as rates
from .block import blocks, diag_ad, screws
from .factorisation import CHRISTOFFEL
from .tree import Tree


def block_X(tree: Tree, q: SX) -> SX:
    """Return X, the screws of all joints in their body frames, which do not depend on q.

    Block-diagonal for a serial arm [MuellerKumar2021, Eqs. (4), (10)]; a joint of k dofs has k columns, a
    mimic joint's screw is in the column of the joint that drives it. Returns (6 bodies, nv).
    """
    return screws(tree)


def block_D(tree: Tree, q: SX) -> SX:
    """Return D(q), which takes each body's twist from its parent's: V = D V + X qd.

    Blocks Ad_C(i, p), p the parent of body i [MuellerKumar2021, Eqs. (11), (17)]. Returns (6 bodies,
    6 bodies).
    """
    return blocks(tree, q).D


def block_A(tree: Tree, q: SX) -> SX:
    """Return A(q) = (1 - D)^-1, block-triangular with blocks Ad_C(i, j) for j that carry i.

    [MuellerKumar2021, Eqs. (10), (16)]. Returns (6 bodies, 6 bodies).
    """
    return blocks(tree, q).A


def block_J(tree: Tree, q: SX) -> SX:
    """Return J(q) = A X, the Jacobians of all bodies one below the other: V = J qd.

    [MuellerKumar2021, Eq. (9)]. Returns (6 bodies, nv).
    """
    return blocks(tree, q).J


def block_U(tree: Tree, q: SX) -> SX:
    """Return U(q), which takes a twist of the base frame to all bodies: Ad of the inverse of each pose.

    [MuellerKumar2021, Eq. (26)]. Returns (6 bodies, 6).
    """
    return blocks(tree, q).U


def block_a(tree: Tree, qd: SX) -> SX:
    """Return a(qd) = diag(qd_i ad_Xi), the joints' own twists as matrices.

    Of qdd and qddd it gives a' and a'' [MuellerKumar2021, Eqs. (13), (14)]. Returns (6 bodies, 6 bodies).
    """
    return diag_ad(screws(tree) @ qd)


def block_V(tree: Tree, q: SX, qd: SX) -> SX:
    """Return V = J qd, the twists of all bodies in their own frames.

    [MuellerKumar2021, Eq. (8)]. Returns (6 bodies).
    """
    return blocks(tree, q).J @ qd


def block_V_dot(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return V' = J qdd - A a V, the time derivatives of the twists of all bodies.

    [MuellerKumar2021, Eq. (15)]; a V = a D V for every joint, since a X qd = 0. Returns (6 bodies).
    """
    return rates.moving(tree, q, [qd, qdd]).V[1]


def block_b(tree: Tree, q: SX, qd: SX) -> SX:
    """Return b(V) = diag(ad_V1, ad_V2, ...) of the twists V of all bodies.

    [MuellerKumar2021, Eq. (23)]. Returns (6 bodies, 6 bodies).
    """
    return diag_ad(block_V(tree, q, qd))


def block_M(tree: Tree, q: SX) -> SX:
    """Return M = diag(M_1, M_2, ...), the inertia matrices of all bodies, which do not depend on q.

    Each about the origin of its body frame [MuellerKumar2021, Eqs. (21), (24)]. Returns (6 bodies,
    6 bodies).
    """
    return blocks(tree, q).M


def block_A_dot(tree: Tree, q: SX, qd: SX) -> SX:
    """Return A' = A a - A a A [MuellerKumar2021, Eqs. (18), (19), corrected: the print lacks the dot].

    Returns (6 bodies, 6 bodies).
    """
    return rates.moving(tree, q, [qd]).A[1]


def block_J_dot(tree: Tree, q: SX, qd: SX) -> SX:
    """Return J' = -A a J, for joints of several dofs A a X - A a J.

    [MuellerKumar2021, Eq. (12), corrected: the print lacks the dot]. Returns (6 bodies, nv).
    """
    return rates.moving(tree, q, [qd]).J[1]


def block_M1(tree: Tree, q: SX, qd: SX) -> SX:
    """Return M1 with M' = J^T M1 J: -MAa - (MAa)^T for one-dof joints.

    [MuellerKumar2021, Eqs. (29), (30)]. Returns (6 bodies, 6 bodies).
    """
    return rates.moving(tree, q, [qd]).mass(0)


def block_M2(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return M2 with M'' = J^T M2 J.

    For one-dof joints -MAa' - (.)^T + 2 MAaAa + 2 (.)^T + 2 (Aa)^T MAa - MAaa - (.)^T
    [MuellerKumar2021, Eqs. (39)-(44), corrected: (43) begins with M1(q, qdd)]. Returns (6 bodies,
    6 bodies).
    """
    return rates.M2(rates.moving(tree, q, [qd, qdd]))


def block_C(tree: Tree, q: SX, qd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return the block matrix C with J^T C J the Coriolis matrix.

    -MAa + c for one-dof joints, with c of the `factorisation`: -b^T M for "mueller-kumar-22"
    [MuellerKumar2021, Eq. (22)], M b - b^T M for "mueller-kumar" [MuellerKumar2021, Eq. (54)]; see
    `coriolis_matrix`. Returns (6 bodies, 6 bodies).
    """
    return rates.moving(tree, q, [qd], factorisation).coriolis()


def block_C_dot(tree: Tree, q: SX, qd: SX, qdd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return the time derivative of `block_C`: C(q, qdd, V') + MAaAa - MAaa for one-dof joints.

    [MuellerKumar2021, Eq. (33), corrected: MAaAa - MAaa - MAa' - b'^T M]. Returns (6 bodies, 6 bodies).
    """
    return rates.moving(tree, q, [qd, qdd], factorisation).coriolis(1)


def block_C_ddot(tree: Tree, q: SX, qd: SX, qdd: SX, qddd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return the second time derivative of `block_C`.

    For one-dof joints C(q, qddd, V'') + MAa'Aa + 2 MAaAa' - 2 MAaAaAa + 2 MAaAaa - 3 MAaa' - MAaaa
    + MAaaAa [MuellerKumar2021, Eqs. (48), (49), corrected]. Returns (6 bodies, 6 bodies).
    """
    return rates.moving(tree, q, [qd, qdd, qddd], factorisation).coriolis(2)


def block_C1(tree: Tree, q: SX, qd: SX, qdd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return C1 with C' = J^T C1 J: C' - C A a - (A a)^T C in block matrices, for one-dof joints.

    [MuellerKumar2021, Eqs. (32)-(35), corrected: (35) ends with -MAaa]. Returns (6 bodies, 6 bodies).
    """
    return rates.C1(rates.moving(tree, q, [qd, qdd], factorisation))


def block_C2(tree: Tree, q: SX, qd: SX, qdd: SX, qddd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return C2 with C'' = J^T C2 J.

    For one-dof joints C'' - 2 C1 Aa - 2 (Aa)^T C1 - 2 (Aa)^T C Aa - C Aa' - (Aa')^T C - C Aaa - (Aaa)^T C
    [MuellerKumar2021, Eqs. (46), (47), (50), (51), corrected]. Returns (6 bodies, 6 bodies).
    """
    return rates.C2(rates.moving(tree, q, [qd, qdd, qddd], factorisation))
