"""What a stationary point is: the second-order check along the self-motion, with limits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from .points import FLAT, Found

KIND_NAMES = np.array(["", "maximum", "minimum", "saddle", "flat", "isolated"])
"""What a result may be: "" where nothing was found, "isolated" where there is no self-motion."""

NOTHING = 1e-5
"""Share of `FLAT` below which curvature is no curvature at all."""

NONE, MAXIMUM, MINIMUM, SADDLE, NO_CURVATURE, ISOLATED = range(6)


def kinds(found: Found, inwards: Array) -> NDArray[np.intp]:
    """Return the kind of stationary points as a position in `KIND_NAMES`.

    A maximum has negative curvature of the Lagrangian along every free self-motion, and is pushed
    outwards at every joint held at its limit (`inwards` is the direction from the limit, +1 or -1, or
    0 for a locked joint, which nothing pulls); a minimum the reverse. Curvature near rounding makes it
    "flat"; none at all (a joint that neither task nor criterion depend on) says nothing, unless it is
    all there is.
    """
    tolerance = (FLAT * (1 + found.gradient))[:, None]
    bends = found.curvatures
    held = found.held > 0
    pull = np.where(held, found.pushes * inwards, 0.0)
    up = (bends > tolerance).any(axis=-1) | (pull > tolerance).any(axis=-1)
    down = (bends < -tolerance).any(axis=-1) | (pull < -tolerance).any(axis=-1)
    level = ((np.abs(bends) <= tolerance) & (np.abs(bends) > NOTHING * tolerance)).any(axis=-1)
    choices = [~np.isfinite(found.H), up & down, level | (~up & ~down), down, up]
    return np.select(choices, [NONE, SADDLE, NO_CURVATURE, MAXIMUM, MINIMUM])
