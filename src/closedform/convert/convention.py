"""How another library writes the state of a body that floats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Array
from ..rotations import rotated
from .swaps import SCALAR_FIRST, SCALAR_LAST, SWAPPED

ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Convention:
    """Orders and axes of a floating body's coordinates and velocities in another library.

    Its q is position and quaternion, the other way round if `quaternion_first`, the quaternion w, x, y, z if
    `scalar_first`. Its velocity u is angular, then linear, the other way round if `linear_first`, each in the
    axes of the body or at rest (`_at_rest`). The linear velocity is that of the `point` of the body.
    `balls` says that ball joints have quaternions too, and angular velocities in the body.
    """

    scalar_first: bool
    quaternion_first: bool = False
    linear_first: bool = True
    angular_at_rest: bool = True
    linear_at_rest: bool = True
    balls: bool = False
    point: tuple[float, float, float] = ORIGIN

    def coordinates(self, there: Array) -> Array:
        """Return (..., 7) or (..., 4) coordinates of a joint as ours."""
        if there.shape[-1] == 4:
            return there[..., SCALAR_LAST] if self.scalar_first else there
        p, Q = (there[..., 4:], there[..., :4]) if self.quaternion_first else (there[..., :3], there[..., 3:])
        return np.concatenate([p, Q[..., SCALAR_LAST] if self.scalar_first else Q], axis=-1)

    def to_coordinates(self, ours: Array) -> Array:
        """Return our coordinates of a joint as theirs."""
        p, Q = ours[..., :-4], ours[..., -4:]
        Q = Q[..., SCALAR_FIRST] if self.scalar_first else Q
        return np.concatenate([Q, p] if self.quaternion_first else [p, Q], axis=-1)

    def map(self, Q: Array) -> tuple[Array, Array]:
        """Return T with u = T (omega; v), and its inverse, of quaternions (x, y, z, w)."""
        R = np.swapaxes(rotated(Q[..., None, :], np.eye(3)), -1, -2)
        turn = np.zeros((*Q.shape[:-1], 6, 6))
        turn[..., :3, :3] = R if self.angular_at_rest else np.eye(3)
        turn[..., 3:, 3:] = R if self.linear_at_rest else np.eye(3)
        x, y, z = self.point
        shift = np.eye(6)
        shift[3:, :3] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]  # v + omega cross point
        T = turn @ shift
        shift[3:, :3] *= -1
        back = shift @ np.swapaxes(turn, -1, -2)
        return (T[..., SWAPPED, :], back[..., :, SWAPPED]) if self.linear_first else (T, back)

    def drift(self, Q: Array, twist: Array) -> Array:
        """Return T' (omega; v), what u' is if omega and v do not change."""
        found = np.zeros(twist.shape)
        if self.linear_at_rest:
            w, v = twist[..., :3], twist[..., 3:] + np.cross(twist[..., :3], self.point)
            found[..., :3] = rotated(Q, np.cross(w, v))
        return found if self.linear_first else found[..., SWAPPED]


def applied(A: Array, x: Array) -> Array:
    """Return matrices (..., n, m) times vectors (..., m)."""
    found: Any = (A @ x[..., None])[..., 0]
    return np.asarray(found)
