"""Joints that turn any way: what ball and free joints share is a unit quaternion, last in q."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .joint import JointType


class QuaternionJoint(JointType):
    """A joint whose last four coordinates are a quaternion (x, y, z, w) of any length but zero."""

    @property
    def nq(self) -> int:
        return self.nv + 1

    def neutral(self) -> Array:
        q = np.zeros(self.nq)
        q[-1] = 1.0
        return q

    def random(self, rng: np.random.Generator, batch: tuple[int, ...], lower: float, upper: float) -> Array:
        quaternion = rng.normal(size=(*batch, 4))
        quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
        position = rng.uniform(-1, 1, size=(*batch, self.nq - 4))
        return np.concatenate([position, quaternion], axis=-1)

    def doubt(self, q: Array) -> str | None:
        return None if q[-4:].any() else "the quaternion is zero, which is not a rotation"

    @property
    def velocity_entries(self) -> tuple[tuple[str, str], ...]:
        turning = tuple((name, "rad") for name in ("wx", "wy", "wz"))
        return (*turning, *((name, "m") for name in ("vx", "vy", "vz")))[: self.nv]

    @property
    def coordinate_entries(self) -> tuple[tuple[str, str], ...]:
        position = tuple((name, "m") for name in ("x", "y", "z"))
        return (*position[: self.nq - 4], *((name, "1") for name in ("qx", "qy", "qz", "qw")))
