"""What each body carries, and its time derivatives as the body sees them.

A body sees the screws of its joint at rest, and all it carries changed only by the joints further
out: the velocity of the body itself does not appear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
from casadi import SX

from .algebra import cross_columns, skew
from .node import Node
from .pairs import Screw
from .series import Deferred, Series, across, leibniz, vector_beyond
from .subtree import Composite, Flow, composites
from .tree import Posture


@dataclass(frozen=True)
class SubtreeRates:
    """A body with all it carries: inertia, flow and angular velocity, each with its derivatives."""

    inertia: list[Composite]
    flow: list[Flow]
    w: Series

    def momenta(self, X: Screw) -> list[Screw]:
        """Return the wrenches F = I X of constant screws with their derivatives."""
        return [inertia.momentum(X) for inertia in self.inertia]

    def accelerations(self, X: Screw) -> list[Screw]:
        """Return the wrenches G = int (r x; 1) d/dt (X at r) dm with their derivatives.

        X at r is a x r + b. It turns with the body, and r moves within it with r': d/dt gives
        w x (a x r + b) + a x r', and the integral G = (S w x a + ms x (w x b); w x f) + B X.
        """
        found = []
        for k, flow in enumerate(self.flow):
            start = ca.vertcat(*flow.wrench(X))
            G = leibniz(lambda w, inertia: _turned(inertia, w, X), self.w, self.inertia, k, start=start)
            found.append((G[:3, :], G[3:, :]))
        return found


def _turned(inertia: Composite, w: SX, X: Screw) -> SX:
    """Return (S w x a + ms x (w x b); w x f) as one column per screw."""
    a, b = X
    n, f = SX(3, a.size2()), -cross_columns(inertia.momentum(X)[1], w)
    if a.nnz():
        n = n - cross_columns(a, inertia.S @ w)
    if b.nnz():
        n = n + cross_columns(cross_columns(b, w), inertia.ms)
    return ca.vertcat(n, f)


def subtree_rates(at: Posture, rates: Sequence[SX]) -> list[SubtreeRates]:
    """Return each body with all it carries.

    The inertia has as many derivatives as there are rates qd, qdd, ...; flow and velocity one less.
    """
    total = composites(at)
    velocities = _angular_velocities(at, rates)
    flows = [[Flow(SX(3, 3), SX(3, 1)) for _ in rates] for _ in at.nodes]
    found = []
    for i, node, placement in at.leaves_first():
        inertia = [total[i], *(flow.inertia_rate() for flow in flows[i])]
        found.append(SubtreeRates(inertia, flows[i], velocities[i]))
        if node.parent >= 0:
            moved = [flow.in_parent(*placement) for flow in _flow_across(found[-1], node, rates)]
            flows[node.parent] = [a + b for a, b in zip(flows[node.parent], moved, strict=True)]
    return found[::-1]


def _flow_across(own: SubtreeRates, node: Node, rates: Sequence[SX]) -> list[Flow]:
    """Return the flow that the parent sees: the joint moves all that its body carries."""
    moments = [_homogeneous(inertia.S, inertia.ms, inertia.m) for inertia in own.inertia]
    entries = [Deferred(_homogeneous(flow.A, flow.P)).plus(moments, k) for k, flow in enumerate(own.flow)]
    twists = Series.of(
        ca.vertcat(ca.horzcat(skew(w), u), SX(1, 4)) for w, u in (node.twist(rate) for rate in rates)
    )
    return [Flow(Y[:3, :3], Y[:3, 3]) for Y in across(entries, twists, two_sided=True)]


def _homogeneous(A: SX, P: SX, m: SX | None = None) -> SX:
    """Return A and P as a 4 x 4 matrix, symmetric if a mass is given."""
    last = SX(1, 4) if m is None else ca.horzcat(P.T, m)
    return ca.vertcat(ca.horzcat(A, P), last)


def _angular_velocities(at: Posture, rates: Sequence[SX]) -> list[Series]:
    """Return the angular velocity of every body with its derivatives."""
    found: list[Series] = []
    for node, (R, _) in at:
        own = Series.of(node.twist(rate)[0] for rate in rates)
        found.append(vector_beyond(found[node.parent].map(R.back), own) + own if node.parent >= 0 else own)
    return found
