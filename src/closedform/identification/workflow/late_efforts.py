"""Lags of efforts that would explain a log better: of all efforts, or of those of one joint."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .cause import Cause

LAGS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Lags tried, in periods of the cutoff."""

HELPS = 0.8
"""Error with a lag over the error without it, below which the lag is named."""


class ErrorOf(Protocol):
    """The error if the efforts of the joints that are `late` come a `lag` later, in seconds."""

    def __call__(self, lag: float, late: NDArray[np.bool_]) -> float:
        """Return the error."""


def lag_causes(joints: Sequence[str], error_of: ErrorOf, period: float) -> Iterator[Cause]:
    """Yield lags that help, of all efforts and of those of each joint; `period` is that of the cutoff."""
    n = len(joints)
    late = [("efforts", np.ones(n, dtype=bool))]
    if n > 1:
        late += [(f"the efforts of {name}", np.arange(n) == j) for j, name in enumerate(joints)]
    for words, which in late:
        cause = _lag(words, partial(error_of, late=which), period)
        if cause is not None:
            yield cause


def _lag(words: str, error_of: Callable[[float], float], period: float) -> Cause | None:
    """Return the lag of some efforts, if one helps."""
    tried = {
        lag: error_of(lag) for lag in (0.0, *(sign * part * period for part in LAGS for sign in (1, -1)))
    }
    present, best = tried[0.0], min(tried, key=lambda lag: tried[lag])
    if best == 0 or tried[best] > HELPS * present:
        return None
    order = sorted(tried)
    at = order.index(best)
    if 0 < at < len(order) - 1:  # the bottom of a parabola through three squared errors
        near = order[at - 1 : at + 2]
        parts = np.array(near) / period
        a, b, _ = np.polyfit(parts, [tried[lag] ** 2 for lag in near], 2)
        if a > 0:
            finer = float(np.clip(-b / (2 * a), parts[0], parts[2])) * period
            tried[finer] = error_of(finer)
            best = min(tried, key=lambda lag: tried[lag])
    shift = "earlier (they lag behind the positions)" if best > 0 else "later (the positions lag behind)"
    return Cause(f"{words} shifted {1e3 * abs(best):.2g} ms {shift}", tried[best], present)
