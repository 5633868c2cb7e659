"""States of a model as arrays: random samples, and steps on the configuration manifold."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from .model import Model

UNLIMITED = 1e6
"""Joint limits from this magnitude on are a way of writing that there are none."""


def random_state(
    model: Model, rng: np.random.Generator | int | None, batch: tuple[int, ...], order: int
) -> tuple[Array, ...]:
    """Return (q, qd, qdd, ...) up to the `order`-th derivative, q within joint limits that mean some."""
    rng = np.random.default_rng(rng)
    q = np.empty((*batch, model.nq))
    for body in model.bodies:
        if body.coupling is not None:
            continue
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

    For one-dof joints this is q + step; ball and free joints move by T exp(X step), the
    direction in which right-trivialised derivatives are taken.
    """
    q, step = np.broadcast_arrays(*_aligned(model, q, step))
    q, step = q[..., : model.nq], step[..., : model.nv]
    result = np.empty(q.shape)
    for body in model.bodies:
        if body.coupling is not None:
            continue
        joint = body.joint
        part, rate = q[..., body.iq : body.iq + joint.nq], step[..., body.iv : body.iv + joint.nv]
        result[..., body.iq : body.iq + joint.nq] = _move(joint.kind, joint.X, part, rate)
    return result


def _aligned(model: Model, q: ArrayLike, step: ArrayLike) -> tuple[Array, Array]:
    """Return both arrays padded to one last length, so that their batches broadcast."""
    q, step = np.asarray(q, dtype=float), np.asarray(step, dtype=float)
    pad = [(0, 0)] * (step.ndim - 1) + [(0, model.nq - model.nv)]
    return q, np.pad(step, pad)


def _move(kind: str, X: Array, q: Array, step: Array) -> Array:
    if kind == "ball":
        return _turn(q, step)
    if kind == "free":
        w, v = step[..., :3], step[..., 3:]
        position = q[..., :3] + _rotate(q[..., 3:], _left_jacobian(w, v))
        return np.concatenate([position, _turn(q[..., 3:], w)], axis=-1)
    rotating = np.flatnonzero(np.abs(X[:3]).sum(axis=0))
    if kind != "subspace" or len(rotating) == 0:
        return q + step
    column = int(rotating[0])
    others = [k for k in range(X.shape[1]) if k != column]
    Xt, e = X[3:, others], X[:3, column]
    half = e * q[..., column, None]
    along = _rotate(_quaternion(half), _left_jacobian(e * step[..., column, None], step[..., others] @ Xt.T))
    moved = q + step
    moved[..., others] = q[..., others] + along @ np.linalg.pinv(Xt).T
    return moved


def _quaternion(w: Array) -> Array:
    """Return the quaternion (x, y, z, w) of the rotation vector w."""
    half = 0.5 * np.linalg.norm(w, axis=-1, keepdims=True)
    return np.concatenate([0.5 * np.sinc(half / np.pi) * w, np.cos(half)], axis=-1)


def _turn(quaternion: Array, w: Array) -> Array:
    """Return the quaternion product with the rotation vector w on the right."""
    a, b = quaternion, _quaternion(w)
    vector = a[..., 3:] * b[..., :3] + b[..., 3:] * a[..., :3] + np.cross(a[..., :3], b[..., :3])
    scalar = a[..., 3:] * b[..., 3:] - (a[..., :3] * b[..., :3]).sum(-1, keepdims=True)
    return np.concatenate([vector, scalar], axis=-1)


def _rotate(quaternion: Array, x: Array) -> Array:
    """Return x rotated by a quaternion."""
    longest = np.abs(quaternion).max(-1, keepdims=True)
    quaternion = quaternion / np.where(longest > 0, longest, np.nan)  # first, so that no square overflows
    n = (quaternion**2).sum(-1, keepdims=True)
    u, s = quaternion[..., :3], quaternion[..., 3:]
    t = 2 * np.cross(u, x)
    return np.asarray(x + (s * t + np.cross(u, t)) / n)


def _left_jacobian(w: Array, v: Array) -> Array:
    """Return the displacement of a constant body twist (w; v) over unit time."""
    angle = np.linalg.norm(w, axis=-1, keepdims=True)
    small = angle < 1e-4
    safe = np.where(small, 1.0, angle)
    a = np.where(small, 0.5 - angle**2 / 24, (1 - np.cos(safe)) / safe**2)
    b = np.where(small, 1 / 6 - angle**2 / 120, (safe - np.sin(safe)) / safe**3)
    wv = np.cross(w, v)
    return np.asarray(v + a * wv + b * np.cross(w, wv))
