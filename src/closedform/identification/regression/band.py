"""The band in which efforts follow positions: up to a lower cutoff, if that predicts rows left out better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from ..logs.signals import Filters, Samples, between, splined
from .design import Design
from .split import FOLDS, Split
from .trials import PAYS, Gain, Trials

STEP = 0.7
"""A cutoff that is tried over the one tried before."""

LEAST = 1.5
"""Least cutoff in Hz that is tried: lower ones leave few rows of logs that are as long as most."""

SUSPECT = 0.01
"""Error of rows left out, relative to all torques, from which on they are tried."""

REMAINING = 0.5
"""Part of the rows that must be left between ends and gaps."""


@dataclass(frozen=True)
class Band:
    """The best lower cutoff in Hz, the one `before`, and what the lower one gains."""

    cutoff: float
    before: float
    gain: Gain

    @property
    def note(self) -> str:
        """What is to be said when it is applied."""
        return (
            f"the cutoff is {self.cutoff:.3g} Hz instead of {self.before:.3g} Hz, since in between positions "
            "move in ways that efforts do not follow (noise, play, a sensor with ripple); it takes "
            f"{100 * self.gain.saved:.2g} % off the error, up to {self.before:.3g} Hz, of rows left out"
        )


def best_band(design: Design, samples: Samples, filters: Filters, split: Split, least: float) -> Band | None:
    """Return the lower cutoff, at least `least` Hz, that pays for a design; None if none does.

    It is no lower than pays: the lower a cutoff, the fewer rows are left.
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
    for cutoff in _ladder(filters.cutoff, max(least, LEAST)):
        lower = Trials.of(design, samples, replace(filters, cutoff=cutoff), split)
        if lower is None:
            break
        after = counts * (tau - _left_out(lower, own)) ** 2
        both = np.isfinite(after).all(axis=1)
        if both.mean() < REMAINING:
            break
        folds = [both & (own.rows.label == fold) for fold in np.unique(own.rows.label[both])]
        gain = Gain.of(*(np.array([each[fold].sum(axis=0) for fold in folds]) for each in (before, after)))
        found.append(Band(cutoff, filters.cutoff, gain))
    return highest_that_pays(found)


def highest_that_pays(bands: Sequence[Band]) -> Band | None:
    """Return the highest of bands that pay clearly beside which no other takes a tenth off the error left.

    >>> saved = {10.0: 0.08, 7.0: 0.25, 5.0: 0.40, 3.5: 0.42}
    >>> highest_that_pays([Band(cutoff, 15.0, Gain(part, 1.0)) for cutoff, part in saved.items()]).cutoff
    5.0
    """
    clear = [band for band in bands if band.gain.clear]
    least = min((1 - band.gain.saved for band in clear), default=0.0)
    return next((band for band in clear if (1 - PAYS) * (1 - band.gain.saved) <= least), None)


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
