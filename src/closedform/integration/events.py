"""Events: when a function of time and state passes through zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PPoly
from scipy.optimize import brentq

from ..arrays import Array
from ..checks import flag, function, real_array, whole_number
from ..errors import ArgumentError, shown


@dataclass(frozen=True)
class Event:
    """A function g(t, x) whose zeros are sought; `terminal` ends the run at the first.

    `direction` is that of g through zero: 1 upwards, -1 downwards, 0 either.
    """

    function: Callable[[float, Array], float]
    terminal: bool = False
    direction: int = 0

    def __post_init__(self) -> None:
        function("event: function", self.function, "time and state", 2)
        flag("event: terminal", self.terminal)
        whole_number("event: direction", self.direction, -1, 1)

    def _value(self, t: float, x: Array) -> float:
        """Return g(t, x), a finite number."""
        value = real_array(f"event: the function's value at t = {t:g}", self.function(t, x))
        if value.shape != () or not np.isfinite(value):
            raise ArgumentError(
                f"event: the function gave {shown(value.tolist())} at t = {t:g}; expected a finite number"
            )
        return float(value)

    def times(self, path: PPoly) -> list[float]:
        """Return the times of the zeros along a path; one per step at most."""
        t = path.x
        values = np.array([self._value(each, path(each)) for each in t])
        found = []
        for k in range(len(t) - 1):
            a, b = values[k], values[k + 1]
            rises, falls = a < 0 <= b, a > 0 >= b
            if (rises and self.direction >= 0) or (falls and self.direction <= 0):
                found.append(float(brentq(lambda s: self._value(s, path(s)), t[k], t[k + 1], xtol=1e-14)))
        return found
