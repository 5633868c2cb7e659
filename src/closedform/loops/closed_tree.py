"""Constraint embedding: the velocities of all joints of a mechanism from the independent ones.

The loops of a mechanism hold B(q) v = 0, with independent rows B. Velocities are parted into independent
ones, v_i = qd, and dependent ones v_d, so that v = G qd with G_i = 1 and B_d G_d = -B_i
[JainEmbedding2012]. Differentiating B v = 0 and B G = 0 gives all rates of v and of G by one rule,

    B_d X_d^(k) = -B_i X_i^(k) - sum over j >= 1 of comb(k, j) B^(j) X^(k - j),    X = v or G.

By the principle of virtual power the generalised forces are G^T tau, the mass matrix G^T M G, and
C = G^T (M G' + C_tree G) keeps the skew symmetry of M' - 2 C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

import casadi as ca
from casadi import SX

from ..forms.manifold import coordinate_map
from ..forms.tree import Tree
from ..lazy import cached_property
from . import cut_joints
from .dyads import assembled
from .linear import BlockSystem
from .model import ClosedModel


@dataclass(frozen=True, eq=False)
class ClosedTree:
    """A spanning tree and what closes it: what the forms of a robot with loops are built on."""

    model: ClosedModel
    tree: Tree

    @property
    def nv(self) -> int:
        """Number of independent velocities."""
        return self.model.nv

    def at(self, q: SX) -> Posture:
        """Return the mechanism at q: independent coordinates if they give all in closed form, else all."""
        return Posture(self, self.assembled(q))

    def assembled(self, q: SX) -> SX:
        """Return the coordinates of all joints."""
        if not self.model.explicit:
            return q
        model = self.model
        return assembled(self.tree, model.closures, model.dyads, model.iq, q)

    @property
    def in_all_coordinates(self) -> ClosedTree:
        """The mechanism whose forms take the coordinates of all joints, whether there is a formula or not."""
        return ClosedTree(replace(self.model, dyads=()), self.tree)

    def residual(self, q: SX) -> SX:
        """Return what vanishes if all loops are closed, all rows, at coordinates of all joints."""
        found = [cut_joints.residual(self.tree, q, each) for each in self.model.closures]
        return ca.vertcat(SX(0, 1), *found)


class Posture:
    """A mechanism at coordinates x of all joints, in which its loops are closed."""

    def __init__(self, closed: ClosedTree, x: SX) -> None:
        self.closed, self.tree, self.model, self.x = closed, closed.tree, closed.model, x
        self._dependent, self._independent = list(self.model.dv), list(self.model.iv)

    def rows(self, velocities: Sequence[SX] = ()) -> list[SX]:
        """Return the independent rows B and as many of their time derivatives as velocities are given."""
        every = [cut_joints.rates(self.tree, self.x, velocities, each) for each in self.model.closures]
        chosen = list(self.model.rows)
        return [ca.sparsify(ca.vertcat(*each)[chosen, :]) for each in zip(*every, strict=True)]

    @cached_property
    def system(self) -> BlockSystem:
        """B_d, the rows over the dependent velocities, factored."""
        return BlockSystem(self.B[:, self._dependent])

    @cached_property
    def B(self) -> SX:
        """The independent rows."""
        return self.rows()[0]

    @cached_property
    def G(self) -> SX:
        """The embedding v = G qd (n, nv)."""
        identity = SX.eye(self.model.nv)
        return self._whole(identity, [self.B], [])

    def embedding_rates(self, velocities: Sequence[SX]) -> list[SX]:
        """Return G, G', ...: as many derivatives as velocities v, v', ... of all joints are given."""
        B, found = self.rows(velocities), [self.G]
        for k in range(1, len(velocities) + 1):
            found.append(self._whole(SX(self.model.nv, self.model.nv), B[: k + 1], found))
        return found

    def velocities(self, rates: Sequence[SX]) -> list[SX]:
        """Return v, v', v'', ... of all joints from qd, qdd, ... of the independent ones."""
        found: list[SX] = []
        for k, rate in enumerate(rates):
            B = [self.B] if k == 0 else self.rows(found)
            found.append(self._whole(rate, B, found))
        return found

    def drift(self, v: SX) -> SX:
        """Return v' of all joints while the independent ones do not accelerate."""
        return self._whole(SX(self.model.nv, 1), self.rows([v]), [v])

    def _whole(self, own: SX, B: Sequence[SX], before: Sequence[SX]) -> SX:
        """Return X^(k) of which the independent rows are `own`, from B, ..., B^(k) and X, ..., X^(k - 1)."""
        k = len(before)
        wanted = -(B[0][:, self._independent] @ own)
        for j in range(1, k + 1):
            wanted = wanted - comb(k, j) * (B[j] @ before[k - j])
        X = SX(self.tree.nv, own.size2())
        X[self._independent, :] = own
        X[self._dependent, :] = self.system.solve(wanted)
        return ca.sparsify(X)

    @cached_property
    def A(self) -> SX:
        """The velocities of the actuated joints per independent velocity (actuated, nv)."""
        return self.G[list(self.model.av), :]

    def torques(self, forces: SX) -> SX:
        """Return the torques of the actuated joints that give generalised forces, f = A^T tau.

        If there are more actuators than degrees of freedom, those of least norm, A (A^T A)^-1 f. If nobody
        drives some motions, the torques that come nearest, with the rows A_d of actuators that are
        independent of each other and A = K A_d: K (K^T K)^-1 (A_d A_d^T)^-1 A_d f.
        """
        model, A = self.model, self.A
        if model.direct:
            return forces
        if not model.undriven:
            if len(model.av) == self.nv:
                return self._actuation.solve_transposed(forces)
            return A @ BlockSystem(A.T @ A).solve(forces)
        A_d = A[list(model.driving), :]
        found = BlockSystem(A_d @ A_d.T).solve(A_d @ forces)
        if len(model.driving) == len(model.av):
            return found
        return self.sharing @ BlockSystem(self.sharing.T @ self.sharing).solve(found)

    @cached_property
    def sharing(self) -> SX:
        """K with A = K A_d: how all actuated joints move with those that do so independently."""
        A_d = self.A[list(self.model.driving), :]
        return BlockSystem(A_d @ A_d.T).solve(A_d @ self.A.T).T

    def forces(self, torques: SX) -> SX:
        """Return the generalised forces A^T tau_a of torques of the actuated joints."""
        return torques if self.model.direct else self.A.T @ torques

    @cached_property
    def _actuation(self) -> BlockSystem:
        return BlockSystem(self.A)

    @property
    def nv(self) -> int:
        """Number of independent velocities."""
        return self.model.nv

    @cached_property
    def tangent(self) -> SX:
        """The rates x' of all coordinates per independent velocity, E(x) G."""
        return coordinate_map(self.model.tree, self.x) @ self.G


def congruence(G: SX, M: SX) -> SX:
    """Return G^T M G of a symmetric M, every entry formed once."""
    half = M @ G
    n = G.size2()
    found = SX(n, n)
    for i in range(n):
        column = G[:, i].T
        for j in range(i, n):
            entry = (column @ half[:, j])[0]
            found[i, j] = entry
            found[j, i] = entry
    return found
