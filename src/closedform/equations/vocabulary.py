"""The symbols of equations: their numbers in monomials, their SymPy objects, and what they describe."""

from __future__ import annotations

from typing import Any

Expression = Any
"""A SymPy expression. SymPy is imported when equations are first asked for."""


class Vocabulary:
    """Numbered symbols; a quotient or a root that is no product of symbols counts as one symbol."""

    def __init__(self) -> None:
        self.symbols: list[Expression] = []
        self.roles: list[str] = []
        self._number: dict[Expression, int] = {}

    def number(self, symbol: Expression, role: str = "other") -> int:
        """Return the number of a symbol, a new one where it is new; roles are those of `collect.LEVELS`."""
        found = self._number.get(symbol)
        if found is None:
            found = self._number[symbol] = len(self.symbols)
            self.symbols.append(symbol)
            self.roles.append(role)
        return found
