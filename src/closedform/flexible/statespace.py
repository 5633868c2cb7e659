"""An arm linearised about a state, as the matrices that control software takes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import known_name, sized_array
from .structure import ArmStructure

OUTPUTS = ("joints", "tip", "tip_angle", "state")
"""What a linearised arm may show: joint angles, tip position, tip direction, or (q, qd)."""


class StateSpace(NamedTuple):
    """The matrices of x' = A x + B u, y = C x + D u, for small changes of x = (q, qd) and u."""

    A: Array
    B: Array
    C: Array
    D: Array


def state_space(
    arm: ArmStructure, q: ArrayLike, qd: ArrayLike | None, u: ArrayLike | None, output: str
) -> StateSpace:
    """Return the matrices of an arm about a state; see `FlexibleArm.linearise`."""
    n, N = arm.joints, arm.size
    here = sized_array("linearise: q", q, (N,))
    rates = sized_array("linearise: qd", np.zeros(N) if qd is None else qd, (N,))
    torque = sized_array("linearise: u", np.zeros(n) if u is None else u, (n,))
    known_name("output", output, OUTPUTS)
    A, B = arm.state_matrices(here, rates, torque)
    if output == "state":
        C = np.eye(2 * N)
    else:
        slopes = np.concatenate([np.ones(n), *(modes.stacked("tip_slope") for modes in arm.modes)])
        rows = {"joints": np.eye(n, N), "tip": arm.tip_jacobian(here), "tip_angle": slopes[None]}[output]
        C = np.hstack([rows, np.zeros_like(rows)])
    return StateSpace(A, B, C, np.zeros((len(C), n)))
