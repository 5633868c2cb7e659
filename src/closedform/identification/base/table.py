"""Base parameters in print: combinations of parameters, and the lists that papers give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ...equations.naming import latex_name
from .geometry_symbols import ROUNDING, exact
from .transfer import Entries, parameter_name

DIGITS = 6
"""Significant digits of printed numbers."""


def combination(row: Entries, digits: int = 15) -> Any:
    """Return the sum of coefficients times parameters, with equal coefficients taken out of brackets."""
    return combined({parameter_name(k): row[k] for k in np.flatnonzero(row != 0)}, digits)


def combined(parts: Mapping[str, Any], digits: int = 15) -> Any:
    """Return the sum of coefficients times parameters by name, equal coefficients taken out of brackets."""
    shared: dict[Any, tuple[Any, list[Any]]] = {}
    for name, each in parts.items():
        number = not isinstance(each, sp.Expr) or each.is_number
        if number and abs(each) < ROUNDING:
            continue
        value = collected(each, digits)
        # numbers that went different ways to the same value differ in their last digits
        key = sp.Float(value, 12) if number else value
        sign = -1 if -key in shared else 1
        shared.setdefault(sign * key, (sign * value, []))[1].append(sign * sp.Symbol(name))
    return sp.Add(*(_product(value, members) for value, members in shared.values()))


@dataclass(frozen=True)
class Lists:
    """The lists of the paper: parameters that are `gone`, by reason, regroupings, and what stays by link.

    `why` names the parameters that are gone by the rule that says so.
    """

    title: str
    gone: Mapping[str, Sequence[str]]
    regrouped: Mapping[str, Any]
    links: Mapping[int, Sequence[str]]
    why: Mapping[str, Sequence[str]]

    def __str__(self) -> str:
        lines = [self.title]
        for reason, names in self.gone.items():
            if names:
                lines += [f"{reason}:", *_wrapped(names)]
        if self.regrouped:
            lines += ["regrouped:", *equation_lines(self.regrouped)]
        lines.append("base parameters:")
        lines += [f"  link {link}: {' '.join(names)}" for link, names in self.links.items()]
        if self.why:
            lines += ["reasons:", *(f"  {' '.join(names)}: {rule}" for rule, names in self.why.items())]
        return "\n".join(lines)

    def latex(self) -> str:
        """Return the lists in LaTeX: an aligned block of regroupings and lists of symbols."""
        letters = {s: latex_name(s.name) for each in self.regrouped.values() for s in each.free_symbols}
        lines = [
            rf"{latex_name(label)} &= {sp.latex(each, symbol_names=letters, full_prec=False)}"
            for label, each in self.regrouped.items()
        ]
        stay = [name for names in self.links.values() for name in names]
        parts = [f"% {self.title}"]
        for reason, names in (*self.gone.items(), ("base parameters", stay)):
            if names or names is stay:
                symbols = ", ".join(f"${latex_name(each)}$" for each in names)
                parts.append(rf"\noindent {reason[0].upper() + reason[1:]}: {symbols}.\par")
        if lines:
            body = " \\\\\n".join(lines)
            parts.insert(-1, f"\\begin{{align*}}\n{body}\n\\end{{align*}}")
        return "\n".join(parts)


def stepwise(steps: Iterable[tuple[int, Mapping[str, Any]]]) -> str:
    """Return the steps of the regrouping as text, a link at a time."""
    lines = []
    for link, changed in steps:
        lines += [f"link {link}:", *equation_lines(changed, aligned=False)]
    return "\n".join(lines)


def equation_lines(sides: Mapping[str, Any], sign: str = "=", *, aligned: bool = True) -> list[str]:
    """Return lines "name = expression"."""
    width = max(map(len, sides), default=0) if aligned else 0
    return [f"  {label:{width}} {sign} {sp.sstr(each, full_prec=False)}" for label, each in sides.items()]


def _wrapped(names: Sequence[str], width: int = 12) -> list[str]:
    return ["  " + " ".join(names[k : k + width]) for k in range(0, len(names), width)]


def _product(value: Any, members: list[Any]) -> Any:
    """Return value * (sum of members), which SymPy would multiply out if the value is a decimal."""
    return sp.Mul(value, sp.Add(*members), evaluate=not value.is_Float or len(members) == 1)


def collected(value: Any, digits: int = 15) -> Any:
    """Return a coefficient multiplied out, with squares of sine and cosine added up if that is shorter.

    A number becomes one of SymPy, exact if it is whole or half, otherwise with `digits` digits.
    """
    if not isinstance(value, sp.Expr):
        return exact(np.asarray(value), digits).item()
    value = sp.expand(value)
    for angle in sorted({each.args[0] for each in value.atoms(sp.sin, sp.cos)}, key=str):
        s, c = sp.sin(angle) ** 2, sp.cos(angle) ** 2
        ways = (value, sp.expand(value.subs(s, 1 - c)), sp.expand(value.subs(c, 1 - s)))
        value = min(ways, key=lambda each: len(sp.Add.make_args(each)))
    return value.xreplace({each: sp.Float(each, digits) for each in value.atoms(sp.Float)})
