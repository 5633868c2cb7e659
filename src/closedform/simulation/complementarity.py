"""Which joints are held and which give way: linear complementarity between bounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..errors import ClosedFormError

ROUND_OFF = 1e-12
"""Relative size below which a violated bound or sign is round-off."""


def give_way(
    M: Array,
    f: Array,
    candidates: NDArray[np.bool_],
    least: Array,
    most: Array,
    moving: tuple[Array, Array] | None = None,
) -> tuple[Array, Array, Array]:
    """Return how joints move, the accelerations a and the reactions r with M a = f + r.

    Of every candidate, either a_i = 0 and least_i <= r_i <= most_i, or a_i > 0 and r_i = least_i, or
    a_i < 0 and r_i = most_i; of all others, r_i = 0. The diagonal of M may gain something else from each
    candidate with a_i > 0 and with a_i < 0 (`moving`). Since M is positive definite there is exactly one
    solution. The first array has 0, 1 and -1 for these cases. Principal pivoting in blocks, then one index
    at a time, which always ends [JudicePires1994].
    """
    n = len(f)
    moves = np.where(candidates, 0, 2)
    scale = ROUND_OFF * (np.abs(f).max(initial=0.0) + _largest(least) + _largest(most))
    rush = 2 * n + 10
    for count in range(rush + 4 ** min(n, 10)):
        free = moves != 0
        bound = np.where(moves == 1, least, np.where(moves == -1, most, 0.0))
        pushed = f + bound
        a = np.zeros(n)
        if moving is None:
            own = M
        else:
            own = M + np.diag(np.where(moves == 1, moving[0], np.where(moves == -1, moving[1], 0.0)))
        if free.all():
            a[:] = np.linalg.solve(own, pushed)
        elif free.any():
            a[free] = np.linalg.solve(own[free][:, free], pushed[free])
        r = M @ a - f
        high, low = ~free & (r > most + scale), ~free & (r < least - scale)
        wrong = candidates & free & (moves * a < 0)
        change = high | low | wrong
        if not change.any():
            return np.where(candidates, moves, 0), a, np.where(free, bound, r)
        if count >= rush:  # the least index alone: no set of pivots comes twice
            change[np.argmax(change) + 1 :] = False
        moves = np.where(change, np.where(wrong, 0, np.where(high, -1, 1)), moves)
    raise ClosedFormError("the joints at rest: no consistent set of reactions was found; is M singular?")


def _largest(bounds: Array) -> float:
    """Return the largest bound that is finite."""
    finite = np.abs(bounds[np.isfinite(bounds)])
    return float(finite.max(initial=0.0))
