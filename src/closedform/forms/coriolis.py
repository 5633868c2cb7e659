"""The Coriolis matrix whose factorisation is that of the Christoffel symbols, and its derivatives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from casadi import SX

from .armature import add_rotor_coriolis, free_rotors
from .mass import add_block
from .node import Node
from .pairs import pairs_with_rates, product
from .subtree_rates import SubtreeRates, subtree_rates
from .tree import Posture, Tree


def coriolis_matrix(tree: Tree, q: SX, qd: SX) -> SX:
    """Return the Coriolis matrix C for which Mdot - 2 C is skew-symmetric.

    C_ij = int (dr/dq_i) . d/dt(dr/dq_j) dm over all mass points r, so that C + C^T = Mdot and
    C qd is the Coriolis and centrifugal force; for one-dof joints it is the Christoffel matrix.
    With i an ancestor of j, I the inertia of body j and all it carries, and derivatives as body i
    sees them,

        C_ij = X_i . G_j,   C_ji = X_i . (F_j' - G_j),   F = I X,
        G = int (r x; 1) d/dt (X at r) dm,

    since C + C^T = M' and M'_ij = X_i . F_j'.

    The papers' factorisation -MAa - b^T M + M b [MuellerKumar2021] and Eq. (6b) of
    [Garofalo2013] has the same symmetric part and C qd, and another skew part.
    Inputs q (nq), qd (nv); returns (nv, nv).
    """
    return coriolis_matrix_rates(tree, q, qd)[0]


def coriolis_matrix_dot(tree: Tree, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the time derivative of the Coriolis matrix.

    C'_ij = X_i . G_j' and C'_ji = X_i . (F_j'' - G_j') as body i sees them.
    Equals J^T C1 J [MuellerKumar2021, Eqs. (31)-(34)] for the block matrix of this
    factorisation. Returns (nv, nv).
    """
    return coriolis_matrix_rates(tree, q, qd, qdd)[1]


def coriolis_matrix_ddot(tree: Tree, q: SX, qd: SX, qdd: SX, qddd: SX) -> SX:
    """Return the second time derivative of the Coriolis matrix.

    C''_ij = X_i . G_j'' and C''_ji = X_i . (F_j''' - G_j'') as body i sees them; equals J^T C2 J
    [MuellerKumar2021, Eqs. (45)-(50)] for the block matrix of this factorisation. Returns (nv, nv).
    """
    return coriolis_matrix_rates(tree, q, qd, qdd, qddd)[2]


def coriolis_matrix_rates(tree: Tree, q: SX, *rates: SX) -> tuple[SX, ...]:
    """Return (C, C', C'', ...), the Coriolis matrix of a motion and its time derivatives.

    From q, qd, qdd, ...: as many derivatives of C as the motion has beyond qd.
    C_ij^(k) = X_i . G_j^(k) and C_ji^(k) = X_i . (F_j^(k + 1) - G_j^(k)) for i an ancestor of j, with
    F and G of `coriolis_matrix` as body i sees them. Each is (nv, nv).
    """
    at = tree.at(q)
    C = [SX.zeros(tree.nv, tree.nv) for _ in rates]
    for i, j, momenta, accelerations in products(at, rates, subtree_rates(at, rates)):
        for total, rate, acceleration in zip(C, momenta[1:], accelerations, strict=True):
            add_coriolis(total, at.nodes, i, j, rate, acceleration)
    rotors = free_rotors(at.nodes)
    return tuple(add_rotor_coriolis(total, rotors, rate) for total, rate in zip(C, rates, strict=True))


def products(
    at: Posture, rates: Sequence[SX], subtrees: list[SubtreeRates]
) -> Iterator[tuple[int, int, list[SX], list[SX]]]:
    """Yield (i, j, [X_i . F_j, X_i . F_j', ...], [X_i . G_j, ...]) for body j and each i that carries it."""
    screws = [node.screws for node in at.nodes]
    wrenches = [[own.momenta(X), own.accelerations(X)] for own, X in zip(subtrees, screws, strict=True)]
    for i, j, (F, G) in pairs_with_rates(at, rates, wrenches):
        yield i, j, [product(screws[i], each) for each in F], [product(screws[i], each) for each in G]


def add_coriolis(C: SX, nodes: tuple[Node, ...], i: int, j: int, rate: SX, upper: SX) -> None:
    """Add the entries of body j and its ancestor i: M' = `rate` is shared between C_ij = `upper` and C_ji."""
    add_block(C, nodes[i], nodes[j], upper)
    if i != j:
        add_block(C, nodes[j], nodes[i], (rate - upper).T)
