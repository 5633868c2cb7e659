"""Base parameters in letters of the geometry: coefficients that hold for whatever the letters stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sympy as sp

from ...arrays import Array
from ...description.mdh_row import ANGLES, generic_values
from ...errors import ArgumentError
from ...model import Model
from .attainable import unfelt_parameters
from .geometry_symbols import exact, symbolic_placements
from .regrouping import Regrouping, eliminate
from .scale import scaled_model
from .transfer import Entries, transfer_matrix

SAME = 1e-9
"""Difference of what is eliminated at two values of a letter that counts as round-off."""


def in_letters(
    model: Model, recursion: Regrouping, matrix: Array
) -> tuple[Regrouping, Entries, Array, dict[sp.Symbol, float]]:
    """Return a regrouping in letters, its coefficients, their numbers, and the numbers of the letters.

    Numbers are NaN if a letter that they depend on has none.
    """
    if model.letters:
        _check_independence(model, recursion)
    placements, values = symbolic_placements(model)
    lettered = Regrouping(
        recursion.parents,
        [transfer_matrix(T) for T in placements],
        [replace(gone, moves=exact(gone.moves)) for gone in recursion.eliminations],
        exact(recursion.start),
    )
    coefficients = lettered.matrix()
    coefficients[matrix == 0] = 0
    if model.letters:
        matrix = matrix.copy()
        for index in zip(*np.nonzero(matrix), strict=True):
            matrix[index] = _number(coefficients[index], values)
    return lettered, coefficients, matrix, values


def _number(coefficient: sp.Expr, values: dict[sp.Symbol, float]) -> float:
    if coefficient.free_symbols - set(values):
        return np.nan
    return float(coefficient.xreplace(values))


def _check_independence(model: Model, recursion: Regrouping) -> None:
    """Refuse letters on which it depends what is eliminated: coefficients would hold for one value only."""
    other, factors = scaled_model(model.with_letters(generic_values(tuple(model.letters), seed=1)))
    for k, (basis, gone) in enumerate(zip(unfelt_parameters(other), recursion.eliminations, strict=True)):
        again = eliminate(basis, factors)
        if again.rows == gone.rows and np.abs(again.moves - gone.moves).max(initial=0.0) < SAME:
            continue
        rows = [model.row(i) for i in model.ancestors(k)]
        letters = sorted({name for row in rows if row is not None for name in row.of(ANGLES)})
        raise ArgumentError(
            f"base_parameters: what joint {k + 1} eliminates depends on {', '.join(letters)}; write numbers "
            "for such angles in the table"
        )
