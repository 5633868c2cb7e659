"""Which degrees of freedom of a mechanism its actuated joints move, by rank.

The actuated joints move with A qd and give the generalised forces A^T tau. If the rank of A is the number of
degrees of freedom, some torques give any motion. Else nobody drives some motions, those with A qd = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.linalg

from ..arrays import Array
from .model import ClosedModel

RANK = 1e-8
"""Singular value of A, relative to the largest or to one, that counts as zero."""


def with_driven_motions(model: ClosedModel, every: Sequence[Array]) -> ClosedModel:
    """Return a mechanism that knows which of its motions its actuated joints drive at almost every posture.

    `every` are the rows of its loops at some postures, of which one may be a dead centre.
    """
    if model.direct:
        return replace(model, driving=tuple(range(model.nv)), undriven=())
    A = max((actuation(model, B) for B in every), key=_rank)
    rank = _rank(A)
    free = scipy.linalg.svd(A)[2][rank:]
    return replace(model, driving=_pivots(A.T, rank), undriven=_pivots(free, len(free)))


def actuation(model: ClosedModel, B: Array) -> Array:
    """Return A, the velocities of the actuated joints per independent velocity, from the rows."""
    G = np.zeros((model.tree.nv, model.nv))
    G[list(model.iv)] = np.eye(model.nv)
    G[list(model.dv)] = -np.linalg.solve(B[:, list(model.dv)], B[:, list(model.iv)])
    return np.asarray(G[list(model.av)])


def _rank(A: Array) -> int:
    s = np.linalg.svd(A, compute_uv=False)
    return int(np.sum(s > RANK * max(1.0, s[0])))


def _pivots(A: Array, count: int) -> tuple[int, ...]:
    """Return independent columns of A, in order."""
    order = scipy.linalg.qr(A, mode="r", pivoting=True)[1] if count else []
    return tuple(sorted(int(k) for k in order[:count]))
