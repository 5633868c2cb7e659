"""Exciting motions: condition numbers reached within the robots' limits, and the time it takes."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

import closedform as cf
from closedform.identification import excitation

ROBOTS = {
    "puma560": {"velocity": 1.5, "torque": np.inf},
    "panda": {},
    "iiwa14": {},
}
"""Robots, and limits that the catalogue does not give."""


def run(quick: bool = False) -> dict[str, Any]:
    """Return condition numbers of random and of optimised motions, and seconds per search."""
    results = {}
    for name, limits in ROBOTS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cf.ModelWarning)
            robot = cf.load(name)
        begin = time.perf_counter()
        found = excitation(robot, starts=1 if quick else 4, **limits)
        spent = time.perf_counter() - begin
        print(
            f"{name}: condition number of {found.count} base parameters {found.start_condition:.0f} random, "
            f"{found.condition:.1f} optimised, {spent:.1f} s"
        )
        results[name] = {"random": found.start_condition, "found": found.condition, "seconds": spent}
    return results
