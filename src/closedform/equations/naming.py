"""Names of the inputs of forms as symbols, and how symbols look in print."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from ..forms import Quantity
from ..forms.quantity import dotted
from .lengths import AXES

_INDEXED = re.compile(r"([A-Za-z]+?)(\d\w*)")
_RATE = re.compile(r"(q|tau|theta|n|f)(?=_?d)(d*)(r|_d|)(\d\w*)")

DOTS = {1: "\u0307", 2: "\u0308", 3: "\u20db", 4: "\u20dc"}
"""Combining dots of the first four time derivatives."""

_BARE = re.compile("([A-Za-z]+)()")
_MARKED = re.compile("[A-Za-z][a-z]")
"""A letter and what it is of: mp of the payload, Jh1 of a hub, fv1 of viscous friction."""

SLOPES = {"dphi": r"{\phi'}"}
"""Derivatives along a link, by their names."""

GREEK = {
    "alpha": "\u03b1",
    "beta": "\u03b2",
    "gamma": "\u03b3",
    "delta": "\u03b4",
    "phi": "\u03c6",
    "tau": "\u03c4",
    "theta": "\u03b8",
}


@dataclass(frozen=True)
class Input:
    """An input of a form: the quantity of its entries, and its shape."""

    quantity: Quantity
    shape: tuple[int, ...]

    @property
    def symbols(self) -> list[str]:
        """Names of its entries, row by row: qd1, qd2; n1x ... f1z for the wrench on body 1."""
        it, d = self.quantity, "d" * self.quantity.order
        if it.vectors:
            letters = [part + d + "{}" + axis for part in it.vectors for axis in AXES]
            return [letter.format(row + 1) for row in range(self.shape[0]) for letter in letters]
        prefix = it.letter + d + it.mark
        return [prefix + "_".join(str(k + 1) for k in index) for index in np.ndindex(*self.shape)]

    @property
    def is_coordinate(self) -> bool:
        """Whether it is a coordinate of motion, no derivative and no force."""
        return self.quantity.order == 0 and bool(self.quantity.rates)

    @property
    def rate(self) -> Input:
        """Its time derivative."""
        return Input(self.quantity.rate(), self.shape)

    @property
    def base(self) -> Input:
        """What it is a time derivative of."""
        return Input(replace(self.quantity, order=0), self.shape)


def latex_name(name: str) -> str:
    r"""Return a symbol in LaTeX: qdd1 is \ddot{q}_{1}, I2xx is I_{2xx}, L1_3x is L_{1,3x}, Jh1 is J_{h1}."""
    match = _RATE.fullmatch(name)
    if match:
        letter = f"\\{match[1]}" if match[1] in GREEK else match[1]
        index = f"{match[3].strip('_')},{match[4]}" if match[3] else match[4]
        return f"{dotted(letter, len(match[2]))}_{{{index}}}"
    match = _INDEXED.fullmatch(name) or _BARE.fullmatch(name)
    if not match:
        return name
    letter, mark = match[1], ""
    if letter in SLOPES or letter in GREEK:
        letter = SLOPES.get(letter, f"\\{letter}")
    elif _MARKED.fullmatch(letter):
        letter, mark = letter[0], letter[1]
    elif len(letter) > 1:
        letter = rf"\mathit{{{letter}}}"
    index = mark + match[2].replace("_", ",")
    return f"{letter}_{{{index}}}" if index else letter


def unicode_name(name: str) -> str:
    """Return a symbol with dots over the letter and its index after an underscore, for MathML."""
    match = _RATE.fullmatch(name)
    if match and len(match[2]) <= len(DOTS):
        letter = GREEK.get(match[1], match[1])
        return letter + DOTS.get(len(match[2]), "") + "_" + match[3].strip("_") + match[4].replace("_", "")
    match = _INDEXED.fullmatch(name)
    return f"{GREEK.get(match[1], match[1])}_{match[2].replace('_', '')}" if match else name


def pretty_name(name: str) -> str:
    """Return the name by which SymPy's text printer draws dots: qdd1 as qddot1."""
    match = _RATE.fullmatch(name)
    return f"{match[1]}{match[2]}ot{match[4]}" if match and not match[3] else name


@dataclass(frozen=True)
class Heading:
    """The left-hand side of equations: the letter of a quantity, with the index of an entry."""

    quantity: Quantity

    def plain(self, index: tuple[int, ...] = ()) -> str:
        """Return M[1,2], Mdd[1,2] or dM/dq[1,2,3]."""
        by, letter = self.quantity.over, replace(self.quantity, over=None).symbol
        return (f"d{letter}/d{by.symbol}" if by else letter) + _brackets(index)

    def mathml(self, index: tuple[int, ...] = ()) -> str:
        """Return the same in MathML, dots over the letter."""
        it = self.quantity
        if it.over:
            return f"<mi>{self.plain(index)}</mi>"
        letter = f"<mi>{GREEK.get(it.letter, it.letter)}{DOTS.get(it.order, '′' * it.order)}</mi>"
        return f"<msub>{letter}<mtext>{','.join(map(str, index))}</mtext></msub>" if index else letter

    def latex(self, index: tuple[int, ...] = ()) -> str:
        """Return the same in LaTeX, dots over the letter and quotients of derivatives."""
        letter, by = self.quantity.dotted, self.quantity.over
        if not by:
            return letter + _subscript(index)
        above, below = letter + _subscript(index[:-1]), by.dotted + _subscript(index[-1:])
        return rf"\frac{{\partial {above}}}{{\partial {below}}}"


def _brackets(index: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, index))}]" if index else ""


def _subscript(index: tuple[int, ...]) -> str:
    return f"_{{{','.join(map(str, index))}}}" if index else ""
