"""How far a configuration is from the ends of the joints."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .body import Body
from .model import Model


def joint_range(model: Model, body: Body) -> tuple[float, float]:
    """Return the limits of a joint, those of joints that follow it included, in its own coordinate."""
    lower, upper = body.limits.lower, body.limits.upper
    for other in model.bodies:
        coupling = other.coupling
        if coupling is None or model.bodies[coupling.body] is not body or coupling.multiplier == 0:
            continue
        ends = [
            (end - coupling.offset) / coupling.multiplier for end in (other.limits.lower, other.limits.upper)
        ]
        lower, upper = max(lower, min(ends)), min(upper, max(ends))
    return lower, upper


def limit_distance(model: Model, q: Array) -> Array:
    """Return the distance of q (..., nq) to the nearest limit over the velocities, negative beyond it.

    It is infinite for joints without limits, and for those whose coordinates are a quaternion.
    """
    distance = np.full((*q.shape[:-1], model.nv), np.inf)
    for body in model.independent:
        if body.joint.nq == body.joint.nv:
            lower, upper = joint_range(model, body)
            own = q[..., body.iq : body.iq + body.joint.nq]
            with np.errstate(invalid="ignore"):  # infinite coordinates without limits
                distance[..., body.velocities] = np.minimum(own - lower, upper - own)
    return distance
