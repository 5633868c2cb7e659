"""Sums of two waves with equal coefficients written back as one product where that is shorter.

A sum cos(q3) + cos(2 q2 + q3) is 2 cos(q2) cos(q2 + q3), and 1 - cos(2 q2) is 2 sin(q2)^2.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

from .series import Series
from .waves import Angle, Wave, Waves, plus

Trig = tuple[str, Angle]
"""("cos" or "sin", angle)."""

Harmonics = dict[Trig, Fraction]
"""A combination of sines and cosines of one group's angles; the cosine of zero is the constant."""

ZERO: Angle = ((), Fraction(0))
MAX_SPLIT = 4
"""Squares among which a constant is shared out, at most."""


def paired(waves: Waves, series: Series) -> Iterator[tuple[tuple[Trig, ...], int, Fraction]]:
    """Yield the terms of a series as (sines and cosines, monomial, coefficient), in fewest terms found."""
    by_monomial: dict[int, dict[Wave, Fraction]] = {}
    for wave, polynomial in series.items():
        for packed, value in polynomial.items():
            by_monomial.setdefault(packed, {})[waves.known[wave]] = value
    groups = sorted(set(waves.group.values()))
    for packed, combination in by_monomial.items():
        terms = [((), wave, value) for wave, value in combination.items()]
        for group in groups:
            terms = _pair_group(group, terms)
        for done, _, value in terms:
            yield done, packed, value


Partial = tuple[tuple[Trig, ...], Wave, Fraction]
"""A term whose first groups are written out: (factors written, the wave that is left, coefficient)."""


def _pair_group(group: int, terms: list[Partial]) -> list[Partial]:
    rows: dict[tuple[tuple[Trig, ...], Wave], Harmonics] = {}
    for done, wave, value in terms:
        own = next(((f[1], f[2]) for f in wave if f[0] == group), ("cos", ZERO))
        rest = tuple(f for f in wave if f[0] != group)
        rows.setdefault((done, rest), {})[own] = value
    result: list[Partial] = []
    for (done, rest), harmonics in rows.items():
        result.extend((done + factors, rest, value) for factors, value in _products(harmonics))
    return result


def _products(harmonics: Harmonics) -> list[tuple[tuple[Trig, ...], Fraction]]:
    """Return a combination of harmonics with pairs of equal size as products."""
    left = dict(harmonics)
    result = _squares(left)
    for a, b in combinations(sorted(left), 2):
        if a in left and b in left and a[0] == b[0] and abs(left[a]) == abs(left[b]):
            factors = _pair(a[0], a[1], b[1], left[a] == left[b])
            if factors is not None:
                result.append((factors[0], 2 * factors[1] * left[a]))
                del left[a], left[b]
    result.extend((() if trig[1] == ZERO else (trig,), value) for trig, value in left.items())
    return result


def _squares(left: Harmonics) -> list[tuple[tuple[Trig, ...], Fraction]]:
    """Take from `left` a constant that is shared out among squares: H + H cos(2 a) is 2 H cos(a)^2."""
    constant = left.get(("cos", ZERO))
    doubled = [trig for trig in left if trig[0] == "cos" and trig[1] != ZERO and _half(trig[1]) is not None]
    if constant is None or len(doubled) < 2:
        return []
    for size in range(min(len(doubled), MAX_SPLIT), 1, -1):
        for chosen in combinations(doubled, size):
            for signs in product((1, -1), repeat=size):
                if sum(s * left[trig] for s, trig in zip(signs, chosen, strict=True)) == constant:
                    del left["cos", ZERO]
                    return [_square(trig, s, left.pop(trig)) for s, trig in zip(signs, chosen, strict=True)]
    return []


def _square(trig: Trig, sign: int, value: Fraction) -> tuple[tuple[Trig, ...], Fraction]:
    half = _half(trig[1]) or ZERO
    name = "cos" if sign > 0 else "sin"
    return ((name, half), (name, half)), 2 * sign * value


def _pair(name: str, a: Angle, b: Angle, equal: bool) -> tuple[tuple[Trig, Trig], int] | None:
    """Return cos a + cos b (equal) or cos a - cos b, or those of sines, as half a product and its sign."""
    mean, gap = _half(plus(a, b)), _half(plus(a, b, -1))
    if mean is None or gap is None:
        return None
    if name == "cos":
        names, sign = (("cos", "cos"), 1) if equal else (("sin", "sin"), -1)
    else:
        names, sign = (("sin", "cos"), 1) if equal else (("cos", "sin"), 1)
    factors = []
    for each, angle in zip(names, (mean, gap), strict=True):
        if angle[0] and angle[0][0][1] < 0:
            angle = tuple((v, -m) for v, m in angle[0]), -angle[1]
            sign = -sign if each == "sin" else sign
        factors.append((each, angle))
    return (factors[0], factors[1]), sign


def _half(angle: Angle) -> Angle | None:
    """Return half an angle if its multiples stay whole."""
    if any((multiple / 2).denominator != 1 for _, multiple in angle[0]):
        return None
    return tuple((v, m / 2) for v, m in angle[0]), angle[1] / 2
