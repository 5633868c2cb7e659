"""Names of the inputs of forms as symbols, and how symbols look in print."""

from __future__ import annotations

import re
from dataclasses import dataclass

AXES = "xyz"

_DERIVATIVE = re.compile(r"q(?:(d*)|(\d+))")
_INDEXED = re.compile(r"([A-Za-z]+?)(\d\w*)")
_RATE = re.compile(r"(q|tau|n|f)(d+)(r?)(\d\w*)")

DOTS = {1: "̇", 2: "̈", 3: "⃛", 4: "⃜"}
"""Combining dots of the first four time derivatives."""


@dataclass(frozen=True)
class Input:
    """An input of a form as the `order`-th time derivative of a basic one: q, tau, wrenches, qdr."""

    stem: str
    order: int
    shape: tuple[int, ...]

    @classmethod
    def named(cls, name: str, shape: tuple[int, ...]) -> Input:
        """Return the input of a form's input name: qdd is q'', wrenches_dot is W', q5 is the fifth."""
        match = _DERIVATIVE.fullmatch(name)
        if match:
            return cls("q", int(match[2]) if match[2] else len(match[1]), shape)
        if name == "qddr":
            return cls("qdr", 1, shape)
        stem, _, dots = name.partition("_")
        order = {"": 0, "dot": 1, "ddot": 2}.get(dots)
        return cls(name, 0, shape) if order is None else cls(stem, order, shape)

    @property
    def symbols(self) -> list[str]:
        """Names of its entries, row by row: qd1, qd2; n1x ... f1z for the wrench on body 1."""
        d = "d" * self.order
        if self.stem == "wrenches":
            letters = [part + d + "{}" + axis for part in "nf" for axis in AXES]
            return [letter.format(body + 1) for body in range(self.shape[0]) for letter in letters]
        if self.stem.startswith("q"):
            prefix = "q" + d + self.stem[1:]
        else:
            prefix = self.stem + d
        if len(self.shape) == 1:
            return [f"{prefix}{k + 1}" for k in range(self.shape[0])]
        return [f"{prefix}{i + 1}_{j + 1}" for i in range(self.shape[0]) for j in range(self.shape[1])]

    @property
    def rate(self) -> Input:
        """Its time derivative."""
        return Input(self.stem, self.order + 1, self.shape)


def latex_name(name: str) -> str:
    r"""Return a symbol in LaTeX: qdd1 is \ddot{q}_{1}, I2xx is I_{2xx}, L1_3x is L_{1,3x}."""
    match = _RATE.fullmatch(name)
    if match:
        letter = r"\tau" if match[1] == "tau" else match[1]
        order, index = len(match[2]), match[3] + ("," if match[3] else "") + match[4]
        if order > 4:
            return f"{letter}^{{({order})}}_{{{index}}}"
        return rf"\{'d' * order}ot{{{letter}}}_{{{index}}}"
    match = _INDEXED.fullmatch(name)
    if not match:
        return name
    letters = {"tau": r"\tau"}.get(match[1], match[1] if len(match[1]) == 1 else rf"\mathit{{{match[1]}}}")
    return f"{letters}_{{{match[2].replace('_', ',')}}}"


def unicode_name(name: str) -> str:
    """Return a symbol with dots over the letter and its index after an underscore, for MathML."""
    match = _RATE.fullmatch(name)
    if match and len(match[2]) in DOTS:
        return match[1] + DOTS[len(match[2])] + "_" + match[3] + match[4].replace("_", "")
    match = _INDEXED.fullmatch(name)
    return f"{match[1]}_{match[2].replace('_', '')}" if match else name


def pretty_name(name: str) -> str:
    """Return the name by which SymPy's text printer draws dots: qdd1 as qddot1."""
    match = _RATE.fullmatch(name)
    return f"{match[1]}{match[2]}ot{match[4]}" if match and not match[3] else name


def left_hand_sides(name: str) -> tuple[str, str]:
    """Return the letter of a form's output in text and in LaTeX."""
    return _LETTERS.get(name, (name, rf"\mathrm{{{name}}}".replace("_", r"\_")))


_LETTERS: dict[str, tuple[str, str]] = {
    "mass_matrix": ("M", "M"),
    "coriolis_matrix": ("C", "C"),
    "gravity_torque": ("G", "G"),
    "inverse_dynamics": ("tau", r"\tau"),
    "forward_dynamics": ("qdd", r"\ddot{q}"),
    "external_torque": ("tau_ext", r"\tau_\mathrm{ext}"),
    "kinetic_energy": ("T", "T"),
    "potential_energy": ("U", "U"),
    "jacobian": ("J", "J"),
    "pose": ("T", "T"),
    "center_of_mass": ("c", "c"),
    "com_jacobian": ("Jc", r"J_\mathrm{c}"),
}
