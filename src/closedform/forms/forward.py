"""Forward dynamics and the inverse of the mass matrix, by its sparse factorisation."""

from __future__ import annotations

from casadi import SX

from .elimination import Factors
from .loads import NO_LOADS, Loads
from .mass import mass_matrix
from .newton_euler import bias_force
from .tree import Tree


def forward_dynamics(tree: Tree, q: SX, qd: SX, tau: SX, *, loads: Loads = NO_LOADS) -> SX:
    """Return qdd = M^-1 (tau - C qd - g).

    M is factored as L^T D L from the leaves to the root, which fills in no entry between
    branches [Featherstone2008, section 6.5]. A sample whose M is singular gives NaN or inf in
    its own row. Inputs q (nq), qd, tau (nv); returns (nv).

    `wrenches` of the environment push: M^-1 (tau + J^T W - C qd - g), `friction=True` takes
    `friction_torque` from tau and `springs=True` `spring_torque`; see `inverse_dynamics`.
    """
    return factors(tree, q).solve(tau - bias_force(tree, q, qd, loads=loads))


def mass_matrix_inverse(tree: Tree, q: SX) -> SX:
    """Return M^-1, symmetric: the accelerations that unit joint forces give.

    From the factors of `forward_dynamics`. A sample whose M is singular gives NaN or inf in its own
    row. Returns (nv, nv).
    """
    return factors(tree, q).inverse()


def factors(tree: Tree, q: SX) -> Factors:
    """Return the factors of the mass matrix, from the leaves to the root."""
    return Factors(mass_matrix(tree, q), from_leaves=True)
