"""Other velocities than qd: rates of Euler angles or quaternions, and those that other libraries hold.

Of a ball or free joint, qd is the body twist. Here u is another choice for the same motion, with
qd = B u and u = B^+ qd at each joint. Rotations and positions are those of the joint in its axes at home,
which are the base's if it is the root.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations

import casadi as ca
import numpy as np
from casadi import SX

from ..checks import known_name
from ..joints import JointType
from .algebra import constant, cross, dot, matrix_of, rotation_of_quaternion
from .joint_motion import joint_rotation, joint_velocity_map, quaternion_map
from .quantity import FormArray

LOCKED = 1e-14
"""Squared sine of the angle between the first and last axis of Euler angles below which they are one."""

Maps = tuple[SX, SX]
"""The map from other velocities to our own, and its left inverse."""


@dataclass(frozen=True)
class VelocityCoordinates:
    """What the velocities of joints are, if not twists: `rotation(Q)` gives the maps of a quaternion's turn.

    `meaning` tells what those of a free joint are. Its linear velocity is the rate of its position `at_home`
    or else seen in the body, and comes before the angular one if `linear_first`. Other joints have the
    rates of their own coordinates, or else velocities as everywhere in this library (`own`). A `sequence`
    is the axes of Euler angles, the first turn first; `as_q` says that there are as many as coordinates.
    """

    meaning: str
    rotation: Callable[[SX], Maps]
    at_home: bool = True
    linear_first: bool = True
    own: bool = False
    sequence: str = ""
    as_q: bool = False

    def maps(self, joint: JointType, q: SX) -> Maps:
        """Return B and B^+ of a joint at its own coordinates."""
        if joint.quaternion is None:
            return (SX.eye(joint.nv), SX.eye(joint.nv)) if self.own else _coordinate_maps(joint, q)
        B, back = self.rotation(q[joint.quaternion])
        if joint.nv == 3:
            return B, back
        R = rotation_of_quaternion(q[joint.quaternion]) if self.at_home else SX.eye(3)
        if not self.linear_first:
            return ca.diagcat(B, R.T), ca.diagcat(back, R)
        count = B.size2()
        return (
            ca.blockcat(SX(3, 3), B, R.T, SX(3, count)),
            ca.blockcat(SX(3, 3), R, back, SX(count, 3)),
        )


def _coordinate_maps(joint: JointType, q: SX) -> Maps:
    """Return the maps from and to the rates of plain coordinates; translations turn with the joint."""
    turn, E = joint_rotation(joint, q), joint_velocity_map(joint, q)
    sliding = np.flatnonzero(~joint.turns).tolist()
    B = SX.eye(joint.nv)
    if turn is not None and sliding:
        along = np.linalg.pinv(joint.X[3:, sliding])
        B[sliding, sliding] = constant(along) @ matrix_of(turn).T @ constant(joint.shifts[:, sliding])
    return B, E


def _quaternion(Q: SX) -> Maps:
    """Return the maps of a quaternion's rate; what changes only its length is no motion."""
    E = quaternion_map(Q)
    return (4 / dot(Q, Q)) * E.T, E


def _euler(sequence: str, Q: SX) -> Maps:
    """Return the maps of the rates of Euler angles; n is NaN where the first and the last axis are one.

    With R = R_i(a) R_j(b) R_k(c) the body angular velocity is a' R^T e_i + b' n + c' e_k. The axis n of the
    second turn is orthogonal to the others, on the side where b is within 90 degrees of zero (of 90
    degrees, if i = k). The inverse has the reciprocal axes as rows.
    """
    i, j, k = ("xyz".index(letter) for letter in sequence)
    first, last = rotation_of_quaternion(Q)[i, :].T, SX.eye(3)[:, k]
    normal = cross(last, first)
    square = dot(normal, normal)
    sine = ca.sqrt(ca.if_else(square > LOCKED, square, -1.0))  # NaN if it is zero but for round-off
    side = -1 if i == k else (1 if (j - i) % 3 == 1 else -1)
    n, along = (side / sine) * normal, first[k] / (sine * sine)
    back = ca.horzcat(first / (sine * sine) - along * last, n, last / (sine * sine) - along * first)
    return ca.horzcat(first, n, last), back.T


def _roll_pitch_yaw(Q: SX) -> Maps:
    """Return the maps of the rates of roll, pitch and yaw, R = Rz(yaw) Ry(pitch) Rx(roll)."""
    B, back = _euler("zyx", Q)
    return B[:, [2, 1, 0]], back[[2, 1, 0], :]


def _in_home_axes(Q: SX) -> Maps:
    R = rotation_of_quaternion(Q)
    return R.T, R


def _in_body_axes(Q: SX) -> Maps:
    return SX.eye(3), SX.eye(3)


SEQUENCES = tuple("".join(each) for a in permutations("xyz") for each in (a, (a[0], a[1], a[0])))
"""Axes of the twelve kinds of Euler angles: each turn is about an axis of the body as it is by then."""

QUATERNION_RATES = "quaternion_rates"
VELOCITY_COORDINATES = {
    QUATERNION_RATES: VelocityCoordinates(
        "rates of q itself: of position and quaternion", _quaternion, as_q=True
    ),
    "euler_rpy": VelocityCoordinates(
        "rates of position, roll, pitch and yaw, as in URDF", _roll_pitch_yaw, sequence="rpy"
    ),
    **{
        f"euler_{each}": VelocityCoordinates(
            f"rates of position and of turns about {', '.join(each)} in turn",
            partial(_euler, each),
            sequence=each,
        )
        for each in SEQUENCES
    },
    "world_aligned": VelocityCoordinates(
        "angular velocity and rate of the position, in the axes at home", _in_home_axes, linear_first=False
    ),
    "mujoco": VelocityCoordinates(
        "rate of the position, angular velocity in the body, as in MuJoCo", _in_body_axes
    ),
    "pinocchio": VelocityCoordinates(
        "twist with the linear part first, as in Pinocchio", _in_body_axes, at_home=False, own=True
    ),
}
"""Velocity coordinates by the name that a call chooses."""


def velocity_arrays(arrays: tuple[FormArray, ...], coordinates: str | None) -> tuple[FormArray, ...]:
    """Return arrays over the rates of q as those over other velocities, if some are chosen by name."""
    if coordinates is None:
        return arrays
    known_name("coordinates", coordinates, tuple(VELOCITY_COORDINATES))
    if VELOCITY_COORDINATES[coordinates].as_q:
        return arrays
    shapes = (tuple("v" if size == "q" else size for size in each.shape) for each in arrays)
    return tuple(replace(each, shape=shape) for each, shape in zip(arrays, shapes, strict=True))
