"""How far a configuration is from the ends of the joints."""

from __future__ import annotations

from typing import Any

import numpy as np

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


def limit_distance(model: Model, q: Any, kind: Any = None) -> Any:
    """Return the distance of q (..., nq) to the nearest limit over the velocities, negative beyond it.

    It is infinite for joints without limits, and for those whose coordinates are a quaternion. Arrays of
    another `kind` give one of it.
    """
    xp, array = (np, np.asarray) if kind is None else (kind.xp, kind.constant)
    places = np.zeros(model.nv, dtype=np.intp)
    turning = np.ones(model.nv, dtype=bool)
    ends = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
    for body in model.independent:
        if body.joint.nq == body.joint.nv:
            part = body.velocities
            places[part], turning[part] = np.arange(body.iq, body.iq + body.joint.nq), False
            ends[0][part], ends[1][part] = joint_range(model, body)
    lower, upper = map(array, ends)
    own = q[..., array(places)]
    with np.errstate(invalid="ignore"):  # infinite coordinates without limits
        return xp.where(array(turning), array(np.array(np.inf)), xp.minimum(own - lower, upper - own))
