"""From trigonometric sums to expressions that people read: like terms grouped, common factors in front."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import sympy as sp

from .products import Trig, short_terms
from .trig_sums import Arithmetic, TrigSum, exponents
from .vocabulary import Expression, Vocabulary
from .waves import Angle

Term = tuple[dict[Any, int], Fraction]
"""Exponents of the factors (numbers of symbols, or sines and cosines), and a coefficient."""

LEVELS = (("rate", "coordinate", "other"), ("trig",), ("gravity", "length"), ("inertia",))
"""Sums are grouped by the factors of each term on the first level, then by those on the next."""

SMALL = 64
"""Denominators of fractions that come from angle sums, not from data."""


class Numbers:
    """How coefficients are printed: as fractions, or as decimals of `digits` significant digits."""

    def __init__(self, rational: bool = True, digits: int = 15, *, fractions: bool = False) -> None:
        self.rational, self.digits, self.fractions = rational, digits, fractions

    def __call__(self, value: Fraction | sp.Rational) -> Expression:
        """Return a coefficient as a SymPy number; whole numbers stay whole."""
        exact = sp.Rational(value.numerator, value.denominator)
        small = self.fractions and value.denominator <= SMALL
        return exact if self.rational or small or value.denominator == 1 else sp.Float(exact, self.digits)


class Collector:
    """Writes trigonometric sums as SymPy expressions."""

    def __init__(
        self, arithmetic: Arithmetic, vocabulary: Vocabulary, numbers: Numbers | None = None
    ) -> None:
        self.arithmetic, self.vocabulary = arithmetic, vocabulary
        self.numbers = numbers or Numbers()

    def expression(self, a: TrigSum) -> Expression:
        """Return an expression with like terms grouped and common factors in front."""
        terms: list[Term] = []
        for trig, packed, value in short_terms(self.arithmetic.waves, a):
            factors: dict[Any, int] = dict(exponents(packed))
            for each in trig:
                factors[each] = factors.get(each, 0) + 1
            terms.append((factors, value))
        return sp.Mul(*self._sum(terms, 0, bare=True))

    def _sum(self, terms: list[Term], level: int, bare: bool) -> tuple[Expression, ...]:
        """Return a sum of terms, grouped from a level on, as factors: a number, common factors, the rest.

        A number comes in front only together with another factor (not `bare`), since SymPy
        multiplies a number alone back into a sum.
        """
        self.arithmetic.check()
        if not terms:
            return (sp.Integer(0),)
        common = _common(terms)
        bare = bare and not common
        content = Fraction(1) if bare else self._content([value for _, value in terms])
        terms = [(_divided(factors, common), value / content) for factors, value in terms]
        if level == len(LEVELS) or len(terms) == 1:
            parts = [self.numbers(value) * self._product(factors) for factors, value in terms]
        else:
            groups: dict[frozenset[tuple[Any, int]], list[Term]] = {}
            for factors, value in terms:
                own = {f: e for f, e in factors.items() if self._level(f) == level}
                rest = {f: e for f, e in factors.items() if f not in own}
                groups.setdefault(frozenset(own.items()), []).append((rest, value))
            parts = [
                sp.Mul(self._product(dict(own)), *self._sum(group, level + 1, bare=not own))
                for own, group in groups.items()
            ]
        return self.numbers(content), self._product(common), sp.Add(*parts)

    def _content(self, values: list[Fraction]) -> Fraction:
        """Return the number that all coefficients share: their size, or of small fractions their divisor."""
        sign = -1 if all(value < 0 for value in values) else 1
        if len({abs(value) for value in values}) == 1:
            return sign * abs(values[0])
        largest = SMALL if self.numbers.rational or self.numbers.fractions else 1
        if any(value.denominator > largest for value in values):
            return Fraction(sign)
        numerator = math.gcd(*(value.numerator for value in values))
        return Fraction(sign * numerator, math.lcm(*(value.denominator for value in values)))

    def _level(self, factor: Any) -> int:
        role = self.vocabulary.roles[factor] if isinstance(factor, int) else "trig"
        return next(k for k, roles in enumerate(LEVELS) if role in roles)

    def _product(self, factors: dict[Any, int]) -> Expression:
        return sp.Mul(*(self._factor(factor) ** exponent for factor, exponent in factors.items()))

    def _factor(self, factor: int | Trig) -> Expression:
        if isinstance(factor, int):
            return self.vocabulary.symbols[factor]
        name, angle = factor
        function: Any = sp.cos if name == "cos" else sp.sin
        return function(self.angle(angle))

    def angle(self, angle: Angle) -> Expression:
        """Return a sum of angles."""
        multiples, phase = angle
        symbols = self.vocabulary.symbols
        return sp.Add(*(self.numbers(m) * symbols[v] for v, m in multiples), self.numbers(phase))


def _common(terms: list[Term]) -> dict[Any, int]:
    """Return what can be taken out of a sum: factors that all terms share, and negative powers of any."""
    lowest: dict[Any, int] = {}
    count: Counter[Any] = Counter()
    for factors, _ in terms:
        for factor, exponent in factors.items():
            lowest[factor] = min(exponent, lowest.get(factor, exponent))
            count[factor] += 1
    return {f: e for f, e in lowest.items() if e < 0 or count[f] == len(terms)}


def _divided(factors: dict[Any, int], common: dict[Any, int]) -> dict[Any, int]:
    """Return a product of factors divided by common ones."""
    left = {f: factors.get(f, 0) - common.get(f, 0) for f in factors.keys() | common.keys()}
    return {f: e for f, e in left.items() if e}
