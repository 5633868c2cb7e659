"""The ball joint: any turn about a point."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..arrays import Array
from ..rotations import (
    CONJUGATE,
    pose,
    quaternion_of,
    quaternion_product,
    rotation_quaternion,
    rotation_vector,
    skew,
)
from .quaternion import QuaternionJoint
from .registry import register


@register
class Ball(QuaternionJoint):
    """T turns about the point c by the unit quaternion q; v is the body angular velocity, X = (I; c~)."""

    kind = "ball"
    written: ClassVar = {}
    count = 3
    quaternion = slice(0, 4)
    mjcf = "ball"

    @classmethod
    def screws_of(cls, **written: Array) -> Array:
        return np.eye(6)[:, :3]

    @classmethod
    def fits(cls, X: Array) -> bool:
        return X.shape[1] == 3 and bool(np.linalg.matrix_rank(X[:3]) == 3)

    @property
    def centre(self) -> Array:
        return np.array([self.X[5, 1], self.X[3, 2], self.X[4, 0]])

    @property
    def shifts(self) -> Array:
        return np.zeros((3, self.nq))

    def pitch(self, column: int) -> float:
        return 0.0

    def own_problem(self) -> str | None:
        about_centre = np.block([[np.eye(3)], [skew(self.centre)]])
        if np.allclose(self.X, about_centre):
            return None
        return "a ball joint needs the screws (I; c~): rotations about the frame axes through a point c"

    def motion(self, q: Array) -> Array:
        x, y, z, w = q
        R, c = rotation_quaternion((w, x, y, z)), self.centre
        return pose(R, c - R @ c)

    def moved(self, q: Array, step: Array) -> Array:
        return quaternion_product(q, quaternion_of(step))

    def step_to(self, q: Array, target: Array) -> Array:
        return rotation_vector(quaternion_product(q * CONJUGATE, target))

    @property
    def meaning(self) -> str:
        return "ball; q = quaternion x y z w; qd = body angular velocity (rad/s)"

    def pinocchio(self, pin: Any) -> Any:
        return pin.JointModelSpherical()
