"""Forward dynamics by the sparse factorisation of the mass matrix."""

from __future__ import annotations

from casadi import SX

from .elimination import Factors
from .mass import mass_matrix
from .newton_euler import inverse_dynamics
from .tree import Tree


def forward_dynamics(tree: Tree, q: SX, qd: SX, tau: SX) -> SX:
    """Return qdd = M^-1 (tau - C qd - g).

    M is factored as L^T D L from the leaves to the root, which fills in no entry between
    branches [Featherstone2008, section 6.5]. A sample whose M is singular gives NaN or inf in
    its own row. Inputs q (nq), qd, tau (nv); returns (nv).
    """
    bias = inverse_dynamics(tree, q, qd, SX.zeros(tree.nv))
    return Factors(mass_matrix(tree, q), from_leaves=True).solve(tau - bias)
