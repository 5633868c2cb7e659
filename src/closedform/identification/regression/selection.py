"""The friction model that predicts best: chosen by cross validation within the fitted rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..logs.errors import LogError
from ..logs.signals import Samples
from ..logs.transmission import directions
from .design import Design
from .friction import NO_FRICTION, FrictionTerms, Term, terms
from .least_squares import ridge_solution
from .moments import Moments
from .rows import Columns

COULOMB = (1e-5, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
"""Speeds tried for the change of sign of dry friction, in rad/s or m/s."""

PRESLIDING = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3)
"""Lengths tried for presliding, in rad or m."""

STRIBECK = (0.02, 0.05, 0.1, 0.2, 0.5)
"""Speeds tried for Stribeck friction, in rad/s or m/s."""

RIDGE = 1e-10
"""Diagonal added to scaled normal equations, so that confused columns only share their effect."""

GAIN = 0.01
"""Part of the error by which a richer model must predict better to be preferred."""

CLEAR_GAIN = 0.05
"""Part of the error that friction which differs by direction must save: slow drifts of offsets imitate it."""

CERTAIN = 1.0
"""Standard errors, over the folds, by which the squared errors of a model with more terms must be less."""

SURELY = 2.0
"""Standard errors by which they must be less with friction than with none: real drives show it clearly."""

ALWAYS = ("Ia", "k")
"""Terms that every model has; joints with springs have offsets too."""

DIGITS = 1e-4
"""Least scatter of a joint over its torques: models need not be told apart by less."""

ValuesOf = Callable[[Design, Array], Array | None]
"""Values of a design's parameters by the factor of its weighted rows [W tau]; None if there are none."""


def best_friction(
    plain: Design,
    middle: Samples,
    gathered: Callable[[Columns], Moments],
    too_few: Callable[[str], LogError],
    values_of: ValuesOf | None = None,
) -> tuple[FrictionTerms, dict[str, float]]:
    """Return the friction model that predicts rows of the logs best, folds left out in turn, and its values.

    `plain` is the design with viscous friction and offsets alone, `middle` some samples of a log;
    `gathered` gives the moments of all logs without lags, `too_few` the error of too few rows. `values_of`
    are the values that will be used in the end, if they are not those of least squares: bodies that can exist
    leave friction less to explain, so that models are compared by the errors of such values. First the
    widths of Coulomb friction and presliding are chosen; if the rows do not show that there is friction at
    all, there is none, as in many simulations. Then friction by load (of the torques of that model), Stribeck
    friction and asymmetric friction come in, one after the other, if each predicts clearly better.
    """
    rates = np.gradient(middle.position, middle.time, axis=0)
    speed = rates @ directions([axis for axis in plain.axes if axis.joint is None]).T
    slowest = float(np.percentile(np.abs(speed), 99, axis=0).min())
    search = _searched(plain, (*plain.drive, *candidates(len(plain.axes), slowest)), gathered, values_of)
    if len(search.folds) < 2:
        raise too_few("too few rows to choose a friction model by; record for longer, or give friction=")
    model = search.best()
    asked = any(axis.passive for axis in plain.axes)
    if not asked and not any(search.pays(NO_FRICTION, model, SURELY, free) for free in (True, False)):
        return NO_FRICTION, search.values(NO_FRICTION)
    chosen = _terms(plain, model, [kind for kind in ("fc", "fp") if kind in model.kinds])
    speeds = [width for width in STRIBECK if width <= max(0.5 * slowest, STRIBECK[0])]
    richer = [
        [replace(model, load=True)],
        [replace(model, stribeck=width) for width in speeds],
        [replace(model, asymmetric=True)],
    ]
    added = [_terms(plain, each, sorted({*each.kinds} - {*model.kinds})) for row in richer for each in row]
    drive = (*plain.drive, *chosen, *(term for terms in added for term in terms))
    search = _searched(plain.with_drive(plain.drive, search.values(model)), drive, gathered, values_of)
    for row in richer:
        tried = [replace(model, **_changed(each)) for each in row]
        best = min(tried, key=search.free_error)
        model = best if search.pays(model, best) else model
    return model, search.values(model)


def candidates(axes: int, slowest: float) -> tuple[Term, ...]:
    """Return terms of Coulomb friction and presliding that a search may choose from.

    `slowest` is the speed that every axis exceeds in a hundredth of the time. Dry friction that changes
    sign over more than half of it could not be told apart from viscous friction.
    """
    widths = [width for width in COULOMB if width <= max(0.5 * slowest, COULOMB[0])]
    models = [FrictionTerms(coulomb=width) for width in widths]
    coulomb = [model.term("fc", a) for model in models for a in range(axes)]
    presliding = [
        FrictionTerms(presliding=length).term("fp", a) for length in PRESLIDING for a in range(axes)
    ]
    return (*coulomb, *presliding)


def _changed(model: FrictionTerms) -> dict[str, Any]:
    """Return what a model has beyond Coulomb friction and presliding."""
    found = {"load": model.load, "stribeck": model.stribeck, "asymmetric": model.asymmetric}
    return {name: value for name, value in found.items() if value}


def _terms(plain: Design, model: FrictionTerms, kinds: Sequence[str]) -> tuple[Term, ...]:
    return tuple(term for term in terms(plain.axes, model, False) if term.kind in kinds)


def _searched(
    plain: Design,
    drive: tuple[Term, ...],
    gathered: Callable[[Columns], Moments],
    values_of: ValuesOf | None,
) -> Search:
    """Return the search among terms on the rows of the logs."""
    every = plain.with_drive(drive)
    return Search(every, gathered(every), values_of)


class Search:
    """Cross validation of friction models on the moments of a design that holds all their columns."""

    def __init__(self, design: Design, moments: Moments, values_of: ValuesOf | None = None) -> None:
        self.design, self.active, self.values_of = design, moments.active, values_of
        self.folds = moments.fitted
        self.grams = [
            [_gram(moments, fold, j, len(active) + 1) for j, active in enumerate(moments.active)]
            for fold in self.folds
        ]
        self.weight = np.array(
            [[moments.folds[fold, j].weight for j in range(len(self.active))] for fold in self.folds]
        )
        self._total = [sum(grams) for grams in zip(*self.grams, strict=True)]
        self._known: dict[tuple[FrictionTerms, bool], Array] = {}

    def error(self, friction: FrictionTerms) -> float:
        """Return the relative torque error of a model on folds left out in turn, with the values used."""
        return self._relative(self.squares(friction))

    def free_error(self, friction: FrictionTerms) -> float:
        """Return the relative torque error of a model on folds left out in turn, by least squares."""
        return self._relative(self.squares(friction, free=True))

    def _relative(self, squares: Array) -> float:
        power = sum(gram[-1, -1] for grams in self.grams for gram in grams)
        return float(np.sqrt(squares.sum() / power)) if power else np.inf

    def squares(self, friction: FrictionTerms, free: bool = False) -> Array:
        """Return the squared torque errors of a model, summed over each fold while that is left out.

        They are those of the values to be used, or of least squares if these are to be `free`.
        """
        free = free or self.values_of is None
        if (friction, free) not in self._known:
            chosen = self._columns(friction)
            wrong = np.zeros(len(self.grams))
            for fold, grams in enumerate(self.grams):
                rest = [whole - part for whole, part in zip(self._total, grams, strict=True)]
                x, G = self._fit(rest, chosen, self.weight.sum(axis=0) - self.weight[fold])
                if self.values_of is not None and not free:
                    own = self.design.with_drive(self._drive(friction))
                    values = self.values_of(own, _triangle(G))
                    x[chosen] = x[chosen] if values is None else values
                for gram, active in zip(grams, self.active, strict=True):
                    r = np.append(-x[active], 1.0)
                    wrong[fold] += r @ gram @ r
            self._known[friction, free] = wrong
        return self._known[friction, free]

    def pays(
        self, simple: FrictionTerms, rich: FrictionTerms, certain: float = CERTAIN, free: bool = False
    ) -> bool:
        """Return whether a richer model predicts clearly better, and not by one fold alone."""
        before, after = self.squares(simple, free), self.squares(rich, free)
        gain = before - after
        spread = np.std(gain, ddof=1) * np.sqrt(len(gain))
        least = CLEAR_GAIN if rich.asymmetric and not simple.asymmetric else GAIN
        return bool(after.sum() < (1 - least) ** 2 * before.sum() and gain.sum() > certain * spread)

    def best(self) -> FrictionTerms:
        """Return the model of least error, with presliding only if that is better by more than `GAIN`.

        Of lengths of presliding that predict equally well, within `GAIN`, the longest is taken: friction
        that is steeper than the rows demand predicts other motions worse.
        """
        widths = sorted({term.value for term in self.design.drive if term.kind == "fc" and term.value})
        plain = min((FrictionTerms(coulomb=width) for width in widths), key=self.free_error)
        own = self.free_error(plain)
        alike = abs(self.error(plain) - own) < GAIN * own  # bodies change nothing: least squares judge
        rich = []
        for length in PRESLIDING:
            free = min((FrictionTerms(coulomb=w, presliding=length) for w in widths), key=self.free_error)
            if not alike or self.free_error(free) < own:
                rich.append(min(free, replace(plain, presliding=length), key=self.error))
        least = min(map(self.error, rich), default=np.inf)
        if least >= (1 - GAIN) * self.error(plain):
            return plain
        return [model for model in rich if (1 - GAIN) * self.error(model) <= least][-1]

    def values(self, friction: FrictionTerms) -> dict[str, float]:
        """Return the values of a model that fit all folds best, by name."""
        chosen = self._columns(friction)
        x, _ = self._fit(self._total, chosen, self.weight.sum(axis=0))
        return {self.design.names[k]: float(x[k]) for k in chosen}

    def _drive(self, friction: FrictionTerms) -> tuple[Term, ...]:
        """Return the terms of a model among those of the search."""
        sprung = {term.axis for term in self.design.drive if term.kind == "k"}
        return tuple(
            term
            for term in self.design.drive
            if term.kind in ALWAYS
            or (term.kind == "of" and term.axis in sprung)
            or (term.kind in friction.kinds and friction.term(term.kind, term.axis) == term)
        )

    def _columns(self, friction: FrictionTerms) -> NDArray[np.intp]:
        own = set(self._drive(friction))
        drive = [term in own for term in self.design.drive]
        extra = self.design.width - self.design.base.count - len(drive)
        return np.flatnonzero([*[True] * self.design.base.count, *drive, *[True] * extra])

    def _fit(self, grams: Sequence[Array], chosen: NDArray[np.intp], weight: Array) -> tuple[Array, Array]:
        """Return reweighted least squares from products of columns, zero for columns not chosen.

        `weight` sums up those of each joint's rows. Also returned are the products of the columns chosen and
        the torques, joints weighted.
        """
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
                squares = max(r @ gram @ r, DIGITS**2 * gram[-1, -1])
                scatter[j] = np.sqrt(max(squares / (weight[j] or 1.0), 1e-24))
        both = np.append(chosen, width)
        return x, G[np.ix_(both, both)]


def _gram(moments: Moments, fold: int, joint: int, width: int) -> Array:
    triangle = moments.folds.get((fold, joint))
    return np.zeros((width, width)) if triangle is None else triangle.R.T @ triangle.R


def _triangle(G: Array) -> Array:
    """Return the triangular factor R of products G = R^T R, with a ridge on the scaled diagonal."""
    d = np.sqrt(np.maximum(np.diag(G), 1e-300))
    return np.asarray(np.linalg.cholesky(G / d / d[:, None] + RIDGE * np.eye(len(d))).T * d)
