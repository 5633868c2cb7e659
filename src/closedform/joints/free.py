"""The free joint: a body that goes anywhere."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ..arrays import Array
from ..rotations import (
    CONJUGATE,
    displacement,
    pose,
    quaternion_of,
    quaternion_product,
    rotated,
    rotation_quaternion,
    rotation_vector,
    velocity_of,
)
from .quaternion import QuaternionJoint
from .registry import register


@register
class Free(QuaternionJoint):
    """T is a position and a unit quaternion; v is the body twist (omega; v), X = I."""

    kind = "free"
    written: ClassVar = {}
    count = 6
    floats = True
    quaternion = slice(3, 7)
    urdf = "floating"
    mjcf = "free"

    @classmethod
    def screws_of(cls, **written: Array) -> Array:
        return np.eye(6)

    @classmethod
    def fits(cls, X: Array) -> bool:
        return X.shape[1] == 6 and bool(np.linalg.matrix_rank(X[:3]) == 3)

    @property
    def centre(self) -> Array:
        return np.zeros(3)

    @property
    def shifts(self) -> Array:
        return np.eye(3, self.nq)

    def own_problem(self) -> str | None:
        return None if np.array_equal(self.X, np.eye(6)) else "a six-dof joint needs the identity as screws"

    def motion(self, q: Array) -> Array:
        x, y, z, w = q[3:]
        return pose(rotation_quaternion((w, x, y, z)), q[:3])

    def moved(self, q: Array, step: Array) -> Array:
        w, v = step[..., :3], step[..., 3:]
        position = q[..., :3] + rotated(q[..., 3:], displacement(w, v))
        return np.concatenate([position, quaternion_product(q[..., 3:], quaternion_of(w))], axis=-1)

    def step_to(self, q: Array, target: Array) -> Array:
        back = q[..., 3:] * CONJUGATE
        w = rotation_vector(quaternion_product(back, target[..., 3:]))
        v = velocity_of(w, rotated(back, target[..., :3] - q[..., :3]))
        return np.concatenate([w, v], axis=-1)

    @property
    def meaning(self) -> str:
        return "free; q = position (m), quaternion x y z w; qd = body twist omega (rad/s), v (m/s)"

    def pinocchio(self, pin: Any) -> Any:
        return pin.JointModelFreeFlyer()

    @property
    def pinocchio_order(self) -> tuple[int, ...]:
        return (3, 4, 5, 0, 1, 2)
