"""Time derivatives as the bodies see them: convective ones, in frames that move with the bodies.

A body sees its joint's screws at rest, and what it carries changed by the joints beyond alone:
no velocity of the body itself appears. Passing a joint of twist v = (w; u), d/dt gains v~: for a
wrench v~ (n; f) = (w x n + u x f; w x f), for second moments v~ Y + Y v~^T in homogeneous coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import comb

import casadi as ca
from casadi import SX

from .algebra import Rotation, cross, cross_columns, skew
from .node import Node
from .pairs import Screw, to_parent
from .subtree import Composite, Flow, composites
from .tree import Posture

Series = list[SX]
"""A quantity and its derivatives: Y, Y', Y'', ..."""


@dataclass
class _Entry:
    """Y + sum over k of v_k~ left_k + right_k v_k~^T, products put off so that they are taken of sums."""

    value: SX
    left: dict[int, SX] = field(default_factory=dict)
    right: dict[int, SX] = field(default_factory=dict)

    def plus(self, k: int, factor: int, Y: SX, two_sided: bool) -> _Entry:
        """Return this entry with factor * v_k~ Y (and its counterpart from the right) added."""
        entry = _Entry(self.value, dict(self.left), dict(self.right))
        for side in (entry.left, entry.right) if two_sided else (entry.left,):
            term = Y if factor == 1 else factor * Y
            side[k] = side[k] + term if k in side else term
        return entry

    def evaluated(self, twists: Series) -> SX:
        """Return the sum."""
        total = self.value
        for k, Y in self.left.items():
            total = total + twists[k] @ Y
        for k, Y in self.right.items():
            total = total + Y @ twists[k].T
        return total


def _across(entries: Sequence[_Entry], twists: Series, two_sided: bool) -> Series:
    """Return the derivatives seen from across a joint, from those seen by its body: d/dt gains v~."""
    found = []
    while entries:
        values = [entry.evaluated(twists) for entry in entries[: max(1, len(entries) - 1)]]
        found.append(values[0])
        entries = list(entries[1:])
        for k in range(len(entries)):
            for a in range(k + 1):
                entries[k] = entries[k].plus(a, comb(k, a), values[k - a], two_sided)
    return found


@dataclass(frozen=True)
class Carried:
    """What a body carries, as it sees it, and its angular velocity; each with its derivatives."""

    inertia: list[Composite]
    flow: list[Flow]
    w: Series

    def momenta(self, X: Screw) -> list[Screw]:
        """Return the wrenches F = I X of constant screws with their derivatives."""
        return [inertia.momentum(X) for inertia in self.inertia]

    def accelerations(self, X: Screw) -> list[Screw]:
        """Return the wrenches G = int (r x; 1) d/dt (X at r) dm with their derivatives.

        X at r is a x r + b, whose points turn with the body and flow past it: with
        d/dt = w x (a x r + b) + a x r', G = (S w x a + ms x (w x b); w x f) + B X.
        """
        result = []
        for k, flow in enumerate(self.flow):
            n, f = flow.wrench(X)
            for a in range(k + 1):
                turned_n, turned_f = _turned(self.inertia[k - a], self.w[a], X)
                n, f = n + comb(k, a) * turned_n, f + comb(k, a) * turned_f
            result.append((n, f))
        return result


def _turned(inertia: Composite, w: SX, X: Screw) -> Screw:
    a, b = X
    n, f = SX(3, a.size2()), -cross_columns(inertia.momentum(X)[1], w)
    if a.nnz():
        n = n - cross_columns(a, inertia.S @ w)
    if b.nnz():
        n = n + cross_columns(cross_columns(b, w), inertia.ms)
    return n, f


def carried(at: Posture, rates: Sequence[SX]) -> list[Carried]:
    """Return what each body carries; flow and velocity have one derivative less than rates qd, qdd, ..."""
    total = composites(at)
    velocities = _angular_velocities(at, rates)
    flows = [[Flow(SX(3, 3), SX(3, 1)) for _ in rates] for _ in at.nodes]
    found = []
    for i, node, placement in at.leaves_first():
        inertia = [total[i], *(flow.inertia_rate() for flow in flows[i])]
        found.append(Carried(inertia, flows[i], velocities[i]))
        if node.parent >= 0:
            across = _flow_across(found[-1], _motion_matrices(node, rates))
            moved = [flow.in_parent(*placement) for flow in across]
            flows[node.parent] = [a + b for a, b in zip(flows[node.parent], moved, strict=True)]
    return found[::-1]


def _flow_across(own: Carried, twists: Series) -> list[Flow]:
    """Return the flow seen from across the joint: the joint moves all that its body carries."""
    entries = []
    for k, flow in enumerate(own.flow):
        entry = _Entry(_homogeneous(flow.A, flow.P))
        for a in range(k + 1):
            inertia = own.inertia[k - a]
            moments = _homogeneous(inertia.S, inertia.ms, inertia.m)
            entry = entry.plus(a, comb(k, a), moments, two_sided=False)
        entries.append(entry)
    return [Flow(Y[:3, :3], Y[:3, 3]) for Y in _across(entries, twists, two_sided=True)]


def _homogeneous(A: SX, P: SX, m: SX | None = None) -> SX:
    """Return A and P as a 4 x 4 matrix, symmetric where a mass is given."""
    last = SX(1, 4) if m is None else ca.horzcat(P.T, m)
    return ca.vertcat(ca.horzcat(A, P), last)


def _motion_matrices(node: Node, rates: Sequence[SX]) -> Series:
    """Return (w~ u; 0 0) of the joint's own twist and its derivatives."""
    return [ca.vertcat(ca.horzcat(skew(w), u), SX(1, 4)) for w, u in (node.twist(rate) for rate in rates)]


def wrench_matrices(node: Node, rates: Sequence[SX]) -> Series:
    """Return (w~ u~; 0 w~) of the joint's own twist and its derivatives."""
    result = []
    for rate in rates:
        w, u = (skew(part) for part in node.twist(rate))
        result.append(ca.vertcat(ca.horzcat(w, u), ca.horzcat(SX(3, 3), w)))
    return result


def _angular_velocities(at: Posture, rates: Sequence[SX]) -> list[Series]:
    """Return the angular velocity of every body with its derivatives."""
    found: list[Series] = []
    for node, (R, _) in at:
        own = [node.Xw @ node.rates(rate) for rate in rates]
        if node.parent >= 0:
            above = _fixed_to_parent([R.back(w) for w in found[node.parent]], own)
            own = [a + b for a, b in zip(above, own, strict=True)]
        found.append(own)
    return found


def _fixed_to_parent(vector: Series, w: Series) -> Series:
    """Return the derivatives that a body sees, from those its parent sees, where it turns with w past it."""
    if len(vector) < 2:
        return vector
    result = vector[:1]
    for k, following in enumerate(_fixed_to_parent(vector[1:], w)):
        result.append(following - _leibniz(w, result, k))
    return result


def fixed_in_space(vector: SX, w: Series) -> Series:
    """Return the derivatives that a body of angular velocity w sees of a vector at rest."""
    result = [vector]
    for k in range(len(w)):
        result.append(-_leibniz(w, result, k))
    return result


def _leibniz(w: Series, vector: Series, k: int) -> SX:
    """Return the k-th derivative of w x vector."""
    total = cross(w[0], vector[k])
    for a in range(1, k + 1):
        total = total + comb(k, a) * cross(w[a], vector[k - a])
    return total


def convective_pairs(
    at: Posture, rates: Sequence[SX], wrenches: Sequence[Sequence[list[Screw]]]
) -> Iterator[tuple[int, int, list[list[Screw]]]]:
    """Yield (i, j, wrenches of j as body i sees them) for every body j and each i that carries it, j first.

    Body j has several series of wrenches, each a wrench with its derivatives.
    """
    crossings = [wrench_matrices(node, rates) for node in at.nodes]
    for j in range(len(at.nodes)):
        moved, i = list(wrenches[j]), j
        while i >= 0:
            yield i, j, moved
            if at.nodes[i].parent >= 0:
                moved = [series_to_parent(series, crossings[i], *at.placements[i]) for series in moved]
            i = at.nodes[i].parent


def series_to_parent(series: list[Screw], twists: Series, R: Rotation, p: SX) -> list[Screw]:
    """Return a wrench with its derivatives as the parent sees them, past a joint of these twists."""
    entries = [_Entry(ca.vertcat(*wrench)) for wrench in series]
    return [to_parent(R, p, W[:3, :], W[3:, :]) for W in _across(entries, twists, two_sided=False)]
