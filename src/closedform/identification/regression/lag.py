"""The lag between positions and efforts: the shift with which a design predicts rows left out best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ..logs.signals import Filters, Samples, even_samples, thin, to_rows
from .design import Design
from .split import Split
from .trials import Gain, Trials

PARTS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Lags tried, forwards and backwards, in periods of the cutoff."""

ROUNDS = 2
"""How often a parabola through the three best lags gives another one to try."""

WORTH_SAYING = 0.02
"""Part of the error, below which the lag that takes it away is not even mentioned."""


@dataclass(frozen=True)
class Lag:
    """The best lag in seconds (efforts behind positions), and what it gains."""

    seconds: float
    gain: Gain


def lag_notes(applied: float, left: Lag | None) -> tuple[str, ...]:
    """Return what is to be said of the lag that is taken out, and of the one that is left."""
    if applied:
        late = "and are taken as much earlier" if applied > 0 else "and efforts are taken as much later"
        return (f"{_words(applied)} (by cross validation) {late}",)
    if left is None or left.gain.saved < WORTH_SAYING:
        return ()
    return (
        f"{_words(left.seconds)} by cross validation; taken out, this would lower the error of rows left out "
        f"by only {100 * left.gain.saved:.2g} %, so it is not (lag={left.seconds:.2g} does)",
    )


def _words(seconds: float) -> str:
    late, early = ("efforts", "positions") if seconds > 0 else ("positions", "efforts")
    return f"{late} lag {1e3 * abs(seconds):.2g} ms behind {early}"


def best_lag(design: Design, samples: Samples, filters: Filters, split: Split) -> Lag | None:
    """Return the lag of efforts behind positions with which a design predicts samples best, by folds.

    Folds are left out in turn; the squared errors of a joint count relative to those with the lag of the
    filters, which the trials begin at.
    None if there are too few rows, of all joints or of one.
    """
    trials = Trials.of(design, samples, filters, split)
    if trials is None:
        return None
    squares: dict[float, Array] = {}

    def tried(lags: Sequence[float]) -> None:
        for lag in lags:
            effort = even_samples(samples, filters.rate, filters.lag + lag).effort
            squares[lag] = trials.squares(to_rows(thin(effort, filters), filters)[trials.used])

    period = 1 / filters.cutoff
    tried([0.0, *(sign * part * period for part in PARTS for sign in (1, -1))])
    own = squares[0.0].sum(axis=0)
    own = np.where(own > 0, own, 1.0)
    for _ in range(ROUNDS):
        loss = {lag: float(np.mean(squares[lag].sum(axis=0) / own)) for lag in squares}
        best = min(loss, key=loss.__getitem__)
        bottom = _bottom(best, loss)
        if bottom is None or bottom in loss:
            break
        tried([bottom])
    loss = {lag: float(np.mean(squares[lag].sum(axis=0) / own)) for lag in squares}
    best = min(loss, key=loss.__getitem__)
    return Lag(filters.lag + best, Gain.of(squares[0.0], squares[best]))


def _bottom(best: float, loss: dict[float, float]) -> float | None:
    """Return the bottom of the parabola through the best lag and its neighbours; None at the end."""
    order = sorted(loss)
    at = order.index(best)
    if not 0 < at < len(order) - 1:
        return None
    lags = np.array(order[at - 1 : at + 2])
    width = lags[2] - lags[0]
    a, b, _ = np.polyfit((lags - best) / width, [loss[lag] for lag in lags], 2)
    return best + float(np.clip(-b / (2 * a) * width, lags[0] - best, lags[2] - best)) if a > 0 else None
