"""One table of tolerances for round-off, with reasons. All are relative to the size of the quantity compared.

Errors of truncation (integrators, meshes, fits, filters) depend on the step of each test and are named there.
"""

import numpy as np

EPS = float(np.finfo(float).eps)

LAST_DIGITS = 1e-14
"""A few operations on numbers near one: some units in the last place."""

SHORT_CHAIN = 1e-13
"""Some dozens of operations, such as a Newton step that is taken in full."""

ROUNDING = 1e-12
"""Two routes through at most a few thousand operations, each rounded to 1e-16, with the
cancellation of a long chain: 1e-13 is seen, 1e-12 is the promise."""

LONG_CHAIN = 1e-11
"""A second computation on values that are rounded already: derivatives of splines, filtered sums, files."""

ITERATED = 1e-10
"""An iteration that has stopped: Newton's method on a pose, roots, null spaces."""

SOLVE = 1e-9
"""Through the inverse of a mass matrix whose condition number may reach 1e6."""

PROMISED = 1e-9
"""What an iteration, a quadrature or a bound of the library promises; it usually does better."""

HALF_DIGITS = 1e-8
"""Half of the digits: differences with the best step, places of extrema, and what is built on them."""

DIFFERENCE = 2e-7
"""Central differences with step 1e-5: truncation 1e-10 times third derivatives, and rounding
1e-16 / 1e-5 times values."""

PRINTED_DIGITS = 6e-5
"""Papers print angles to four decimals of a degree: half a unit, and rounding."""


def worst(value, reference, scale=0.0) -> float:
    """Return the largest difference relative to the largest entry (or to `scale`, if larger)."""
    value, reference = np.asarray(value), np.asarray(reference)
    size = max(float(np.abs(reference).max(initial=0)), float(np.abs(value).max(initial=0)), scale, 1e-30)
    return float(np.abs(value - reference).max(initial=0)) / size
