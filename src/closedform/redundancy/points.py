"""What is known at a batch of configurations, and the Newton step from there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from .batch import Batch, Mask
from .conditions import Conditions

TASK_MET, STATIONARY = 1e-10, 1e-9
"""Largest |e| and |Zh| of a solution; Newton's method reaches round-off, usually 1e-14."""

ROUNDING = 1e-15
"""Slopes along the self-motion below this times (1 + |h|) count as zero; where the curvature is below ten
times this too, so do slopes up to a hundred times larger."""

FLAT = 1e-9
"""Curvatures below this times (1 + |h|) count as none."""


@dataclass
class Points(Batch):
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

    @property
    def regularity(self) -> Array:
        """Smallest pivot of J relative to the largest: 0 at a singularity."""
        size = np.abs(self.pivots)
        return np.asarray(size.min(axis=-1) / size.max(axis=-1))

    @property
    def smooth(self) -> Mask:
        """Where the criterion has a gradient, and the task a least-norm step."""
        return np.asarray(np.isfinite(self.gradient) & np.isfinite(self.restore).all(axis=-1))

    def satisfied(self, share: float = 1.0) -> Mask:
        """Return where e = 0 and Zh = 0 hold, to a share of what a solution may leave."""
        stationary = self.stationarity <= share * STATIONARY * np.maximum(1.0, self.gradient)
        return np.asarray((self.task_error <= share * TASK_MET) & stationary)


def curvatures(points: Points) -> tuple[Array, Array]:
    """Return the eigenvalues (b, r) and eigenvectors of the Lagrangian's Hessian along the self-motion.

    For each joint held, which takes one free self-motion away, an eigenvalue is NaN.
    """
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


def step(points: Points, sign: float) -> Array:
    """Return the Newton step along the self-motion, to be added to the step to the task.

    N W N^T dz = -N (rho + W restore). If a maximum (sign 1) or minimum (sign -1) is sought, curvatures of
    the wrong sign are reversed, so that the step climbs or descends. A slope of the size of round-off
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
    """Return -slope / lam along each direction, with the sign sought; zero if the slope is round-off."""
    bend = np.abs(lam)
    size = np.maximum(bend, 1e-6 * scale)
    rounding = ROUNDING * scale * np.where(bend > 10 * ROUNDING * scale, 1, 100)
    turned = -sign * size if sign else np.where(lam < 0, -size, size)
    return np.where(np.abs(slope) > rounding, -slope / turned, 0.0)


def lengths(x: Array) -> Array:
    """Return the Euclidean length of each row."""
    return np.asarray(np.sqrt(np.einsum("bi,bi->b", x, x)))
