"""What a law is made of: the arrays that it takes, and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from casadi import SX

from ..forms import Quantity

STEP = Quantity("h", "h", "s", "time between two calls")


class Input(NamedTuple):
    """An array that a law takes: its name, its core shape and what it is."""

    name: str
    shape: tuple[int, ...]
    quantity: Quantity

    @property
    def symbol(self) -> SX:
        """A symbol of that shape."""
        return SX.sym(self.name, *self.shape) if self.shape else SX.sym(self.name)


class Response(NamedTuple):
    """What a law with states gives: the joint forces, the rates of its states, and how these go on.

    `next` has the states after a step h, as an expression of h; without it they go on by h times their rates.
    """

    tau: SX
    rates: dict[str, SX]
    next: Callable[[SX], dict[str, SX]] | None = None
