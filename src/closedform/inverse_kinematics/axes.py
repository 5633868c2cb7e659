"""The axes of a chain of six joints at home, and where they meet or are parallel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..forms.algebra import constant, dot
from ..lazy import cached_property
from ..model import Frame, Model
from .subproblems import plane_angles, turned, turning_angle

ALIKE = 2e-5
"""Angle (rad) or distance (of the arm's size) that counts as none: what four printed decimals leave."""


@dataclass(frozen=True)
class Axis:
    """A joint as it is at home: unit direction `h` and, if it turns, a point `o` on its axis."""

    h: Array
    o: Array
    turns: bool = True

    @property
    def reversed(self) -> Axis:
        """The axis whose motion by q undoes that of this one."""
        return Axis(-self.h, self.o, self.turns)

    def parallel(self, other: Axis) -> bool:
        """Return whether two turning axes have one direction, or opposite ones."""
        return self.turns and other.turns and bool(np.linalg.norm(np.cross(self.h, other.h)) < ALIKE)

    def keeps(self, direction: Array) -> bool:
        """Return whether the joint moves no point along a direction."""
        along = np.linalg.norm(np.cross(self.h, direction)) if self.turns else abs(self.h @ direction)
        return bool(along < ALIKE)

    def keeps_distance(self, point: Array, size: float) -> bool:
        """Return whether the joint turns about an axis through a point."""
        return self.turns and bool(np.linalg.norm(np.cross(self.h, point - self.o)) < ALIKE * size)

    # ------------------------------------------------------------------ as expressions

    def moved(self, x: SX, q: SX) -> SX:
        """Return where the motion by q brings a point."""
        h, o = constant(self.h), constant(self.o)
        return o + turned(h, q, x - o) if self.turns else x + q * h

    def to_plane(self, x: SX, a: SX, d: SX, otherwise: SX) -> tuple[SX, SX]:
        """Return the two q that bring a point to the plane a . x = d."""
        h, o = constant(self.h), constant(self.o)
        if self.turns:
            return plane_angles(h, x - o, a, d - dot(a, o), otherwise)
        q = (d - dot(a, x)) / dot(a, h)
        return q, q

    def to_sphere(self, x: SX, centre: SX, square: SX, otherwise: SX) -> tuple[SX, SX]:
        """Return the two q that bring a point to the sphere with this square of its radius.

        [EliasWen2022, subproblem 3], by way of the plane in which the point's circle meets the sphere.
        """
        h, o = constant(self.h), constant(self.o)
        if self.turns:
            d = 0.5 * (square - ca.sumsqr(o - centre) - ca.sumsqr(x - o))
            return plane_angles(h, x - o, o - centre, d, otherwise)
        along = dot(x - centre, h)
        half = ca.sqrt(ca.fmax(along * along - ca.sumsqr(x - centre) + square, 0))
        return -along + half, -along - half

    def to_point(self, x: SX, y: SX, otherwise: SX) -> SX:
        """Return the angle that brings a point nearest to another."""
        return turning_angle(constant(self.h), x - constant(self.o), y - constant(self.o), otherwise)


@dataclass(frozen=True)
class Chain:
    """Six joints between the base and a frame: their axes and the frame's pose at home, both in the base.

    The pose at q is E_1 ... E_6 `home`, E_k being the motion of joint k (product of exponentials).
    `coordinates` says where the joints are in q.
    """

    axes: tuple[Axis, ...]
    home: Array
    coordinates: tuple[int, ...]

    @cached_property
    def size(self) -> float:
        """The largest distance from the first axis' point to another, or to the frame."""
        points = [*(axis.o for axis in self.axes), self.home[:3, 3]]
        return max(float(np.linalg.norm(point - self.axes[0].o)) for point in points)


def chain_of(model: Model, frame: Frame) -> Chain | None:
    """Return the chain to a frame; None unless six joints that turn or shift, each by itself, carry it."""
    carrying = [model.bodies[i] for i in reversed(model.ancestors(frame.body))]
    joints = [body.joint for body in carrying]
    plain = all(joint.turns_about_axis or joint.slides_along_axis for joint in joints)
    if len(carrying) != 6 or not plain or any(body.coupling is not None for body in carrying):
        return None
    T, axes = np.eye(4), []
    for body in carrying:
        T = T @ body.placement
        R, p = T[:3, :3], T[:3, 3]
        turns = body.joint.turns_about_axis
        h = R @ (body.joint.X[:3, 0] if turns else body.joint.X[3:, 0])
        axes.append(Axis(h, p + R @ body.joint.centre, turns))
    return Chain(tuple(axes), T @ frame.placement, tuple(body.iq for body in carrying))


def meeting_point(axes: Sequence[Axis], size: float) -> Array | None:
    """Return the point where turning axes meet; None if they do not, or are all parallel."""
    if not all(axis.turns for axis in axes) or all(axes[0].parallel(axis) for axis in axes[1:]):
        return None
    across = [np.eye(3) - np.outer(axis.h, axis.h) for axis in axes]
    offsets = [P @ axis.o for P, axis in zip(across, axes, strict=True)]
    point = np.linalg.solve(np.sum(across, axis=0), np.sum(offsets, axis=0))
    apart = max(np.linalg.norm(P @ point - at) for P, at in zip(across, offsets, strict=True))
    return np.asarray(point) if apart < ALIKE * size else None
