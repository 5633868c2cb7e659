"""What the entries of an array are: a letter, its LaTeX, its unit and its meaning, also of derivatives."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

Shape = tuple[str | int, ...]
"""Sizes of the axes: numbers, or letters whose sizes the owner knows."""

_RATES = {1: "dot", 2: "ddot"}
_ORDINALS = {1: "time derivative", 2: "second time derivative", 3: "third time derivative"}


@dataclass(frozen=True)
class Quantity:
    """A physical quantity: its letter in code and text, in LaTeX, its SI unit and what it is.

    If entries differ, `base_unit` lists their units ("rad or m"). What follows a comma in `noun`
    describes the quantity itself, not its derivatives. `rates` names the first time derivatives that
    have a name. `mark` follows the letter and its dots (the r of qdr). If `vectors` has letters, a row
    consists of that many 3-vectors. `rate` and `by` return derivatives; `order` and `over` record which.
    """

    letter: str
    tex: str
    base_unit: str
    noun: str
    rates: tuple[str, ...] = ()
    mark: str = ""
    vectors: str = ""
    order: int = 0
    over: Quantity | None = None

    def rate(self, order: int = 1) -> Quantity:
        """Return the time derivative of some order."""
        return replace(self, order=self.order + order)

    def by(self, other: Quantity) -> Quantity:
        """Return the partial derivative by another quantity, which runs along the last axis."""
        return replace(self, over=other)

    def array(self, *shape: str | int, name: str = "") -> FormArray:
        """Return an array of the quantity, named by its symbol unless `name` is given."""
        return FormArray(name or self.symbol, shape, self)

    @property
    def symbol(self) -> str:
        """The name in code: M, qd, q4, tau_dqd."""
        plain = self.letter + ("d" * self.order if self.order < 4 else str(self.order)) + self.mark
        return plain if self.over is None else f"{plain}_d{self.over.symbol}"

    @property
    def unit(self) -> str:
        """The SI unit."""
        parts = re.split("(, | or )", self.base_unit)
        unit = "".join(part if k % 2 else _per_time(part, self.order) for k, part in enumerate(parts))
        return unit if self.over is None else f"{unit}, per {self.over.unit}"

    @property
    def meaning(self) -> str:
        """What it is, in words."""
        if self.over is not None:
            return (
                f"derivative (last axis) by the {self.over._short} of the {replace(self, over=None)._short}"
            )
        if not self.order:
            return self.noun
        if self.order <= len(self.rates):
            return self.rates[self.order - 1]
        which = _ORDINALS.get(self.order, f"time derivative {self.order}")
        return f"{which} of the {replace(self, order=0)._short}"

    @property
    def _short(self) -> str:
        return self.meaning.partition(", ")[0]

    @property
    def dotted(self) -> str:
        """The letter in LaTeX, with dots for time derivatives."""
        return dotted(self.tex, self.order)


@dataclass(frozen=True)
class FormArray:
    """An input or output of a form: its name, the letters or numbers of its shape, what its entries are."""

    name: str
    shape: Shape
    quantity: Quantity

    def rate(self, order: int) -> FormArray:
        """Return the array of a time derivative; coordinates q have velocities v as their rates."""
        quantity = self.quantity.rate(order)
        shape = tuple("v" if size == "q" else size for size in self.shape)
        if len(self.quantity.letter) == 1:
            return FormArray(quantity.symbol, shape, quantity)
        return FormArray(f"{self.name}_{_RATES.get(order, order)}", shape, quantity)


def dotted(tex: str, order: int) -> str:
    """Return LaTeX with dots for time derivatives, or (5) above it."""
    if order > 4:
        return f"{tex}^{{({order})}}"
    return rf"\{'d' * order}ot{{{tex}}}" if order else tex


def _per_time(unit: str, order: int) -> str:
    """Return a unit divided by seconds, to some power more than it already is."""
    bare, already, power = unit.partition("/s")
    if power and power[0] != "^":
        bare, already, power = unit, "", ""
    total = order + (int(power[1:] or 1) if already else 0)
    return bare if not total else f"{bare}/s" if total == 1 else f"{bare}/s^{total}"
