"""A cause of poor predictions: a change of robot or log, and the error with it and without it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array

FARTHEST = 2.0
"""Relative error of a joint at which it is capped: such a joint is wrong, by whatever factor."""


@dataclass(frozen=True)
class Cause:
    """A change of robot or log, and the error averaged over the joints with it and without it."""

    words: str
    error: float
    present: float

    def __str__(self) -> str:
        return (
            f"with {self.words} the error of rows left out, averaged over the joints, would be "
            f"{100 * self.error:.2g} % instead of {100 * self.present:.2g} %"
        )


def mean_error(errors: Array) -> float:
    """Return the root mean square of the joints' errors, each counted up to `FARTHEST`."""
    return float(np.sqrt(np.mean(np.minimum(np.nan_to_num(errors, nan=FARTHEST), FARTHEST) ** 2)))
