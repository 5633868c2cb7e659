"""States of a model as arrays: random samples, and steps on the configuration manifold."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..rotations import displacement, quaternion_of, quaternion_product, rotated
from .joint import JointType
from .model import Model

UNLIMITED = 1e6
"""Joint limits of this magnitude or more mean that there are none."""


def random_state(
    model: Model, rng: np.random.Generator | int | None, batch: tuple[int, ...], order: int
) -> tuple[Array, ...]:
    """Return (q, qd, qdd, ...) up to the `order`-th derivative, q within the joint limits, if any."""
    rng = np.random.default_rng(rng)
    q = np.empty((*batch, model.nq))
    for body in model.independent:
        joint, part = body.joint, slice(body.iq, body.iq + body.joint.nq)
        lower, upper = body.limits.lower, body.limits.upper
        if joint.kind in ("ball", "free"):
            quaternion = rng.normal(size=(*batch, 4))
            quaternion /= np.linalg.norm(quaternion, axis=-1, keepdims=True)
            position = rng.uniform(-1, 1, size=(*batch, joint.nq - 4))
            q[..., part] = np.concatenate([position, quaternion], axis=-1)
        elif joint.nv == 1 and -UNLIMITED < lower <= upper < UNLIMITED:
            q[..., part] = rng.uniform(lower, upper, size=(*batch, 1))
        else:
            q[..., part] = rng.uniform(-1, 1, size=(*batch, joint.nq)) * np.where(joint.turns, np.pi, 1.0)
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
        result[..., body.iq : body.iq + joint.nq] = _move(joint, part, rate)
    return result


def _aligned(model: Model, q: ArrayLike, step: ArrayLike) -> tuple[Array, Array]:
    """Return both arrays padded to one last length, so that their batches broadcast."""
    q, step = np.asarray(q, dtype=float), np.asarray(step, dtype=float)
    pad = [(0, 0)] * (step.ndim - 1) + [(0, model.nq - model.nv)]
    return q, np.pad(step, pad)


def _move(joint: JointType, q: Array, step: Array) -> Array:
    if joint.kind == "ball":
        return quaternion_product(q, quaternion_of(step))
    if joint.kind == "free":
        w, v = step[..., :3], step[..., 3:]
        position = q[..., :3] + rotated(q[..., 3:], displacement(w, v))
        return np.concatenate([position, quaternion_product(q[..., 3:], quaternion_of(w))], axis=-1)
    column = joint.rotation_column
    if joint.kind != "subspace" or column is None:
        return q + step
    others = [k for k in range(joint.nv) if k != column]
    Xt, e = joint.X[3:, others], joint.X[:3, column]
    turned = quaternion_of(e * q[..., column, None])
    along = rotated(turned, displacement(e * step[..., column, None], step[..., others] @ Xt.T))
    moved = q + step
    moved[..., others] = q[..., others] + along @ np.linalg.pinv(Xt).T
    return moved
