"""Columns that depend on values of the parameters, by loads or zero offsets: a few fits settle them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .design import Design
from .least_squares import solve
from .moments import Moments
from .rows import Columns

ROUNDS = 2
"""Fits before the last one: without the columns that depend on values, then with them."""


def settled(design: Design, values: Mapping[str, float], gathered: Callable[[Columns], Moments]) -> Design:
    """Return a design about values that its own fit nearly has: Gauss-Newton steps.

    `values` are those of an earlier fit by name, if there are any; else the first fit goes without the
    columns that depend on values. `gathered` gives the moments of all logs without lags.
    """
    if values:
        return design.with_drive(design.drive, values)
    for _ in range(ROUNDS):
        moments = gathered(design)
        fit = solve(moments.triangles(moments.fitted), moments.active, design.width)
        design = design.at(fit.values)
    return design
