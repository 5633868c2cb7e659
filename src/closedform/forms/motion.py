"""Twists of bodies and screws of joints with their time derivatives, in body coordinates.

Every derivative here is one in an inertial frame that coincides with the body frame at the
instant considered. In such frames a relation between bodies differentiates as if it were
constant: no derivative of a rotation ever appears.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from .algebra import SX, cross, cross_columns
from .pairs import Placements, Screw, plus
from .tree import Node


def body_twists(nodes: tuple[Node, ...], placements: Placements, qd: SX) -> list[Screw]:
    """Return the body-fixed twist (w, v) of every body [MuellerKumar2021, Eq. (8)]."""
    return [twists[0] for twists, _ in motions(nodes, placements, [qd], 0)]


def motions(
    nodes: tuple[Node, ...],
    placements: Placements,
    rates: Sequence[SX],
    order: int,
) -> list[tuple[list[Screw], list[Screw]]]:
    """Return, for every body, [V, V', ...] and [X, X', ...] with X up to the given order.

    `rates` are qd, qdd, ...: V has as many derivatives as they allow, and order may not fall
    short of that. X' = ad_V X and V_i = Ad^-1 V_p + X_i v_i, differentiated by Leibniz' rule.
    """
    found: list[tuple[list[Screw], list[Screw]]] = []
    for node, (R, p) in zip(nodes, placements, strict=True):
        above = found[node.parent][0] if node.parent >= 0 else None
        own = [node.rates(rate) for rate in rates]
        screws: list[Screw] = [(node.Xw, node.Xv)]
        twists: list[Screw] = []
        for k in range(max(len(rates), order)):
            if k < len(rates):
                twist = _joint_twist(screws, own, k)
                if above is not None:
                    w, v = above[k]
                    twist = plus((R.back(w), R.back(v + cross(w, p))), twist)
                twists.append(twist)
            if k < order:
                screws.append(_screw_rate(twists, screws, k))
        found.append((twists, screws))
    return found


def _joint_twist(screws: Sequence[Screw], own: Sequence[SX], k: int) -> Screw:
    """Return the k-th derivative of X v."""
    w, v = screws[0][0] @ own[k], screws[0][1] @ own[k]
    for a in range(1, k + 1):
        factor = comb(k, a) * own[k - a]
        w, v = w + screws[a][0] @ factor, v + screws[a][1] @ factor
    return w, v


def _screw_rate(twists: Sequence[Screw], screws: Sequence[Screw], k: int) -> Screw:
    """Return the derivative of order k + 1 of X, from (ad_V X)."""
    total = minus_ad(twists[0], screws[k])
    for a in range(1, k + 1):
        w, v = minus_ad(twists[a], screws[k - a])
        total = plus(total, (comb(k, a) * w, comb(k, a) * v))
    return -total[0], -total[1]


def minus_ad(V: Screw, X: Screw) -> Screw:
    """Return -ad_V X for screws given as columns [MuellerKumar2021, Eq. (14)]."""
    w, v = V
    return cross_columns(X[0], w), cross_columns(X[1], w) + cross_columns(X[0], v)
