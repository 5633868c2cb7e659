"""The Coriolis matrix whose factorisation is that of the Christoffel symbols, and its derivatives."""

from __future__ import annotations

from math import comb

from ..model import Model
from .algebra import SX
from .mass import add_block
from .motion import motions
from .pairs import Placements, Screw, leibniz, pairs, plus, product, times
from .subtree import composites, flows
from .tree import Node, recursion_tree


def coriolis_matrix(model: Model, q: SX, qd: SX) -> SX:
    """Return the Coriolis matrix C for which Mdot - 2 C is skew-symmetric.

    C_ij = int (dr/dq_i) . d/dt(dr/dq_j) dm over all mass points r, so that C + C^T = Mdot and
    C qd is the Coriolis and centrifugal force; for one-dof joints it is the Christoffel matrix.
    On a subtree j with inertia I, flow A = int r' r^T, P = int r' (about the frame of j) and
    for i an ancestor of j,

        C_ij = X_i . (I X_j' + B X_j),   C_ji = X_i' . I X_j + X_i . B^T X_j,
        B (w; v) = ((tr A) w - A w; w x P),   X' = ad_V X.

    The papers' factorisation -MAa - b^T M + M b [MuellerKumar2021] and Eq. (6b) of
    [Garofalo2013] has the same symmetric part and C qd, and another skew part.
    Inputs q (nq), qd (nv); returns (nv, nv).
    """
    return _derivative(model, q, [qd])


def coriolis_matrix_dot(model: Model, q: SX, qd: SX, qdd: SX) -> SX:
    """Return the time derivative of the Coriolis matrix.

    With F = I X, G = I X' + B X and H = B^T X (so that F' = G + H),
    C'_ij = X_i' . G_j + X_i . G_j' and C'_ji = X_i'' . F_j + X_i' . (F_j' + H_j) + X_i . H_j'.
    Equals J^T C1 J [MuellerKumar2021, Eqs. (31)-(34)] for the block matrix of this
    factorisation. Returns (nv, nv).
    """
    return _derivative(model, q, [qd, qdd])


def coriolis_matrix_ddot(model: Model, q: SX, qd: SX, qdd: SX, qddd: SX) -> SX:
    """Return the second time derivative of the Coriolis matrix.

    Leibniz' rule on C_ij = X_i . G_j and C_ji = X_i' . F_j + X_i . H_j; equals J^T C2 J
    [MuellerKumar2021, Eqs. (45)-(50)] for the block matrix of this factorisation. Returns (nv, nv).
    """
    return _derivative(model, q, [qd, qdd, qddd])


def _derivative(model: Model, q: SX, rates: list[SX]) -> SX:
    """Return the derivative of C whose order is one less than the number of rates."""
    order = len(rates) - 1
    nodes = recursion_tree(model)
    placements = [node.placement(q) for node in nodes]
    screws, wrenches = coriolis_wrenches(nodes, placements, rates)
    C = SX.zeros(model.nv, model.nv)
    for i, j, moved in pairs(nodes, placements, wrenches):
        add_coriolis(C, nodes, i, j, screws[i], moved, order)
    return C


def coriolis_wrenches(
    nodes: tuple[Node, ...], placements: Placements, rates: list[SX]
) -> tuple[list[list[Screw]], list[list[Screw]]]:
    """Return [X, X', ...] and the wrenches [F, G, H, G', H', ...] of every body."""
    order = len(rates) - 1
    moving = motions(nodes, placements, rates, order + 1, "coasting")
    total = composites(nodes, placements)
    moved = flows(nodes, placements, [twists for twists, _ in moving], order)
    wrenches = []
    for (_, screws), composite, flow in zip(moving, total, moved, strict=True):
        own = [composite.momentum(screws[0])]
        for k in range(order + 1):
            G, H = composite.momentum(screws[k + 1]), flow[0].transposed_wrench(screws[k])
            for m in range(k + 1):
                # I^(m+1) = B^(m) + B^(m)T: each derivative of the flow meets each screw once.
                along, across = comb(k + 1, m + 1), comb(k, m + 1)
                G = plus(G, times(along, flow[m].wrench(screws[k - m])))
                across_wrench = flow[m].transposed_wrench(screws[k - m])
                if across:
                    G = plus(G, times(across, across_wrench))
                if m:
                    H = plus(H, times(comb(k, m), across_wrench))
            own += [G, H]
        wrenches.append(own)
    return [screws for _, screws in moving], wrenches


def add_coriolis(
    C: SX, nodes: tuple[Node, ...], i: int, j: int, screws: list[Screw], wrenches: list[Screw], order: int
) -> None:
    """Add the entries of body j and its ancestor i to the derivative of C of that order."""
    G, H = wrenches[1::2], wrenches[2::2]
    add_block(C, nodes[i], nodes[j], leibniz(order, screws, G))
    if i == j:
        return
    F = [wrenches[0], *(plus(g, h) for g, h in zip(G[:order], H[:order], strict=True))]
    lower = product(screws[0], H[order])
    for a in range(1, order + 2):
        # C_ji = X_i' . F_j + X_i . H_j: each derivative of the screw meets one sum of wrenches.
        wrench = times(comb(order, a - 1), F[order + 1 - a])
        if a <= order:
            wrench = plus(wrench, times(comb(order, a), H[order - a]))
        lower = lower + product(screws[a], wrench)
    add_block(C, nodes[j], nodes[i], lower.T)
