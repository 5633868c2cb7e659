"""First moments of mass and how they move: those of a body with all it carries, or of a single point."""

from __future__ import annotations

from dataclasses import dataclass

from casadi import SX

from .algebra import Rotation, cross
from .pairs import Screw


@dataclass(frozen=True)
class Moment:
    """Mass, first moment int r dm and its two time derivatives, as the body sees them whose frame this is.

    A point is a moment of mass one.
    """

    mass: SX | float
    first: SX
    rate: SX
    second: SX

    @classmethod
    def at_rest(cls, mass: SX | float, first: SX) -> Moment:
        """Return the moment of what is fixed to the body."""
        return cls(mass, first, SX(3, 1), SX(3, 1))

    def __add__(self, other: Moment) -> Moment:
        return Moment(
            self.mass + other.mass,
            self.first + other.first,
            self.rate + other.rate,
            self.second + other.second,
        )

    def across(self, twist: Screw, twist_rate: Screw, R: Rotation, p: SX) -> Moment:
        """Return the moment as the parent sees it, across a joint of this twist and its rate.

        A vector r of the body has the derivative r' + w x r there, and the body's origin moves with v.
        """
        (w, v), (wd, vd) = twist, twist_rate
        rate = self.rate + self.mass * v + cross(w, self.first)
        second = self.second + self.mass * vd + cross(wd, self.first) + cross(w, self.rate + rate)
        return Moment(self.mass, R.out(self.first) + self.mass * p, R.out(rate), R.out(second))
