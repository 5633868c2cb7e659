"""One table of tolerances, with reasons. All are relative to the size of the quantity compared."""

import numpy as np

EPS = float(np.finfo(float).eps)

ROUNDING = 1e-12
"""Two routes through at most a few thousand operations, each rounded to 1e-16, with the
cancellation of a long chain: 1e-13 is seen, 1e-12 is the promise."""

SOLVE = 1e-9
"""Through the inverse of a mass matrix whose condition number may reach 1e6."""

DIFFERENCE = 2e-7
"""Central differences with step 1e-5: truncation 1e-10 times third derivatives, and rounding
1e-16 / 1e-5 times values."""


def worst(value, reference, scale=0.0) -> float:
    """Return the largest difference relative to the largest entry (or to `scale`, if larger)."""
    value, reference = np.asarray(value), np.asarray(reference)
    size = max(float(np.abs(reference).max(initial=0)), float(np.abs(value).max(initial=0)), scale, 1e-30)
    return float(np.abs(value - reference).max(initial=0)) / size
