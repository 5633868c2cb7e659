"""M, C and g together, and with their first time derivatives: what they share is computed once."""

from __future__ import annotations

from casadi import SX

from .armature import add_rotor_coriolis, free_rotors
from .coriolis import add_coriolis, products
from .gravity import gravity_series
from .mass import add_symmetric
from .subtree_rates import subtree_rates
from .tree import Tree


def dynamic_matrices(tree: Tree, q: SX, qd: SX) -> tuple[SX, SX, SX]:
    """Return M, C and g of the equations of motion in one evaluation.

    M' comes on the way to C, whose wrenches hold those of M. Returns (nv, nv), (nv, nv), (nv).
    """
    M, C, g = _derivatives(tree, q, [qd])[0]
    return M, C, g


def dynamic_matrices_dot(tree: Tree, q: SX, qd: SX, qdd: SX) -> tuple[SX, SX, SX, SX, SX, SX]:
    """Return M, C, g and their time derivatives in one evaluation.

    C' adds one derivative of what each body carries and of two wrenches. Returns M, C, g, M', C', g'.
    """
    (M, C, g), (Md, Cd, gd) = _derivatives(tree, q, [qd, qdd])
    return M, C, g, Md, Cd, gd


def _derivatives(tree: Tree, q: SX, rates: list[SX]) -> list[tuple[SX, SX, SX]]:
    at, nodes = tree.at(q), tree.nodes
    subtrees = subtree_rates(at, rates)
    M, C = ([SX.zeros(tree.nv, tree.nv) for _ in rates] for _ in "MC")
    for i, j, momenta, accelerations in products(at, rates, subtrees):
        if i == j:
            momenta[0] = momenta[0] + nodes[j].armature * SX.eye(nodes[j].nv)
        for k, acceleration in enumerate(accelerations):
            add_symmetric(M[k], nodes[i], nodes[j], momenta[k])
            add_coriolis(C[k], nodes, i, j, momenta[k + 1], acceleration)
    for k, rate in enumerate(rates):
        add_rotor_coriolis(C[k], free_rotors(nodes), rate)
    g = gravity_series(tree, at, subtrees, len(rates) - 1)
    return list(zip(M, C, g, strict=True))
