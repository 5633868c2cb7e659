"""The band in which efforts follow positions: up to a lower cutoff, if that predicts rows left out better."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from ..logs.cutoff import LOWEST
from ..logs.signals import Filters, Samples, between, splined
from .design import Design
from .split import FOLDS, Split
from .trials import Trials

STEP = 0.7
"""A cutoff that is tried over the one tried before, down to `LOWEST`."""

SUSPECT = 0.1
"""Error of rows left out, relative to all torques, from which on they are tried."""

PAYS = 0.1
"""Part of the joints' errors, averaged, that a lower cutoff must take away to be applied."""

FOLDS_BETTER = 0.8
"""Part of the folds that must be predicted better with it."""

REMAINING = 0.5
"""Part of the rows that must be left between ends and gaps."""


@dataclass(frozen=True)
class Band:
    """The best lower cutoff in Hz, the one `before`, by how much it helps, and in which folds.

    `saved` is the part of the error of rows left out that it takes away, averaged over the joints; `better`
    the part of the folds in which it does. `clear` says that both are enough to apply it.
    """

    cutoff: float
    before: float
    saved: float
    better: float

    @property
    def clear(self) -> bool:
        """Whether the lower cutoff pays clearly."""
        return self.saved > PAYS and self.better >= FOLDS_BETTER

    @property
    def note(self) -> str:
        """What is to be said when it is applied."""
        return (
            f"the cutoff is {self.cutoff:.3g} Hz instead of {self.before:.3g} Hz, since in between positions "
            "move in ways that efforts do not follow (noise, play, a sensor with ripple); it takes "
            f"{100 * self.saved:.2g} % off the error of efforts up to {self.before:.3g} Hz in rows left out"
        )


def best_band(design: Design, samples: Samples, filters: Filters, split: Split, least: float) -> Band | None:
    """Return the best of some lower cutoffs, at least `least` Hz, for a design; None if none need be tried.

    All are judged by the same efforts, up to the cutoff of the filters: what a prediction with a lower cutoff
    leaves out counts as error. Yet it may be better: noise and play between positions and efforts spoil
    accelerations the more the higher the frequency, and least squares then make inertias too small. Folds
    are long stretches, of which the filters mix little.
    """
    split = replace(split, stretch=max(split.stretch, (split.stop - split.start) / FOLDS))
    own = Trials.of(design, samples, filters, split)
    if own is None:
        return None
    counts, tau = own.rows.counts, own.rows.tau
    before = counts * (tau - _left_out(own, own)) ** 2
    if before.sum() <= SUSPECT**2 * np.sum(counts * tau**2):
        return None
    found = []
    for cutoff in _ladder(filters.cutoff, max(least, LOWEST)):
        lower = Trials.of(design, samples, replace(filters, cutoff=cutoff), split)
        if lower is None:
            break
        after = counts * (tau - _left_out(lower, own)) ** 2
        both = np.isfinite(after).all(axis=1)
        if both.mean() < REMAINING:
            break
        size = np.sum(before[both], axis=0)
        gains = ((before - after)[both] / np.where(size > 0, size, 1.0)).mean(axis=1)
        folds = [gains[own.rows.label[both] == fold].sum() for fold in np.unique(own.rows.label[both])]
        found.append(
            Band(
                cutoff,
                filters.cutoff,
                float(1 - np.sqrt(1 - gains.sum())),
                float(np.mean(np.array(folds) > 0)),
            )
        )
    return max(found, key=lambda band: band.saved, default=None)


def _ladder(cutoff: float, least: float) -> list[float]:
    """Return lower cutoffs down to the least."""
    found = []
    while cutoff > least:
        cutoff = max(STEP * cutoff, least)
        found.append(cutoff)
    return found


def _left_out(trials: Trials, at: Trials) -> Array:
    """Return the torques at the rows of other trials, folds predicted without them; NaN far from own rows."""
    time, when = trials.rows.time, at.rows.time
    found = np.full(at.rows.tau.shape, np.nan)
    for fold, x in zip(np.unique(trials.rows.label), trials.values(trials.rows.tau), strict=True):
        inside = at.rows.label == fold
        found[inside] = splined(time, trials.design.predicted(trials.rows, x), when[inside])
    return np.where(between(time, when)[:, None], found, np.nan)
