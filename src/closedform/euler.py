"""Coordinates with Euler angles: what people and other programs write in place of quaternions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array
from .checks import batch_array, known_name
from .errors import ArgumentError
from .forms.velocity_coordinates import LOCKED, VELOCITY_COORDINATES
from .guests import in_kind
from .model import Model
from .rotations import quaternion_of, quaternion_product, rotated

EULER = tuple(name for name, each in VELOCITY_COORDINATES.items() if each.sequence)
"""Velocity coordinates that are rates of Euler angles."""


class RobotEuler:
    """Methods that give coordinates with three angles for each quaternion, and take them."""

    model: Model

    @in_kind
    def euler_angles(self, q: ArrayLike, coordinates: str = "euler_rpy") -> Array:
        """Return coordinates with Euler angles of ball and free joints in place of quaternions, (..., nv).

        A free joint has position and angles in rad; other joints have their own coordinates. The rates of
        these numbers are what `velocity_map` takes for the same `coordinates`. "euler_rpy" are roll, pitch
        and yaw of URDF, R = Rz(yaw) Ry(pitch) Rx(roll); "euler_zyz" and the like are turns about these axes
        of the body as they are by then, R = Rz(a) Ry(b) Rz(c). The second angle is from -90 to 90 degrees,
        or from 0 to 180 if the first and the last letter are the same. Where the first and the last axis
        are one (to 1e-7 rad), angles are refused: both turns cannot be told apart there.

        >>> import closedform as cf
        >>> body = cf.load("spherical_pendulum")
        >>> q = body.from_euler_angles([0.1, 0.2, 0.3])
        >>> body.euler_angles(q).round(12).tolist()
        [0.1, 0.2, 0.3]
        """
        sequence = _sequence(coordinates)
        given = batch_array("euler_angles: q", q, self.model.nq)
        found = np.empty((*given.shape[:-1], self.model.nv))
        for body in self.model.independent:
            own = given[..., body.iq : body.iq + body.joint.nq]
            if body.joint.quaternion is not None:
                angles = _angles(f"joint {body.joint_name!r}", own[..., body.joint.quaternion], sequence)
                own = np.concatenate([own[..., :-4], angles], axis=-1)
            found[..., body.velocities] = own
        return found

    @in_kind
    def from_euler_angles(self, values: ArrayLike, coordinates: str = "euler_rpy") -> Array:
        """Return q of coordinates with Euler angles in place of quaternions: the reverse of `euler_angles`.

        >>> import numpy as np, closedform as cf
        >>> cf.load("spherical_pendulum").from_euler_angles([0, 0, np.pi / 2]).round(6).tolist()
        [0.0, 0.0, 0.707107, 0.707107]
        """
        sequence = _sequence(coordinates)
        given = batch_array("from_euler_angles: values", values, self.model.nv)
        q = np.empty((*given.shape[:-1], self.model.nq))
        for body in self.model.independent:
            own = given[..., body.velocities]
            if body.joint.quaternion is not None:
                own = np.concatenate([own[..., :-3], _quaternion(own[..., -3:], sequence)], axis=-1)
            q[..., body.iq : body.iq + body.joint.nq] = own
        return q


def _sequence(coordinates: str) -> str:
    known_name("Euler coordinates", coordinates, EULER)
    return VELOCITY_COORDINATES[coordinates].sequence


def _quaternion(angles: Array, sequence: str) -> Array:
    """Return the quaternion of turns about axes of the body, one after the other."""
    if sequence == "rpy":
        return _quaternion(angles[..., ::-1], "zyx")
    turns = [quaternion_of(angles[..., k, None] * _axis(letter)) for k, letter in enumerate(sequence)]
    return quaternion_product(quaternion_product(turns[0], turns[1]), turns[2])


def _angles(whose: str, quaternion: Array, sequence: str) -> Array:
    """Return the angles of turns about axes of the body, one after the other, that make a rotation."""
    i, j, k = ("xyz".index(letter) for letter in ("zyx" if sequence == "rpy" else sequence))
    R = np.stack([rotated(quaternion, _axis(letter)) for letter in "xyz"], axis=-1)
    side = 1 if (j - i) % 3 == 1 else -1
    if i == k:
        k = 3 - i - j
        first, last = (R[..., j, i], -side * R[..., k, i]), (R[..., i, j], side * R[..., i, k])
        sine = np.hypot(*last)
        second = sine, R[..., i, i]
    else:
        first, last = (-side * R[..., j, k], R[..., k, k]), (-side * R[..., i, j], R[..., i, i])
        sine = np.hypot(*last)
        second = side * R[..., i, k], sine
    _refuse_locked(whose, sine, sequence)
    angles = np.stack([np.arctan2(*each) for each in (first, second, last)], axis=-1)
    return angles[..., ::-1] if sequence == "rpy" else angles


def _refuse_locked(whose: str, sine: Array, sequence: str) -> None:
    """Refuse a sample whose first and last axis are one; `sine` is that of the angle between them."""
    locked = np.argwhere(sine**2 < LOCKED)
    if len(locked):
        where = f" at {tuple(locked[0].tolist())}" if sine.ndim else ""
        other = "euler_zyz" if len({*sequence}) == 3 else "euler_rpy"
        raise ArgumentError(
            f"euler_angles: {whose}{where}: the first and the last axis of {sequence} are one, so that their "
            f"turns cannot be told apart; choose other coordinates, such as {other}, or stay with quaternions"
        )


def _axis(letter: str) -> Array:
    return np.array([float(letter == each) for each in "xyz"])
