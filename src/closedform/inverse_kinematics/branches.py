"""All branches of six-joint arms in closed form: spherical wrists, and three parallel axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..forms.algebra import constant, dot
from .axes import Axis, Chain, meeting_point
from .motion import Angles, Branches, Motion
from .position import Position, position
from .subproblems import cone_angles, on_axis, plane_angles, turned, turning_angle


def branches_of(chain: Chain) -> Branches | None:
    """Return how the branches of a chain are written, seen from either end; None if neither works."""
    axes, size = chain.axes, chain.size
    found = _branches(axes, size)
    if found is not None:
        return found
    backwards = _branches([axis.reversed for axis in axes[::-1]], size)
    return None if backwards is None else backwards.reversed


def _branches(axes: Sequence[Axis], size: float) -> Branches | None:
    wrist = meeting_point(axes[3:], size)
    if wrist is not None and not axes[3].parallel(axes[4]) and not axes[4].parallel(axes[5]):
        arm = position(axes[:3], size)
        return None if arm is None else spherical_wrist(axes, wrist, arm)
    meeting = meeting_point(axes[4:], size)
    planar = axes[1].parallel(axes[2]) and axes[2].parallel(axes[3])
    upright = axes[0].turns and not axes[0].parallel(axes[1]) and not axes[3].parallel(axes[4])
    return three_parallel(axes, meeting) if meeting is not None and planar and upright else None


def spherical_wrist(axes: Sequence[Axis], wrist: Array, arm: Position) -> Branches:
    """Return the branches of an arm whose last three axes meet: position first, then orientation.

    The first three joints bring the wrist to its place [Pieper1968]; the others turn about it.
    """
    h4, h5, h6 = (constant(axis.h) for axis in axes[3:])
    across = constant(_perpendicular(axes[5].h))
    w = constant(wrist)
    resolvent = arm.resolvent

    def build(motion: Motion) -> Iterator[Angles]:
        free = motion.otherwise
        for first in arm.build(w, motion.R @ w + motion.p, free[:3], motion.root):
            R = _back(axes[:3], first, motion.R)
            tool = R @ h6
            for q5 in cone_angles(h5, h6, h4, tool):
                q4 = turning_angle(h4, turned(h5, q5, h6), tool, free[3])
                last = _back(axes[3:5], [q4, q5], R @ across)
                yield [*first, q4, q5, turning_angle(h6, across, last, free[5])]

    if resolvent is None:
        return Branches(build)
    return Branches(build, lambda motion: resolvent(w, motion.R @ w + motion.p))


def three_parallel(axes: Sequence[Axis], meeting: Array) -> Branches:
    """Return the branches of an arm whose axes 2, 3, 4 are parallel and 5, 6 meet [Hawkins2013].

    Joints 2 to 4 keep the height along their axes, and so give q_1 from the place of the point where
    axes 5 and 6 meet, and q_5 from the direction of axis 6 [EliasWen2022]. What is left moves in a plane.
    """
    second, third, fourth = axes[1:4]
    h2, h5, h6 = (constant(axes[k].h) for k in (1, 4, 5))
    o2 = constant(second.o)
    o4 = constant(fourth.o + second.h * (second.h @ (second.o - fourth.o)))  # as high as o2
    third_sign, fourth_sign = (float(np.sign(axis.h @ second.h)) for axis in (third, fourth))
    across, beside = (constant(_perpendicular(axes[k].h)) for k in (1, 5))
    w = constant(meeting)
    shoulder, reach = axes[0].reversed, _reach(second, third, fourth)

    def build(motion: Motion) -> Iterator[Angles]:
        free = motion.otherwise
        place = motion.R @ w + motion.p
        for q1 in shoulder.to_plane(place, h2, dot(h2, w), free[0]):
            R = _back(axes[:1], [q1], motion.R)
            point = shoulder.moved(place, q1)
            for side, q5 in enumerate(cone_angles(h5, h6, h2, R @ h6)):
                q6 = turning_angle(h6, R.T @ h2, turned(-h5, q5, h2), free[5])
                turn = R @ turned(-h6, q6, turned(-h5, q5, across))
                total = turning_angle(h2, across, turn, SX(0))  # of joints 2, 3 and 4
                far, other = _within_reach(point - o2, h2, w - o4, total, reach, side)
                far = far * on_axis(h6, R.T @ h2)
                last = turned(-h5, q5, turned(-h2, other, R @ beside))
                q6 = ca.if_else(far, turning_angle(h6, beside, last, q6), q6)
                total = ca.if_else(far, other, total)
                middle = point - turned(h2, total, w - o4)
                for q3 in third.to_sphere(o4, o2, ca.sumsqr(middle - o2), free[2]):
                    q2 = turning_angle(h2, third.moved(o4, q3) - o2, middle - o2, free[1])
                    yield [q1, q2, q3, fourth_sign * (total - q2 - third_sign * q3), q5, q6]

    return Branches(build)


def _reach(second: Axis, third: Axis, fourth: Axis) -> tuple[float, float]:
    """Return the least and the largest distance between the second and the fourth of parallel axes."""
    upper, lower = (
        float(np.linalg.norm(np.cross(second.h, b.o - a.o))) for a, b in ((second, third), (third, fourth))
    )
    return abs(upper - lower), upper + lower


def _within_reach(a: SX, h: SX, c: SX, angle: SX, reach: tuple[float, float], side: int) -> tuple[SX, SX]:
    """Return whether a - c turned by an angle is out of reach, and an angle at which it just is not.

    If axis 6 is parallel to axis 2, all of joints 2, 3, 4 and 6 move in one plane, and one of them is free.
    The angle may not be, so that the arm reaches.
    """
    square = ca.sumsqr(a - turned(h, angle, c))
    near, far = reach[0] ** 2, reach[1] ** 2
    edge = ca.fmin(ca.fmax(square, near), far)
    other = plane_angles(h, c, a, 0.5 * (ca.sumsqr(a) + ca.sumsqr(c) - edge), angle)[side]
    return (square < near) + (square > far), other


def _back(axes: Sequence[Axis], angles: Angles, A: SX) -> SX:
    """Return the columns of A turned back by some joints: (R_1 R_2 ...)^T A."""
    columns = [A[:, k] for k in range(A.size2())]
    for axis, angle in zip(axes, angles, strict=True):
        if axis.turns:
            columns = [turned(constant(-axis.h), angle, column) for column in columns]
    return ca.horzcat(*columns)


def _perpendicular(h: Array) -> Array:
    """Return a unit vector across an axis."""
    other = np.cross(h, np.eye(3)[np.argmin(np.abs(h))])
    return np.asarray(other / np.linalg.norm(other))
