"""M, C and g together, and with their first time derivatives: what they share is computed once."""

from __future__ import annotations

from ..model import Model
from .algebra import SX, cross
from .coriolis import add_coriolis, coriolis_wrenches
from .gravity import upward
from .mass import add_symmetric
from .motion import motions
from .newton_euler import add_rates
from .pairs import Placements, Screw, pairs, product
from .subtree import composites, flows
from .tree import Node, recursion_tree


def dynamic_matrices(model: Model, q: SX, qd: SX) -> tuple[SX, SX, SX]:
    """Return M, C and g of the equations of motion in one evaluation.

    The wrench I_j X_j of a column of M is one of those that make up C. Returns (nv, nv),
    (nv, nv), (nv).
    """
    M, C, g = _derivatives(model, q, [qd])[0]
    return M, C, g


def dynamic_matrices_dot(model: Model, q: SX, qd: SX, qdd: SX) -> tuple[SX, SX, SX, SX, SX, SX]:
    """Return M, C, g and their time derivatives in one evaluation.

    M' = C + C^T costs only additions; C' and g' share screws and momenta with C. Returns M, C, g,
    M', C', g'.
    """
    (M, C, g), (Md, Cd, gd) = _derivatives(model, q, [qd, qdd])
    return M, C, g, Md, Cd, gd


def _derivatives(model: Model, q: SX, rates: list[SX]) -> list[tuple[SX, SX, SX]]:
    nodes = recursion_tree(model)
    placements = [node.placement(q) for node in nodes]
    screws, wrenches = coriolis_wrenches(nodes, placements, rates)
    orders = range(len(rates))
    n = model.nv
    M, C = SX.zeros(n, n), [SX.zeros(n, n) for _ in orders]
    for i, j, moved in pairs(nodes, placements, wrenches):
        block = product(screws[i][0], moved[0])
        if i == j:
            block = block + nodes[j].armature * SX.eye(nodes[j].nv)
        add_symmetric(M, nodes[i], nodes[j], block)
        for order in orders:
            add_coriolis(C[order], nodes, i, j, screws[i], moved, order)
    g = _gravity(model, nodes, placements, screws, rates)
    results = [(M, C[0], g[0])]
    for order in orders[1:]:
        total = C[order - 1]
        results.append((_symmetric_sum(total), C[order], g[order]))
    return results


def _gravity(
    model: Model,
    nodes: tuple[Node, ...],
    placements: Placements,
    screws: list[list[Screw]],
    rates: list[SX],
) -> list[SX]:
    """Return g and, where there are two rates, its derivative, from screws that C has anyway."""
    up = upward(model, nodes, placements)
    total = composites(nodes, placements)
    g = [SX.zeros(model.nv) for _ in rates]
    twists = [twists for twists, _ in motions(nodes, placements, rates[:1], 0, "coasting")]
    moved = flows(nodes, placements, twists, 0)
    for i, node in enumerate(nodes):
        m, ms = total[i].m, total[i].ms
        weight = cross(ms, up[i])
        X, *further = screws[i]
        add_rates(g[0], node, X[0].T @ weight + m * (X[1].T @ up[i]))
        if len(rates) > 1:
            Xd = further[0]
            own = Xd[0].T @ weight + m * (Xd[1].T @ up[i]) + X[0].T @ cross(moved[i][0].P, up[i])
            add_rates(g[1], node, own)
    return g


def _symmetric_sum(C: SX) -> SX:
    total = C + C.T
    for r in range(total.size1()):
        for c in range(r):
            total[r, c] = total[c, r]
    return total
