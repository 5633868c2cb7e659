"""The papers' closed forms of the time derivatives of M, C, g and J^T W, in block matrices.

For one-dof joints as printed in [MuellerKumar2021], with its misprints corrected: a and its
derivatives commute and a X = 0. For joints of several dofs they do not, and the general form is used:
the derivatives of A follow from A' = A a - A a A, those of J = A X and U from them.
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
    """Block matrices in motion: a, a', ... of the joint rates and V, V', ... of the bodies."""

    B: Blocks
    a: list[SX]
    J: list[SX]
    U: list[SX]
    V: list[SX]
    single: bool
    factorisation: str = CHRISTOFFEL

    def coriolis(self, k: int) -> SX:
        """Return the velocity part of the block matrix of C at V^(k)."""
        return velocity_part(self.B, self.V[k], self.factorisation)


def mass_matrix_dot(tree: Tree, q: SX, qd: SX) -> SX:
    """Return M' = J^T M1 J, M1 = -MAa - (MAa)^T [MuellerKumar2021, Eqs. (29), (30)]."""
    m = _moving(tree, q, [qd])
    if m.single:
        return m.J[0].T @ _M1(m, 0) @ m.J[0]
    return _projected(m, [m.B.M @ J for J in m.J])


def mass_matrix_ddot(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return M'' = J^T M2 J [MuellerKumar2021, Eqs. (40), (44)]."""
    m = _moving(tree, q, [qd, qdd])
    if m.single:
        return m.J[0].T @ _M2(m) @ m.J[0]
    return _projected(m, [m.B.M @ J for J in m.J])


def coriolis_matrix_dot(tree: Tree, q: SX, qd: SX, qdd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return C' = J^T C1 J, C1 = C' - C Aa - (Aa)^T C [MuellerKumar2021, Eqs. (31)-(33), corrected]."""
    m = _moving(tree, q, [qd, qdd], factorisation)
    if m.single:
        return m.J[0].T @ _C1(m) @ m.J[0]
    return add_rotor_coriolis(_general_coriolis(m, 1), free_rotors(tree.own), qdd)


def coriolis_matrix_ddot(
    tree: Tree, q: SX, qd: SX, qdd: SX, qddd: SX, factorisation: str = CHRISTOFFEL
) -> SX:
    """Return C'' = J^T C2 J [MuellerKumar2021, Eqs. (45)-(50), corrected]."""
    m = _moving(tree, q, [qd, qdd, qddd], factorisation)
    if not m.single:
        return add_rotor_coriolis(_general_coriolis(m, 2), free_rotors(tree.own), qddd)
    A, M = m.B.A, m.B.M
    a, a1, a2 = m.a
    Aa, Aa1 = A @ a, A @ a1
    MA = M @ A
    Cdd = m.coriolis(2) - MA @ a2 + MA @ a1 @ Aa + 2 * (MA @ a @ Aa1) - 2 * (MA @ a @ Aa @ Aa)
    Cdd += 2 * (MA @ a @ Aa @ a) - 3 * (MA @ a @ a1) - MA @ a @ a @ a + MA @ a @ a @ Aa
    C, C1 = _C(m), _C1(m)
    C2 = Cdd - 2 * (C1 @ Aa) - 2 * (Aa.T @ C1) - 2 * (Aa.T @ C @ Aa)
    C2 += -C @ Aa1 - Aa1.T @ C - C @ Aa @ a - (Aa @ a).T @ C
    return m.J[0].T @ C2 @ m.J[0]


def gravity_torque_dot(tree: Tree, q: SX, qd: SX) -> SX:
    """Return g' = J^T M1 U G [MuellerKumar2021, Eq. (36)]."""
    m = _moving(tree, q, [qd])
    UG = [U @ upward(tree) for U in m.U]
    if m.single:
        return m.J[0].T @ (_M1(m, 0) @ UG[0])
    return _projected(m, [m.B.M @ each for each in UG])


def gravity_torque_ddot(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return g'' = J^T M2 U G [MuellerKumar2021, section 4]."""
    m = _moving(tree, q, [qd, qdd])
    UG = [U @ upward(tree) for U in m.U]
    if m.single:
        return m.J[0].T @ (_M2(m) @ UG[0])
    return _projected(m, [m.B.M @ each for each in UG])


def external_torque_dot(tree: Tree, q: SX, qd: SX, wrenches: SX, wrenches_dot: SX) -> SX:
    """Return J^T (W' - (Aa)^T W) [MuellerKumar2021, Eq. (37)]."""
    m = _moving(tree, q, [qd])
    W, Wd = (ca.vec(each.T) for each in (wrenches, wrenches_dot))
    if m.single:
        return m.J[0].T @ (Wd - (m.B.A @ m.a[0]).T @ W)
    return _projected(m, [W, Wd])


def external_torque_ddot(
    tree: Tree, q: SX, qd: SX, qdd: SX, wrenches: SX, wrenches_dot: SX, wrenches_ddot: SX
) -> SX:
    """Return J^T (W'' - 2(Aa)^T W' + (2(AaAa)^T - (Aa')^T - (Aaa)^T) W) [MuellerKumar2021, Eq. (53)]."""
    m = _moving(tree, q, [qd, qdd])
    W, Wd, Wdd = (ca.vec(each.T) for each in (wrenches, wrenches_dot, wrenches_ddot))
    if not m.single:
        return _projected(m, [W, Wd, Wdd])
    a, a1 = m.a
    Aa = m.B.A @ a
    turn = 2 * (Aa @ Aa) - m.B.A @ a1 - Aa @ a
    return m.J[0].T @ (Wdd - 2 * (Aa.T @ Wd) + turn.T @ W)


def _M1(m: Moving, k: int) -> SX:
    MAa = m.B.M @ m.B.A @ m.a[k]
    return -MAa - MAa.T


def _M2(m: Moving) -> SX:
    a = m.a[0]
    Aa = m.B.A @ a
    MAaAa, MAaa = m.B.M @ Aa @ Aa, m.B.M @ Aa @ a
    return _M1(m, 1) + 2 * (MAaAa + MAaAa.T) + 2 * (Aa.T @ m.B.M @ Aa) - MAaa - MAaa.T


def _C(m: Moving) -> SX:
    """Return the block matrix C = -MAa + c of the chosen factorisation."""
    return m.coriolis(0) - m.B.M @ m.B.A @ m.a[0]


def _C1(m: Moving) -> SX:
    a, a1 = m.a[:2]
    Aa = m.B.A @ a
    MA = m.B.M @ m.B.A
    Cd = m.coriolis(1) - MA @ a1 + MA @ a @ Aa - MA @ a @ a
    C = _C(m)
    return Cd - C @ Aa - Aa.T @ C


def _general_coriolis(m: Moving, order: int) -> SX:
    """Return the derivative of J^T (M J' + c(V) J) for joints of any kind."""
    c = [m.coriolis(k) for k in range(order + 1)]
    inner = [leibniz(applied, c, m.J, k, start=m.B.M @ m.J[k + 1]) for k in range(order + 1)]
    return _projected(m, inner)


def _projected(m: Moving, inner: list[SX]) -> SX:
    """Return the highest derivative of J^T Y from Y and its derivatives."""
    return leibniz(applied, [J.T for J in m.J], inner, len(inner) - 1)


def _moving(tree: Tree, q: SX, rates: list[SX], factorisation: str = CHRISTOFFEL) -> Moving:
    """Return the block matrices with as many derivatives as the rates allow."""
    B = blocks(tree, q)
    a = [diag_ad(B.X @ rate) for rate in rates]
    single = all(body.joint.nv == 1 for body in tree.model.bodies)
    A, J, U = [B.A], [B.J], [B.U]
    for k in range(len(rates)):
        AaA = leibniz(applied, A, [leibniz(applied, a, A, j) for j in range(k + 1)], k)
        A.append(leibniz(applied, A, a, k) - AaA)
        J.append(A[-1] @ B.X)
        U.append(-leibniz(applied, A, [leibniz(applied, a, U, j) for j in range(k + 1)], k))
    V = [leibniz(applied, J, rates, k) for k in range(len(rates))]
    return Moving(B, a, J, U, V, single, factorisation)
