"""Robots measured in their own length, so that rank decisions do not depend on units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...model import Body, Model
from ...model.body import NO_LIMITS


def scaled_model(model: Model) -> tuple[Model, Array]:
    """Return the model in units of its own, and the ten factors that convert its phi to SI units.

    phi = factors * phi_scaled for each body. The unit of length is the largest offset between joints,
    gravity is one. Joints have no limits, since equations of motion that agree on an interval agree
    everywhere. Inertias are zero.
    """
    offsets = [float(np.linalg.norm(body.placement[:3, 3])) for body in model.bodies if body.parent >= 0]
    length = max(offsets, default=0.0) or 1.0
    weight = float(np.linalg.norm(model.gravity)) or 1.0
    bodies = tuple(_scaled(body, model.bodies, length) for body in model.bodies)
    factors = np.array([length**2] * 6 + [length] * 3 + [1.0])
    return replace(model, bodies=bodies, gravity=model.gravity / weight, has_inertia=True), factors


def _scaled(body: Body, bodies: tuple[Body, ...], length: float) -> Body:
    T = body.placement.copy()
    T[:3, 3] /= length
    X = body.joint.X.copy()
    # a sliding joint keeps its unit direction: its coordinate is in the new unit of length
    X[3:, body.joint.turns] /= length
    coupling = body.coupling
    if coupling is not None:
        own, driver = (1.0 if each.joint.turns.any() else length for each in (body, bodies[coupling.body]))
        coupling = replace(
            coupling, multiplier=coupling.multiplier * driver / own, offset=coupling.offset / own
        )
    return replace(
        body,
        placement=T,
        joint=replace(body.joint, X=X),
        phi=np.zeros(10),
        limits=NO_LIMITS,
        armature=0.0,
        coupling=coupling,
    )
