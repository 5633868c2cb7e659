"""The friction model that predicts best: chosen by cross validation within the fitted rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..logs.errors import LogError
from ..logs.signals import Samples
from ..logs.transmission import directions
from .design import Design
from .friction import FrictionTerms, Term
from .least_squares import ridge_solution
from .moments import Moments
from .rows import Columns

COULOMB = (1e-5, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
"""Speeds tried for the change of sign of dry friction, in rad/s or m/s."""

PRESLIDING = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3)
"""Lengths tried for presliding, in rad or m."""

RIDGE = 1e-10
"""Diagonal added to scaled normal equations, so that confused columns only share their effect."""

GAIN = 0.01
"""Part of the error by which a richer model must predict better to be preferred."""


def best_friction(
    plain: Design,
    middle: Samples,
    gathered: Callable[[Columns], Moments],
    too_few: Callable[[str], LogError],
) -> FrictionTerms:
    """Return the friction model that predicts rows of the logs best, folds left out in turn.

    `plain` is the design with viscous friction and offsets alone, `middle` some samples of a log;
    `gathered` gives the moments of all logs without lags, `too_few` the error of too few rows.
    """
    speed = np.gradient(middle.position, middle.time, axis=0) @ directions(plain.axes).T
    slowest = float(np.percentile(np.abs(speed), 99, axis=0).min())
    drive = (*plain.drive, *candidates(len(plain.axes), slowest))
    every = Design(plain.robot, plain.base, plain.axes, drive, plain.known)
    search = Search(every, gathered(every))
    if len(search.folds) < 2:
        raise too_few("too few rows to choose a friction model by; record for longer, or give friction=")
    return search.best()


def candidates(axes: int, slowest: float) -> tuple[Term, ...]:
    """Return every term that a search may choose from, beyond viscous friction and offsets.

    `slowest` is the speed that every axis exceeds in a hundredth of the time. Dry friction that changes
    sign over more than half of it could not be told apart from viscous friction.
    """
    widths = [width for width in COULOMB if width <= max(0.5 * slowest, COULOMB[0])]
    coulomb = [Term("fc", a, width) for width in widths for a in range(axes)]
    presliding = [Term("fp", a, value) for value in PRESLIDING for a in range(axes)]
    return (*coulomb, *presliding)


class Search:
    """Cross validation of friction models on the moments of a design that holds all their columns."""

    def __init__(self, design: Design, moments: Moments) -> None:
        self.design, self.active = design, moments.active
        self.folds = moments.fitted
        self.grams = [
            [_gram(moments, fold, j, len(active) + 1) for j, active in enumerate(moments.active)]
            for fold in self.folds
        ]
        self.rows = [moments.folds[fold, 0].rows for fold in self.folds]

    def error(self, friction: FrictionTerms) -> float:
        """Return the relative torque error of a model on folds left out in turn."""
        chosen = self._columns(friction)
        total = [sum(grams) for grams in zip(*self.grams, strict=True)]
        wrong = power = 0.0
        for fold, grams in enumerate(self.grams):
            rest = [whole - part for whole, part in zip(total, grams, strict=True)]
            x = self._fit(rest, chosen, sum(self.rows) - self.rows[fold])
            for gram, active in zip(grams, self.active, strict=True):
                r = np.append(-x[active], 1.0)
                wrong += r @ gram @ r
                power += gram[-1, -1]
        return float(np.sqrt(wrong / power)) if power else np.inf

    def best(self) -> FrictionTerms:
        """Return the model of least error, with presliding only if that is better by more than `GAIN`."""
        widths = sorted({term.value for term in self.design.drive if term.kind == "fc" and term.value})
        plain = {model: self.error(model) for model in (FrictionTerms(coulomb=width) for width in widths)}
        rich = [replace(model, presliding=length) for model in plain for length in PRESLIDING]
        errors = {model: self.error(model) for model in rich}
        simple, best = min(plain, key=plain.__getitem__), min(errors, key=errors.__getitem__)
        return best if errors[best] < (1 - GAIN) * plain[simple] else simple

    def _columns(self, friction: FrictionTerms) -> NDArray[np.intp]:
        widths = {"fc": friction.coulomb, "fp": friction.presliding}
        drive = [term.kind not in widths or term.value == widths[term.kind] for term in self.design.drive]
        return np.flatnonzero([*[True] * self.design.base.count, *drive])

    def _fit(self, grams: Sequence[Array], chosen: NDArray[np.intp], rows: int) -> Array:
        """Return reweighted least squares from products of columns, zero for columns not chosen."""
        width = self.design.width
        x = np.zeros(width)
        scatter = np.ones(len(grams))
        for _ in range(4):
            G = np.zeros((width + 1, width + 1))
            for gram, active, s in zip(grams, self.active, scatter, strict=True):
                where = np.append(active, width)
                G[np.ix_(where, where)] += gram / s**2
            x[chosen] = ridge_solution(G[np.ix_(chosen, chosen)], G[chosen, width], RIDGE)
            for j, (gram, active) in enumerate(zip(grams, self.active, strict=True)):
                r = np.append(-x[active], 1.0)
                scatter[j] = np.sqrt(max(r @ gram @ r / max(rows, 1), 1e-24))
        return x


def _gram(moments: Moments, fold: int, joint: int, width: int) -> Array:
    triangle = moments.folds.get((fold, joint))
    return np.zeros((width, width)) if triangle is None else triangle.R.T @ triangle.R
