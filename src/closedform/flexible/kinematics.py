"""Where the points of a bending arm are, and how they move: rotations as complex numbers.

The matrices A_i, E_i and W_i of [DeLucaSiciliano1991, Eqs. (1)-(3)] are all of the form a I + b S
and commute, so each is written as a pair (a, b), and (x, y) is a point or a velocity.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import casadi as ca
from casadi import SX

from .model import ArmModel, Constants, LinkConstants


class Plane(NamedTuple):
    """A complex number x + i y of expressions: a point of the plane, or a turn and stretch of it."""

    x: SX
    y: SX

    def plus(self, other: Plane) -> Plane:
        """Return the sum."""
        return Plane(self.x + other.x, self.y + other.y)

    def times(self, other: Plane) -> Plane:
        """Return the complex product: `other` turned and stretched."""
        return Plane(self.x * other.x - self.y * other.y, self.x * other.y + self.y * other.x)

    def scaled(self, factor: SX | float) -> Plane:
        """Return a multiple."""
        return Plane(self.x * factor, self.y * factor)

    def dot(self, other: Plane) -> SX:
        """Return the scalar product of two vectors."""
        return self.x * other.x + self.y * other.y

    @property
    def turned(self) -> Plane:
        """The vector turned by a quarter, S times it."""
        return Plane(-self.y, self.x)


ZERO, ONE = Plane(SX(0), SX(0)), Plane(SX(1), SX(0))


@dataclass(frozen=True)
class Deflection:
    """The bending of one link: tip y_e and slope y'_e, and the moments of y along it.

    `v` is int rho y, `z_j` int rho y phi_j, `zz` int rho y^2.
    """

    tip: SX
    slope: SX
    v: SX
    z: list[SX]
    zz: SX

    @classmethod
    def of(cls, link: LinkConstants, delta: SX) -> Deflection:
        """Return the bending for the mode coordinates delta."""
        count = range(delta.numel())
        z = [_sum(link.z[j][k] * delta[k] for k in count) for j in count]
        return cls(
            _sum(link.tips[j] * delta[j] for j in count),
            _sum(link.slopes[j] * delta[j] for j in count),
            _sum(link.v[j] * delta[j] for j in count),
            z,
            _sum(z[j] * delta[j] for j in count),
        )


@dataclass(frozen=True)
class LinkMotion:
    """How link i moves with each coordinate, in the frame (X_i, Y_i) turned with the joints alone.

    `turn` is W_i without the joint angles. By coordinate that moves the link as a whole:
    `proximal` has the derivatives of r_i and W_i, `rate` the angular velocity of (4). `end` is
    the motion of r_{i+1}, still in this frame, `end_turn` the derivatives of the end's rotation
    W_i E_i, and `end_rate` the angular velocity of the end.
    """

    turn: Plane
    proximal: dict[int, tuple[Plane, Plane]]
    rate: dict[int, SX]
    end: dict[int, Plane]
    end_turn: dict[int, Plane]
    end_rate: dict[int, SX]
    bending: Deflection


def link_motions(model: ArmModel, constants: Constants, q: SX) -> list[LinkMotion]:
    """Return the differential kinematics (4)-(7) of [DeLucaSiciliano1991], coordinate by coordinate.

    Each link's own frame spares the sums of angles: only sines and cosines of single joint
    angles from the second on occur.
    """
    motions: list[LinkMotion] = []
    turn = ONE
    proximal: dict[int, tuple[Plane, Plane]] = {}
    rate: dict[int, SX] = {}
    for i, (link, part) in enumerate(zip(constants.links, model.parts, strict=True)):
        proximal, rate = {**proximal, i: (ZERO, turn.turned)}, {**rate, i: SX(1)}
        bending = Deflection.of(link, q[part])
        own = range(part.start, part.stop)
        reach, bend = Plane(link.length, bending.tip), Plane(SX(1), bending.slope)
        end = {a: P.plus(Q.times(reach)) for a, (P, Q) in proximal.items()}
        end |= {a: turn.turned.scaled(phi) for a, phi in zip(own, link.tips, strict=True)}
        slopes = dict(zip(own, link.slopes, strict=True))
        end_rate = {**rate, **slopes}
        spin = {a: Q.times(bend) for a, (_, Q) in proximal.items()}
        spin |= {a: turn.turned.scaled(slope) for a, slope in slopes.items()}
        motions.append(LinkMotion(turn, proximal, rate, end, spin, end_rate, bending))
        if i + 1 < model.joints:
            back = Plane(ca.cos(q[i + 1]), -ca.sin(q[i + 1]))
            proximal = {a: (back.times(P), spin[a]) for a, P in end.items()}
            turn, rate = turn.times(bend), end_rate
    return motions


def link_frames(model: ArmModel, constants: Constants, q: SX) -> list[tuple[Plane, Plane]]:
    """Return origin r_i and rotation W_i of each link in the base frame, then those of the tip.

    [DeLucaSiciliano1991, Eqs. (2), (3)].
    """
    frames = []
    r, W = ZERO, ONE
    for i, (link, part) in enumerate(zip(constants.links, model.parts, strict=True)):
        bending = Deflection.of(link, q[part])
        W = W.times(Plane(ca.cos(q[i]), ca.sin(q[i])))
        frames.append((r, W))
        r = r.plus(W.times(Plane(link.length, bending.tip)))
        W = W.times(Plane(SX(1), bending.slope))
    return [*frames, (r, W)]


def _sum(terms: Iterable[SX]) -> SX:
    return sum(terms, SX(0))
