"""What is known at a batch of configurations, and the Newton step from there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from .conditions import Conditions

Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]

ROUNDING = 1e-15
"""Slopes along the self-motion below this times (1 + |h|) count as zero; a hundred times that where the
curvature is no more than ten times."""

FLAT = 1e-9
"""Curvatures below this times (1 + |h|) count as none."""


@dataclass
class Points:
    """What is known at a batch of points: the outputs of `Conditions.optimality`."""

    q: Array
    held: Array
    task_error: Array
    H: Array
    rho: Array
    restore: Array
    N: Array
    S: Array
    slope: Array
    stationarity: Array
    restore_length: Array
    multiplier: Array
    gradient: Array
    pivots: Array

    @classmethod
    def at(cls, conditions: Conditions, q: Array, target: Array, held: Array) -> Points:
        """Return the points at q."""
        return cls(q, held, *conditions.optimality(q, target, held))

    def take(self, which: Mask | Indices) -> Points:
        """Return some of the points."""
        return Points(*(getattr(self, name)[which] for name in self.__dataclass_fields__))

    def put(self, which: Mask | Indices, others: Points) -> None:
        """Replace some of the points."""
        for name in self.__dataclass_fields__:
            getattr(self, name)[which] = getattr(others, name)

    @property
    def regularity(self) -> Array:
        """Smallest pivot of J relative to the largest: 0 at a singularity."""
        size = np.abs(self.pivots)
        return np.asarray(size.min(axis=-1) / size.max(axis=-1))


@dataclass(frozen=True)
class Found:
    """Where Newton's method ended, and what is known there.

    `curvatures` (b, r) are the eigenvalues of the Lagrangian's Hessian along the free self-motions
    (NaN for each joint held), `pushes` (b, n) the multipliers of the joints held.
    """

    q: Array
    held: Array
    H: Array
    task_error: Array
    stationarity: Array
    curvatures: Array
    pushes: Array
    gradient: Array
    regularity: Array
    iterations: NDArray[np.intp]


def curvatures(points: Points) -> tuple[Array, Array]:
    """Return eigenvalues and vectors of S along the free self-motions, NaN for those held."""
    S = 0.5 * (points.S + np.swapaxes(points.S, -1, -2))
    r = S.shape[-1]
    if r == 1:
        fixed = points.held.sum(axis=-1, keepdims=True) > 0
        return np.where(fixed, np.nan, S[:, 0]), np.ones_like(S)
    free = np.einsum("bri,bsi->brs", points.N, points.N)
    gone = np.eye(r) - free
    far = 1e3 * (1 + np.abs(S).max(axis=(-1, -2), initial=0))[:, None, None]
    lam, V = np.linalg.eigh(np.nan_to_num(S + far * gone))
    return np.where(lam > 0.5 * far[:, 0], np.nan, lam), V


def found_at(points: Points, taken: NDArray[np.intp] | None = None) -> Found:
    """Return what is known at points, with the curvatures along the self-motion."""
    lam, _ = curvatures(points)
    return Found(
        points.q,
        points.held,
        points.H,
        points.task_error,
        points.stationarity,
        lam,
        points.rho * points.held,
        points.gradient,
        points.regularity,
        np.zeros(len(points.q), dtype=np.intp) if taken is None else taken,
    )


def step(points: Points, sign: float) -> Array:
    """Return the Newton step along the self-motion, to be added to the step to the task.

    N W N^T dz = -N (rho + W restore), with the curvatures of the wrong sign turned round
    where a maximum or minimum is sought, so that the step climbs or descends. A slope that is rounding
    moves nothing, so that joints which nothing depends on stay where they are.
    """
    N = points.N
    scale = (1 + points.gradient)[:, None]
    if N.shape[1] == 1:
        return np.asarray(_newton(points.slope, points.S[:, 0], scale, sign) * N[:, 0])
    lam, V = np.linalg.eigh(np.nan_to_num(0.5 * (points.S + np.swapaxes(points.S, -1, -2))))
    along = _newton(np.einsum("bsr,bs->br", V, points.slope), lam, scale, sign)
    return np.asarray(np.einsum("brs,bs,bri->bi", V, along, N, optimize=True))


def _newton(slope: Array, lam: Array, scale: Array, sign: float) -> Array:
    """Return -slope / lam, each along its own direction, with the sign sought and no motion from rounding."""
    bend = np.abs(lam)
    size = np.maximum(bend, 1e-6 * scale)
    rounding = ROUNDING * scale * np.where(bend > 10 * ROUNDING * scale, 1, 100)
    turned = -sign * size if sign else np.where(lam < 0, -size, size)
    return np.where(np.abs(slope) > rounding, -slope / turned, 0.0)


def lengths(x: Array) -> Array:
    """Return the Euclidean length of each row."""
    return np.asarray(np.sqrt(np.einsum("bi,bi->b", x, x)))
