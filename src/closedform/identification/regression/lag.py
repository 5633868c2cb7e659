"""The lag between positions and efforts: the shift with which a design predicts rows left out best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..logs.signals import Filters, Samples, condition_signals, even_samples, thin, to_rows
from .design import Design
from .least_squares import ridge_inverse, ridge_solution
from .split import Split

PARTS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Lags tried, forwards and backwards, in periods of the cutoff."""

ROUNDS = 2
"""How often a parabola through the three best lags gives another one to try."""

RIDGE = 1e-9
"""Diagonal added to scaled normal equations, so that confused columns only share their effect."""

PAYS = 0.1
"""Part of the joints' errors, averaged, that a lag must take away to be applied."""

WORTH_SAYING = 0.02
"""The same, below which it is not even mentioned."""

FOLDS_BETTER = 0.8
"""Part of the folds that must be predicted better with the lag."""


@dataclass(frozen=True)
class Lag:
    """The best lag in seconds (efforts behind positions), by how much it helps, and in which folds.

    `saved` is the part of the error of rows left out that it takes away, averaged over the joints;
    `better` the part of the folds in which it does. `clear` says that both are enough to apply it.
    """

    seconds: float
    saved: float
    better: float

    @property
    def clear(self) -> bool:
        """Whether the lag pays clearly."""
        return self.saved > PAYS and self.better >= FOLDS_BETTER


def lag_notes(applied: float, left: Lag | None) -> tuple[str, ...]:
    """Return what is to be said of the lag that is taken out, and of the one that is left."""
    if applied:
        late = "and are taken as much earlier" if applied > 0 else "and efforts are taken as much later"
        return (f"{_words(applied)} (by cross validation) {late}",)
    if left is None or left.saved < WORTH_SAYING:
        return ()
    return (
        f"{_words(left.seconds)} by cross validation; taken out, this would lower the error of rows left out "
        f"by only {100 * left.saved:.2g} %, so it is not (lag={left.seconds:.2g} does)",
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
    if not filters.settle_in(samples.time):
        return None
    rows = design.rows(condition_signals(samples, filters), filters)
    label = np.where(rows.label < 0, rows.label, split.labels(rows.time))
    used = label >= 0
    if len(np.unique(label[used])) < 2 or np.count_nonzero(used) * design.robot.nv < 2 * design.width:
        return None
    rows, label = rows.part(used), label[used]
    if not (rows.counts > 0).any(axis=0).all():  # a joint that is masked
        return None
    root = np.sqrt(rows.counts)
    W = [w * each[:, None] for w, each in zip(rows.W, root.T, strict=True)]
    trials = _Trials(design, W, label, root * (rows.tau - rows.given))
    squares: dict[float, Array] = {}

    def tried(lags: Sequence[float]) -> None:
        for lag in lags:
            effort = even_samples(samples, filters.rate, filters.lag + lag).effort
            tau = to_rows(thin(effort, filters), filters)[used]
            squares[lag] = trials.squares(root * (tau - rows.given))

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
    gains = np.mean((squares[0.0] - squares[best]) / own, axis=1)
    return Lag(filters.lag + best, 1 - float(np.sqrt(loss[best])), float(np.mean(gains > 0)))


class _Trials:
    """Cross validation of one design with different torques: the normal equations are inverted once."""

    def __init__(self, design: Design, W: Sequence[Array], label: NDArray[np.int_], tau: Array) -> None:
        self.active, self.width, self.W = design.active, design.width, W
        self.parts = [np.flatnonzero(label == fold) for fold in np.unique(label)]
        grams = [[w[part].T @ w[part] for w in W] for part in self.parts]
        self.weights = 1 / np.maximum(np.mean(tau**2, axis=0), 1e-24)
        for _ in range(3):
            total = self._placed([sum(each) for each in zip(*grams, strict=True)])
            x = ridge_solution(total, self._projected(tau).sum(axis=0), RIDGE)
            rest = [t - w @ x[a] for t, w, a in zip(tau.T, W, self.active, strict=True)]
            self.weights = np.array([1 / max(float(np.mean(r**2)), 1e-24) for r in rest])
        total = self._placed([sum(each) for each in zip(*grams, strict=True)])
        self.inverses = [ridge_inverse(total - self._placed(each), RIDGE) for each in grams]

    def squares(self, tau: Array) -> Array:
        """Return the squared errors (folds, joints) of rows left out in turn."""
        b = self._projected(tau)
        found = np.zeros((len(self.parts), len(self.W)))
        for k, (part, inverse) in enumerate(zip(self.parts, self.inverses, strict=True)):
            x = inverse @ (b.sum(axis=0) - b[k])
            for j, (w, a) in enumerate(zip(self.W, self.active, strict=True)):
                found[k, j] = np.sum((tau[part, j] - w[part] @ x[a]) ** 2)
        return found

    def _placed(self, grams: Sequence[Array]) -> Array:
        """Return the weighted sum of one matrix per joint, each on the columns of its joint."""
        G = np.zeros((self.width, self.width))
        for gram, a, weight in zip(grams, self.active, self.weights, strict=True):
            G[np.ix_(a, a)] += weight * gram
        return G

    def _projected(self, tau: Array) -> Array:
        """Return the right-hand sides (folds, columns) of the normal equations of each fold."""
        b = np.zeros((len(self.parts), self.width))
        for k, part in enumerate(self.parts):
            for j, (w, a) in enumerate(zip(self.W, self.active, strict=True)):
                b[k, a] += self.weights[j] * (w[part].T @ tau[part, j])
        return b


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
