"""The subproblems of Paden and Kahan as expressions: angles about one axis that bring points to places.

Each is solved in the least-squares sense [EliasWen2022], so that a place out of reach gives the nearest angle
and no NaN; whether it is a solution is seen in the pose that the angles lead to.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from ..forms.algebra import cross, dot

ON_AXIS = 1e-13
"""Sine of the angle to the axis below which a direction is the axis: more than poses have of round-off."""


def turned(h: SX, angle: SX, u: SX) -> SX:
    """Return the vector u turned by an angle about the unit axis h (Rodrigues' formula)."""
    c, s = ca.cos(angle), ca.sin(angle)
    return c * u + s * cross(h, u) + ((1 - c) * dot(h, u)) * h


def turning_angle(h: SX, u: SX, v: SX, otherwise: SX) -> SX:
    """Return the angle about h that turns u nearest to v; `otherwise` if one of them is along the axis.

    [EliasWen2022, subproblem 1].
    """
    x, y = _across(h, u, v)
    free = on_axis(h, u) + on_axis(h, v)
    return ca.if_else(free, otherwise, ca.atan2(y, x))


def plane_angles(h: SX, u: SX, a: SX, d: SX, otherwise: SX) -> tuple[SX, SX]:
    """Return the two angles about h that turn u so that a . u = d; `otherwise` if a turn changes nothing.

    x cos + y sin = z has the solutions atan2(y, x) -+ atan2(sqrt(x^2 + y^2 - z^2), z)
    [EliasWen2022, subproblem 4].
    """
    x, y = _across(h, u, a)
    z = d - dot(a, h) * dot(h, u)
    half = ca.atan2(ca.sqrt(ca.fmax(x * x + y * y - z * z, 0)), z)
    middle = ca.atan2(y, x)
    free = on_axis(h, u) + on_axis(h, a)
    return ca.if_else(free, otherwise, middle + half), ca.if_else(free, otherwise, middle - half)


def cone_angles(h: SX, u: SX, a: SX, v: SX) -> tuple[SX, SX]:
    """Return the two angles about h that turn u to the same angle with a as v has; all are unit vectors.

    This is subproblem 4 with d = a . v. Its root x^2 + y^2 - z^2 is written as a product of sines of the
    sides of the spherical triangle h, u, a, so that it keeps its digits if the triangle is nearly flat: a
    wrist that is nearly straight.
    """
    x, y = _across(h, u, a)
    z = dot(a, v) - dot(a, h) * dot(h, u)
    one, other, across = _angle(a, h), _angle(h, u), _angle(a, v)
    sides = (across + one - other, across - one + other, one + other + across, one + other - across)
    product = SX(4)
    for side in sides:
        product = product * ca.sin(0.5 * side)
    half, middle = ca.atan2(ca.sqrt(ca.fmax(product, 0)), z), ca.atan2(y, x)
    return middle + half, middle - half


def _across(h: SX, u: SX, v: SX) -> tuple[SX, SX]:
    """Return |u||v| cos and |u||v| sin of the angle from u to v about h, both seen along h.

    Written with what is across the axis alone, so that it keeps its digits for vectors nearly along h.
    """
    side = cross(h, u)
    return dot(side, cross(h, v)), dot(side, v)


def _angle(a: SX, b: SX) -> SX:
    """Return the angle between two vectors."""
    return ca.atan2(ca.sqrt(ca.sumsqr(cross(a, b))), dot(a, b))


def on_axis(h: SX, u: SX) -> SX:
    """Return 1 if a vector is along the axis but for round-off, else 0."""
    return ca.sumsqr(cross(h, u)) <= ON_AXIS**2 * ca.sumsqr(u)
