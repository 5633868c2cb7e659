"""How solutions move with their targets: gradients by the implicit function theorem."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import ArgumentError
from ..guests import Kind, to_host
from ..robot import Robot
from .approach import QUIET
from .batch import Mask
from .conditions import Conditions
from .path_rates import target_jacobian
from .problem import read_targets


def attached(
    kind: Kind,
    what: str,
    robot: Robot,
    conditions: Conditions,
    target: Any,
    q: Any,
    held: Any,
    met: Any,
) -> Any:
    """Return q, found for targets of another kind, with its gradient by them."""
    if robot.nq != robot.nv:
        raise ArgumentError(
            f"{what}: {robot.name!r} has joints of several dofs; gradients are for joints of one dof each: "
            "detach the targets"
        )
    if conditions.m > conditions.n:
        raise ArgumentError(
            f"{what}: {conditions.m} rows for {conditions.n} joints; targets that cannot move freely have no "
            "gradient: detach them"
        )
    loose = kind.detached(target)
    found, locked, done = (to_host(kind, what, each) for each in (q, held, met))
    pull = partial(_pulled, conditions, to_host(kind, what, loose), found, locked, np.asarray(done))
    return kind.attached(q, target, pull)


@np.errstate(**QUIET)
def _pulled(
    conditions: Conditions, target: Array, q: Array, held: Array, met: Mask, cotangent: Array
) -> Array:
    """Return gradients by targets, of the shape given, from cotangents (..., n) of q.

    Where a target is not met there is none: NaN, unless nothing depends on that q.
    """
    n, task = conditions.n, conditions.task
    x, angles, batch = read_targets(conditions, target, q)
    rows = np.broadcast_to(cotangent, (*batch, n)).reshape(-1, n).astype(float)
    fixed = np.broadcast_to(held, (*batch, n)).reshape(-1, n).astype(float)
    moving = target_jacobian(conditions, np.asarray(angles), x, fixed)
    g = np.einsum("tnk,tn->tk", moving, rows)
    lost = ~np.broadcast_to(met, batch).reshape(-1)
    g[lost] = np.where(rows[lost].any(axis=-1), np.nan, 0.0)[:, None]
    if target.shape[-2:] != (4, 4):
        return np.asarray(g.reshape(*batch, task.m))
    gradient = np.zeros((len(x), 4, 4))
    if task.turns:
        # a change dR of a rotation turns by omega = vee of the skew part of dR R^T
        gradient[:, :3, :3] = 0.5 * _skew(g[:, :3]) @ x[:, :3, :3]
        gradient[:, :3, 3] = g[:, 3:]
    else:
        gradient[:, [k - 3 for k in task.row_numbers], 3] = g
    return gradient.reshape(*batch, 4, 4)


def _skew(w: Array) -> Array:
    """Return the matrices of cross products with vectors (t, 3)."""
    found = np.zeros((len(w), 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        found[:, j, k], found[:, k, j] = -w[:, i], w[:, i]
    return found
