"""The example of [DeLucaSiciliano1991, section VII]: its payloads, its motions and its printed constants."""

from __future__ import annotations

import numpy as np

from ...flexible import FlexibleArm
from .cases import Case, bang_bang

PAYLOADS = {"no payload": (0.0, 0.0), "nominal payload": (0.1, 0.0005), "double payload": (0.2, 0.001)}
"""Mass and inertia of Figs. 2, 3 and 4."""

PRINTED = {
    "frequency": ("0.48", "1.80", "2.18", "15.91"),
    "tip": ("0.186", "0.215", "0.883", "-0.069"),
    "tip_slope": ("0.657", "-0.560", "2.641", "-10.853"),
    "v": ("0.007", "0.013", "0.033", "0.054"),
    "w": ("0.002", "0.004", "0.012", "0.016"),
}
"""Constants of the modes as the paper prints them."""

STRETCHED = (0.0, 0.0, 0.0, 0.0, 0.1, 0.002)
SQUARE = (0.0, np.pi / 2, 0.1, 0.002, 0.0, 0.0)
TORQUE, SWITCH = 0.2, 0.5
"""Torque on both joints [N m], and the time to its reversal [s]. The paper does not print the latter."""


def paper_cases(duration: float, step: float) -> tuple[Case, ...]:
    """Return the motions of Figs. 5 to 10."""
    free, damped = (FlexibleArm.deluca_siciliano(damped=damped) for damped in (False, True))
    rest = (0.0,) * 6
    torque = bang_bang([TORQUE, TORQUE], SWITCH, duration, step)
    return (
        Case("stretched arm, forearm bent", free, STRETCHED, figure="Fig. 5"),
        Case("right angle, upper arm bent", free, SQUARE, figure="Fig. 6"),
        Case("stretched arm, forearm bent, damped", damped, STRETCHED, figure="Fig. 7"),
        Case("right angle, upper arm bent, damped", damped, SQUARE, figure="Fig. 8"),
        Case("bang-bang torques", free, rest, torque, figure="Fig. 9"),
        Case("bang-bang torques, damped", damped, rest, torque, figure="Fig. 10"),
    )
