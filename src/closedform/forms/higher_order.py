"""Inverse dynamics with its time derivatives, by truncated Taylor series through the recursion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial

import casadi as ca
import numpy as np
from casadi import SX

from .algebra import constant, cross, skew
from .newton_euler import add_rates
from .node import Node
from .tree import Tree

Series = list[SX]
"""Taylor coefficients f^(k) / k! of a quantity along the motion."""


def inverse_dynamics_rates(tree: Tree, q: SX, *derivatives: SX) -> tuple[SX, ...]:
    """Return (tau, tau', tau'', ...), the joint forces of a motion and their time derivatives.

    From q, qd, qdd, qddd, ...: as many derivatives of tau as the motion has beyond qdd. The
    Newton-Euler recursion runs on Taylor series in time; products become Cauchy products, and
    the angular acceleration is not computed again but read off the series of the angular
    velocity. tau' = M qddd + (M' + C) qdd + C' qd + g' [MuellerKumar2021, Eq. (28)], and so on
    to any order. Each is (nv).
    """
    order = len(derivatives) - 2
    nodes = tree.nodes
    rates = [each / factorial(k) for k, each in enumerate(derivatives)]
    placements = [_placement(node, q, rates, order + 1) for node in nodes]
    w_all: list[Series] = []
    U_all: list[Series] = []
    a_all: list[Series] = []
    forces: list[Series] = []
    moments: list[Series] = []
    for node, (R, p) in zip(nodes, placements, strict=True):
        root = node.parent < 0
        w_p = [SX(3, 1)] * (order + 2) if root else w_all[node.parent]
        a_p = [tree.upward, *[SX(3, 1)] * order] if root else a_all[node.parent]
        U_p = [SX(3, 3)] * (order + 1) if root else U_all[node.parent]
        own = [node.rates(rate) for rate in rates]
        w_in, w_joint, v_joint = _turned_back(R, w_p), _times(node.Xw, own), _times(node.Xv, own)
        w = _add(w_in, w_joint[: order + 2])
        a = _turned_back(R[: order + 1], _add(a_p, _cauchy(_apply, U_p, p[: order + 1])))
        if node.X[3:].any():
            dv = [(k + 1) * v_joint[k + 1] for k in range(order + 1)]
            both = _add(w, w_in)
            a = _add(a, _add(dv, _cauchy(cross, both[: order + 1], v_joint[: order + 1])))
        U = _rate_matrix(w, order)
        w_all.append(w)
        a_all.append(a)
        U_all.append(U)
        ms, S = constant(node.ms), constant(node.S)
        forces.append([node.m * a[k] + U[k] @ ms for k in range(order + 1)])
        moments.append([cross(ms, a[k]) + _axial_product(U[k], S) for k in range(order + 1)])
    tau = [SX.zeros(tree.nv) for _ in range(order + 1)]
    for i in reversed(range(len(nodes))):
        node, (R, p) = nodes[i], placements[i]
        for k in range(order + 1):
            own_force = node.Xw.T @ moments[i][k] + node.Xv.T @ forces[i][k]
            if node.has_armature:
                own_force = own_force + node.armature * (k + 1) * node.rates(rates[k + 1])
            if node.has_armature and node.kind == "free":
                own = [node.rates(rate) for rate in rates[: k + 1]]
                turned = _cauchy(cross, [each[:3] for each in own], [each[3:] for each in own])
                own_force = own_force + node.armature * ca.vertcat(SX(3, 1), turned[k])
            add_rates(tau[k], node, own_force)
        if node.parent >= 0:
            f = _cauchy(_apply, R[: order + 1], forces[i])
            n = _add(_cauchy(_apply, R[: order + 1], moments[i]), _cauchy(cross, p[: order + 1], f))
            forces[node.parent] = _add(forces[node.parent], f)
            moments[node.parent] = _add(moments[node.parent], n)
    return tuple(factorial(k) * each for k, each in enumerate(tau))


def _placement(node: Node, q: SX, rates: Sequence[SX], order: int) -> tuple[Series, Series]:
    """Return the series of the rotation to the parent frame and of the origin's position."""
    R0, p0 = constant(node.R0), constant(node.p0)
    coordinates = node.coordinates(q)
    own = [node.rates(rate) for rate in rates]
    if node.kind in ("ball", "free") or node.nv > 1:
        rotation, origin = node.placement(q)
        return _moved(rotation.matrix, origin, node, own, order)
    x = [coordinates, *(own[k] / (k + 1) for k in range(order))]
    p = [p0 + constant(node.R0 @ node.X[3:]) @ x[0], *(constant(node.R0 @ node.X[3:]) @ xk for xk in x[1:])]
    if not node.X[:3].any():
        return [R0, *[SX(3, 3)] * order], p
    c, s = _cosine_sine(x)
    e = node.X[:3, 0]
    K = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    plane = np.eye(3) - np.outer(e, e)
    turn = [c[k] * constant(plane) + s[k] * constant(K) for k in range(order + 1)]
    turn[0] = turn[0] + constant(np.outer(e, e))
    return [R0 @ each for each in turn], p


def _moved(R: SX, p: SX, node: Node, own: Sequence[SX], order: int) -> tuple[Series, Series]:
    """Return the series of a joint of several dofs from its body twist: R' = R w~, p' = R v."""
    w, v = _times(node.Xw, own), _times(node.Xv, own)
    Rs, ps = [R], [p]
    for k in range(order):
        turn, move = SX(3, 3), SX(3, 1)
        for j in range(k + 1):
            turn = turn + Rs[j] @ skew(w[k - j])
            move = move + Rs[j] @ v[k - j]
        Rs.append(turn / (k + 1))
        ps.append(move / (k + 1))
    return Rs, ps


def _cosine_sine(x: Series) -> tuple[Series, Series]:
    """Return the series of cos x and sin x: c' = -s x', s' = c x'."""
    c, s = [ca.cos(x[0])], [ca.sin(x[0])]
    for k in range(1, len(x)):
        c.append(-sum((j * x[j] * s[k - j] for j in range(1, k + 1)), SX(0)) / k)
        s.append(sum((j * x[j] * c[k - j] for j in range(1, k + 1)), SX(0)) / k)
    return c, s


def _cauchy(product: Callable[[SX, SX], SX], a: Series, b: Series) -> Series:
    """Return the series of a bilinear product."""
    result = []
    for k in range(min(len(a), len(b))):
        total = product(a[0], b[k])
        for j in range(1, k + 1):
            total = total + product(a[j], b[k - j])
        result.append(total)
    return result


def _apply(A: SX, x: SX) -> SX:
    return A @ x


def _turned_back(R: Series, x: Series) -> Series:
    return _cauchy(lambda A, y: A.T @ y, R, x)


def _times(A: SX, x: Sequence[SX]) -> Series:
    return [A @ each for each in x]


def _add(a: Series, b: Series) -> Series:
    return [x + y for x, y in zip(a, b, strict=False)]


def _rate_matrix(w: Series, order: int) -> Series:
    """Return the series of U = w'~ + w~ w~, each product of components formed once."""
    result = []
    for k in range(order + 1):
        dw = (k + 1) * w[k + 1]
        square = {}
        for i in range(3):
            for j in range(i, 3):
                square[i, j] = _coefficient(w, i, j, k)
        x, y, z = dw[0], dw[1], dw[2]
        result.append(
            ca.blockcat(
                [
                    [-(square[1, 1] + square[2, 2]), square[0, 1] - z, square[0, 2] + y],
                    [square[0, 1] + z, -(square[0, 0] + square[2, 2]), square[1, 2] - x],
                    [square[0, 2] - y, square[1, 2] + x, -(square[0, 0] + square[1, 1])],
                ]
            )
        )
    return result


def _coefficient(w: Series, i: int, j: int, k: int) -> SX:
    """Return the k-th coefficient of w_i w_j, pairing equal products of a square."""
    if i != j:
        return sum((w[a][i] * w[k - a][j] for a in range(k + 1)), SX(0))
    total = 2 * sum((w[a][i] * w[k - a][i] for a in range((k + 1) // 2)), SX(0))
    return total + w[k // 2][i] ** 2 if k % 2 == 0 else total


def _axial_product(U: SX, S: SX) -> SX:
    """Return axial(U S) = int r x (U r) dm; S is symmetric."""
    return ca.vertcat(
        U[2, 1] * S[1, 1]
        - U[1, 2] * S[2, 2]
        + (U[2, 2] - U[1, 1]) * S[1, 2]
        + U[2, 0] * S[0, 1]
        - U[1, 0] * S[0, 2],
        U[0, 2] * S[2, 2]
        - U[2, 0] * S[0, 0]
        + (U[0, 0] - U[2, 2]) * S[0, 2]
        + U[0, 1] * S[1, 2]
        - U[2, 1] * S[0, 1],
        U[1, 0] * S[0, 0]
        - U[0, 1] * S[1, 1]
        + (U[1, 1] - U[0, 0]) * S[0, 1]
        + U[1, 2] * S[0, 2]
        - U[0, 2] * S[1, 2],
    )
