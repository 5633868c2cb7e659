"""What the tip of an arm carries: a rigid body, its centre of mass at the tip or off it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks import not_negative, number, sized_array
from ..errors import ArgumentError, shown


@dataclass(frozen=True)
class Payload:
    """Mass, inertia about the centre of mass, and where that is: `ahead` of the tip and `beside` it.

    Ahead is along the last link's end, beside a quarter turn to the left of it. Only a payload that is
    balanced at the tip has no first moment there [DeLucaSiciliano1991, section IV].
    """

    mass: float = 0.0
    inertia: float = 0.0
    ahead: float = 0.0
    beside: float = 0.0

    @classmethod
    def read(cls, given: Any, offset: Any) -> Payload:
        """Return the payload of what the user gives: (mass, inertia), and a distance or (x, y)."""
        ahead, beside = _offset(offset)
        if given is None:
            mass, inertia = 0.0, 0.0
        else:
            try:
                mass, inertia = given
            except (TypeError, ValueError):
                raise ArgumentError(f"payload is {shown(given)}; expected (mass, inertia)") from None
        mass, inertia = not_negative("payload: mass", mass), not_negative("payload: inertia", inertia)
        if mass == 0:
            for what, value in (("inertia", inertia), ("an offset of", ahead or beside)):
                if value:
                    raise ArgumentError(
                        f"payload has {what} {value:g} but no mass; give its mass, or 0 for no payload"
                    )
        return cls(mass, inertia, ahead, beside)

    @property
    def balanced(self) -> bool:
        """Whether the centre of mass is at the tip."""
        return not (self.ahead or self.beside)

    @property
    def first_moment(self) -> tuple[float, float]:
        """Mass times the offset, along the end of the last link and across it."""
        return self.mass * self.ahead, self.mass * self.beside

    @property
    def tip_inertia(self) -> float:
        """Moment of inertia about the tip."""
        return self.inertia + self.mass * (self.ahead**2 + self.beside**2)


def _offset(given: Any) -> tuple[float, float]:
    if isinstance(given, np.ndarray) and given.ndim == 0:
        given = given.item()
    if not isinstance(given, tuple | list | np.ndarray):
        return number("payload_offset", given), 0.0
    ahead, beside = sized_array("payload_offset: a distance, or (x, y)", given, (2,)).tolist()
    return ahead, beside
