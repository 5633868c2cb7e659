"""Runge-Kutta methods as tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import DOP853

from ..arrays import Array


@dataclass(frozen=True)
class Tableau:
    """A Runge-Kutta method: stage i is at the steps a[i] of the stages before it, the end at those of b."""

    order: int
    a: Array
    b: Array

    @property
    def c(self) -> Array:
        """Times of the stages, as parts of the step."""
        return np.asarray(self.a.sum(axis=1))


def _luther() -> Tableau:
    """Return the method of order 6 in seven stages [Luther1968]."""
    s = np.sqrt(21.0)
    rows = [
        (1, [1]),
        (8, [3, 1]),
        (27, [8, 2, 8]),
        (392, [3 * (3 * s - 7), -8 * (7 - s), 48 * (7 - s), -3 * (21 - s)]),
        (1960, [-5 * (231 + 51 * s), -40 * (7 + s), -320 * s, 3 * (21 + 121 * s), 392 * (6 + s)]),
        (
            180,
            [15 * (22 + 7 * s), 120, 40 * (7 * s - 5), -63 * (3 * s - 2), -14 * (49 + 9 * s), 70 * (7 - s)],
        ),
    ]
    a = np.zeros((7, 7))
    for k, (divisor, row) in enumerate(rows):
        a[k + 1, : k + 1] = np.array(row) / divisor
    return Tableau(6, a, np.array([9, 0, 64, 0, 49, 49, 9]) / 180)


TABLEAUX = {
    "rk4": Tableau(
        4, np.array([[0, 0, 0, 0], [0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 1, 0]]), np.array([1, 2, 2, 1]) / 6
    ),
    "rk6": _luther(),
    "rk8": Tableau(8, np.asarray(DOP853.A), np.asarray(DOP853.B)),
}
"""The methods by name: [Kutta1901], [Luther1968] and the one of [HairerNorsettWanner1993] in 12 stages."""
