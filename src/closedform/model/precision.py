"""How many digits the inertias of a model leave to its torques."""

from __future__ import annotations

import numpy as np

from ..rotations import inverse, pose
from .inertia import moments_seen_from, transform_phi
from .model import Model


def lost_digits(model: Model) -> tuple[str, float]:
    """Return the joint whose torques are least exact, and an estimate of their relative error.

    The inertia that a joint moves is computed from inertias about the frames of the bodies. If these
    are much larger (a needle, a centre of mass far from the frame but near the axis), so is the
    round-off: eps times the inertias about the frames, relative to the inertia about the axis at q = 0.
    """
    rounded = np.zeros(len(model.bodies))
    total = [body.phi for body in model.bodies]
    worst, loss = "", 0.0
    for i in reversed(range(len(model.bodies))):
        body = model.bodies[i]
        rounded[i] += np.abs(body.phi[:6]).max()
        if body.parent >= 0:
            seen = transform_phi(total[i], body.placement)
            total[body.parent] = total[body.parent] + seen
            rounded[body.parent] += rounded[i] + np.abs(seen[:6]).max()
        if body.joint.kind != "revolute":
            continue
        _, _, S = moments_seen_from(total[i], inverse(pose(None, body.joint.centre)))
        e = body.joint.X[:3, 0]
        moved = float(np.trace(S) - e @ S @ e) + body.armature
        error = float(np.finfo(float).eps * rounded[i] / moved) if moved > 0 else 0.0
        if error > loss:
            worst, loss = body.joint_name, error
    return worst, loss
