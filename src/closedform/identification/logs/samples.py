"""Rows of a log on the joint side, in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array


@dataclass(frozen=True)
class Samples:
    """Rows of a log: time (n,), position, effort and velocity (n, joints).

    `trusted` (n,) says which rows have efforts to fit (all where it is None); saturated ones are not.
    """

    time: Array
    position: Array
    effort: Array
    velocity: Array | None = None
    trusted: NDArray[np.bool_] | None = None
