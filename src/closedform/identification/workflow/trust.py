"""How far described inertias are trusted: as far as rows left out in turn are predicted well."""

from __future__ import annotations

from collections.abc import Callable

TRUSTS = (1.0, 0.3, 0.1, 0.03)
"""Weights of the described inertias that are tried, over the usual one, the greatest first."""

COST = 0.01
"""Part of the error of rows left out that trust in the description may cost."""


def best_trust(error: Callable[[float], float | None]) -> float:
    """Return the greatest of `TRUSTS` that costs little: `error` is that of rows left out with it.

    Without such an error (one fold) the usual weight is kept.

    >>> best_trust({1.0: 0.05, 0.3: 0.041, 0.1: 0.0402, 0.03: 0.04}.__getitem__)
    0.1
    """
    errors = [found for trust in TRUSTS if (found := error(trust)) is not None]
    if len(errors) < len(TRUSTS):
        return TRUSTS[0]
    least = min(errors)
    return next(t for t, e in zip(TRUSTS, errors, strict=True) if (1 - COST) * e <= least)
