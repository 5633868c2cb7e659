"""The motion of a base from its recorded poses: filtered on the rotations, twists and accelerations."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...rotations import (
    CONJUGATE,
    quaternion_of,
    quaternion_product,
    rotated,
    rotation_vector,
)
from ..logs.signals import differentiate, zero_phase

TWISTS = ("body", "mixed", "world")
"""Axes of a recorded twist (omega; v): all in body axes, omega in body and v in world axes, all in world."""


def continuous(quaternion: Array) -> Array:
    """Return unit quaternions (rows, 4) whose signs do not jump from row to row."""
    unit = quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)
    flips = np.cumsum(np.sum(unit[1:] * unit[:-1], axis=1) < 0) % 2
    return np.asarray(unit * np.concatenate([[1.0], 1.0 - 2.0 * flips])[:, None])


def filtered_rotations(quaternion: Array, cutoff: float, rate: float) -> Array:
    """Return rotations after a zero-phase low-pass, taken in the tangent space of a smooth reference.

    The reference R_0 is the low-pass of the quaternions' entries, made unit again; it commutes with
    constant rotations on either side. What it misses is the rotation vector x of R_0^T R, which is small:
    the result is R_0 exp(low-pass of x).
    """
    smooth = zero_phase(quaternion, cutoff, rate)
    smooth = smooth / np.linalg.norm(smooth, axis=1, keepdims=True)
    rest = rotation_vector(quaternion_product(smooth * CONJUGATE, quaternion))
    return continuous(quaternion_product(smooth, quaternion_of(zero_phase(rest, cutoff, rate))))


def body_motion(position: Array, quaternion: Array, rate: float) -> tuple[Array, Array]:
    """Return the body twist (omega; v) of evenly sampled poses, and its time derivative.

    With the quaternion p of R, p* p' = (omega/2, 0) and p* p'' = (omega'/2, -|omega|^2/4);
    v = R^T x', v' = R^T x'' - omega x v.
    """
    first, second = differentiate(quaternion, rate)
    back = quaternion * CONJUGATE
    omega = 2 * quaternion_product(back, first)[:, :3]
    alpha = 2 * quaternion_product(back, second)[:, :3]
    speed, acceleration = differentiate(position, rate)
    v = rotated(back, speed)
    a = rotated(back, acceleration) - np.cross(omega, v)
    return np.concatenate([omega, v], axis=1), np.concatenate([alpha, a], axis=1)


def body_twist(twist: Array, quaternion: Array, axes: str) -> Array:
    """Return recorded twists (omega; v) in body axes."""
    back = quaternion * CONJUGATE
    omega = rotated(back, twist[:, :3]) if axes == "world" else twist[:, :3]
    v = twist[:, 3:] if axes == "body" else rotated(back, twist[:, 3:])
    return np.concatenate([omega, v], axis=1)
