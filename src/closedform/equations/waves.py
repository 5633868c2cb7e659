"""Products of sines and cosines as sums, within groups of joints that turn about parallel axes.

A wave is a product of at most one sine or cosine per group, each of a sum of the group's angles:
cos(q2 + q3) sin(q4). Products of waves are sums of waves, so that equal terms always meet.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

Angle = tuple[tuple[tuple[int, Fraction], ...], Fraction]
"""A sum of angles: ((variable, multiple), ...) by variable, and a constant phase."""

Factor = tuple[int, str, Angle]
"""(group, "cos" or "sin", angle); the first multiple of the angle is positive."""

Wave = tuple[Factor, ...]
"""Factors of different groups, by group."""

ONE: Wave = ()
HALF = Fraction(1, 2)


class Waves:
    """Waves over groups of variables, numbered as they are met; number 0 is the constant 1."""

    def __init__(self, groups: Sequence[Sequence[int]]) -> None:
        self.group = {variable: number for number, group in enumerate(groups) for variable in group}
        self.known: list[Wave] = [ONE]
        self._number: dict[Wave, int] = {ONE: 0}
        self._products: dict[tuple[int, int], tuple[tuple[int, Fraction], ...]] = {}

    def number(self, wave: Wave) -> int:
        """Return the number of a wave."""
        found = self._number.get(wave)
        if found is None:
            found = self._number[wave] = len(self.known)
            self.known.append(wave)
        return found

    def of_angle(self, name: str, angle: Angle) -> tuple[Wave, Fraction] | None:
        """Return cos or sin of an angle as (wave, factor), or None if it spans several groups."""
        groups = {self.group.get(variable, -1) for variable, _ in angle[0]}
        if len(groups) > 1 or -1 in groups:
            return None
        return _wave(groups.pop() if groups else -1, name, angle)

    def product(self, a: int, b: int) -> tuple[tuple[int, Fraction], ...]:
        """Return the product of two waves as ((wave, factor), ...)."""
        if a == 0 or b == 0:
            return ((a + b, Fraction(1)),)
        key = (a, b) if a < b else (b, a)
        found = self._products.get(key)
        if found is None:
            found = self._products[key] = self._multiply(self.known[a], self.known[b])
        return found

    def _multiply(self, a: Wave, b: Wave) -> tuple[tuple[int, Fraction], ...]:
        left, right = {f[0]: f for f in a}, {f[0]: f for f in b}
        terms: list[tuple[Wave, Fraction]] = [(ONE, Fraction(1))]
        for group in sorted(left.keys() | right.keys()):
            if group in left and group in right:
                parts = _product(left[group], right[group])
            else:
                parts = [((left.get(group) or right[group],), Fraction(1))]
            terms = [(wave + part, x * y) for wave, x in terms for part, y in parts]
        total: dict[int, Fraction] = {}
        for wave, factor in terms:
            number = self.number(wave)
            total[number] = total.get(number, Fraction(0)) + factor
        return tuple((wave, factor) for wave, factor in total.items() if factor)


def plus(a: Angle, b: Angle, sign: int = 1) -> Angle:
    """Return the sum (or difference) of two angles."""
    multiples = dict(a[0])
    for variable, multiple in b[0]:
        multiples[variable] = multiples.get(variable, Fraction(0)) + sign * multiple
    return tuple(sorted((v, m) for v, m in multiples.items() if m)), a[1] + sign * b[1]


def _wave(group: int, name: str, angle: Angle) -> tuple[Wave, Fraction]:
    """Return the wave of one sine or cosine with a positive first multiple, and its factor."""
    multiples, phase = angle
    if not multiples:
        value = math.cos(phase) if name == "cos" else math.sin(phase)
        return ONE, Fraction(value)
    if multiples[0][1] > 0:
        return ((group, name, angle),), Fraction(1)
    flipped = tuple((v, -m) for v, m in multiples), -phase
    return ((group, name, flipped),), Fraction(1 if name == "cos" else -1)


def _product(a: Factor, b: Factor) -> list[tuple[Wave, Fraction]]:
    """Return the product of two factors of one group: half a sum of their sum and difference."""
    group = a[0]
    if a[1] == "cos" and b[1] == "sin":
        a, b = b, a
    name = "cos" if a[1] == b[1] else "sin"
    sign = -1 if a[1] == b[1] == "sin" else 1
    total, difference = _wave(group, name, plus(a[2], b[2])), _wave(group, name, plus(a[2], b[2], -1))
    return [(total[0], sign * HALF * total[1]), (difference[0], HALF * difference[1])]
