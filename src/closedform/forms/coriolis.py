"""The Coriolis matrix whose factorisation is that of the Christoffel symbols."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from ..model import Model
from .algebra import SX, Rotation, constant, cross, cross_columns, skew
from .mass import Composite, add_block, composites
from .tree import Node, recursion_tree


@dataclass
class Flow:
    """How the mass of a subtree moves: A = int r' r^T dm and P = int r' dm, in one frame."""

    A: SX
    P: SX

    @classmethod
    def of(cls, node: Node, w: SX, v: SX) -> Flow:
        """Return the flow of the body alone at twist (w; v)."""
        ms = constant(node.ms)
        return cls(skew(w) @ constant(node.S) + v @ ms.T, node.m * v + cross(w, ms))

    def in_parent(self, R: Rotation, p: SX) -> Flow:
        """Return the same flow seen in the parent frame."""
        P = R.out(self.P)
        return Flow(R.sandwich(self.A) + P @ p.T, P)

    def __add__(self, other: Flow) -> Flow:
        return Flow(self.A + other.A, self.P + other.P)


def coriolis_matrix(model: Model, q: SX, qd: SX) -> SX:
    """Return the Coriolis matrix C for which Mdot - 2 C is skew-symmetric.

    C_ij = int (dr/dq_i) . d/dt(dr/dq_j) dm over all mass points r, so that C + C^T = Mdot and
    C qd is the Coriolis and centrifugal force; for one-dof joints it is the Christoffel matrix.
    On a subtree j with inertia I, flow A = int r' r^T, P = int r' (about the frame of j) and
    for i an ancestor of j,

        C_ij = X_i . (I dX_j + B X_j),   C_ji = dX_i . I X_j + X_i . B^T X_j,
        B (w; v) = ((tr A) w - A w; w x P),   dX = ad_V X.

    The papers' factorisation -MAa - b^T M + M b [MuellerKumar2021] and Eq. (6b) of
    [Garofalo2013] has the same symmetric part and C qd, and another skew part.
    Inputs q (nq), qd (nv); returns (nv, nv).
    """
    nodes = recursion_tree(model)
    placements = [node.placement(q) for node in nodes]
    twists = body_twists(nodes, placements, qd)
    total = composites(nodes, placements)
    flow = [Flow.of(node, *twist) for node, twist in zip(nodes, twists, strict=True)]
    for i in reversed(range(len(nodes))):
        parent = nodes[i].parent
        if parent >= 0:
            flow[parent] = flow[parent] + flow[i].in_parent(*placements[i])
    screw_rates = [_screw_rate(node, *twist) for node, twist in zip(nodes, twists, strict=True)]
    C = SX.zeros(model.nv, model.nv)
    for j, node in enumerate(nodes):
        _add_columns(C, nodes, placements, screw_rates, j, node, total[j], flow[j])
    return C


def _add_columns(
    C: SX,
    nodes: tuple[Node, ...],
    placements: list[tuple[Rotation, SX]],
    screw_rates: list[tuple[SX, SX]],
    j: int,
    node: Node,
    inertia: Composite,
    flow: Flow,
) -> None:
    """Add the entries of body j with itself and with its ancestors."""
    A, P = flow.A, flow.P
    trace = ca.trace(A)
    Xw, Xv = node.Xw, node.Xv
    n1, f1 = inertia.momentum(Xw, Xv)
    n2, f2 = inertia.momentum(*screw_rates[j])
    n2 = n2 + trace * Xw - A @ Xw
    f2 = f2 + cross_columns(Xw, P)
    n3 = trace * Xw - A.T @ Xw - cross_columns(Xv, P)
    i = j
    while i >= 0:
        ancestor, (dw, dv) = nodes[i], screw_rates[i]
        add_block(C, ancestor, node, ancestor.Xw.T @ n2 + ancestor.Xv.T @ f2)
        if i != j:
            add_block(C, node, ancestor, (dw.T @ n1 + dv.T @ f1 + ancestor.Xw.T @ n3).T)
        R, p = placements[i]
        f1, f2 = R.out(f1), R.out(f2)
        n1, n2 = R.out(n1) - cross_columns(f1, p), R.out(n2) - cross_columns(f2, p)
        n3 = R.out(n3)
        i = ancestor.parent


def body_twists(
    nodes: tuple[Node, ...], placements: list[tuple[Rotation, SX]], qd: SX
) -> list[tuple[SX, SX]]:
    """Return the body-fixed twist (w, v) of every body [MuellerKumar2021, Eq. (8)]."""
    twists: list[tuple[SX, SX]] = []
    for node, (R, p) in zip(nodes, placements, strict=True):
        w, v = node.Xw @ node.rates(qd), node.Xv @ node.rates(qd)
        if node.parent >= 0:
            w_p, v_p = twists[node.parent]
            w, v = R.back(w_p) + w, R.back(v_p + cross(w_p, p)) + v
        twists.append((w, v))
    return twists


def _screw_rate(node: Node, w: SX, v: SX) -> tuple[SX, SX]:
    """Return ad_V X, the rate of the joint screws in an inertial frame that now coincides."""
    dw = -cross_columns(node.Xw, w)
    dv = -cross_columns(node.Xv, w) - cross_columns(node.Xw, v)
    return dw, dv
