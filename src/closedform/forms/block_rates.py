"""The papers' closed forms of the time derivatives of M, C, g and J^T W, in block matrices.

All of them follow from J' = T J and U' = S U. For one-dof joints T = S = -A a
[MuellerKumar2021, Eq. (12), corrected: the print lacks the dot], since a X = 0. For joints of several dofs
a X is not zero, and T = -A a D; what follows from T holds for both. Expanded, these are the printed formulas,
corrected.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from .armature import add_rotor_coriolis, free_rotors
from .block import Blocks, blocks, diag_ad, upward, velocity_part
from .factorisation import CHRISTOFFEL
from .series import applied, leibniz
from .tree import Tree


@dataclass(frozen=True)
class Moving:
    """Block matrices in motion, each with its derivatives: A, J, T with J' = T J, S with U' = S U, and V.

    The twists V have as many derivatives as the rates qd, qdd, ... allow, T and S too, A and J one more.
    """

    B: Blocks
    A: list[SX]
    J: list[SX]
    T: list[SX]
    S: list[SX]
    V: list[SX]
    factorisation: str = CHRISTOFFEL

    def coriolis(self, k: int = 0) -> SX:
        """Return the k-th derivative of the block matrix C = M T + c, c the part that is linear in V."""
        return self.B.M @ self.T[k] + velocity_part(self.B, self.V[k], self.factorisation)

    def mass(self, k: int) -> SX:
        """Return the k-th derivative of the block matrix M1 = M T + (M T)^T of M'."""
        MT = self.B.M @ self.T[k]
        return MT + MT.T

    def along(self, Y: SX, rate: SX) -> SX:
        """Return Y' + Y T + T^T Y, the block matrix of the derivative of J^T Y J."""
        return rate + Y @ self.T[0] + self.T[0].T @ Y

    def second(self, W: SX, Wd: SX, Wdd: SX) -> SX:
        """Return the second derivative of J^T W: J^T (W'' + 2 T^T W' + (T' + T T)^T W)."""
        T, Td = self.T
        return self.J[0].T @ (Wdd + T.T @ (2 * Wd + T.T @ W) + Td.T @ W)

    def projected(self, Y: SX) -> SX:
        """Return J^T Y J."""
        return self.J[0].T @ Y @ self.J[0]


def mass_matrix_dot(tree: Tree, q: SX, qd: SX) -> SX:
    """Return M' = J^T M1 J [MuellerKumar2021, Eqs. (29), (30)]."""
    m = moving(tree, q, [qd])
    return m.projected(m.mass(0))


def mass_matrix_ddot(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return M'' = J^T M2 J [MuellerKumar2021, Eqs. (39), (40)]."""
    m = moving(tree, q, [qd, qdd])
    return m.projected(M2(m))


def coriolis_matrix_dot(tree: Tree, q: SX, qd: SX, qdd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return C' = J^T C1 J [MuellerKumar2021, Eq. (31)]."""
    m = moving(tree, q, [qd, qdd], factorisation)
    return add_rotor_coriolis(m.projected(C1(m)), free_rotors(tree.own), qdd)


def coriolis_matrix_ddot(
    tree: Tree, q: SX, qd: SX, qdd: SX, qddd: SX, factorisation: str = CHRISTOFFEL
) -> SX:
    """Return C'' = J^T C2 J [MuellerKumar2021, Eq. (45)]."""
    m = moving(tree, q, [qd, qdd, qddd], factorisation)
    return add_rotor_coriolis(m.projected(C2(m)), free_rotors(tree.own), qddd)


def gravity_torque_dot(tree: Tree, q: SX, qd: SX) -> SX:
    """Return g' = J^T (M S + T^T M) U G, for one-dof joints J^T M1 U G [MuellerKumar2021, Eq. (36)]."""
    m = moving(tree, q, [qd])
    M, UG = m.B.M, m.B.U @ upward(tree)
    return m.J[0].T @ (M @ (m.S[0] @ UG) + m.T[0].T @ (M @ UG))


def gravity_torque_ddot(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return g'', for one-dof joints J^T M2 U G [MuellerKumar2021, Eq. (52)].

    With the wrenches W = M U G that hold the bodies, W' = M S U G and W'' = M (S' + S S) U G, it is the
    second derivative of J^T W.
    """
    m = moving(tree, q, [qd, qdd])
    M, (S, Sd) = m.B.M, m.S
    UG = m.B.U @ upward(tree)
    SUG = S @ UG
    return m.second(M @ UG, M @ SUG, M @ (Sd @ UG + S @ SUG))


def external_torque_dot(tree: Tree, q: SX, qd: SX, wrenches: SX, wrenches_dot: SX) -> SX:
    """Return J^T (W' + T^T W) [MuellerKumar2021, Eq. (37)]."""
    m = moving(tree, q, [qd])
    W, Wd = (ca.vec(each.T) for each in (wrenches, wrenches_dot))
    return m.J[0].T @ (Wd + m.T[0].T @ W)


def external_torque_ddot(
    tree: Tree, q: SX, qd: SX, qdd: SX, wrenches: SX, wrenches_dot: SX, wrenches_ddot: SX
) -> SX:
    """Return J^T (W'' + 2 T^T W' + (T' + T T)^T W) [MuellerKumar2021, Eq. (53), corrected: (A a')^T once]."""
    m = moving(tree, q, [qd, qdd])
    return m.second(*(ca.vec(each.T) for each in (wrenches, wrenches_dot, wrenches_ddot)))


def M2(m: Moving) -> SX:
    """Return the block matrix M2 = M1' + M1 T + T^T M1 of M'' [MuellerKumar2021, Eqs. (39), (41)-(44)]."""
    return m.along(m.mass(0), m.mass(1))


def C1(m: Moving) -> SX:
    """Return the block matrix C1 = C' + C T + T^T C of C' [MuellerKumar2021, Eqs. (32)-(35)]."""
    return m.along(m.coriolis(0), m.coriolis(1))


def C2(m: Moving) -> SX:
    """Return the block matrix C2 = C1' + C1 T + T^T C1 of C'' [MuellerKumar2021, Eqs. (46)-(51)]."""
    C, Cd, (T, Td) = m.coriolis(0), m.coriolis(1), m.T[:2]
    rate = m.coriolis(2) + Cd @ T + T.T @ Cd + C @ Td + Td.T @ C
    return m.along(C1(m), rate)


def moving(tree: Tree, q: SX, rates: list[SX], factorisation: str = CHRISTOFFEL) -> Moving:
    """Return the block matrices with as many derivatives as the rates allow.

    A' = A a - A a A = S (A - 1) [MuellerKumar2021, Eq. (19), corrected: the print lacks the dot], D' = -a D,
    J' = A' X.
    """
    B = blocks(tree, q)
    single = all(body.joint.nv == 1 for body in tree.model.bodies)
    a = [diag_ad(B.X @ rate) for rate in rates]
    A, D, T, S = [B.A], [B.D], [], []
    beyond = [ca.sparsify(B.A - SX.eye(B.A.size1()))]
    for k in range(len(rates)):
        S.append(-leibniz(applied, A, a, k))
        D.append(-leibniz(applied, a, D, k))
        T.append(S[k] if single else leibniz(applied, S, D, k))
        A.append(leibniz(applied, S, beyond, k))
        beyond.append(A[-1])
    J = [each @ B.X for each in A]
    V = [leibniz(applied, J, rates, k) for k in range(len(rates))]
    return Moving(B, A, J, T, S, V, factorisation)
