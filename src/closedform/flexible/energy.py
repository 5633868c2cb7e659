"""Kinetic and potential energy of a flexible arm, of first order in the deflections or exact."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from .kinematics import Deflection, Plane, link_frames, link_motions
from .model import ArmModel, Constants, LinkConstants


@dataclass(frozen=True)
class LinkAmplitude:
    """How link k moves every point beyond its own: velocities along (R) and across (N) its direction.

    Written in the direction of the undeformed link. `P` and `Q` are the momenta across and along
    of the link itself and all it carries, whose mass is `beyond`.
    """

    rate: SX
    N: SX
    R: SX
    P: SX
    Q: SX
    beyond: SX


@dataclass(frozen=True)
class TipTurn:
    """How the tip turns: its angular velocity and, along it, the first-order change of a unit vector."""

    rate: SX
    along: SX


def amplitudes(model: ArmModel, constants: Constants, q: SX, qd: SX) -> tuple[list[LinkAmplitude], TipTurn]:
    """Return the velocity amplitudes of each link, to first order in the deflections, and of the tip.

    With alpha the angular velocity (4) of [DeLucaSiciliano1991], psi the sum of tip slopes
    before the link and sigma that of their products with their rates, (5) gives
    N = l alpha + y_e', R = -y_e alpha - psi N + l sigma; the same with moments in place of the
    tip gives P and Q.
    """
    beyond = [constants.payload_mass]
    for link in reversed(constants.links[1:]):
        beyond.append(beyond[-1] + link.mass + link.hub_mass)
    found = []
    turning, psi, sigma = SX(0), SX(0), SX(0)
    for i, (link, part, M) in enumerate(zip(constants.links, model.parts, reversed(beyond), strict=True)):
        y, yd = (Deflection.of(link, each[part]) for each in (q, qd))
        rate = turning + qd[i]
        moment = M * link.length + link.first_moment
        N, P = link.length * rate + yd.tip, moment * rate + M * yd.tip + yd.v
        R = link.length * sigma - y.tip * rate - psi * N
        Q = moment * sigma - (M * y.tip + y.v) * rate - psi * P
        found.append(LinkAmplitude(rate, N, R, P, Q, M))
        turning, psi, sigma = rate + yd.slope, psi + y.slope, sigma + y.slope * yd.slope
    return found, TipTurn(turning, sigma - psi * turning)


def kinetic_energy(model: ArmModel, constants: Constants, q: SX, qd: SX) -> SX:
    """Return the kinetic energy T = qd^T B qd / 2, without products of deflections unless exact.

    The sum (8)-(11) of [DeLucaSiciliano1991] over hubs, links and payload. To first order it is
    sum_k T_k + sum_{k<l} (P_l N_k cos + (Q_l N_k - P_l R_k) sin) of the angle from link k to link
    l, with the amplitudes above and T_k a constant form of the rates of link k.
    """
    if model.exact:
        return ca.dot(qd, ca.mtimes(exact_inertia(model, constants, q), qd)) / 2
    links, tip = amplitudes(model, constants, q, qd)
    energy = SX(0)
    for link, part, each in zip(constants.links, model.parts, links, strict=True):
        energy += _own_energy(link, qd[part], each)
    energy += constants.payload_inertia * tip.rate**2 / 2
    for k, inner in enumerate(links):
        c, s = SX(1), SX(0)
        for i in range(k + 1, model.joints):
            cos, sin = ca.cos(q[i]), ca.sin(q[i])
            c, s = c * cos - s * sin, s * cos + c * sin
            outer = links[i]
            energy += outer.P * inner.N * c + (outer.Q * inner.N - outer.P * inner.R) * s
        if not model.payload.balanced:
            energy += _coupling(constants, tip, inner, c, s)
    return energy


def _coupling(constants: Constants, tip: TipTurn, link: LinkAmplitude, c: SX, s: SX) -> SX:
    """Return the energy that a payload off the tip has by the motion of a link and by its own turning.

    Its centre of mass moves with the first moment (x, y) times i rate + along, to first order;
    c and s are of the angle from the link to the last one.
    """
    x, y = constants.payload_moment
    across, along = x * tip.rate + y * tip.along, x * tip.along - y * tip.rate
    return link.N * (across * c + along * s) - link.R * tip.rate * (y * c + x * s)


def _own_energy(link: LinkConstants, rates: SX, motion: LinkAmplitude) -> SX:
    """Return the energy of a link's own turning and bending, with what it carries as a point mass."""
    y = Deflection.of(link, rates)
    turning = link.hub_inertia + link.inertia
    w = ca.dot(ca.vertcat(*link.w), rates)
    return turning * motion.rate**2 / 2 + w * motion.rate + y.zz / 2 + motion.beyond * motion.N**2 / 2


def exact_inertia(model: ArmModel, constants: Constants, q: SX) -> SX:
    """Return B(q) with all products of deflections that the kinematics (1)-(7) makes."""
    B = SX.zeros(model.size, model.size)

    def add(a: int, b: int, value: SX) -> None:
        B[max(a, b), min(a, b)] += value

    motions = link_motions(model, constants, q)
    for link, motion, part in zip(constants.links, motions, model.parts, strict=True):
        y, e = motion.bending, motion.turn
        moment = Plane(link.first_moment, y.v)  # int rho (x + i y)
        mass, second = link.mass + link.hub_mass, link.inertia + y.zz
        for a, (P_a, Q_a) in motion.proximal.items():
            for b, (P_b, Q_b) in motion.proximal.items():
                if b <= a:
                    value = mass * P_a.dot(P_b) + P_a.dot(Q_b.times(moment)) + P_b.dot(Q_a.times(moment))
                    value += second * Q_a.dot(Q_b) + link.hub_inertia * motion.rate[a] * motion.rate[b]
                    add(a, b, value)
            for j, b in enumerate(range(part.start, part.stop)):
                across = link.v[j] * P_a.dot(e.turned) + link.w[j] * Q_a.dot(e.turned)
                add(a, b, across + y.z[j] * Q_a.dot(e))
        for j, a in enumerate(range(part.start, part.stop)):
            for k in range(j + 1):
                add(a, part.start + k, link.z[j][k] * e.dot(e))
    last, moment = motions[-1], Plane(*constants.payload_moment)
    for a, P_a in last.end.items():
        for b, P_b in last.end.items():
            if b <= a:
                value = constants.payload_mass * P_a.dot(P_b)
                if not model.payload.balanced:
                    value += P_a.dot(last.end_turn[b].times(moment)) + P_b.dot(last.end_turn[a].times(moment))
                add(a, b, value + constants.payload_inertia * last.end_rate[a] * last.end_rate[b])
    return ca.tril2symm(ca.tril(B))


def gravity_energy(model: ArmModel, constants: Constants, q: SX) -> SX:
    """Return the potential energy of gravity, zero at the base's height."""
    energy = SX(0)
    g = Plane(*constants.gravity)
    frames = link_frames(model, constants, q)
    for link, (r, W), part in zip(constants.links, frames[:-1], model.parts, strict=True):
        v = ca.dot(ca.vertcat(*link.v), q[part])
        energy -= g.dot(r) * (link.mass + link.hub_mass) + g.dot(W.times(Plane(link.first_moment, v)))
    r, W = frames[-1]
    energy -= g.dot(r) * constants.payload_mass + g.dot(W.times(Plane(*constants.payload_moment)))
    return first_order(model, energy, q)


def first_order(model: ArmModel, expression: SX, q: SX) -> SX:
    """Return the expression without products of deflections, unless the model is exact."""
    if model.exact:
        return expression
    delta = q[model.joints :]
    direction = SX.sym("direction", delta.numel())
    flat = ca.vec(expression)
    straight = SX.zeros(delta.numel())
    value, slope = ca.substitute([flat, ca.jtimes(flat, delta, direction)], [delta], [straight])
    return ca.reshape(value + ca.substitute(slope, direction, delta), expression.shape)
