"""Three joints bring a point to a place: two quadratic equations one after the other, or one quartic."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import casadi as ca
from casadi import SX

from ..forms.algebra import constant, cross, dot
from .axes import Axis, meeting_point
from .motion import Angles
from .subproblems import turning_angle


@dataclass(frozen=True)
class Position:
    """How three joints bring a point x to y.

    `build(x, y, otherwise, root)` gives the coordinates branch by branch, `resolvent(x, y)` the polynomial
    of those that need a `root`.
    """

    build: Callable[[SX, SX, Angles, SX], Iterator[Angles]]
    resolvent: Callable[[SX, SX], SX] | None = None


def position(axes: Sequence[Axis], size: float) -> Position | None:
    """Return how three joints bring a point to a place; None for joints that shift, or that cannot do it."""
    backwards = [axis.reversed for axis in axes[::-1]]
    if _special(axes, size):
        return two_and_one(axes, size)
    if not _special(backwards, size):
        return general(axes) if all(axis.turns for axis in axes) else None
    found = two_and_one(backwards, size)
    if found is None:
        return None
    build = found.build
    return Position(lambda x, y, free, root: (each[::-1] for each in build(y, x, free[::-1], root)))


def _special(axes: Sequence[Axis], size: float) -> bool:
    """Return whether the first two axes turn, and meet or are parallel."""
    return axes[0].parallel(axes[1]) or meeting_point(axes[:2], size) is not None


def two_and_one(axes: Sequence[Axis], size: float) -> Position | None:
    """Return the branches for a first and second axis that meet, or are parallel.

    Motions about axes that meet in o keep the distance to o, which leaves q_3 alone; those about parallel
    axes keep the height along them. Then q_2 follows from what the first motion keeps, and q_1 last. There
    are none if the third joint keeps that too: then the three move no point in space.
    """
    first, second, third = axes
    meeting = meeting_point([first, second], size)
    if third.keeps(first.h) if meeting is None else third.keeps_distance(meeting, size):
        return None
    o, h = constant(first.o if meeting is None else meeting), constant(first.h)

    def build(x: SX, y: SX, otherwise: Angles, root: SX) -> Iterator[Angles]:
        height, square = dot(h, y), ca.sumsqr(y - o)
        if meeting is None:
            thirds = third.to_plane(x, h, height, otherwise[2])
        else:
            thirds = third.to_sphere(x, o, square, otherwise[2])
        for q3 in thirds:
            there = third.moved(x, q3)
            if meeting is None:
                seconds = second.to_sphere(there, o, square, otherwise[1])
            else:
                seconds = second.to_plane(there, h, height, otherwise[1])
            for q2 in seconds:
                yield [first.to_point(second.moved(there, q2), y, otherwise[0]), q2, q3]

    return Position(build)


def general(axes: Sequence[Axis]) -> Position:
    """Return the branches for three turning axes of any kind, up to four [Pieper1968].

    The first motion keeps height h_1 . x and distance to o_1. Both are linear in Y = x_3 - o_2 turned by
    q_2, so that they give it, v, as a function of q_3; |v| is the distance of Y from axis 2. This is a
    quadratic equation in cos q_3 and sin q_3: a polynomial of degree 4 in z = exp(i q_3),
    C_2 z^4 + C_1 z^3 + C_0 z^2 + conj(C_1) z + conj(C_2), whose roots of modulus 1 are the solutions.
    """
    first, second, third = axes
    h1, k, h3 = (constant(axis.h) for axis in axes)
    o1, o2, o3 = (constant(axis.o) for axis in axes)
    d = o2 - o1
    n, m = h1 - dot(h1, k) * k, d - dot(d, k) * k
    volume = dot(k, cross(n, m))

    def conditions(y: SX, along: SX, square: SX, one: float) -> tuple[SX, SX]:
        """Return n . v and m . v from k . Y and |Y|^2, or their coefficients (`one` is then 0)."""
        A = one * dot(h1, y - o2) - dot(h1, k) * along
        B = 0.5 * (one * (ca.sumsqr(y - o1) - ca.sumsqr(d)) - square) - dot(d, k) * along
        return A, B

    def resolvent(x: SX, y: SX) -> SX:
        r = x - o3
        a1, a2 = r - dot(h3, r) * h3, cross(h3, r)
        a0 = x - a1 - o2  # Y = a0 + a1 cos q3 + a2 sin q3
        along = [dot(k, each) for each in (a0, a1, a2)]
        square = [ca.sumsqr(a0) + ca.sumsqr(a1), 2 * dot(a0, a1), 2 * dot(a0, a2)]
        pairs = [conditions(y, along[i], square[i], float(i == 0)) for i in range(3)]
        A, B = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        terms = [(ca.sumsqr(m), A, A), (-2 * dot(m, n), A, B), (ca.sumsqr(n), B, B)]
        terms += [(volume * volume, along, along), (-volume * volume, square, [SX(1), SX(0), SX(0)])]

        def entry(i: int, j: int) -> SX:
            """Return the coefficient of the product of the i-th and j-th of 1, cos, sin."""
            both = sum((s * (L[i] * M[j] + L[j] * M[i]) for s, L, M in terms), SX(0))
            return 0.5 * both if i == j else both

        C2 = [0.25 * (entry(1, 1) - entry(2, 2)), -0.25 * entry(1, 2)]
        C1 = [0.5 * entry(0, 1), -0.5 * entry(0, 2)]
        return ca.vertcat(*C2, *C1, entry(0, 0) + 0.5 * (entry(1, 1) + entry(2, 2)))

    def build(x: SX, y: SX, otherwise: Angles, root: SX) -> Iterator[Angles]:
        there = third.moved(x, root)
        Y = there - o2
        A, B = conditions(y, dot(k, Y), ca.sumsqr(Y), 1.0)
        v = (A * cross(m, k) + B * cross(k, n)) / volume
        q2 = turning_angle(k, Y, v, otherwise[1])
        yield [first.to_point(second.moved(there, q2), y, otherwise[0]), q2, root]

    return Position(build, resolvent)
