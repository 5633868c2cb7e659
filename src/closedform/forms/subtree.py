"""What each body carries: mass, first and second moments of its subtree, and how they move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
from casadi import SX

from .algebra import (
    Rotation,
    constant,
    cross_columns,
    inertia_matrix,
    outer_symmetric,
    skew,
)
from .node import Node
from .pairs import Screw
from .tree import Posture


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

    @property
    def matrix(self) -> SX:
        """The 6 x 6 inertia matrix [MuellerKumar2021, Eq. (24)]."""
        turn = skew(self.ms)
        return ca.blockcat(inertia_matrix(self.S), turn, -turn, self.m * SX.eye(3))

    def momentum(self, twist: Screw) -> Screw:
        """Return (moment, force) = I (w; v), the momentum of twists given as columns."""
        w, v = twist
        n, f = inertia_matrix(self.S) @ w, self.m * v
        if w.nnz():
            f = f + cross_columns(w, self.ms)
        if v.nnz():
            n = n - cross_columns(v, self.ms)
        return n, f


def composites(at: Posture) -> list[Composite]:
    """Return each body with everything it carries."""
    return at.with_all_carried([Composite.of(node) for node in at.nodes], Composite.in_parent)


@dataclass
class Flow:
    """How the mass of a subtree moves: A = int r' r^T dm and P = int r' dm, or their derivatives.

    Points that move with r' in a body that turns with w have the Coriolis acceleration 2 w x r'. Half
    of it needs the wrench B (w; v) = ((tr A) w - A w; w x P) = int (r x (w x r'); w x r') dm.
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


def flows(at: Posture, twists: Sequence[Screw]) -> list[Flow]:
    """Return the flow of each body with everything it carries, from the twists of the bodies."""
    own = [_body_flow(node, *twist) for node, twist in zip(at.nodes, twists, strict=True)]
    return at.with_all_carried(own, Flow.in_parent)


def _body_flow(node: Node, w: SX, v: SX) -> Flow:
    """Return the flow of one body, whose points move with v + w x r."""
    ms, S = constant(node.ms), constant(node.S)
    return Flow(skew(w) @ S + v @ ms.T, node.m * v + skew(w) @ ms)
