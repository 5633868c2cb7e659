"""The mass matrix from composite bodies, and its time derivatives."""

from __future__ import annotations

from casadi import SX

from .node import Node
from .pairs import pairs_with_rates, product
from .stations import LONG, longest_branch, products_by_station
from .subtree import composites
from .subtree_rates import subtree_rates
from .tree import Tree


def mass_matrix(tree: Tree, q: SX) -> SX:
    """Return the mass matrix M(q), symmetric and positive definite.

    M_ij = X_i . I_j X_j, where I_j is the inertia of body j with all it carries and the wrench
    I_j X_j is moved to the frames of the ancestors i of j; entries of bodies on different
    branches vanish. Equals J^T M J [MuellerKumar2021, Eq. (20)]. Returns (nv, nv). The
    composite-rigid-body algorithm (CRBA).
    """
    nodes = tree.nodes
    if longest_branch(nodes) > LONG and all(node.coupling is None for node in nodes):
        at = tree.at(q)
        momenta = [each.momentum(node.screws) for node, each in zip(nodes, composites(at), strict=True)]
        return products_by_station(at, momenta)
    return mass_matrix_rates(tree, q)[0]


def mass_matrix_rates(tree: Tree, q: SX, *rates: SX) -> tuple[SX, ...]:
    """Return (M, M', M'', ...), the mass matrix of a motion and its time derivatives.

    From q, qd, qdd, ...: as many derivatives of M as of q. M_ij^(k) = X_i . F_j^(k) with F = I X,
    derivatives being those that body i sees: X_i is at rest in its frame. Each is (nv, nv).
    """
    at, nodes = tree.at(q), tree.nodes
    momenta = [
        [each.momenta(node.screws)] for node, each in zip(nodes, subtree_rates(at, rates), strict=True)
    ]
    M = [SX.zeros(tree.nv, tree.nv) for _ in range(len(rates) + 1)]
    for i, j, (F,) in pairs_with_rates(at, rates, momenta):
        blocks = [product(nodes[i].screws, each) for each in F]
        if i == j:
            blocks[0] = blocks[0] + nodes[j].armature * SX.eye(nodes[j].nv)
        for total, block in zip(M, blocks, strict=True):
            add_symmetric(total, nodes[i], nodes[j], block)
    return tuple(M)


def mass_matrix_dot(tree: Tree, q: SX, qd: SX) -> SX:
    """Return the time derivative of the mass matrix.

    M'_ij = X_i . F_j' as body i sees it; see `mass_matrix_rates`. Equals J^T M1 J
    [MuellerKumar2021, Eq. (29)] and C + C^T. Returns (nv, nv).
    """
    return mass_matrix_rates(tree, q, qd)[1]


def mass_matrix_ddot(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the second time derivative of the mass matrix.

    M''_ij = X_i . F_j'' as body i sees it; equals J^T M2 J [MuellerKumar2021, Eq. (40)].
    Returns (nv, nv).
    """
    return mass_matrix_rates(tree, q, qd, qdd)[2]


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
