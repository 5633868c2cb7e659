"""Joint forces of a reference motion, as passivity-based control needs them, and their regressor's product.

Adaptive control multiplies by the regressor Y twice, tau = Y phi and Y^T s, and needs Y itself nowhere:
both products follow from one recursion over the bodies.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from ..lazy import cached_property
from .algebra import cross
from .newton_euler import Motion, add_rates, body_wrench
from .node import Node
from .series import Series
from .tree import Posture, Tree


@dataclass(frozen=True)
class _BodyMotion:
    """What a body does, and what the reference asks of it, in its own frame.

    `w` is its angular velocity; `wr`, `wr_dot` and `a` are the angular velocity, angular acceleration and
    acceleration of the origin in the reference motion. `v` is the velocity of the origin by s = qd - qdr.
    """

    w: SX
    wr: SX
    wr_dot: SX
    a: SX
    v: SX

    @cached_property
    def motion(self) -> Motion:
        """The motion as Newton's and Euler's equations take it, with U = wr'~ + w~ wr~."""
        w, wr, r = self.w, self.wr, self.wr_dot
        xx, yy, zz = (w[i] * wr[i] for i in range(3))
        U = ca.blockcat(
            [
                [-(yy + zz), wr[0] * w[1] - r[2], wr[0] * w[2] + r[1]],
                [wr[1] * w[0] + r[2], -(xx + zz), wr[1] * w[2] - r[0]],
                [wr[2] * w[0] - r[1], wr[2] * w[1] + r[0], -(xx + yy)],
            ]
        )
        return Motion(Series((wr, r)), Series((self.a,)), Series((U,)), Series((ca.vertcat(xx, yy, zz),)))


def reference_forces(tree: Tree, q: SX, qd: SX, qdr: SX, qddr: SX) -> tuple[SX, SX]:
    """Return M qddr + C qdr + g and its power s . (Y phi) along s = qd - qdr, as one recursion gives them.

    C is the Christoffel factorisation of `coriolis_matrix`: a particle of a body whose velocity would be
    u = vr + wr x r gets the force dm (u' + w x u), so that the Newton-Euler equations hold with
    U = wr'~ + w~ wr~ in place of w'~ + w~ w~. The forces are `slotine_li_regressor` times phi
    [Garofalo2013, Eq. (16)], and rotor inertias. The power has no rotor inertias: it is the sum over
    the bodies of the twist of s times the wrench, and its gradient by phi is Y^T s without Y. Returns
    (nv) and a number.
    """
    at = tree.at(q)
    found: list[_BodyMotion] = []
    still = SX(3, 1)
    base = _BodyMotion(still, still, still, at.upward, still)
    for i, node in enumerate(at.nodes):
        parent = found[node.parent] if node.parent >= 0 else base
        found.append(_body_motion(parent, at, i, node, qd, qdr, qddr))
    power, moments, forces = SX(1, 1), [], []
    for node, each in zip(at.nodes, found, strict=True):
        n, f = (series[0] for series in body_wrench(node, each.motion))
        power = power + ca.dot(each.w - each.wr, n) + ca.dot(each.v, f)
        moments.append(n)
        forces.append(f)
    tau = SX.zeros(tree.nv)
    for i, node, (R, p) in at.leaves_first():
        own = node.Xw.T @ moments[i] + node.Xv.T @ forces[i]
        add_rates(tau, node, own + _rotor_force(node, qd, qdr, qddr))
        if node.parent >= 0:
            f = R.out(forces[i])
            forces[node.parent] = forces[node.parent] + f
            moments[node.parent] = moments[node.parent] + R.out(moments[i]) + cross(p, f)
    return tau, power


def _body_motion(
    parent: _BodyMotion, at: Posture, i: int, node: Node, qd: SX, qdr: SX, qddr: SX
) -> _BodyMotion:
    """Return how a body moves and is asked to move, from its parent and its joint's own twists."""
    R, p = at.placements[i]
    (wj, vj), (wjr, vjr), (wjr_dot, vjr_dot) = (node.twist(each) for each in (qd, qdr, qddr))
    w_in, wr_in = R.back(parent.w), R.back(parent.wr)
    w, wr = w_in + wj, wr_in + wjr
    wr_dot = R.back(parent.wr_dot) + cross(wr_in, wj) + wjr_dot
    U = parent.motion.U[0]
    a = R.back(parent.a + U @ p)
    v = R.back(parent.v + cross(parent.w - parent.wr, p))
    if node.X[3:].any():
        a = a + vjr_dot + cross(wr_in, vj) + cross(w, vjr)
        v = v + vj - vjr
    return _BodyMotion(w, wr, wr_dot, a, v)


def _rotor_force(node: Node, qd: SX, qdr: SX, qddr: SX) -> SX:
    """Return what the joint's armature a needs: a qddr, and a (0; w x vr) more if the joint is free."""
    if not node.has_armature:
        return SX(node.nv, 1)
    force = node.armature * node.rates(qddr)
    if node.joint.floats:
        turned = cross(node.rates(qd)[:3], node.rates(qdr)[3:])
        force = force + ca.vertcat(SX(3, 1), node.armature * turned)
    return force
