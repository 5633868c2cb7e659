"""Rotations as quaternions, which ball joints have in q and the scene has everywhere."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..rotations import rotation_quaternion


def xyzw(R: Array) -> Array:
    """Return the unit quaternion of a rotation matrix in the order of q: x, y, z, w."""
    from scipy.spatial.transform import Rotation  # noqa: PLC0415 (takes as long to import as the rest)

    found: Array = Rotation.from_matrix(R).as_quat()
    return found


def matrix_of(quaternion: Array) -> Array:
    """Return the rotation matrix of a quaternion in the order of q."""
    return rotation_quaternion(np.roll(quaternion, 1))


def pose_of(quaternion: Array, position: Array) -> Array:
    """Return the pose (4, 4) of a quaternion as the scene has it, w first, and a position.

    >>> import numpy as np
    >>> pose_of(np.array([0, 0, 0, 2.0]), np.array([1, 2, 3])).tolist()[1]
    [0.0, -1.0, 0.0, 2.0]
    """
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation_quaternion(quaternion), position
    return T
