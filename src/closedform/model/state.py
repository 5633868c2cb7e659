"""States of a model as arrays: random samples, and steps on the configuration manifold."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ArgumentError
from .model import Model

SHORTEST = 1e-100
"""Length of a quaternion below which it has no direction."""


def random_state(
    model: Model, rng: np.random.Generator | int | None, batch: tuple[int, ...], order: int
) -> tuple[Array, ...]:
    """Return (q, qd, qdd, ...) up to the `order`-th derivative, q within the joint limits, if any."""
    rng = np.random.default_rng(rng)
    q = np.empty((*batch, model.nq))
    for body in model.independent:
        joint, part = body.joint, slice(body.iq, body.iq + body.joint.nq)
        q[..., part] = joint.random(rng, batch, body.limits.lower, body.limits.upper)
    rates = tuple(rng.uniform(-1, 1, size=(*batch, model.nv)) for _ in range(order))
    return (q, *rates)


def integrate(model: Model, q: ArrayLike, step: ArrayLike) -> Array:
    """Return q moved by the body-fixed displacement `step` = v dt, exactly for constant v.

    For one-dof joints this is q + step; ball and free joints move from T to T exp(X step), the
    body-frame (right) perturbation along which the derivatives by the state are taken.
    """
    q, step = np.broadcast_arrays(*_aligned(model, q, step))
    q, step = q[..., : model.nq], step[..., : model.nv]
    result = np.empty(q.shape)
    for body in model.independent:
        joint = body.joint
        part, rate = q[..., body.iq : body.iq + joint.nq], step[..., body.iv : body.iv + joint.nv]
        result[..., body.iq : body.iq + joint.nq] = joint.moved(part, rate)
    return result


def difference(model: Model, q: ArrayLike, target: ArrayLike) -> Array:
    """Return the body-fixed displacement that moves q to a target: the inverse of `integrate`."""
    q, target = np.broadcast_arrays(np.asarray(q, dtype=float), np.asarray(target, dtype=float))
    step = np.empty((*q.shape[:-1], model.nv))
    for body in model.independent:
        part = slice(body.iq, body.iq + body.joint.nq)
        step[..., body.velocities] = body.joint.step_to(q[..., part], target[..., part])
    return step


def require_orientations(what: str, model: Model, q: Array) -> None:
    """Refuse coordinates with a quaternion too short to have a direction, such as all zeros."""
    for body in model.independent:
        own = body.joint.quaternion
        if own is None:
            continue
        length = np.linalg.norm(q[..., body.iq + own.start : body.iq + own.stop], axis=-1)
        if (length < SHORTEST).any():
            raise ArgumentError(
                f"{what}: the quaternion of joint {body.joint_name!r} has length {length.min():.3g}; "
                "expected 1, as robot.neutral() has it"
            )


def _aligned(model: Model, q: ArrayLike, step: ArrayLike) -> tuple[Array, Array]:
    """Return both arrays padded to one last length, so that their batches broadcast."""
    q, step = np.asarray(q, dtype=float), np.asarray(step, dtype=float)
    pad = [(0, 0)] * (step.ndim - 1) + [(0, model.nq - model.nv)]
    return q, np.pad(step, pad)
