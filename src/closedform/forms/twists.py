"""Twists of bodies and screws of joints with their first time derivatives, in body coordinates.

Every derivative here is one in an inertial frame that coincides with the body frame at the
instant considered. In such frames a relation between bodies differentiates as if it were
constant: no derivative of a rotation ever appears.
"""

from __future__ import annotations

from casadi import SX

from .algebra import cross, cross_columns
from .node import Node
from .pairs import Screw, plus, times
from .tree import Posture

TwistRates = tuple[tuple[Screw, Screw], tuple[Screw, Screw]]
"""(V, V') of a body and (X, X') of its joint."""


def body_twists(at: Posture, qd: SX) -> list[Screw]:
    """Return the body-fixed twist (w, v) of every body [MuellerKumar2021, Eq. (8)]."""
    found: list[Screw] = []
    for i, node in enumerate(at.nodes):
        found.append(_joined(at, found, i, node.twist(qd)))
    return found


def motions(at: Posture, qd: SX, qdd: SX) -> list[TwistRates]:
    """Return how every body moves: X' = ad_V X, and V_i = Ad^-1 V_p + X_i qd_i differentiated."""
    twists = body_twists(at, qd)
    rates: list[Screw] = []
    screws: list[tuple[Screw, Screw]] = []
    for i, (node, V) in enumerate(zip(at.nodes, twists, strict=True)):
        X = node.screws
        Xd = times(-1, minus_ad(V, X))
        rates.append(_joined(at, rates, i, twist_rate(node, Xd, qd, qdd)))
        screws.append((X, Xd))
    return list(zip(zip(twists, rates, strict=True), screws, strict=True))


def twist_rate(node: Node, Xd: Screw, qd: SX, qdd: SX) -> Screw:
    """Return X qdd + X' qd, the part of a body's acceleration that its own joint makes."""
    rates = node.rates(qd)
    return plus(node.twist(qdd), (Xd[0] @ rates, Xd[1] @ rates))


def _joined(at: Posture, found: list[Screw], i: int, own: Screw) -> Screw:
    """Return the joint's own twist, or its derivative, on top of the parent's."""
    parent, (R, p) = at.nodes[i].parent, at.placements[i]
    if parent < 0:
        return own
    w, v = found[parent]
    return plus((R.back(w), R.back(v + cross(w, p))), own)


def minus_ad(V: Screw, X: Screw) -> Screw:
    """Return -ad_V X for screws given as columns [MuellerKumar2021, Eq. (14)]."""
    w, v = V
    return cross_columns(X[0], w), cross_columns(X[1], w) + cross_columns(X[0], v)
