"""Joints that move no inertia: velocities without kinetic energy at every q, for which M has no inverse."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array
from ..rotations import adjoint, inverse, screw_motion, skew
from .body import Body
from .inertia import inertial_from_phi

NO_INERTIA = 64 * float(np.finfo(float).eps)
"""Inertia about the centre of mass, relative to what it is computed from, below which there is none."""

INDEPENDENT = 1e-11
"""Singular value, relative to the largest, above which velocities move inertia."""


def idle_joints(bodies: Sequence[Body], nv: int) -> tuple[str, ...]:
    """Return the names of the joints that take part in a motion without kinetic energy.

    There is none if no body moves in a direction in which it has inertia, and no rotor turns. These
    conditions are geometry alone: what matters is in which directions an inertia is zero, not its size.
    Their rank at a random q is the largest there is, with probability one. A body with inertia in all
    directions is at rest in such a motion, and so is a joint between two of them: only the others enter.
    """
    directions = [_inert_directions(body) for body in bodies]
    resting = [len(rows) == 6 for rows in directions]
    from_rest = [body.parent < 0 or resting[body.parent] for body in bodies]
    moving = np.ones(nv, dtype=bool)
    for i, body in enumerate(bodies):
        if resting[i] and from_rest[i] and body.ratio:
            moving[body.velocities] = False
    if not moving.any():
        return ()
    conditions = _rest_conditions(bodies, directions, resting, from_rest, nv)[:, moving]
    if not np.isfinite(conditions).all():
        return ()  # lengths whose products overflow: nothing can be said
    _, sizes, V = np.linalg.svd(np.linalg.qr(conditions, mode="r"))
    rank = int((sizes > INDEPENDENT * sizes.max(initial=0.0)).sum())
    moving[moving] = np.linalg.norm(V[rank:], axis=0) > 1e-6
    return tuple(
        body.joint_name for body in bodies if body.coupling is None and moving[body.velocities].any()
    )


def _rest_conditions(
    bodies: Sequence[Body],
    directions: Sequence[Array],
    resting: Sequence[bool],
    from_rest: Sequence[bool],
    nv: int,
) -> Array:
    """Return rows whose products with qd vanish if there is no kinetic energy."""
    q = np.random.default_rng(0).uniform(0.3, 1.2, nv)
    offsets = (float(np.abs(body.placement[:3, 3]).max()) for body in bodies if body.parent >= 0)
    length = max(offsets, default=0.0) or 1.0
    jacobians: dict[int, Array] = {}
    conditions = [np.zeros((0, nv))]
    for i, (body, rows) in enumerate(zip(bodies, directions, strict=True)):
        if resting[i] and from_rest[i]:
            continue
        J = np.zeros((6, nv))
        if not from_rest[i]:
            offset = 0.0 if body.coupling is None else body.coupling.offset
            motion = screw_motion(body.joint.X @ (body.ratio * q[body.velocities] + offset))
            J = adjoint(inverse(body.placement @ motion)) @ jacobians[body.parent]
        J[:, body.velocities] += body.ratio * body.joint.X
        jacobians[i] = J
        conditions.append(rows @ J / np.where(rows[:, 3:].any(axis=1), length, 1.0)[:, None])
        if body.armature:
            conditions.append(body.ratio * np.eye(nv)[body.velocities])
    return np.concatenate(conditions)


def _inert_directions(body: Body) -> Array:
    """Return rows r such that the body has no kinetic energy if and only if r . (omega; v) = 0 for all."""
    inertial = inertial_from_phi(body.phi)
    c = inertial.com
    sizes, axes = np.linalg.eigh(inertial.inertia)
    scale = np.abs(sizes).max() + abs(inertial.mass) * float(c @ c)
    turning = axes.T[np.abs(sizes) > NO_INERTIA * scale]
    rows = [np.hstack([turning, np.zeros((len(turning), 3))])]
    if inertial.mass or body.phi[6:9].any():
        rows.append(np.hstack([-skew(c), np.eye(3)]))
    return np.concatenate(rows)
