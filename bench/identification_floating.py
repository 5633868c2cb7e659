"""Identification on a floating base: simulated logs of a quadruped, contacts known or wrenches measured."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from closedform.identification import identify_floating
from oracles.legged_motion import quadruped_motion

TORQUE_NOISE = 0.02
"""Standard deviation of the torques over their root mean square; the same for measured forces."""


def run(quick: bool = False) -> list[dict[str, Any]]:
    """Return errors of mass and base parameters of 40 s logs, all friction and rotors identified."""
    motion = quadruped_motion(duration=20.0 if quick else 40.0, viscous=0.02, dry=0.05)
    truth = float(motion.robot.phi[9::10].sum())
    found = []
    for what, options in (
        ("contacts known", {}),
        ("contacts and total mass known", {"total_mass": truth}),
        ("wrenches measured, all rows", {"wrench_axes": "world"}),
        ("wrenches measured, base rows", {"wrench_axes": "world", "rows": "base"}),
    ):
        scores, masses, seconds = [], [], 0.0
        for seed in range(2 if quick else 6):
            log = motion.log(TORQUE_NOISE, seed, "wrench_axes" in options, TORQUE_NOISE)
            begin = time.perf_counter()
            result = identify_floating(motion.robot, log, physical=False, **options)
            seconds += time.perf_counter() - begin
            errors = result.standard_errors[: result.base.count]
            known = errors < 1e-4 * np.abs(result.base.values)  # a given total mass has no error to speak of
            scores.append(((result.base_values - result.base.values) / errors)[~known])
            masses.append(abs(result.total_mass / truth - 1))
        z = np.array(scores)
        inside = float(np.mean(np.abs(z) < 3))
        print(
            f"{what}: total mass within {100 * max(masses):.3f} %; {100 * inside:.1f} % of {z.size} base "
            f"parameters within 3 standard errors (normal: 99.7 %), largest {np.abs(z).max():.2f}, root mean "
            f"square {np.sqrt(np.mean(z**2)):.2f}; {seconds / len(scores):.1f} s each"
        )
        found.append(
            {
                "what": what,
                "mass error": max(masses),
                "within 3 standard errors": inside,
                "largest": float(np.abs(z).max()),
            }
        )
    return found
