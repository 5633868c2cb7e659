"""The symbols of equations: their numbers in monomials, their SymPy objects, and what they describe."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import count
from typing import Any

import sympy as sp

Expression = Any
"""A SymPy expression; SymPy has no types."""


class Vocabulary:
    """Numbered symbols; a quotient or a root that is no product of symbols counts as one symbol."""

    def __init__(self) -> None:
        self.symbols: list[Expression] = []
        self.roles: list[str] = []
        self._number: dict[Expression, int] = {}

    def number(self, symbol: Expression, role: str = "other") -> int:
        """Return the number of a symbol, a new one if it is new; roles are those of `collect.LEVELS`."""
        found = self._number.get(symbol)
        if found is None:
            found = self._number[symbol] = len(self.symbols)
            self.symbols.append(symbol)
            self.roles.append(role)
        return found


def new_symbols(taken: Collection[Expression]) -> Iterator[Expression]:
    """Yield the symbols x1, x2, ... that are not taken."""
    return (symbol for symbol in (sp.Symbol(f"x{k}") for k in count(1)) if symbol not in taken)
