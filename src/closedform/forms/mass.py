"""The mass matrix from composite bodies."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Model
from .algebra import SX, Rotation, constant, cross_columns, inertia_matrix, outer_symmetric
from .tree import Node, recursion_tree


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

    def momentum(self, w: SX, v: SX) -> tuple[SX, SX]:
        """Return (moment, force) = I (w; v), the momentum of twists given as columns."""
        n, f = inertia_matrix(self.S) @ w, self.m * v
        if w.nnz():
            f = f + cross_columns(w, self.ms)
        if v.nnz():
            n = n - cross_columns(v, self.ms)
        return n, f


def composites(nodes: tuple[Node, ...], placements: list[tuple[Rotation, SX]]) -> list[Composite]:
    """Return each body with everything it carries."""
    total = [Composite.of(node) for node in nodes]
    for i in reversed(range(len(nodes))):
        parent = nodes[i].parent
        if parent >= 0:
            total[parent] = total[parent] + total[i].in_parent(*placements[i])
    return total


def mass_matrix(model: Model, q: SX) -> SX:
    """Return the mass matrix M(q), symmetric and positive definite.

    M_ij = X_i . I_j X_j, where I_j is the inertia of body j with all it carries and the wrench
    I_j X_j is moved to the frames of the ancestors i of j; entries of bodies on different
    branches vanish. Equals J^T M J [MuellerKumar2021, Eq. (20)]. Returns (nv, nv). The
    composite-rigid-body algorithm (CRBA).
    """
    nodes = recursion_tree(model)
    placements = [node.placement(q) for node in nodes]
    total = composites(nodes, placements)
    M = SX.zeros(model.nv, model.nv)
    for j, node in enumerate(nodes):
        n, f = total[j].momentum(node.Xw, node.Xv)
        i, own = j, True
        while i >= 0:
            ancestor = nodes[i]
            block = ancestor.Xw.T @ n + ancestor.Xv.T @ f
            if own:
                block = _mirrored(block) + node.armature * SX.eye(node.nv)
            add_block(M, ancestor, node, block)
            if not own:
                add_block(M, node, ancestor, block.T)
            R, p = placements[i]
            f = R.out(f)
            n = R.out(n) - cross_columns(f, p)
            i, own = ancestor.parent, False
    return M


def _mirrored(block: SX) -> SX:
    """Return the symmetric matrix with the upper triangle of `block`."""
    for r in range(block.size1()):
        for c in range(r):
            block[r, c] = block[c, r]
    return block


def add_block(matrix: SX, row: Node, column: Node, block: SX) -> None:
    """Add the block of two joints to a matrix over all velocities, through their couplings."""
    factor = 1.0
    for node in (row, column):
        if node.coupling is not None:
            factor *= node.coupling.multiplier
    rows, columns = slice(row.iv, row.iv + row.nv), slice(column.iv, column.iv + column.nv)
    matrix[rows, columns] += factor * block
