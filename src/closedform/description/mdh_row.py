"""A row of a modified Denavit-Hartenberg table: its pose in numbers, or with letters for some of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import Array
from ..checks import number
from ..errors import ArgumentError, UnknownNameError, shown
from ..rotations import pose, snap_rotation

COLUMNS = ("alpha", "d", "theta", "r", "gamma", "b")
"""What a row holds after the kind of its joint; the last two in a tree only."""

ANGLES, LENGTHS = COLUMNS[::2], COLUMNS[1::2]
"""Columns that hold angles, and those that hold lengths."""

LETTER = re.compile(r"(-?)([A-Za-z][A-Za-z0-9_]{0,39})")
"""A letter of at most 40 characters, with a sign."""

TAKEN = re.compile(
    r"qd*r?\d+|tau\w*|[nf]d*\d+[xyz]|g|pi|[mMI]\d\w*|c\d+[xyz]|(XX|XY|XZ|YY|YZ|ZZ|MX|MY|MZ|M)R?\d+"
    r"|Ia\d+|f[vc]\d+|x\d+"
)
"""Names that equations and base parameters have for something else."""

Entry = float | str
"""A number, or a letter with a sign: "D3", "-D3"."""


@dataclass(frozen=True)
class LetteredRow:
    """A row (alpha, d, theta, r, gamma, b) some of whose entries are letters.

    Its pose is `before` Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r).
    """

    alpha: Entry
    d: Entry
    theta: Entry
    r: Entry
    gamma: Entry = 0.0
    b: Entry = 0.0
    before: Array | None = None

    def of(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the letters in some columns, without their signs."""
        entries = (getattr(self, column) for column in columns)
        return tuple(name_of(each) for each in entries if isinstance(each, str))

    @property
    def letters(self) -> tuple[str, ...]:
        """Its letters, from left to right."""
        return self.of(COLUMNS)

    def with_numbers(self, values: Mapping[str, float | None]) -> LetteredRow:
        """Return the row with numbers for those letters that have one."""
        changed: dict[str, Any] = {}
        for column in COLUMNS:
            entry = getattr(self, column)
            value = values.get(name_of(entry)) if isinstance(entry, str) else None
            if value is not None:
                changed[column] = value * sign_of(entry)
        return replace(self, **changed)

    def pose(self, values: Mapping[str, float | None]) -> Array:
        """Return its pose in numbers: NaN where letters without one decide."""
        row = self.with_numbers(values)
        entries = (getattr(row, column) for column in COLUMNS)
        T = mdh_pose(*(np.nan if isinstance(each, str) else each for each in entries))
        return T if self.before is None else self.before @ T

    def factors(
        self, angle: Callable[[Entry], tuple[Any, Any]], length: Callable[[Entry], Any]
    ) -> list[list[list[Any]]]:
        """Return its pose as a product of 4x4 matrices.

        `angle` gives the cosine and sine of an entry, `length` an entry itself, as numbers or symbols.
        """
        (ca, sa), (ct, st) = angle(self.alpha), angle(self.theta)
        d, r = length(self.d), length(self.r)
        R = khalil_rotation(ca, sa, ct, st)
        own = [[*R[0], d + r * R[0][2]], [*R[1], r * R[1][2]], [*R[2], r * R[2][2]], [0, 0, 0, 1]]
        found = [own]
        if (self.gamma, self.b) != (0, 0):
            (cg, sg), b = angle(self.gamma), length(self.b)
            found.insert(0, [[cg, -sg, 0, 0], [sg, cg, 0, 0], [0, 0, 1, b], [0, 0, 0, 1]])
        if self.before is not None:
            found.insert(0, [[length(x) for x in line] for line in self.before.tolist()])
        return found


def mdh_pose(alpha: float, d: float, theta: float, r: float, gamma: float = 0.0, b: float = 0.0) -> Array:
    """Return Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r) [KhalilKleinfinger1986]."""
    R = snap_rotation(khalil_rotation(np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)))
    T = pose(R, np.array([d, 0, 0]) + r * R[:, 2])
    if gamma == b == 0:
        return T
    cg, sg = np.cos(gamma), np.sin(gamma)
    return pose(snap_rotation([[cg, -sg, 0], [sg, cg, 0], [0, 0, 1]]), (0, 0, b)) @ T


def khalil_rotation(ca: Any, sa: Any, ct: Any, st: Any) -> list[list[Any]]:
    """Return Rx(alpha) Rz(theta) of cosines and sines, the transpose of [GautierKhalil1990, Eq. (A7)]."""
    return [[ct, -st, 0], [ca * st, ca * ct, -sa], [sa * st, sa * ct, ca]]


def name_of(entry: str) -> str:
    """Return a letter without its sign."""
    return entry.lstrip("-")


def sign_of(entry: str) -> int:
    """Return -1 for a letter with a minus sign, else 1."""
    return -1 if entry.startswith("-") else 1


def entry_problem(entry: str) -> str | None:
    """Return why a text is no letter, or None."""
    match = LETTER.fullmatch(entry)
    if match is None:
        return f"{shown(entry)} is no letter; expected a number or a name such as 'D3' or '-D3'"
    if TAKEN.fullmatch(match[2]):
        return f"letter {match[2]!r} means something else in equations; choose another, such as 'L{match[2]}'"
    return None


def letter_problems(rows: Sequence[LetteredRow]) -> list[str]:
    """Return what is wrong with the letters of several rows together: one letter is a length or an angle."""
    lengths = {name for row in rows for name in row.of(LENGTHS)}
    both = sorted(lengths & {name for row in rows for name in row.of(ANGLES)})
    return [f"letter {name!r} is a length and an angle; use two letters" for name in both]


def letter_values(known: Mapping[str, float | None], given: Mapping[str, float]) -> dict[str, float | None]:
    """Return the value of each letter, None if it has none; what is given for no letter is refused."""
    if not isinstance(given, Mapping):
        raise ArgumentError(f"letters is {shown(given)}; expected numbers by name, such as {{'D3': 0.4}}")
    values = dict(known)
    for name, value in given.items():
        if name not in values:
            raise UnknownNameError("letter of the table", name, tuple(values))
        values[name] = number(f"letters: {name}", value)
    return values


def generic_values(letters: Sequence[str], seed: int = 0) -> dict[str, float]:
    """Return numbers for letters that no special case has: neither zero, nor equal, nor a right angle."""
    values = np.random.default_rng([1990, seed]).uniform(0.3, 1.2, len(letters))
    return {name: float(value) for name, value in zip(letters, values, strict=True)}
