"""Screws of joints times wrenches of the bodies they carry: the entries of M, C and their derivatives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import casadi as ca
from casadi import SX

from .algebra import Rotation, cross_columns
from .node import Node
from .series import Series, wrench_across, wrench_twists
from .tree import Posture

Screw = tuple[SX, SX]
"""Columns (angular, linear) of screws, or (moment, force) of wrenches, in a body frame."""


def pairs(at: Posture, wrenches: Sequence[list[Screw]]) -> Iterator[tuple[int, int, list[Screw]]]:
    """Yield (i, j, wrenches of j in frame i) for every body j and each i that carries it, j first.

    M, C and their derivatives are sums of products of a screw of i with a wrench of j. Moving
    wrenches from body to body costs less than taking both to one frame, since one turn about a
    coordinate axis at a time keeps zeros.
    """
    for j in range(len(at.nodes)):
        moved, i = wrenches[j], j
        while i >= 0:
            yield i, j, moved
            moved = [to_parent(*at.placements[i], *wrench) for wrench in moved]
            i = at.nodes[i].parent


def to_parent(R: Rotation, p: SX, n: SX, f: SX) -> Screw:
    """Return wrenches in the parent frame."""
    f = R.out(f)
    return R.out(n) - cross_columns(f, p), f


def with_carried(at: Posture, own: Sequence[Screw]) -> list[Screw]:
    """Return the wrench of each body together with those of all that it carries."""
    total = list(own)
    for i, node, placement in at.leaves_first():
        if node.parent >= 0:
            total[node.parent] = plus(total[node.parent], to_parent(*placement, *total[i]))
    return total


def product(screw: Screw, wrench: Screw) -> SX:
    """Return the matrix of products of screws (rows) and wrenches (columns): powers."""
    return screw[0].T @ wrench[0] + screw[1].T @ wrench[1]


def plus(a: Screw, b: Screw) -> Screw:
    """Return the sum of two screws or two wrenches."""
    return a[0] + b[0], a[1] + b[1]


def cross_wrench(X: Screw, wrench: Screw) -> Screw:
    """Return X x F = (w x n + v x f; w x f) for each screw of X."""
    (w, v), (n, f) = X, wrench
    return cross_columns(w, n) + cross_columns(v, f), cross_columns(w, f)


def times(factor: float, screw: Screw) -> Screw:
    """Return a multiple of a screw or a wrench."""
    return screw if factor == 1 else (factor * screw[0], factor * screw[1])


def pairs_with_rates(
    at: Posture, rates: Sequence[SX], wrenches: Sequence[Sequence[list[Screw]]]
) -> Iterator[tuple[int, int, list[list[Screw]]]]:
    """Yield (i, j, wrenches of j as body i sees them) for every body j and each i that carries it, j first.

    Body j has several lists of wrenches, each a wrench with its derivatives.
    """
    twists = [joint_twists(node, rates) for node in at.nodes]
    for j in range(len(at.nodes)):
        moved, i = list(wrenches[j]), j
        while i >= 0:
            yield i, j, moved
            if at.nodes[i].parent >= 0:
                moved = [rates_to_parent(each, twists[i], *at.placements[i]) for each in moved]
            i = at.nodes[i].parent


def joint_twists(node: Node, rates: Sequence[SX]) -> Series:
    """Return the matrices (w~ u~; 0 w~) of a joint's own twist and its derivatives."""
    return wrench_twists(node.twist(rate) for rate in rates)


def rates_to_parent(wrenches: list[Screw], twists: Series, R: Rotation, p: SX) -> list[Screw]:
    """Return a wrench with its derivatives as the parent sees them, across a joint of these twists."""
    seen = wrench_across(Series.of(ca.vertcat(*wrench) for wrench in wrenches), twists)
    return [to_parent(R, p, W[:3, :], W[3:, :]) for W in seen]
