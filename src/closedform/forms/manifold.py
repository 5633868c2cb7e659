"""Coordinates on their manifold: how they move along velocities, and how far they are apart.

Ball and free joints have unit quaternions, which turn by exponentials; the other joints have plain
coordinates, whose rates are velocities, or velocities turned by the joint's own rotation.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from ..model import Body, Model
from .algebra import cross, dot, rotation_of_quaternion
from .elimination import TINY
from .joint_motion import joint_velocity_map

HALF_TURN = 1e-30
"""Keeps 0 / 0 at half a turn from being NaN, also in single precision."""


def moved(model: Model, q: SX, step: SX) -> SX:
    """Return q moved by a step in the chart at q: exactly q if the step is zero.

    A quaternion Q becomes Q exp(w), of unit length up to round-off however often it is moved; all other
    coordinates are added to. The step is (nv), in the order of the velocities; returns (nq).
    """
    parts = []
    for body in model.independent:
        own, by = _own(body, q, step)
        if body.joint.quaternion is None:
            parts.append(own + by)
        else:
            place, Q = _split(own)
            parts += [place + by[3:], _turned(Q, by[:3])]
    return ca.vertcat(SX(0, 1), *parts)


def chart_rate(model: Model, q: SX, step: SX, qd: SX) -> SX:
    """Return the rate of the step that moves to q while the velocities are qd.

    For rotations, dexp^-1: w' = qd + w x qd / 2 + c w x (w x qd), c = (1 - |w|/2 cot(|w|/2)) / |w|^2
    [MuntheKaas1998]; c is a series, exact to round-off for steps up to 0.1 rad. Positions change with the
    velocity in the axes of the joint at home. Returns (nv).
    """
    parts = []
    for body in model.independent:
        own, by = _own(body, q, step)
        v = qd[body.iv : body.iv + body.joint.nv]
        if body.joint.quaternion is None:
            parts.append(joint_velocity_map(body.joint, own) @ v)
        else:
            _, Q = _split(own)
            parts += [_turn_rate(by[:3], v[:3]), _in_home_axes(Q, v[3:])]
    return ca.vertcat(SX(0, 1), *parts)


def coordinate_rates(model: Model, q: SX, qd: SX) -> SX:
    """Return q', the rates of the coordinates, quaternions included, (nq)."""
    parts = []
    for body in model.independent:
        own, v = _own(body, q, qd)
        parts.append(joint_velocity_map(body.joint, own) @ v)
    return ca.vertcat(SX(0, 1), *parts)


def coordinate_map(model: Model, q: SX) -> SX:
    """Return E with the rates q' = E(q) qd of the coordinates, quaternions included, (nq, nv)."""
    E = SX(model.nq, model.nv)
    for body in model.independent:
        own = slice(body.iq, body.iq + body.joint.nq)
        E[own, body.velocities] = joint_velocity_map(body.joint, q[own])
    return ca.sparsify(E)


def difference(model: Model, q: SX, goal: SX) -> SX:
    """Return the way from q to a goal in body axes, (nv): goal - q, and 2 sin(angle / 2) axis of rotations.

    Rotations count the short way round; the length grows up to half a turn [Wie1989].
    """
    parts = []
    for body in model.independent:
        own, there = (each[body.iq : body.iq + body.joint.nq] for each in (q, goal))
        if body.joint.quaternion is None:
            parts.append(joint_velocity_map(body.joint, own).T @ (there - own))
        else:
            (place, Q), (goal_place, goal_Q) = _split(own), _split(there)
            along = goal_place - place
            turned = rotation_of_quaternion(Q).T @ along if along.numel() else along
            parts += [_turn_between(Q, goal_Q), turned]
    return ca.vertcat(SX(0, 1), *parts)


def rotation_difference(R: SX, goal: SX) -> SX:
    """Return 2 sin(angle / 2) axis of the turn R^T R_goal, in the axes of R: 0 at R, longest at half a turn.

    From E = R^T R_goal as axial(E - E^T) / sqrt(1 + tr E), the vector part of its quaternion twice; zero at
    exactly half a turn, where the axis has two signs.
    """
    E = R.T @ goal
    axial = ca.vertcat(E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1])
    return axial / ca.sqrt(ca.fmax(1 + ca.trace(E), HALF_TURN))


def _own(body: Body, q: SX, step: SX) -> tuple[SX, SX]:
    return q[body.iq : body.iq + body.joint.nq], step[body.iv : body.iv + body.joint.nv]


def _split(q: SX) -> tuple[SX, SX]:
    """Return the position, if any, and the quaternion of a joint that has one; its turn comes first in v."""
    return q[: q.size1() - 4], q[q.size1() - 4 :]


def _in_home_axes(Q: SX, v: SX) -> SX:
    return rotation_of_quaternion(Q) @ v if v.numel() else v


def _turned(Q: SX, w: SX) -> SX:
    """Return Q exp(w); the factor holds the length at 1, and is exactly 1 if w is zero."""
    ww = dot(w, w)
    angle = ca.sqrt(ww + TINY)
    half = 0.5 * angle
    x, c = (ca.sin(half) / angle) * w, ca.cos(half)
    v, s = Q[:3], Q[3]
    product = ca.vertcat(s * x + c * v + cross(v, x), s * c - dot(v, x))
    return (1 + 0.5 * ca.if_else(ww > 0, 1 - dot(Q, Q), 0)) * product


def _turn_rate(w: SX, rate: SX) -> SX:
    ww, turned = dot(w, w), cross(w, rate)
    c = 1 / 12 + ww * (1 / 720 + ww * (1 / 30240 + ww * (1 / 1209600)))
    return rate + 0.5 * turned + c * cross(w, turned)


def _turn_between(Q: SX, goal: SX) -> SX:
    """Return twice the vector part of Q^-1 goal, of the sign that is the shorter way."""
    v, s = Q[:3], Q[3]
    scalar = s * goal[3] + dot(v, goal[:3])
    vector = s * goal[:3] - goal[3] * v - cross(v, goal[:3])
    return ca.if_else(scalar < 0, -2.0, 2.0) * vector
