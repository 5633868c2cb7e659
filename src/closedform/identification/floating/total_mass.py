"""The total mass of a legged robot: which base parameter it is, and what is known of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...checks import positive
from ...errors import ArgumentError, ClosedFormError, shown
from ..base.result import BaseParameters

EXACT = 1e-6
"""Standard deviation of a total mass that is given without one, relative."""


def mass_position(base: BaseParameters) -> int | None:
    """Return the base parameter that is the total mass; None if several add up to it."""
    masses = np.zeros(base.matrix.shape[1])
    masses[9::10] = 1.0
    share = np.linalg.lstsq(base.matrix.T, masses, rcond=None)[0]
    position = int(np.argmax(np.abs(share)))
    alone = np.zeros_like(share)
    alone[position] = 1.0
    return position if np.abs(share - alone).max() < 1e-9 else None


def mass_prior(base: BaseParameters, given: Any) -> tuple[int, float, float] | None:
    """Return which base parameter is the known total mass, its value and standard deviation."""
    if given is None:
        return None
    pair = given if isinstance(given, tuple | list) else (given, None)
    if len(pair) != 2:
        raise ArgumentError(f"total_mass is {shown(given)}; expected kg, or (kg, standard deviation)")
    mass = positive("total_mass", pair[0])
    spread = EXACT * mass if pair[1] is None else positive("total_mass: standard deviation", pair[1])
    position = mass_position(base)
    if position is None:
        raise ClosedFormError(
            f"total_mass: no single base parameter of robot {base.robot.name!r} is its total mass (it has "
            "sliding joints); leave total_mass out"
        )
    return position, mass, spread
