"""Equations in plain text, drawn text, LaTeX and MathML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import sympy as sp

from .naming import latex_name, left_hand_sides, pretty_name, unicode_name
from .vocabulary import Expression

SHORT = 25
"""Operations of an entry up to which a matrix is printed as a matrix, not entry by entry."""

MATHML = "http://www.w3.org/1998/Math/MathML"


class Printable(Protocol):
    """What is printed of equations."""

    name: str
    shape: tuple[int, ...]
    entries: tuple[Expression, ...]
    definitions: tuple[tuple[Expression, Expression], ...]

    @property
    def matrix(self) -> Expression:
        """The SymPy matrix."""

    @property
    def symbols(self) -> tuple[Expression, ...]:
        """The symbols that occur."""

    def indexed(self) -> list[tuple[tuple[int, ...], Expression]]:
        """Return the entries to print with their indices."""


def plain(equations: Printable) -> str:
    """Return one line per definition and per entry that is not zero: M[1,2] = ..."""
    letter, _ = left_hand_sides(equations.name)
    lines = [f"{symbol} = {sp.sstr(each, full_prec=False)}" for symbol, each in equations.definitions]
    lines += [f"{letter}{_brackets(index)} = {sp.sstr(each, full_prec=False)}" for index, each in equations.indexed()]
    return "\n".join(lines) or f"{letter} = 0"


def pretty(equations: Printable) -> str:
    """Return the equations drawn in Unicode text, one below the other."""
    letter, _ = left_hand_sides(equations.name)
    shown = _renamed(equations, pretty_name)
    options = {"use_unicode": True, "wrap_line": False}
    if _is_short(equations):
        return str(sp.pretty(equations.matrix.xreplace(shown), **options))
    named = [(symbol.name, each) for symbol, each in equations.definitions]
    named += [(f"{letter}{_brackets(index)}", each) for index, each in equations.indexed()]
    return "\n\n".join(
        sp.pretty(sp.Eq(sp.Symbol(name), each.xreplace(shown), evaluate=False), **options)
        for name, each in named
    )


def latex(equations: Printable) -> str:
    """Return a matrix where all entries are short, else aligned lines, mirror images left out."""
    names = {symbol: latex_name(symbol.name) for symbol in equations.symbols}
    names |= {symbol: latex_name(symbol.name) for symbol, _ in equations.definitions}
    _, letter = left_hand_sides(equations.name)
    if _is_short(equations):
        shown = equations.matrix if equations.shape else equations.entries[0]
        return f"{letter} = {sp.latex(shown, symbol_names=names)}"
    lines = [
        f"{names[symbol]} &= {sp.latex(each, symbol_names=names)}" for symbol, each in equations.definitions
    ]
    lines += [
        f"{letter}{_subscript(index)} &= {sp.latex(each, symbol_names=names)}"
        for index, each in equations.indexed()
    ]
    body = " \\\\\n".join(lines or [f"{letter} &= 0"])
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def mathml(equations: Printable) -> str:
    """Return a <math> element with one table row per definition and entry, or with a short matrix."""
    letter, _ = left_hand_sides(equations.name)
    shown = _renamed(equations, unicode_name)
    head = _mathml(sp.Symbol(letter))
    if _is_short(equations):
        value = equations.matrix if equations.shape else equations.entries[0]
        inner = f"<mrow>{head}<mo>=</mo>{_mathml(value.xreplace(shown))}</mrow>"
    else:
        pairs = [(symbol.xreplace(shown), each) for symbol, each in equations.definitions]
        pairs += [
            (sp.Symbol(f"{letter}_{','.join(map(str, index))}") if index else sp.Symbol(letter), each)
            for index, each in equations.indexed()
        ]
        rows = "".join(
            f"<mtr><mtd>{_mathml(left)}</mtd><mtd><mo>=</mo></mtd><mtd>{_mathml(each.xreplace(shown))}</mtd></mtr>"
            for left, each in pairs
        )
        inner = f"<mtable>{rows}</mtable>"
    return f'<math xmlns="{MATHML}" display="block">{inner}</math>'


def _mathml(expression: Expression) -> str:
    return str(sp.mathml(expression, printer="presentation"))


def _renamed(equations: Printable, rule: Callable[[str], str]) -> dict[Expression, Expression]:
    symbols = [*equations.symbols, *(symbol for symbol, _ in equations.definitions)]
    return {symbol: sp.Symbol(rule(symbol.name)) for symbol in symbols if rule(symbol.name) != symbol.name}


def _is_short(equations: Printable) -> bool:
    if len(equations.shape) > 2 or equations.definitions:
        return False
    return all(sp.count_ops(each) <= SHORT for each in equations.entries)


def _brackets(index: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, index))}]" if index else ""


def _subscript(index: tuple[int, ...]) -> str:
    return f"_{{{','.join(map(str, index))}}}" if index else ""
