"""Divergence: a run that stops being finite, or that no step can follow any further."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..errors import ClosedFormError, shown

NOT_FINITE = "the state is no longer finite"
SHORTER = "take shorter steps or wider tolerances, or check the inputs and the initial state"


class DivergenceError(ClosedFormError):
    """A single run whose state stops being finite: at which `time`, and the last finite `state`.

    Or one that an adaptive method cannot follow with the steps it may take.
    """

    def __init__(
        self, name: str, time: float, state: Array, reason: str = NOT_FINITE, remedy: str = SHORTER
    ) -> None:
        self.name, self.time, self.state, self.reason, self.remedy = name, time, state, reason, remedy
        super().__init__(
            f"{name}: {reason} at t = {time:.6g} s, after the state {shown(np.asarray(state).tolist())}; "
            f"{remedy}"
        )

    def __reduce__(self) -> tuple[type, tuple[str, float, Array, str, str]]:
        return type(self), (self.name, self.time, self.state, self.reason, self.remedy)
