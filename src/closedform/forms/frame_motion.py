"""Velocity and acceleration of a frame, in any reference, by one sweep along the joints that carry it."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from .algebra import cross
from .moments import Moment
from .node import Node
from .pairs import Screw, plus
from .reference import BODY
from .tree import Tree
from .twists import minus_ad

Motion = tuple[Screw, Screw]
"""A twist (w, v) and the time derivative of its components."""


def frame_velocity(tree: Tree, q: SX, qd: SX, frame: str | None, reference: str = BODY) -> SX:
    """Return the twist V = (omega; v) of a frame, J qd, without forming J.

    The `reference` is that of `jacobian`: "body", "world" or "world_aligned". One sweep along the joints
    that carry the frame, V_i = Ad^-1 V_(i-1) + X_i qd_i [MuellerKumar2021, Eq. (8)]. Returns (6,).
    """
    V, _ = frame_motion(tree, q, qd, SX(tree.nv, 1), frame, reference)
    return ca.vertcat(*V)


def frame_acceleration(tree: Tree, q: SX, qd: SX, qdd: SX, frame: str | None, reference: str = BODY) -> SX:
    """Return the time derivative of the components of a frame's twist, V' = J qdd + J' qd.

    In the references "body" and "world" it is the spatial acceleration, whose linear part is not the
    acceleration of a point; in "world_aligned" it is: p'' of the frame's origin, under omega'. See
    `frame_classical_acceleration`. Returns (6,).
    """
    _, Vd = frame_motion(tree, q, qd, qdd, frame, reference)
    return ca.vertcat(*Vd)


def bias_acceleration(tree: Tree, q: SX, qd: SX, frame: str | None, reference: str = BODY) -> SX:
    """Return J' qd, the acceleration of a frame while the joints do not accelerate.

    V' = J qdd + J' qd with V' of `frame_acceleration` in the same `reference`. Returns (6,).
    """
    return frame_acceleration(tree, q, qd, SX(tree.nv, 1), frame, reference)


def frame_classical_acceleration(
    tree: Tree, q: SX, qd: SX, qdd: SX, frame: str | None, reference: str = BODY
) -> SX:
    """Return (omega'; a) of a frame, a the acceleration in space of a point of its body.

    a = v' + omega x v with the twist and its rate in the reference "body" or "world", where V' is the
    spatial acceleration [Featherstone2008, section 2.11]; a = v' in "world_aligned". The point is the
    frame's origin, in "world" the one at the base origin. An accelerometer in the frame measures a less
    gravity. Returns (6,).
    """
    (w, v), (wd, vd) = frame_motion(tree, q, qd, qdd, frame, reference)
    return ca.vertcat(wd, vd if reference == "world_aligned" else vd + cross(w, v))


def frame_motion(tree: Tree, q: SX, qd: SX, qdd: SX, frame: str | None, reference: str) -> Motion:
    """Return the twist of a frame and the time derivative of its components in a reference."""
    body, R, p = tree.frame(frame)
    chain = [tree.own[i] for i in tree.model.ancestors(body)]  # from the frame to the base
    if reference == BODY:
        return _in_frame(chain[::-1], q, qd, qdd, R, p)
    if reference == "world":
        return _about_base(chain, q, qd, qdd)
    return _of_origin(chain, q, qd, qdd, p)


def _in_frame(chain: list[Node], q: SX, qd: SX, qdd: SX, R: SX, p: SX) -> Motion:
    """Return body twist and rate: V_i' = Ad^-1 V_(i-1)' + X_i qdd_i - ad_(X_i qd_i) V_i."""
    V = Vd = (SX(3, 1), SX(3, 1))
    for node in chain:
        turn, origin = node.placement(q)
        V, Vd = ((turn.back(w), turn.back(v + cross(w, origin))) for w, v in (V, Vd))
        joint = node.twist(qd)
        Vd = plus(plus(Vd, minus_ad(joint, V)), node.twist(qdd))
        V = plus(V, joint)
    V, Vd = ((R.T @ w, R.T @ (v + cross(w, p))) for w, v in (V, Vd))
    return V, Vd


def _about_base(chain: list[Node], q: SX, qd: SX, qdd: SX) -> Motion:
    """Return spatial twist and rate: beyond a joint all moves with it, Ad (V' + ad_(X qd) V + X qdd)."""
    V = Vd = (SX(3, 1), SX(3, 1))
    for node in chain:
        joint = node.twist(qd)
        Vd = plus(plus(Vd, minus_ad(V, joint)), node.twist(qdd))
        V = plus(V, joint)
        turn, origin = node.placement(q)
        V, Vd = ((turn.out(w), turn.out(v)) for w, v in (V, Vd))
        V, Vd = ((w, v + cross(origin, w)) for w, v in (V, Vd))
    return V, Vd


def _of_origin(chain: list[Node], q: SX, qd: SX, qdd: SX, p: SX) -> Motion:
    """Return angular velocity and velocity of the frame's origin p in base axes, and their rates."""
    w = wd = SX(3, 1)
    point = Moment.at_rest(1.0, p)
    for node in chain:
        twist, twist_rate = node.twist(qd), node.twist(qdd)
        turn, origin = node.placement(q)
        wd = turn.out(wd + cross(twist[0], w) + twist_rate[0])
        w = turn.out(w + twist[0])
        point = point.across(twist, twist_rate, turn, origin)
    return (w, point.rate), (wd, point.second)
