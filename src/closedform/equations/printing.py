"""A quantity in plain text, drawn text, LaTeX and MathML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import sympy as sp

from ..forms import Quantity
from ..lazy import cached_property
from .naming import Heading, latex_name, pretty_name, unicode_name
from .vocabulary import Expression

SHORT = 25
"""Operations of an entry up to which a matrix is printed as a matrix, not entry by entry."""

MATHML = "http://www.w3.org/1998/Math/MathML"

Index = tuple[int, ...]

P = TypeVar("P", bound="Printed")


@dataclass(frozen=True, eq=False, repr=False)
class Printed:
    """A quantity by its entries, row by row, and the definitions (x1 = ..., x2 = ...) they use."""

    name: str
    quantity: Quantity
    shape: tuple[int, ...]
    entries: tuple[Expression, ...]
    definitions: tuple[tuple[Expression, Expression], ...]

    @cached_property
    def matrix(self) -> Expression:
        """The SymPy matrix; a vector is a column, and of three axes the last two run along a row."""
        rows = self.shape[0] if self.shape else 1
        return sp.ImmutableMatrix(rows, len(self.entries) // rows if rows else 0, list(self.entries))

    @cached_property
    def symbols(self) -> tuple[Expression, ...]:
        """The symbols that occur, definitions excluded, by name."""
        found = set().union(*(e.free_symbols for e in self._written)) - set(self._defined)
        return tuple(sorted(found, key=lambda symbol: symbol.name))

    @property
    def operations(self) -> int:
        """Operations written, a measure of length."""
        return int(sum(sp.count_ops(each) for each in self._written))

    @property
    def _written(self) -> list[Expression]:
        return [*(each for _, each in self.definitions), *self.entries]

    @property
    def _defined(self) -> list[Expression]:
        return [symbol for symbol, _ in self.definitions]

    @property
    def _heading(self) -> Heading:
        return Heading(self.quantity)

    @property
    def _value(self) -> Expression | None:
        """What is printed in one piece if it is short: the matrix, or the one entry."""
        short = all(sp.count_ops(each) <= SHORT for each in self.entries)
        if len(self.shape) > 2 or self.definitions or not short:
            return None
        return self.matrix if self.shape else self.entries[0]

    def _indexed(self) -> list[tuple[list[Index], Expression]]:
        """Return the entries that are not zero with their indices from 1, mirror images together."""
        found: dict[Index, tuple[list[Index], Expression]] = {}
        for index, each in zip(np.ndindex(*self.shape), self.entries, strict=True):
            mirror = (index[1], index[0], *index[2:]) if len(index) > 1 else ()
            counted = tuple(i + 1 for i in index)
            if mirror != index and mirror in found and found[mirror][1] == each:
                found[mirror][0].append(counted)
            elif each != 0:
                found[index] = ([counted], each)
        return list(found.values())

    def _renamed(self, rule: Callable[[str], str]) -> dict[Expression, Expression]:
        return {symbol: sp.Symbol(rule(symbol.name)) for symbol in (*self.symbols, *self._defined)}

    def latex(self) -> str:
        """Return LaTeX for a math environment: a matrix, or aligned entries if they are long."""
        heading = self._heading
        names = {symbol: latex_name(symbol.name) for symbol in (*self.symbols, *self._defined)}

        def tex(expression: Expression) -> str:
            return str(sp.latex(expression, symbol_names=names))

        if (value := self._value) is not None:
            return f"{heading.latex()} = {tex(value)}"
        lines = [f"{names[symbol]} &= {tex(each)}" for symbol, each in self.definitions]
        lines += [f"{' = '.join(map(heading.latex, at))} &= {tex(each)}" for at, each in self._indexed()]
        body = " \\\\\n".join(lines or [f"{heading.latex()} &= 0"])
        return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"

    def mathml(self) -> str:
        """Return presentation MathML, a <math> element for a web page."""
        heading, shown = self._heading, self._renamed(unicode_name)

        def markup(expression: Expression) -> str:
            text = sp.mathml(expression.xreplace(shown), printer="presentation")
            return str(text).replace("&InvisibleTimes;", "&#8290;")

        if (value := self._value) is not None:
            rows = f"<mrow>{heading.mathml()}<mo>=</mo>{markup(value)}</mrow>"
        else:
            pairs = [(markup(symbol), each) for symbol, each in self.definitions]
            pairs += [("<mo>=</mo>".join(map(heading.mathml, at)), each) for at, each in self._indexed()]
            cells = (f"<mtd>{left}</mtd><mtd><mo>=</mo></mtd><mtd>{markup(e)}</mtd>" for left, e in pairs)
            rows = "<mtable>" + "".join(f"<mtr>{cell}</mtr>" for cell in cells) + "</mtable>"
        return f'<math xmlns="{MATHML}" display="block">{rows}</math>'

    def pretty(self) -> str:
        """Return the equations drawn in Unicode text, one below the other."""
        heading, shown = self._heading, self._renamed(pretty_name)
        if self._value is not None:
            return _drawn(self.matrix.xreplace(shown))
        named = [(symbol.name, each) for symbol, each in self.definitions]
        named += [(heading.plain(at[0]), each) for at, each in self._indexed()]
        lines = [sp.Eq(sp.Symbol(name), each.xreplace(shown), evaluate=False) for name, each in named]
        return "\n\n".join(map(_drawn, lines)) or f"{heading.plain()} = 0"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def __str__(self) -> str:
        """One line per definition and per entry that is not zero: M[1,2] = M[2,1] = ..."""
        named = [(symbol.name, each) for symbol, each in self.definitions]
        named += [(" = ".join(map(self._heading.plain, at)), each) for at, each in self._indexed()]
        lines = [f"{name} = {sp.sstr(each, full_prec=False)}" for name, each in named]
        return "\n".join(lines) or f"{self._heading.plain()} = 0"

    def __repr__(self) -> str:
        kind = f"{len(self.definitions)} definitions, " if self.definitions else ""
        return f"<{type(self).__name__} {self.name} {self.shape}: {kind}{self.operations} operations>"


class Several(tuple[P, ...]):
    """The quantities of a form with several outputs, one after the other: a tuple that prints them all.

    >>> import closedform as cf
    >>> print(cf.load("pendulum").equations("dynamic_matrices", symbolic=True))
    M[1,1] = I1yy + c1z**2*m1
    C = 0
    G[1] = -c1z*g*m1*sin(q1)
    """

    __slots__ = ()

    def latex(self) -> str:
        """Return LaTeX for a math environment, the quantities one below the other."""
        body = " \\\\\n".join(each.latex() for each in self)
        return f"\\begin{{gathered}}\n{body}\n\\end{{gathered}}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def __str__(self) -> str:
        return "\n".join(map(str, self))


def _drawn(expression: Expression) -> str:
    return str(sp.pretty(expression, use_unicode=True, wrap_line=False))
