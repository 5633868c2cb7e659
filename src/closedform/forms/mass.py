"""The mass matrix from composite bodies, and its time derivatives."""

from __future__ import annotations

from casadi import SX

from .convective import carried, convective_pairs
from .node import Node
from .pairs import pairs, product
from .stations import LONG, longest_branch, products_by_station
from .subtree import composites
from .tree import Tree


def mass_matrix(tree: Tree, q: SX) -> SX:
    """Return the mass matrix M(q), symmetric and positive definite.

    M_ij = X_i . I_j X_j, where I_j is the inertia of body j with all it carries and the wrench
    I_j X_j is moved to the frames of the ancestors i of j; entries of bodies on different
    branches vanish. Equals J^T M J [MuellerKumar2021, Eq. (20)]. Returns (nv, nv). The
    composite-rigid-body algorithm (CRBA).
    """
    at, nodes = tree.at(q), tree.nodes
    momenta = [each.momentum(node.screws) for node, each in zip(nodes, composites(at), strict=True)]
    if longest_branch(nodes) > LONG and all(node.coupling is None for node in nodes):
        return products_by_station(at, momenta)
    M = SX.zeros(tree.nv, tree.nv)
    for i, j, (momentum,) in pairs(at, [[each] for each in momenta]):
        block = product(nodes[i].screws, momentum)
        if i == j:
            block = block + nodes[j].armature * SX.eye(nodes[j].nv)
        add_symmetric(M, nodes[i], nodes[j], block)
    return M


def mass_matrix_dot(tree: Tree, q: SX, qd: SX) -> SX:
    """Return the time derivative of the mass matrix.

    M'_ij = X_i . F_j' with F = I X, derivatives being those that body i sees: X_i rests in its frame.
    Equals J^T M1 J [MuellerKumar2021, Eq. (29)] and C + C^T. Returns (nv, nv).
    """
    return _derivative(tree, q, [qd])


def mass_matrix_ddot(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the second time derivative of the mass matrix.

    M''_ij = X_i . F_j'' as body i sees it; equals J^T M2 J [MuellerKumar2021, Eq. (40)].
    Returns (nv, nv).
    """
    return _derivative(tree, q, [qd, qdd])


def _derivative(tree: Tree, q: SX, rates: list[SX]) -> SX:
    """Return the derivative of M whose order is the number of rates."""
    at, nodes = tree.at(q), tree.nodes
    wrenches = [[each.momenta(node.screws)] for node, each in zip(nodes, carried(at, rates), strict=True)]
    D = SX.zeros(tree.nv, tree.nv)
    for i, j, (F,) in convective_pairs(at, rates, wrenches):
        add_symmetric(D, nodes[i], nodes[j], product(nodes[i].screws, F[-1]))
    return D


def add_symmetric(matrix: SX, row: Node, column: Node, block: SX) -> None:
    """Add the block of two joints and its mirror image; an own block is made exactly symmetric."""
    if row is column:
        for r in range(block.size1()):
            for c in range(r):
                block[r, c] = block[c, r]
    else:
        add_block(matrix, column, row, block.T)
    add_block(matrix, row, column, block)


def add_block(matrix: SX, row: Node, column: Node, block: SX) -> None:
    """Add the block of two joints to a matrix over all velocities, through their couplings."""
    matrix[row.velocities, column.velocities] += (row.ratio * column.ratio) * block
