"""Rotations, poses and screws as numbers, exact for quarter turns (as expressions: forms/algebra.py)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array
from .checks import sized_array
from .errors import ArgumentError

ROUNDING = 4 * float(np.finfo(float).eps)
"""Entries this close to 0, 1 or -1 differ from those of an exact quarter turn by round-off alone."""

ORTHONORMAL = 1e-9
"""Deviation from a rotation or a unit vector that printed figures may have."""

SHORTEST = 1e-9
"""Length of an axis below which it has no direction."""


def snap_rotation(R: ArrayLike, tolerance: float = ROUNDING) -> Array:
    """Return R with entries within `tolerance` of -1, 0 or 1 replaced by them.

    If that leaves no rotation (a small tilt about a skew axis), R is returned unchanged.
    """
    R = np.asarray(R, dtype=float)
    nearest = np.rint(R)
    snapped = np.where(np.abs(R - nearest) <= tolerance, nearest, R) + 0.0
    orthogonal = np.abs(snapped @ snapped.T - np.eye(3)).max() <= 2 * ROUNDING
    return snapped if orthogonal else R


def exact_turn(angle: float) -> tuple[float, float]:
    """Return the cosine and sine of an angle, exact for quarter turns."""
    R = snap_rotation([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    return float(R[0, 0]), float(R[1, 0])


def snap_pose(T: ArrayLike, tolerance: float) -> Array:
    """Return the pose with a rotation near quarter turns, or near a turn about an axis, made exactly that."""
    T = np.array(T, dtype=float)
    R = T[:3, :3]
    nearest = np.rint(R)
    if np.abs(R - nearest).max() <= tolerance:
        T[:3, :3] = nearest + 0.0
    else:
        T[:3, :3] = _snap_axis_rotation(R, tolerance)
    return T


def _snap_axis_rotation(R: Array, tolerance: float) -> Array:
    """Return an exact rotation about a coordinate axis if R is near one, else R."""
    for axis in range(3):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        if max(np.hypot(R[i, axis], R[j, axis]), np.hypot(R[axis, i], R[axis, j])) <= tolerance:
            flip = np.sign(R[axis, axis])
            norm = np.hypot(R[i, i], R[j, i])
            c, s = R[i, i] / norm, R[j, i] / norm
            exact = np.zeros((3, 3))
            exact[axis, axis] = flip
            exact[i, i], exact[j, i] = c, s
            exact[i, j], exact[j, j] = -s * flip, c * flip
            return exact
    return R


def rotation_rpy(rpy: ArrayLike) -> Array:
    """Return Rz(yaw) Ry(pitch) Rx(roll), the fixed-axis convention of URDF."""
    r, p, y = np.asarray(rpy, dtype=float)
    if r == p == y == 0:
        return np.eye(3)
    cr, sr, cp, sp, cy, sy = np.cos(r), np.sin(r), np.cos(p), np.sin(p), np.cos(y), np.sin(y)
    R = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return snap_rotation(R)


def rpy_of(R: ArrayLike) -> Array:
    """Return roll, pitch and yaw of a rotation, so that `rotation_rpy` gives it back to round-off.

    Roll and pitch are those of R turned back by the yaw, which keeps all digits near a pitch of 90 degrees.
    """
    R = np.asarray(R, dtype=float)
    yaw = np.arctan2(R[1, 0], R[0, 0])
    c, s = np.cos(yaw), np.sin(yaw)
    roll = np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    pitch = np.arctan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    return np.array([roll, pitch, yaw])


def rotation_quaternion(wxyz: ArrayLike) -> Array:
    """Return the rotation of a (w, x, y, z) quaternion of any length but zero."""
    q = sized_array("quaternion", wxyz, (4,), np.finfo(float).max)
    longest = np.abs(q).max()
    if longest == 0:
        raise ArgumentError("quaternion is zero; expected one of any other length")
    q = q / longest  # first, so that no square overflows or vanishes
    w, x, y, z = q / np.linalg.norm(q)
    R = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return snap_rotation(R)


def pose(R: ArrayLike | None = None, p: ArrayLike = (0, 0, 0)) -> Array:
    """Return the 4x4 pose of rotation R and position p."""
    T = np.eye(4)
    if R is not None:
        T[:3, :3] = R
    T[:3, 3] = p
    return T


def checked_pose(name: str, given: ArrayLike) -> Array:
    """Return a 4x4 pose, or raise an error about `name` that says why it is not one."""
    T = sized_array(name, given, (4, 4))
    R = T[:3, :3]
    off = np.abs(R @ R.T - np.eye(3)).max()
    if off > ORTHONORMAL:
        raise ArgumentError(
            f"{name} is not a pose: its upper left 3x3 is not a rotation, R R^T - I is up to {off:.2g}; "
            "give columns of length 1 that are orthogonal"
        )
    if np.linalg.det(R) < 0:
        raise ArgumentError(
            f"{name} is not a pose: its upper left 3x3 is not a rotation but mirrors (determinant -1); "
            "turn one of its axes round"
        )
    if not np.array_equal(T[3], (0, 0, 0, 1)):
        raise ArgumentError(
            f"{name} is not a pose: its last row is {T[3].tolist()}, not 0 0 0 1; is it transposed?"
        )
    return T


def unit(axis: ArrayLike) -> Array | None:
    """Return the unit vector along an axis, or None if its length is zero."""
    e = np.asarray(axis, dtype=float)
    longest = np.abs(e).max()
    if longest < SHORTEST:
        return None
    e = e / longest  # first, so that no square overflows
    return np.asarray(e / np.linalg.norm(e))


def inverse(T: ArrayLike) -> Array:
    """Return the inverse pose."""
    T = np.asarray(T, dtype=float)
    R, p = T[:3, :3], T[:3, 3]
    return pose(R.T, -R.T @ p)


def skew(p: ArrayLike) -> Array:
    """Return p~, the matrix for which p~ x = p cross x."""
    x, y, z = np.asarray(p, dtype=float)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def adjoint(T: ArrayLike) -> Array:
    """Return Ad_T, mapping twists (omega; v) of the inner frame to the outer [MuellerKumar2021, Eq. (11)]."""
    T = np.asarray(T, dtype=float)
    R, p = T[:3, :3], T[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [skew(p) @ R, R]])


def twist_matrix(X: ArrayLike) -> Array:
    """Return the 4x4 rate of a pose, T' = T X^, of a body twist (omega; v)."""
    X = np.asarray(X, dtype=float)
    rate = np.zeros((4, 4))
    rate[:3, :3], rate[:3, 3] = skew(X[:3]), X[3:]
    return rate


def screw_motion(X: ArrayLike) -> Array:
    """Return exp(X^), the 4x4 pose that a screw (omega; v) leads to from the identity."""
    w, v = np.split(np.asarray(X, dtype=float), 2)
    x, y, z, s = quaternion_of(w)
    return pose(rotation_quaternion((s, x, y, z)), displacement(w, v))


CONJUGATE = np.array([-1.0, -1.0, -1.0, 1.0])
"""Times a quaternion (x, y, z, w): the turn back."""


def quaternion_of(w: Array) -> Array:
    """Return the quaternions (x, y, z, w) of rotation vectors (..., 3)."""
    half = 0.5 * np.linalg.norm(w, axis=-1, keepdims=True)
    return np.concatenate([0.5 * np.sinc(half / np.pi) * w, np.cos(half)], axis=-1)


def quaternion_product(a: Array, b: Array) -> Array:
    """Return the products of quaternions (x, y, z, w)."""
    vector = a[..., 3:] * b[..., :3] + b[..., 3:] * a[..., :3] + np.cross(a[..., :3], b[..., :3])
    scalar = a[..., 3:] * b[..., 3:] - (a[..., :3] * b[..., :3]).sum(-1, keepdims=True)
    return np.concatenate([vector, scalar], axis=-1)


def rotated(quaternion: Array, x: Array) -> Array:
    """Return vectors (..., 3) rotated by quaternions (x, y, z, w) of any length but zero."""
    longest = np.abs(quaternion).max(-1, keepdims=True)
    quaternion = quaternion / np.where(longest > 0, longest, np.nan)  # first, so that no square overflows
    n = (quaternion**2).sum(-1, keepdims=True)
    u, s = quaternion[..., :3], quaternion[..., 3:]
    t = 2 * np.cross(u, x)
    return np.asarray(x + (s * t + np.cross(u, t)) / n)


def displacement(w: Array, v: Array) -> Array:
    """Return how far constant body twists (w; v) move the origin in unit time, in the frame of the start."""
    angle = np.linalg.norm(w, axis=-1, keepdims=True)
    small = angle < 1e-4
    safe = np.where(small, 1.0, angle)
    a = 0.5 * np.sinc(angle / (2 * np.pi)) ** 2  # (1 - cos) / angle^2, whose difference would cancel
    b = np.where(small, 1 / 6 - angle**2 / 120, (safe - np.sin(safe)) / safe**3)
    wv = np.cross(w, v)
    return np.asarray(v + a * wv + b * np.cross(w, wv))


def rotation_vector(quaternion: Array) -> Array:
    """Return the shortest rotation vectors (..., 3) of quaternions (x, y, z, w) of any length."""
    vector, scalar = quaternion[..., :3], quaternion[..., 3:]
    vector = np.where(scalar < 0, -vector, vector)  # both signs are one rotation
    size = np.linalg.norm(vector, axis=-1, keepdims=True)
    half = np.arctan2(size, np.abs(scalar))
    return np.asarray(2 * half * vector / np.where(size > 0, size, 1.0))


def velocity_of(w: Array, x: Array) -> Array:
    """Return the v for which twists (w; v) move the origin by x in unit time: the inverse of `displacement`.

    There is none for a whole turn, which leads back wherever v points; NaN or huge numbers tell.
    """
    angle = np.linalg.norm(w, axis=-1, keepdims=True)
    small = angle < 1e-3
    half = np.where(small, 1.0, angle) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        c = np.where(small, 1 / 12 + angle**2 / 720, (1 - half / np.tan(half)) / (4 * half**2))
        wx = np.cross(w, x)
        return np.asarray(x - wx / 2 + c * np.cross(w, wx))
