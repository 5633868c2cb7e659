"""What a slider sets: one number of q, in the unit that people read, between the limits of its joint."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..joints.joint import UNLIMITED
from ..model import Body, Model
from ..model.limits import joint_range
from ..rotations import rotation_rpy, rpy_of
from .placing import matrix_of, xyzw

ANGLES = ("roll", "pitch", "yaw")
"""The sliders of a joint whose coordinates are a quaternion."""

TURN, SLIDE = math.pi, 1.0
"""Half the range of a slider whose joint has no limits, in rad and m."""

DEGREES = 180.0 / math.pi


@dataclass(frozen=True)
class Coordinate:
    """A number that a slider shows: `lower` to `upper` in `unit`, which is `factor` times that of q.

    `place` is its index in q. If `angle` is given, `place` is where a quaternion starts, and the number is
    its roll, pitch or yaw.
    """

    name: str
    unit: str
    lower: float
    upper: float
    place: int
    angle: int | None = None

    @property
    def factor(self) -> float:
        """Units of the slider per unit of q."""
        return DEGREES if self.unit == "°" else 1.0

    @property
    def step(self) -> float:
        """The least change: a tenth of a degree, a millimetre."""
        return 0.1 if self.unit == "°" else 1e-3

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the slider: the limits, rounded inwards to whole steps."""
        low, high = math.ceil(self.lower / self.step - 1e-9), math.floor(self.upper / self.step + 1e-9)
        if low >= high:
            return self.lower, self.upper
        return round(low * self.step, 9), round(high * self.step, 9)

    def rounded(self, q: Array) -> float:
        """Return the number at q to whole steps."""
        return round(round(self.value(q) / self.step) * self.step, 9)

    def value(self, q: Array) -> float:
        """Return the number at q, as the slider shows it."""
        if self.angle is None:
            return float(q[self.place] * self.factor)
        return float(self._angles(q)[self.angle] * self.factor)

    def placed(self, q: Array, value: float) -> Array:
        """Return q with this number changed."""
        moved = q.copy()
        if self.angle is None:
            moved[self.place] = value / self.factor
            return moved
        angles = self._angles(q)
        angles[self.angle] = value / self.factor
        moved[self.place : self.place + 4] = xyzw(rotation_rpy(angles))
        return moved

    def _angles(self, q: Array) -> Array:
        return rpy_of(matrix_of(q[self.place : self.place + 4]))


def coordinates(model: Model) -> tuple[Coordinate, ...]:
    """Return what the sliders of a robot set; a joint that lets a body go anywhere has none.

    >>> import closedform as cf
    >>> [(each.name, each.unit) for each in coordinates(cf.load("cartpole").model)]
    [('slide', 'm'), ('hinge', '°')]
    """
    found: list[Coordinate] = []
    for body in model.independent:
        found += _of_joint(model, body)
    return tuple(found)


def _of_joint(model: Model, body: Body) -> list[Coordinate]:
    joint = body.joint
    if joint.floats:
        return []
    if joint.quaternion is not None:
        start = body.iq + joint.quaternion.start
        return [
            Coordinate(f"{body.joint_name} {name}", "°", -half, half, start, k)
            for k, (name, half) in enumerate(zip(ANGLES, (180.0, 90.0, 180.0), strict=True))
        ]
    lower, upper = joint_range(model, body) if joint.nv == 1 else (-np.inf, np.inf)
    entries = []
    for k, (part, unit) in enumerate(joint.coordinate_entries):
        turns = unit == "rad"
        half, factor = (TURN, DEGREES) if turns else (SLIDE, 1.0)
        ends = _ends(lower, upper, half)
        name = f"{body.joint_name} {part}" if part else body.joint_name
        entries.append(
            Coordinate(name, "°" if turns else unit, ends[0] * factor, ends[1] * factor, body.iq + k)
        )
    return entries


def _ends(lower: float, upper: float, half: float) -> tuple[float, float]:
    """Return the ends of a slider; a joint without limits, or with some that exclude all, has its own."""
    if not lower < upper:
        lower, upper = -math.inf, math.inf
    low = lower if lower > -UNLIMITED else min(-half, upper - 2 * half) if upper < UNLIMITED else -half
    high = upper if upper < UNLIMITED else max(half, low + 2 * half)
    return low, high
