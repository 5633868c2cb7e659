"""Base parameters in print: combinations of parameters, and the lists that papers give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from ...equations.naming import latex_name
from .geometry_symbols import ROUNDING, exact
from .transfer import SIZE, Entries, parameter_name

if TYPE_CHECKING:
    from .parameters import BaseParameters

DIGITS = 6
"""Significant digits of printed numbers."""


def combinations(base: BaseParameters, digits: int = 15) -> dict[str, Any]:
    """Return what regrouped parameters consist of, by their names, numbers with so many digits."""
    rows = base.matrix if base.coefficients is None else base.coefficients
    found = {}
    for name, row, k in zip(base.names, rows, base.kept, strict=True):
        if name != parameter_name(k):
            found[name] = combination(row, digits)
    return found


def combination(row: Entries, digits: int = 15) -> Any:
    """Return the sum of coefficients times parameters, those of one coefficient together."""
    shared: dict[Any, tuple[Any, list[Any]]] = {}
    for k in np.flatnonzero(row != 0):
        number = not isinstance(row[k], sp.Expr)
        if number and abs(row[k]) < ROUNDING:
            continue
        value = exact(np.asarray(row[k]), digits).item() if number else _collected(row[k], digits)
        # numbers that went different ways to the same value differ in their last digits
        key = sp.Float(value, 12) if number else value
        sign = -1 if -key in shared else 1
        shared.setdefault(sign * key, (sign * value, []))[1].append(sign * sp.Symbol(parameter_name(k)))
    return sp.Add(*(_product(value, members) for value, members in shared.values()))


def table(base: BaseParameters) -> str:
    """Return the lists of the paper as text: no effect, eliminated, regrouped, base parameters by link."""
    name, total = base.robot.name, base.matrix.shape[1]
    lines = [f"{name}: {base.count} base parameters of {total}"]
    for title, names in _lists(base):
        lines += [f"{title}:", *_wrapped(names)]
    regrouped = combinations(base, DIGITS)
    if regrouped:
        lines.append("regrouped:")
        width = max(map(len, regrouped))
        lines += [
            f"  {label:{width}} = {sp.sstr(each, full_prec=False)}" for label, each in regrouped.items()
        ]
    lines.append("base parameters:")
    lines += [f"  link {link}: {' '.join(names)}" for link, names in _links(base)]
    return "\n".join(lines)


def stepwise(base: BaseParameters) -> str:
    """Return the steps of the regrouping as text, a link at a time."""
    lines = []
    for link, changed in base.steps(DIGITS):
        lines.append(f"link {link}:")
        lines += [f"  {label} = {sp.sstr(each, full_prec=False)}" for label, each in changed.items()]
    return "\n".join(lines)


def latex(base: BaseParameters) -> str:
    """Return the lists of the paper in LaTeX: an aligned block of regroupings and lists of symbols."""
    regrouped = combinations(base, DIGITS)
    letters = {s: latex_name(s.name) for each in regrouped.values() for s in each.free_symbols}
    lines = [
        rf"{latex_name(label)} &= {sp.latex(each, symbol_names=letters, full_prec=False)}"
        for label, each in regrouped.items()
    ]
    parts = [rf"% {base.robot.name}: {base.count} base parameters of {base.matrix.shape[1]}"]
    for title, names in (*_lists(base), ("base parameters", base.names)):
        symbols = ", ".join(f"${latex_name(each)}$" for each in names)
        parts.append(rf"\noindent {title[0].upper() + title[1:]}: {symbols}.\par")
    if lines:
        body = " \\\\\n".join(lines)
        parts.insert(-1, f"\\begin{{align*}}\n{body}\n\\end{{align*}}")
    return "\n".join(parts)


def _lists(base: BaseParameters) -> list[tuple[str, Sequence[str]]]:
    gone = [name for name in base.eliminated if name not in base.completion]
    lists = [("no effect", base.no_effect), ("eliminated by regrouping", gone)]
    if base.completion:
        lists.append(("eliminated numerically, beyond the closed form", base.completion))
    return [(title, names) for title, names in lists if names]


def _links(base: BaseParameters) -> list[tuple[int, list[str]]]:
    links: dict[int, list[str]] = {}
    for k, name in zip(base.kept, base.names, strict=True):
        links.setdefault(k // SIZE + 1, []).append(name)
    return sorted(links.items())


def _wrapped(names: Sequence[str], width: int = 12) -> list[str]:
    return ["  " + " ".join(names[k : k + width]) for k in range(0, len(names), width)]


def _product(value: Any, members: list[Any]) -> Any:
    """Return value * (sum of members), which SymPy would multiply out where the value is a decimal."""
    return sp.Mul(value, sp.Add(*members), evaluate=not value.is_Float or len(members) == 1)


def _collected(value: Any, digits: int) -> Any:
    """Return a coefficient multiplied out, with squares of sine and cosine added up where that is shorter."""
    value = sp.expand(value)
    for angle in sorted({each.args[0] for each in value.atoms(sp.sin, sp.cos)}, key=str):
        s, c = sp.sin(angle) ** 2, sp.cos(angle) ** 2
        ways = (value, sp.expand(value.subs(s, 1 - c)), sp.expand(value.subs(c, 1 - s)))
        value = min(ways, key=lambda each: len(sp.Add.make_args(each)))
    return value.xreplace({each: sp.Float(each, digits) for each in value.atoms(sp.Float)})
