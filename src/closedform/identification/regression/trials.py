"""Trials: cross validation of one design, quick enough to be repeated for other torques and filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..logs.signals import Filters, Samples, condition_signals
from .design import Design
from .least_squares import ridge_inverse, ridge_solution
from .rows import Rows
from .split import Split

RIDGE = 1e-9
"""Diagonal added to scaled normal equations, so that confused columns only share their effect."""

ROUNDS = 3
"""How often joints are weighted by the residuals of a fit to all rows."""

PAYS = 0.1
"""Part of the joints' errors, averaged, that a change must take away to be applied."""

FOLDS_BETTER = 0.8
"""Part of the folds that must be predicted better with it."""


@dataclass(frozen=True)
class Gain:
    """How much a change helps rows left out.

    `saved` is the part of their error that it takes away, averaged over the joints, `better` the part of the
    folds in which it takes something away.
    """

    saved: float
    better: float

    @classmethod
    def of(cls, before: Array, after: Array) -> Gain:
        """Return the gain from squared errors (folds, joints) before and after a change."""
        own = before.sum(axis=0)
        gains = np.mean((before - after) / np.where(own > 0, own, 1.0), axis=1)
        return cls(1 - float(np.sqrt(max(1 - gains.sum(), 0.0))), float(np.mean(gains > 0)))

    @property
    def clear(self) -> bool:
        """Whether the change pays clearly."""
        return self.saved > PAYS and self.better >= FOLDS_BETTER


@dataclass(frozen=True)
class Trials:
    """The fitted rows of samples with their folds as labels, and what solves for all folds but one.

    `used` says which rows after the filters these are. The normal equations, in which joints have `weights`,
    are inverted once for each fold that is left out.
    """

    design: Design
    rows: Rows
    used: NDArray[np.bool_]
    weights: Array
    inverses: tuple[Array, ...] = ()

    @classmethod
    def of(cls, design: Design, samples: Samples, filters: Filters, split: Split) -> Trials | None:
        """Return the trials of a design; None if there are too few rows, of all joints or of one.

        Folds are stretches of these samples, also if they are one of many logs.
        """
        if not filters.settle_in(samples.time):
            return None
        rows = design.rows(condition_signals(samples, filters), filters)
        label = np.where(rows.label < 0, rows.label, replace(split, fold=None).labels(rows.time))
        used = label >= 0
        if len(np.unique(label[used])) < 2 or np.count_nonzero(used) * design.robot.nv < 2 * design.width:
            return None
        rows = replace(rows, label=label).part(used)
        if not (rows.counts > 0).any(axis=0).all():  # a joint that is masked
            return None
        found = cls(design, rows, used, _weights(rows.counts, rows.tau - rows.given))
        grams = [found._grams(fold) for fold in found.folds]
        whole = [sum(each) for each in zip(*grams, strict=True)]
        for _ in range(ROUNDS):
            x = ridge_solution(found._placed(whole), found._projected(rows.tau).sum(axis=0), RIDGE)
            residual = rows.tau - design.predicted(rows, x)
            found = replace(found, weights=_weights(rows.counts, residual))
        total = found._placed(whole)
        inverses = tuple(ridge_inverse(total - found._placed(each), RIDGE) for each in grams)
        return replace(found, inverses=inverses)

    @property
    def folds(self) -> list[NDArray[np.intp]]:
        """The rows of each fold."""
        return [np.flatnonzero(self.rows.label == fold) for fold in np.unique(self.rows.label)]

    def values(self, tau: Array) -> Array:
        """Return the parameters (folds, width) that fit torques (rows, joints), folds left out in turn."""
        b = self._projected(tau)
        return np.stack(
            [inverse @ (b.sum(axis=0) - own) for inverse, own in zip(self.inverses, b, strict=True)]
        )

    def squares(self, tau: Array) -> Array:
        """Return the squared errors (folds, joints) of torques (rows, joints), each fold left out in turn."""
        found = []
        for x, fold in zip(self.values(tau), self.folds, strict=True):
            part = self.rows.part(fold)
            found.append(np.sum(part.counts * (tau[fold] - self.design.predicted(part, x)) ** 2, axis=0))
        return np.array(found)

    def _grams(self, fold: NDArray[np.intp]) -> list[Array]:
        """Return the matrix W^T W of each joint, of some rows."""
        counts = np.sqrt(self.rows.counts[fold])
        scaled = (w[fold] * count[:, None] for w, count in zip(self.rows.W, counts.T, strict=True))
        return [w.T @ w for w in scaled]

    def _placed(self, grams: Sequence[Array]) -> Array:
        """Return the weighted sum of one matrix per joint, each on the columns of its joint."""
        G = np.zeros((self.design.width, self.design.width))
        for gram, a, weight in zip(grams, self.design.active, self.weights, strict=True):
            G[np.ix_(a, a)] += weight * gram
        return G

    def _projected(self, tau: Array) -> Array:
        """Return the right-hand sides (folds, width) of the normal equations of each fold."""
        counted = self.weights * self.rows.counts * (tau - self.rows.given)
        b = np.zeros((len(self.folds), self.design.width))
        for k, fold in enumerate(self.folds):
            for w, a, t in zip(self.rows.W, self.design.active, counted.T, strict=True):
                b[k, a] += w[fold].T @ t[fold]
        return b


def _weights(counts: Array, residual: Array) -> Array:
    """Return the weights of joints with these residuals."""
    return np.asarray(1 / np.maximum(np.mean(counts * residual**2, axis=0), 1e-24))
