"""Names of the inputs of forms as symbols, and how symbols look in print."""

from __future__ import annotations

import re
from dataclasses import dataclass

AXES = "xyz"

_DERIVATIVE = re.compile(r"q(?:(d*)|(\d+))")
_INDEXED = re.compile(r"([A-Za-z]+?)(\d\w*)")
_RATE = re.compile(r"(q|tau|n|f)(d+)(r?)(\d\w*)")

DOTS = {1: "\u0307", 2: "\u0308", 3: "\u20db", 4: "\u20dc"}
"""Combining dots of the first four time derivatives."""

GREEK = {"tau": "\u03c4"}


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
        prefix = "q" + d + self.stem[1:] if self.stem.startswith("q") else self.stem + d
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
        index = f"{match[3]},{match[4]}" if match[3] else match[4]
        return f"{_dotted(letter, len(match[2]))}_{{{index}}}"
    match = _INDEXED.fullmatch(name)
    if not match:
        return name
    letters = {"tau": r"\tau"}.get(match[1], match[1] if len(match[1]) == 1 else rf"\mathit{{{match[1]}}}")
    return f"{letters}_{{{match[2].replace('_', ',')}}}"


def unicode_name(name: str) -> str:
    """Return a symbol with dots over the letter and its index after an underscore, for MathML."""
    match = _RATE.fullmatch(name)
    if match and len(match[2]) in DOTS:
        letter = GREEK.get(match[1], match[1])
        return letter + DOTS[len(match[2])] + "_" + match[3] + match[4].replace("_", "")
    match = _INDEXED.fullmatch(name)
    return f"{GREEK.get(match[1], match[1])}_{match[2].replace('_', '')}" if match else name


def pretty_name(name: str) -> str:
    """Return the name by which SymPy's text printer draws dots: qdd1 as qddot1."""
    match = _RATE.fullmatch(name)
    return f"{match[1]}{match[2]}ot{match[4]}" if match and not match[3] else name


@dataclass(frozen=True)
class Heading:
    """The left-hand side of equations: a letter, the order of its time derivative, what it is derived by."""

    text: str
    tex: str
    order: int = 0
    by: str = ""

    @classmethod
    def named(cls, name: str) -> Heading:
        """Return the heading of an output name: mass_matrix_dot, tau_2, gravity_torque_dq."""
        match = _SUFFIX.fullmatch(name)
        base, order, by = name, 0, ""
        if match:
            base, by = match["base"], match["by"] or ""
            order = int(match["number"]) if match["number"] else len(match["dots"] or "")
        text, tex = LETTERS.get(base, (base, rf"\mathrm{{{base}}}".replace("_", r"\_")))
        return cls(text, tex, order, by)

    def plain(self, index: tuple[int, ...] = ()) -> str:
        """Return M[1,2], Mdd[1,2] or dM/dq[1,2,3]."""
        letter = self.text + "d" * self.order
        return (f"d{letter}/d{self.by}" if self.by else letter) + _brackets(index)

    def mathml(self, index: tuple[int, ...] = ()) -> str:
        """Return the same in MathML, dots over the letter."""
        if self.by:
            return f"<mi>{self.plain(index)}</mi>"
        letter = f"<mi>{GREEK.get(self.text, self.text)}{DOTS.get(self.order, '′' * self.order)}</mi>"
        return f"<msub>{letter}<mtext>{','.join(map(str, index))}</mtext></msub>" if index else letter

    def latex(self, index: tuple[int, ...] = ()) -> str:
        """Return the same in LaTeX, dots over the letter and quotients of derivatives."""
        letter = _dotted(self.tex, self.order)
        if not self.by:
            return letter + _subscript(index)
        above, below = letter + _subscript(index[:-1]), BY[self.by] + _subscript(index[-1:])
        return rf"\frac{{\partial {above}}}{{\partial {below}}}"


_SUFFIX = re.compile(r"(?P<base>\w+?)_(?:(?P<number>\d+)|(?P<dots>d+)ot|d(?P<by>q|qd|tau|phi))")

BY = {"q": "q", "qd": r"\dot{q}", "tau": r"\tau", "phi": r"\phi"}

LETTERS: dict[str, tuple[str, str]] = {
    "mass_matrix": ("M", "M"),
    "coriolis_matrix": ("C", "C"),
    "gravity_torque": ("G", "G"),
    "inverse_dynamics": ("tau", r"\tau"),
    "tau": ("tau", r"\tau"),
    "forward_dynamics": ("qdd", r"\ddot{q}"),
    "external_torque": ("tau_ext", r"\tau^\mathrm{ext}"),
    "kinetic_energy": ("T", "T"),
    "potential_energy": ("U", "U"),
    "jacobian": ("J", "J"),
    "pose": ("T", "T"),
    "center_of_mass": ("c", "c"),
    "com_jacobian": ("Jc", r"J^\mathrm{c}"),
    "regressor": ("Y", "Y"),
    "slotine_li_regressor": ("Yr", r"Y^\mathrm{r}"),
    "kinetic_energy_regressor": ("YT", r"Y^T"),
    "potential_energy_regressor": ("YU", r"Y^U"),
}
"""Letters of forms in text and in LaTeX; others go by their names."""


def rate_name(name: str) -> str:
    """Return the output name of a time derivative: mass_matrix_dot of mass_matrix, tau_2 of tau_1."""
    match = _SUFFIX.fullmatch(name)
    if match and match["number"]:
        return f"{match['base']}_{int(match['number']) + 1}"
    if match and match["dots"]:
        return f"{match['base']}_d{match['dots']}ot"
    return f"{name}_dot"


def _dotted(letter: str, order: int) -> str:
    """Return a letter in LaTeX with dots for time derivatives, or (5) above it."""
    if order > 4:
        return f"{letter}^{{({order})}}"
    return rf"\{'d' * order}ot{{{letter}}}" if order else letter


def _brackets(index: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, index))}]" if index else ""


def _subscript(index: tuple[int, ...]) -> str:
    return f"_{{{','.join(map(str, index))}}}" if index else ""
