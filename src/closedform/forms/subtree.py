"""What each body carries: mass, first and second moments of its subtree, and how they move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import casadi as ca

from .algebra import (
    SX,
    Rotation,
    constant,
    cross_columns,
    dot,
    inertia_matrix,
    outer_symmetric,
    rate_matrix,
    skew,
)
from .pairs import Placements, Screw
from .tree import Node


@dataclass
class Composite:
    """Mass, first and second moments of a body with everything it carries, in its frame."""

    m: SX
    ms: SX
    S: SX

    @classmethod
    def of(cls, node: Node) -> Composite:
        """Return the body alone."""
        return cls(SX(node.m), constant(node.ms), constant(node.S))

    def in_parent(self, R: Rotation, p: SX) -> Composite:
        """Return the same mass seen in the parent frame."""
        ms = R.out(self.ms)
        half = ms + (0.5 * self.m) * p
        return Composite(self.m, ms + self.m * p, R.tensor(self.S) + outer_symmetric(p, half))

    def __add__(self, other: Composite) -> Composite:
        return Composite(self.m + other.m, self.ms + other.ms, self.S + other.S)

    def momentum(self, twist: Screw) -> Screw:
        """Return (moment, force) = I (w; v), the momentum of twists given as columns."""
        w, v = twist
        n, f = inertia_matrix(self.S) @ w, self.m * v
        if w.nnz():
            f = f + cross_columns(w, self.ms)
        if v.nnz():
            n = n - cross_columns(v, self.ms)
        return n, f


def composites(nodes: tuple[Node, ...], placements: Placements) -> list[Composite]:
    """Return each body with everything it carries."""
    total = [Composite.of(node) for node in nodes]
    for i in reversed(range(len(nodes))):
        parent = nodes[i].parent
        if parent >= 0:
            total[parent] = total[parent] + total[i].in_parent(*placements[i])
    return total


@dataclass
class Flow:
    """How the mass of a subtree moves: A = int r' r^T dm and P = int r' dm, or their derivatives.

    For a twist field (w; v) its points accelerate past each other with the wrench
    B (w; v) = ((tr A) w - A w; w x P) = int (r x (w x r'); w x r') dm.
    """

    A: SX
    P: SX

    def in_parent(self, R: Rotation, p: SX) -> Flow:
        """Return the same flow seen in the parent frame."""
        P = R.out(self.P)
        return Flow(R.sandwich(self.A) + P @ p.T, P)

    def __add__(self, other: Flow) -> Flow:
        return Flow(self.A + other.A, self.P + other.P)

    def wrench(self, twist: Screw) -> Screw:
        """Return B (w; v)."""
        w, _ = twist
        return inertia_matrix(self.A) @ w, cross_columns(w, self.P)

    def transposed_wrench(self, twist: Screw) -> Screw:
        """Return B^T (w; v); it has no force."""
        w, v = twist
        n = inertia_matrix(self.A).T @ w
        return n - cross_columns(v, self.P) if v.nnz() else n, SX(3, w.size2())

    def inertia_rate(self) -> Composite:
        """Return the derivative of the inertia as a composite without mass: S' = A + A^T, ms' = P."""
        A = self.A
        S = ca.blockcat([[A[i, j] + A[j, i] for j in range(3)] for i in range(3)])
        for i in range(3):
            for j in range(i):
                S[i, j] = S[j, i]
        return Composite(SX(0), self.P, S)


def flows(
    nodes: tuple[Node, ...], placements: Placements, twists: Sequence[Sequence[Screw]], order: int
) -> list[list[Flow]]:
    """Return the flow of each subtree with its derivatives up to `order`, from V, V', ... of the bodies."""
    total = [_body_flows(node, V, order) for node, V in zip(nodes, twists, strict=True)]
    for i in reversed(range(len(nodes))):
        parent = nodes[i].parent
        if parent >= 0:
            moved = [flow.in_parent(*placements[i]) for flow in total[i]]
            total[parent] = [a + b for a, b in zip(total[parent], moved, strict=True)]
    return total


def _body_flows(node: Node, twists: Sequence[Screw], order: int) -> list[Flow]:
    """Return the flow of one body with its derivatives.

    Its points move as r^(k) = a_k + U_k r with U_{k+1} = sum binom(k, a) w^(a)~ U_{k-a}, and
    A^(k) = sum binom(k, a) int r^(k+1-a) r^(a)T dm.
    """
    m, ms, S = node.m, constant(node.ms), constant(node.S)
    U: list[SX] = [SX.eye(3)]
    a: list[SX] = [SX(3, 1)]
    w = [skew(twist[0]) for twist in twists]
    for k in range(order + 1):
        U_next = rate_matrix(twists[0][0], twists[1][0]) if k == 1 else w[k]
        a_next = twists[k][1]
        for b in range(k):
            if k != 1:
                U_next = U_next + comb(k, b) * (w[b] @ U[k - b])
            a_next = a_next + comb(k, b) * (w[b] @ a[k - b])
        U.append(U_next)
        a.append(a_next)
    P = [ms, *(m * a[k] + U[k] @ ms for k in range(1, order + 2))]
    US = [u @ S for u in U]
    result = []
    for k in range(order + 1):
        A = SX(3, 3)
        for b in range(k + 1):
            kk, ll = k + 1 - b, b
            if kk == ll:
                A = A + comb(k, b) * _square(US[kk], U[kk], a[kk], P[kk], m)
            elif ll == 0:
                A = A + US[kk] + a[kk] @ ms.T
            else:
                A = A + comb(k, b) * (US[kk] @ U[ll].T + a[kk] @ P[ll].T + (U[kk] @ ms) @ a[ll].T)
        result.append(Flow(A, P[k + 1]))
    return result


def _square(US: SX, U: SX, a: SX, P: SX, m: float) -> SX:
    """Return int r^(k) r^(k)T dm = U S U^T + a P^T + P a^T - m a a^T, every entry formed once."""
    reduced = P - (0.5 * m) * a
    E = outer_symmetric(a, reduced)
    for i in range(3):
        for j in range(i, 3):
            E[i, j] = E[i, j] + dot(US[i, :].T, U[j, :].T)
            E[j, i] = E[i, j]
    return E
