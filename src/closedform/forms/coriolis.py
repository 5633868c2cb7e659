"""The Coriolis matrix, by the Christoffel symbols or as the papers factorise it, and its derivatives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from casadi import SX

from .armature import add_rotor_coriolis, free_rotors
from .factorisation import CHRISTOFFEL, SKEW_CONSISTENT
from .gyration import factored_products
from .mass import add_block
from .node import Node
from .pairs import pairs_with_rates, product
from .subtree_rates import SubtreeRates, subtree_rates
from .tree import Posture, Tree


def coriolis_matrix(tree: Tree, q: SX, qd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return the Coriolis matrix C for which Mdot - 2 C is skew-symmetric.

    C_ij = int (dr/dq_i) . d/dt(dr/dq_j) dm over all mass points r, so that C + C^T = Mdot and
    C qd is the Coriolis and centrifugal force; for one-dof joints it is the Christoffel matrix.
    With i an ancestor of j, I the inertia of body j and all it carries, and derivatives as body i
    sees them,

        C_ij = X_i . G_j,   C_ji = X_i . (F_j' - G_j),   F = I X,
        G = int (r x; 1) d/dt (X at r) dm,

    since C + C^T = M' and M'_ij = X_i . F_j'.

    That is the `factorisation` "christoffel". "mueller-kumar" is J^T (-MAa - b^T M + M b) J
    [MuellerKumar2021, Eq. (54)], and "garofalo" the same matrix [Garofalo2013, Eq. (6b)]: another skew
    part. "mueller-kumar-22" is J^T (-MAa - b^T M) J [MuellerKumar2021, Eq. (22)], whose Mdot - 2 C is not
    skew. C qd is the same for all. Inputs q (nq), qd (nv); returns (nv, nv).
    """
    return coriolis_matrix_rates(tree, q, qd, factorisation=factorisation)[0]


def coriolis_matrix_dot(tree: Tree, q: SX, qd: SX, qdd: SX, factorisation: str = CHRISTOFFEL) -> SX:
    """Return the time derivative of the Coriolis matrix.

    C'_ij = X_i . G_j' and C'_ji = X_i . (F_j'' - G_j') as body i sees them.
    Equals J^T C1 J [MuellerKumar2021, Eqs. (31)-(34)] for the block matrix of the
    `factorisation`, as in `coriolis_matrix`. Returns (nv, nv).
    """
    return coriolis_matrix_rates(tree, q, qd, qdd, factorisation=factorisation)[1]


def coriolis_matrix_ddot(
    tree: Tree, q: SX, qd: SX, qdd: SX, qddd: SX, factorisation: str = CHRISTOFFEL
) -> SX:
    """Return the second time derivative of the Coriolis matrix.

    C''_ij = X_i . G_j'' and C''_ji = X_i . (F_j''' - G_j'') as body i sees them; equals J^T C2 J
    [MuellerKumar2021, Eqs. (45)-(50)] for the block matrix of the `factorisation`, as in
    `coriolis_matrix`. Returns (nv, nv).
    """
    return coriolis_matrix_rates(tree, q, qd, qdd, qddd, factorisation=factorisation)[2]


def coriolis_matrix_rates(tree: Tree, q: SX, *rates: SX, factorisation: str = CHRISTOFFEL) -> tuple[SX, ...]:
    """Return (C, C', C'', ...), the Coriolis matrix of a motion and its time derivatives.

    From q, qd, qdd, ...: as many derivatives of C as the motion has beyond qd.
    C_ij^(k) = X_i . G_j^(k) and C_ji^(k) = X_i . (F_j^(k + 1) - G_j^(k)) for i an ancestor of j, with
    F and G of `coriolis_matrix` as body i sees them; `factorisation` as there. Each is (nv, nv).
    """
    C = [SX.zeros(tree.nv, tree.nv) for _ in rates]
    if factorisation == CHRISTOFFEL:
        _add_christoffel(C, tree.at(q), rates)
    else:
        # inertia that a joint does not feel counts in the skew part: every body keeps its own
        _add_factored(C, replace(tree, regroups=False).at(q), rates, SKEW_CONSISTENT[factorisation])
    rotors = free_rotors(tree.own)
    return tuple(add_rotor_coriolis(total, rotors, rate) for total, rate in zip(C, rates, strict=True))


def _add_christoffel(C: list[SX], at: Posture, rates: Sequence[SX]) -> None:
    for i, j, momenta, accelerations in products(at, rates, subtree_rates(at, rates)):
        for total, rate, acceleration in zip(C, momenta[1:], accelerations, strict=True):
            add_coriolis(total, at.nodes, i, j, rate, acceleration)


def _add_factored(C: list[SX], at: Posture, rates: Sequence[SX], skew: bool) -> None:
    for each in factored_products(at, rates, skew):
        row, column = at.nodes[each.i], at.nodes[each.j]
        for total, upper, mirrored in zip(C, each.upper, each.mirrored, strict=True):
            add_block(total, row, column, upper)
            if each.i != each.j:
                add_block(total, column, row, mirrored.T)


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
