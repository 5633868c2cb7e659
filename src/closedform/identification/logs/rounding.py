"""Rounded positions: the steps they come in, and the least motion that they tell."""

from __future__ import annotations

import numpy as np

from ...arrays import Array

FEW = 20
"""Changes of a position by which a step must be seen."""

CANDIDATES = (5.0, 2.0, 1.0, 0.5, 0.1, 0.0)
"""Percentiles of the changes, one of which is a single step: fast joints hardly make any."""

REACHES = (2, 5, 12)
"""Multiples of a step up to which changes are compared with it, each time with a better value of it."""

OFF = 0.15
"""How far from a multiple, in steps, a change may be: files round once more."""

MULTIPLES = 0.8
"""Part of these changes that must be multiples."""


def rounding_steps(position: Array) -> Array:
    """Return the steps that columns of positions were rounded to; zero for those that were not.

    >>> angle = np.sin(np.linspace(0, 3, 200))
    >>> rounding_steps(np.stack([angle, (angle / 0.01).round() * 0.01], axis=1)).round(6)
    array([0.  , 0.01])
    """
    return np.array([_step(column[np.isfinite(column)]) for column in position.T])


def _step(x: Array) -> float:
    """Return the largest step of which changes of x are multiples; zero if there is none."""
    change = np.abs(np.diff(x))
    change = np.sort(change[change > 4 * np.finfo(float).eps * np.abs(x).max(initial=0.0)])
    if len(change) < FEW:
        return 0.0
    steps = (_comb(change, float(np.percentile(change, part))) for part in CANDIDATES)
    return next((step for step in steps if step), 0.0)


def _comb(change: Array, step: float) -> float:
    """Return a step, made better, if sorted changes up to some multiples of it are multiples; else zero."""
    for reach in REACHES:
        near = change[: np.searchsorted(change, (reach + 0.5) * step)]
        count = np.round(near / step)
        if not count.any() or np.mean(np.abs(near - count * step) < OFF * step) < MULTIPLES:
            return 0.0
        step = float(near @ count / (count @ count))
    return step if len(near) >= FEW else 0.0


def least_motion(x: Array, half: Array) -> Array:
    """Return columns that move only where x leaves a band of `half` a width on either side of them.

    y_k = min(max(y_{k-1}, x_k - half), x_k + half): play. What rounded positions tell is no more than that;
    between two steps, or while one flickers, the joint may have stood.

    >>> least_motion(np.array([[0.0], [1.0], [0.0], [3.0], [2.0], [1.0]]), np.array([0.5])).T
    array([[0. , 0.5, 0.5, 2.5, 2.5, 1.5]])
    """
    low, high = x - half, x + half
    low[0] = high[0] = x[0]
    reach = 1
    while reach < len(x):  # clamps to [low, high] one after the other are a clamp: by doubling
        least, most = low[reach:].copy(), high[reach:].copy()
        low[reach:] = np.clip(low[:-reach], least, most)
        high[reach:] = np.clip(high[:-reach], least, most)
        reach *= 2
    return low
