"""The friction of legs: the model that predicts equations best, folds left out in turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Array
from ..regression.design import Design
from ..regression.friction import NO_FRICTION, FrictionTerms, Term
from ..regression.least_squares import ridge_solution
from ..regression.moments import Moments

MODELS = (
    NO_FRICTION,
    FrictionTerms(coulomb=None),
    *(FrictionTerms(coulomb=width) for width in (1e-3, 0.01, 0.05, 0.1, 0.2)),
)
"""Models that are tried, simple ones first."""

GAIN = 0.01
"""Part of the error by which a richer model must predict better to be preferred."""

RIDGE = 1e-10
"""Diagonal added to scaled normal equations, so that confused columns only share their effect."""


def union(models: Sequence[FrictionTerms], axes: int, dependent: frozenset[Term]) -> tuple[Term, ...]:
    """Return the terms that any of the models has."""
    found: dict[Term, None] = {}
    for model in models:
        found |= dict.fromkeys(model_terms(model, axes))
    return tuple(term for term in found if term not in dependent)


def model_terms(model: FrictionTerms, axes: int) -> tuple[Term, ...]:
    """Return the terms of a model on every axis."""
    return tuple(model.term(kind, a) for kind in model.kinds for a in range(axes))


def best_model(design: Design, moments: Moments, prior: tuple[Array, Array] | None) -> FrictionTerms:
    """Return the friction model of least error on folds left out in turn; `design` has all their columns."""
    grams = [t.R.T @ t.R for t in (moments.triangles([fold])[0] for fold in moments.fitted)]
    believed = np.zeros_like(grams[0])
    if prior is not None:
        rows = np.column_stack([np.diag(1 / prior[1]), prior[0] / prior[1]])
        believed = rows.T @ rows
    errors = {model: _error(design, grams, model, believed) for model in MODELS}
    best = NO_FRICTION
    for model, error in errors.items():
        if error < (1 - GAIN) ** 2 * errors[best]:
            best = model
    return best


def _error(design: Design, grams: Sequence[Array], model: FrictionTerms, believed: Array) -> float:
    """Return the squared residuals of a model on folds left out in turn, from products of columns."""
    wanted = set(model_terms(model, len(design.axes)))
    drive = [term.kind == "Ia" or term in wanted for term in design.drive]
    chosen = np.flatnonzero([*[True] * design.base.count, *drive])
    whole = np.sum(grams, axis=0) + believed
    total = 0.0
    for gram in grams:
        rest = whole - gram
        x = np.zeros(design.width)
        x[chosen] = ridge_solution(rest[np.ix_(chosen, chosen)], rest[chosen, -1], RIDGE)
        r = np.append(-x, 1.0)
        total += float(r @ gram @ r)
    return total
