"""The Coriolis matrix whose factorisation is that of the Christoffel symbols, and its derivatives."""

from __future__ import annotations

from collections.abc import Iterator

from casadi import SX

from .armature import add_rotor_coriolis, free_rotors
from .convective import Carried, Series, carried, convective_pairs
from .mass import add_block
from .node import Node
from .pairs import product
from .tree import Posture, Tree


def coriolis_matrix(tree: Tree, q: SX, qd: SX) -> SX:
    """Return the Coriolis matrix C for which Mdot - 2 C is skew-symmetric.

    C_ij = int (dr/dq_i) . d/dt(dr/dq_j) dm over all mass points r, so that C + C^T = Mdot and
    C qd is the Coriolis and centrifugal force; for one-dof joints it is the Christoffel matrix.
    For i an ancestor of j, with what j carries of inertia I, and derivatives as body i sees them,

        C_ij = X_i . G_j,   C_ji = X_i . (F_j' - G_j),   F = I X,
        G = int (r x; 1) d/dt (X at r) dm,

    since C + C^T = M' and M'_ij = X_i . F_j'.

    The papers' factorisation -MAa - b^T M + M b [MuellerKumar2021] and Eq. (6b) of
    [Garofalo2013] has the same symmetric part and C qd, and another skew part.
    Inputs q (nq), qd (nv); returns (nv, nv).
    """
    return _derivative(tree, q, [qd])


def coriolis_matrix_dot(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the time derivative of the Coriolis matrix.

    C'_ij = X_i . G_j' and C'_ji = X_i . (F_j'' - G_j') as body i sees them.
    Equals J^T C1 J [MuellerKumar2021, Eqs. (31)-(34)] for the block matrix of this
    factorisation. Returns (nv, nv).
    """
    return _derivative(tree, q, [qd, qdd])


def coriolis_matrix_ddot(tree: Tree, q: SX, qd: SX, qdd: SX, qddd: SX) -> SX:
    """Return the second time derivative of the Coriolis matrix.

    C''_ij = X_i . G_j'' and C''_ji = X_i . (F_j''' - G_j'') as body i sees them; equals J^T C2 J
    [MuellerKumar2021, Eqs. (45)-(50)] for the block matrix of this factorisation. Returns (nv, nv).
    """
    return _derivative(tree, q, [qd, qdd, qddd])


def _derivative(tree: Tree, q: SX, rates: list[SX]) -> SX:
    """Return the derivative of C whose order is one less than the number of rates."""
    at = tree.at(q)
    C = SX.zeros(tree.nv, tree.nv)
    for i, j, momenta, accelerations in products(at, rates, carried(at, rates)):
        add_coriolis(C, at.nodes, i, j, momenta[-1], accelerations[-1])
    return add_rotor_coriolis(C, free_rotors(at.nodes), rates[-1])


def products(
    at: Posture, rates: list[SX], all_carried: list[Carried]
) -> Iterator[tuple[int, int, Series, Series]]:
    """Yield (i, j, [X_i . F_j, X_i . F_j', ...], [X_i . G_j, ...]) for body j and each i that carries it."""
    screws = [node.screws for node in at.nodes]
    wrenches = [[own.momenta(X), own.accelerations(X)] for own, X in zip(all_carried, screws, strict=True)]
    for i, j, (F, G) in convective_pairs(at, rates, wrenches):
        yield i, j, [product(screws[i], each) for each in F], [product(screws[i], each) for each in G]


def add_coriolis(C: SX, nodes: tuple[Node, ...], i: int, j: int, rate: SX, upper: SX) -> None:
    """Add the entries of body j and its ancestor i: M' = `rate` is shared between C_ij = `upper` and C_ji."""
    add_block(C, nodes[i], nodes[j], upper)
    if i != j:
        add_block(C, nodes[j], nodes[i], (rate - upper).T)
