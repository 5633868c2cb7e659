"""Where a simulation begins: coordinates on their manifold and within the limits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import rows_array
from ..errors import ArgumentError
from ..model import Model
from ..model.state import quaternion_part

UNIT = 1e-6
"""How far from 1 the length of a quaternion may be; it is made 1 then."""


def checked_coordinates(model: Model, given: ArrayLike) -> Array:
    """Return the coordinates of a start, (..., nq), quaternions of length 1."""
    q = rows_array("simulate: q0", given, model.nq)
    for body in model.independent:
        part = quaternion_part(body)
        if part is None:
            continue
        length = np.linalg.norm(q[..., part], axis=-1, keepdims=True)
        off = np.abs(length - 1).max(initial=0.0)
        if off > UNIT:
            raise ArgumentError(
                f"simulate: q0: the quaternion of joint {body.joint_name!r} has length "
                f"{float(length.flat[np.argmax(np.abs(length - 1))]):.6g}; expected 1"
            )
        if off > 4 * np.finfo(float).eps:
            q[..., part] /= length
    return q


def require_within_limits(model: Model, q: Array) -> None:
    """Refuse coordinates beyond the limits, which are stops."""
    for body in model.independent:
        lower, upper = body.limits.lower, body.limits.upper
        if body.joint.nv != 1:
            continue
        own = q[..., body.iq]
        if (own < lower).any() or (own > upper).any():
            worst = own.flat[int(np.argmax(np.maximum(lower - own, own - upper)))]
            raise ArgumentError(
                f"simulate: q0: joint {body.joint_name!r} is at {worst:.6g}, beyond its limits "
                f"{lower:.6g} to {upper:.6g}; begin within them, or say stops=False"
            )
