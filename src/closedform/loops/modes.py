"""Assembly modes: all closed postures with the same independent coordinates."""

from __future__ import annotations

from itertools import product

import casadi as ca
import numpy as np
from casadi import SX

from ..arrays import Array
from ..forms import kinematics
from .dyads import assembled
from .model import ClosedModel
from .numbers import CLOSED, ClosureNumbers

MOST_SIDES = 12
"""Sides of formulas that are all tried; with more the modes are searched."""

SAME = 1e-6
"""Difference of the bodies' poses, in metres and of rotation matrices, below which postures are one."""


def by_sides(model: ClosedModel, numbers: ClosureNumbers, q: Array) -> Array | None:
    """Return the postures of all sides of the dyads, None if other formulas are among them or none is."""
    count = sum(len(each.sides) for each in model.dyads)
    if not model.explicit or not count or count > MOST_SIDES:
        return None
    found = []
    for signs in product((1, -1), repeat=count):
        left = iter(signs)
        dyads = [each.with_sides([next(left) for _ in each.sides]) for each in model.dyads]
        x = assembled(numbers.tree, model.closures, dyads, model.iq, SX(q))
        found.append(np.array(ca.evalf(x)).ravel())
    return np.array([x for x in found if np.isfinite(x).all()]).reshape(-1, model.tree.nq)


def by_search(model: ClosedModel, numbers: ClosureNumbers, q: Array, starts: int) -> Array:
    """Return the closed postures that Newton's method reaches from random dependent joints."""
    rng = np.random.default_rng(0)
    spread = np.zeros(model.tree.nv)
    for body in model.tree.independent:
        spread[body.velocities] = np.where(body.joint.turns, np.pi, numbers.size)
    spread[list(model.iv)] = 0
    home = model.near.copy()
    home[list(model.iq)] = q
    found = []
    for k in range(starts):
        step = spread * rng.uniform(-1, 1, len(spread)) if k else 0 * spread
        x, gap = numbers.closed(numbers.moved(home, step), held=model.iv)
        if gap <= CLOSED * numbers.size:
            found.append(x)
    return np.array(found).reshape(-1, model.tree.nq)


def distinct(model: ClosedModel, numbers: ClosureNumbers, every: Array) -> Array:
    """Return closed postures whose bodies are at different places, the model's own mode first."""
    x = SX.sym("x", model.tree.nq)
    poses = ca.Function("poses", [x], [ca.densify(kinematics.body_poses(numbers.tree, x))])
    kept: list[Array] = []
    seen: list[Array] = []
    for each in every:
        closed, gap = numbers.closed(each, held=model.iv)
        place = np.array(poses(closed))
        if gap <= CLOSED * numbers.size and all(np.abs(place - other).max() > SAME for other in seen):
            kept.append(closed)
            seen.append(place)
    return np.array(kept).reshape(-1, model.tree.nq)
