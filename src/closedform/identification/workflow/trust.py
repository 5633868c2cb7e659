"""How far described inertias are trusted: as far as rows left out in turn are predicted well."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import Array
from ..regression.design import Design
from ..regression.least_squares import Fit
from ..regression.payload_columns import robot_fit, with_payloads
from .cone import InconsistentError
from .fitting import Fitted
from .inertias import consistent_inertias
from .known_inertias import KnownInertias
from .prediction import left_out_squares

TRUSTS = (1.0, 0.3, 0.1, 0.03)
"""Weights of the described inertias that are tried, over the usual one, the greatest first."""


def best_trust(squares_of: Callable[[float], Array | None]) -> float:
    """Return the greatest of `TRUSTS` with which rows left out are predicted no worse than with the best.

    `squares_of` gives the squared errors (folds, joints) of a trust, None if there are none: then nothing
    speaks against the greatest. See `no_worse`.

    >>> squares = {1.0: [2, 2.1], 0.3: [1, 1.3], 0.1: [1.1, 1.1], 0.03: [1.2, 1.3]}
    >>> best_trust(lambda trust: np.array(squares[trust])[:, None])
    0.3
    """
    found = [squares_of(trust) for trust in TRUSTS]
    folds = [each.sum(axis=1) for each in found if each is not None]
    if len(folds) < len(TRUSTS):
        return TRUSTS[0]
    least = min(folds, key=np.sum)
    return next(trust for trust, each in zip(TRUSTS, folds, strict=True) if no_worse(each - least))


def no_worse(more: Array) -> bool:
    """Return whether squared errors, `more` than others in each fold, are no more than by chance.

    That is the rule of one standard error, that of the differences' sum [HastieTibshiraniFriedman2009,
    Sec. 7.10].
    """
    return bool(more.sum() <= np.std(more, ddof=1) * np.sqrt(len(more)))


def left_out_consistent(design: Design, fitting: Fitted, known: KnownInertias, trust: float) -> Array | None:
    """Return squared errors (folds, joints) of rows left out in turn, of consistent inertias with some trust.

    None of one fold, or if no bodies that can exist were found for the others of one.
    """

    def consistent(part: Fit) -> Array:
        bodies = consistent_inertias(design, robot_fit(part, design.width).R, known, trust)
        return with_payloads(part, bodies.values)

    try:
        return left_out_squares(fitting.moments, fitting.fit_of, consistent)
    except InconsistentError:
        return None
