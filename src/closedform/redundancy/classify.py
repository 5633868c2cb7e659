"""What a stationary point is: the second-order check along the self-motion, with limits."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .batch import Indices, Mask
from .points import FLAT, Points

KIND_NAMES = np.array(["", "maximum", "minimum", "saddle", "flat", "isolated"])
"""What a result may be: "" if nothing was found, "isolated" if there is no self-motion."""

NONE, MAXIMUM, MINIMUM, SADDLE, NO_CURVATURE, ISOLATED = range(6)

SIGNS = {"maximum": 1.0, "minimum": -1.0, "stationary": 0.0}
"""What may be sought, and the direction of the search; "stationary" takes whichever is nearest."""

NOTHING = 1e-5
"""Share of `FLAT` below which curvature is no curvature at all."""


def kinds(points: Points, bends: Array, inwards: Array) -> Indices:
    """Return the kind of stationary points as a position in `KIND_NAMES`.

    `bends` are the eigenvalues of `curvatures`. A maximum has negative curvature of the Lagrangian along
    every free self-motion, and is pushed outwards at every joint held at its limit (`inwards` is the
    direction from the limit, +1 or -1, or 0 for a locked joint, which nothing pulls); a minimum the
    reverse. Curvature near round-off makes it "flat"; none at all (a joint that neither task nor
    criterion depend on) says nothing, unless it is all there is.
    """
    tolerance = (FLAT * (1 + points.gradient))[:, None]
    pull = np.where(points.held > 0, points.rho * inwards, 0.0)
    up = (bends > tolerance).any(axis=-1) | (pull > tolerance).any(axis=-1)
    down = (bends < -tolerance).any(axis=-1) | (pull < -tolerance).any(axis=-1)
    level = ((np.abs(bends) <= tolerance) & (np.abs(bends) > NOTHING * tolerance)).any(axis=-1)
    choices = [~np.isfinite(points.H), up & down, level | (~up & ~down), down, up]
    return np.select(choices, [NONE, SADDLE, NO_CURVATURE, MAXIMUM, MINIMUM])


def is_sought(kind: Indices, sought: str) -> Mask:
    """Return which points are of the kind sought, or flat; all of them if any stationary point will do."""
    if not SIGNS[sought]:
        return np.ones(kind.shape, dtype=bool)
    return np.isin(kind, (MAXIMUM if sought == "maximum" else MINIMUM, NO_CURVATURE))
