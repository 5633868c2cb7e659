"""The equations of motion with contacts, by the Delassus matrix.

Contacts hold J qd = 0 and push with J^T lambda:

    M qdd + C qd + g = tau + J^T lambda,    J qdd + J' qd = 0,

so that with the free acceleration a = M^-1 (tau - C qd - g) and the Delassus matrix D = J M^-1 J^T

    D lambda = -(J a + J' qd),    qdd = a + M^-1 J^T lambda

[Featherstone2008, section 8.5]. An impact changes velocities at once by the impulse p of the contacts, with
D p = -(1 + e) J qd and the restitution e. D is regular for the independent rows J_r. If there are others,
J = K J_r with K = J J_r^T (J_r J_r^T)^-1, and K (K^T K)^-1 lambda_r are the forces of least norm over all
rows that push alike.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from ..forms import mass, newton_euler
from ..forms.elimination import Factors, Rotations
from ..forms.loads import Loads
from ..forms.tree import Tree
from ..lazy import cached_property
from .model import ContactModel
from .rows import rates


class Touching:
    """A robot with contacts at coordinates q."""

    def __init__(self, model: ContactModel, tree: Tree, q: SX) -> None:
        self.model, self.tree, self.q = model, tree, q
        self._rows = list(model.rows)

    def rows(self, *velocities: SX) -> list[SX]:
        """Return all rows J, and J', ...: as many derivatives as velocities are given."""
        every = [rates(self.tree, self.q, velocities, each) for each in self.model.contacts]
        return [ca.vertcat(*each) for each in zip(*every, strict=True)]

    @cached_property
    def J(self) -> SX:
        """The independent rows."""
        return self.rows()[0][self._rows, :]

    @cached_property
    def M(self) -> Factors:
        """The mass matrix, factored."""
        return Factors(mass.mass_matrix(self.tree, self.q), from_leaves=True)

    @cached_property
    def delassus(self) -> SX:
        """D = J M^-1 J^T of the independent rows."""
        return self.M.congruence(ca.densify(self.J.T))

    @cached_property
    def _factors(self) -> Factors:
        return Factors(self.delassus)

    def bias(self, qd: SX, loads: Loads) -> SX:
        """Return C qd + g."""
        rest = SX(self.tree.nv, 1)
        return newton_euler.inverse_dynamics(self.tree, self.q, qd, rest, loads=loads)

    def free(self, qd: SX, tau: SX, loads: Loads) -> SX:
        """Return the acceleration without contacts."""
        return self.M.solve(tau - self.bias(qd, loads))

    def held(self, qd: SX, free: SX) -> SX:
        """Return the forces of the independent rows that hold them while the free acceleration is given."""
        drift = self.rows(qd)[1][self._rows, :] @ qd
        return self._factors.solve(-(self.J @ free + drift))

    def stopped(self, qd: SX) -> SX:
        """Return the impulses of the independent rows that stop them, or let them rebound."""
        return self._factors.solve(-(1 + self.model.restitution) * (self.J @ qd))

    def pushed(self, forces: SX) -> SX:
        """Return M^-1 J^T lambda of forces of the independent rows."""
        return self.M.solve(ca.densify(self.J.T @ forces))

    def changed(self, r: SX, s: SX) -> tuple[SX, SX]:
        """Return d qdd and d lambda, column by column, with M d qdd - J^T d lambda = -r and J d qdd = -s."""
        r = self.M.solve_columns(r)
        forces = self._factors.solve_columns(ca.densify(self.J @ r - s))
        return self.M.solve_columns(ca.densify(self.J.T @ forces)) - r, forces

    def shared(self, forces: SX) -> SX:
        """Return forces of all rows, of least norm, that push like those of the independent ones."""
        every = self.rows()[0]
        if every.size1() == self.J.size1():
            return forces
        inner = Factors(ca.densify(self.J @ self.J.T))
        K = inner.solve_columns(ca.densify(self.J @ every.T)).T
        return K @ Factors(ca.densify(K.T @ K)).solve_columns(forces)

    def supporting(self, forces: SX) -> SX:
        """Return forces of all rows, of least norm, that give what joints without torque cannot."""
        every, idle = self.rows()[0], list(self.model.idle)
        if not idle:
            return SX.zeros(every.size1())
        return Rotations(ca.densify(every[:, idle].T)).least_norm(forces[idle])
