"""Zero offsets of joints that would explain a log better: by Gauss and Newton, from several starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..base.result import BaseParameters
from ..regression.least_squares import ridge_solution

QUARTERS = (np.pi / 2, -np.pi / 2, np.pi)
"""Offsets tried of each turning joint, in rad."""

STEP = 1e-4
"""Step of the central differences of torques by positions, in rad."""

ROUNDS = 4
"""Steps of Gauss and Newton."""

LARGEST = 0.5
"""Largest step of an offset, in rad: beyond that torques are no longer straight lines."""

UNSEEN = 1e-3
"""Part of the effect of an offset that inertias do not explain, below which it is not seen."""

SMALLEST = 2e-3
"""Offset in rad that is not worth a word."""

RIDGE = 1e-8
"""Diagonal added to scaled normal equations, so that confused columns only share their effect."""

Rows = Callable[[Array, list[Array], Array], Array]
"""From a regressor, states and torques to rows [columns, torque] of every joint, over its torques' size."""


def zero_offsets(
    base: BaseParameters,
    states: list[Array],
    tau: Array,
    rows: Rows,
    start: Array,
    free: NDArray[np.bool_],
) -> Array:
    """Return the offsets d with which tau = Y(q + d) beta fits best, from a start on.

    In each round Y(q + d + e) beta = Y(q + d) beta + sum_j e_j d(Y beta)/dq_j is solved for beta and e.
    Offsets that are not `free`, or whose effect inertias explain as well (the last joint's), stay as they
    are.
    """
    q, qd, qdd = states
    offset = start.copy()
    n = tau.shape[1]
    turning = free & [body.joint.turns_about_axis for body in base.robot.model.independent]
    for _ in range(ROUNDS):
        A = rows(np.asarray(base.regressor(q + offset, qd, qdd)), states, tau)
        width = A.shape[2] - 1
        flat = A.reshape(-1, width + 1)
        scale = np.sqrt(np.sum(A[..., -1] ** 2, axis=0) / np.maximum(np.sum(tau**2, axis=0), 1e-300))
        G = flat.T @ flat
        beta = ridge_solution(G[:-1, :-1], G[:-1, -1], RIDGE)[: base.count]
        D = np.zeros((*tau.shape, n))
        for j in np.flatnonzero(turning):
            e = STEP * np.eye(n)[j]
            change = base.regressor(q + offset + e, qd, qdd) - base.regressor(q + offset - e, qd, qdd)
            D[..., j] = np.asarray(change) @ beta / (2 * STEP) * scale
        effect = D.reshape(-1, n)
        columns = flat[:, :-1] / np.maximum(np.linalg.norm(flat[:, :-1], axis=0), 1e-300)
        rest = effect - columns @ np.linalg.lstsq(columns, effect, rcond=1e-9)[0]
        norms = np.linalg.norm(effect, axis=0)
        seen = np.flatnonzero(np.linalg.norm(rest, axis=0) > UNSEEN * np.maximum(norms, 1e-9))
        if not len(seen):
            break
        B = np.concatenate([flat[:, :-1], effect[:, seen]], axis=1)
        step = ridge_solution(B.T @ B, B.T @ flat[:, -1], RIDGE)[width:]
        offset[seen] += np.clip(step, -LARGEST, LARGEST)
    return offset


def starts(base: BaseParameters) -> Iterator[Array]:
    """Yield offsets to begin with: none, and quarter turns of each turning joint."""
    n = base.robot.nv
    yield np.zeros(n)
    for j, body in enumerate(base.robot.model.independent):
        if body.joint.turns_about_axis:
            for quarter in QUARTERS:
                yield quarter * np.eye(n)[j]


def offset_words(joints: Sequence[str], offset: Array) -> str:
    """Return offsets as text; nothing if they are too small."""
    large = [
        f"{name} ({value:+.3g} rad)"
        for name, value in zip(joints, offset, strict=True)
        if abs(value) > SMALLEST
    ]
    return f"the zero of {', '.join(large)} shifted (offset=)" if large else ""
