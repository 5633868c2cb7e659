"""Equations in plain text, drawn text, LaTeX and MathML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import sympy as sp

from .naming import Heading, latex_name, pretty_name, unicode_name
from .vocabulary import Expression

SHORT = 25
"""Operations of an entry up to which a matrix is printed as a matrix, not entry by entry."""

MATHML = "http://www.w3.org/1998/Math/MathML"

Indexed = list[tuple[list[tuple[int, ...]], Expression]]
"""Entries that are not zero with their indices from 1; entries that mirror each other share a line."""


class Printable(Protocol):
    """What is printed of equations."""

    @property
    def name(self) -> str:
        """Name of the quantity."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""

    @property
    def entries(self) -> tuple[Expression, ...]:
        """Its entries, row by row."""

    @property
    def definitions(self) -> tuple[tuple[Expression, Expression], ...]:
        """Names that entries use."""

    @property
    def matrix(self) -> Expression:
        """The SymPy matrix."""

    @property
    def symbols(self) -> tuple[Expression, ...]:
        """The symbols that occur."""

    def indexed(self) -> Indexed:
        """Return the entries to print."""


def plain(equations: Printable) -> str:
    """Return one line per definition and per entry that is not zero: M[1,2] = M[2,1] = ..."""
    heading = Heading.named(equations.name)
    lines = [f"{symbol} = {_text(each)}" for symbol, each in equations.definitions]
    lines += [
        f"{' = '.join(heading.plain(index) for index in indices)} = {_text(each)}"
        for indices, each in equations.indexed()
    ]
    return "\n".join(lines) or f"{heading.plain()} = 0"


def pretty(equations: Printable) -> str:
    """Return the equations drawn in Unicode text, one below the other."""
    heading = Heading.named(equations.name)
    shown = _renamed(equations, pretty_name)
    if _is_short(equations):
        return _drawn(equations.matrix.xreplace(shown))
    named = [(symbol.name, each) for symbol, each in equations.definitions]
    named += [(heading.plain(indices[0]), each) for indices, each in equations.indexed()]
    lines = [sp.Eq(sp.Symbol(name), each.xreplace(shown), evaluate=False) for name, each in named]
    return "\n\n".join(map(_drawn, lines)) or f"{heading.plain()} = 0"


def latex(equations: Printable) -> str:
    """Return a matrix where all entries are short, else aligned lines."""
    heading = Heading.named(equations.name)
    defined = [symbol for symbol, _ in equations.definitions]
    names = {symbol: latex_name(symbol.name) for symbol in (*equations.symbols, *defined)}

    def tex(expression: Expression) -> str:
        return str(sp.latex(expression, symbol_names=names))

    if _is_short(equations):
        return f"{heading.latex()} = {tex(_value(equations))}"
    lines = [f"{names[symbol]} &= {tex(each)}" for symbol, each in equations.definitions]
    lines += [
        f"{' = '.join(heading.latex(index) for index in indices)} &= {tex(each)}"
        for indices, each in equations.indexed()
    ]
    body = " \\\\\n".join(lines or [f"{heading.latex()} &= 0"])
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def mathml(equations: Printable) -> str:
    """Return a <math> element with one table row per definition and entry, or with a short matrix."""
    heading = Heading.named(equations.name)
    shown = _renamed(equations, unicode_name)

    def markup(expression: Expression) -> str:
        text = sp.mathml(expression.xreplace(shown), printer="presentation")
        return str(text).replace("&InvisibleTimes;", "&#8290;")

    if _is_short(equations):
        rows = f"<mrow>{heading.mathml()}<mo>=</mo>{markup(_value(equations))}</mrow>"
    else:
        pairs = [(markup(symbol), each) for symbol, each in equations.definitions]
        pairs += [
            ("<mo>=</mo>".join(map(heading.mathml, indices)), each) for indices, each in equations.indexed()
        ]
        cells = (f"<mtd>{left}</mtd><mtd><mo>=</mo></mtd><mtd>{markup(each)}</mtd>" for left, each in pairs)
        rows = "<mtable>" + "".join(f"<mtr>{cell}</mtr>" for cell in cells) + "</mtable>"
    return f'<math xmlns="{MATHML}" display="block">{rows}</math>'


def _text(expression: Expression) -> str:
    return str(sp.sstr(expression, full_prec=False))


def _drawn(expression: Expression) -> str:
    return str(sp.pretty(expression, use_unicode=True, wrap_line=False))


def _value(equations: Printable) -> Expression:
    return equations.matrix if equations.shape else equations.entries[0]


def _renamed(equations: Printable, rule: Callable[[str], str]) -> dict[Expression, Expression]:
    symbols = [*equations.symbols, *(symbol for symbol, _ in equations.definitions)]
    return {symbol: sp.Symbol(rule(symbol.name)) for symbol in symbols if rule(symbol.name) != symbol.name}


def _is_short(equations: Printable) -> bool:
    if len(equations.shape) > 2 or equations.definitions:
        return False
    return all(sp.count_ops(each) <= SHORT for each in equations.entries)
