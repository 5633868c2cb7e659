"""A number that a paper prints, beside the library's own."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ..errors import ClosedFormError


@dataclass(frozen=True)
class Printed:
    """A printed number and the one that the library computes; `note` says why they differ, if they do.

    >>> from closedform.papers import Printed
    >>> Printed("Sec. VII", "first frequency, Hz", "0.480", ours=0.47969).agrees
    True
    >>> Printed("Sec. VII", "first frequency, Hz", "0.4798", ours=0.47969, note="a misprint").agrees
    False
    """

    where: str
    what: str
    printed: str
    ours: float
    note: str = ""

    def __post_init__(self) -> None:
        if not self.agrees and not self.note:
            raise ClosedFormError(
                f"{self.where}, {self.what}: {self.printed} is printed, {self.ours!r} computed, and no note "
                "says why"
            )

    @property
    def agrees(self) -> bool:
        """Whether our number is within half a unit of the last printed digit."""
        return abs(Fraction(self.ours) - Fraction(self.printed)) <= self._half_unit * Fraction(1 + 2**-40)

    @property
    def rounded(self) -> str:
        """Our number with as many decimals as the printed one."""
        return f"{self.ours:.{self._decimals}f}"

    @property
    def _decimals(self) -> int:
        return max(0, -int(Decimal(self.printed).as_tuple().exponent))

    @property
    def _half_unit(self) -> Fraction:
        return Fraction(10) ** int(Decimal(self.printed).as_tuple().exponent) / 2
