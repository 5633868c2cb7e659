"""Sums of two waves with equal coefficients written back as one product.

cos(q3) + cos(2 q2 + q3) is 2 cos(q2) cos(q2 + q3): fewer terms, and the angles of the links.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from .series import Series
from .squares import Key, halved, with_squares
from .waves import Angle, Waves, plus

Trig = tuple[str, Angle]
"""("cos" or "sin", angle)."""

Partial = tuple[tuple[Trig, ...], Key, Fraction]
"""A term whose first groups are written out: (factors written, factors left, coefficient)."""

ZERO: Angle = ((), Fraction(0))
ONE: Trig = ("cos", ZERO)


def written(waves: Waves, series: Series) -> Iterator[tuple[tuple[Trig, ...], int, Fraction]]:
    """Yield the terms of a series as (sines and cosines, monomial, coefficient), in few terms."""
    by_monomial: dict[int, dict[Key, Fraction]] = {}
    for wave, polynomial in series.items():
        for packed, value in polynomial.items():
            by_monomial.setdefault(packed, {})[waves.known[wave]] = value
    for packed, terms in by_monomial.items():
        partial: list[Partial] = [((), key, value) for key, value in with_squares(terms).items()]
        for group in sorted({factor[0] for key in terms for factor in key}):
            partial = _pair_group(group, partial)
        for done, _, value in partial:
            yield done, packed, value


def _pair_group(group: int, terms: list[Partial]) -> list[Partial]:
    """Return the terms with the factors of one group written out."""
    rows: dict[tuple[tuple[Trig, ...], Key], dict[Trig, Fraction]] = {}
    for done, key, value in terms:
        own = next(((f[1], f[2]) for f in key if f[0] == group), ONE)
        rest = tuple(f for f in key if f[0] != group)
        rows.setdefault((done, rest), {})[own] = value
    result: list[Partial] = []
    for (done, rest), harmonics in rows.items():
        result.extend((done + factors, rest, value) for factors, value in _products(harmonics))
    return result


def _products(harmonics: dict[Trig, Fraction]) -> list[tuple[tuple[Trig, ...], Fraction]]:
    """Return a combination of one group's sines and cosines with pairs of equal size as products."""
    left = dict(harmonics)
    result: list[tuple[tuple[Trig, ...], Fraction]] = []
    for a, b in combinations(sorted(left), 2):
        if a in left and b in left and a[0] == b[0] and abs(left[a]) == abs(left[b]):
            factors = _pair(a[0], a[1], b[1], left[a] == left[b])
            if factors is not None:
                result.append((factors[0], 2 * factors[1] * left[a]))
                del left[a], left[b]
    result.extend((_factors(trig), value) for trig, value in left.items())
    return result


def _factors(trig: Trig) -> tuple[Trig, ...]:
    if trig == ONE:
        return ()
    kind, angle = trig
    return ((kind[:3], angle), (kind[:3], angle)) if kind.endswith("2") else (trig,)


def _pair(name: str, a: Angle, b: Angle, equal: bool) -> tuple[tuple[Trig, Trig], int] | None:
    """Return cos a + cos b (equal) or cos a - cos b, or those of sines, as half a product and its sign."""
    mean, gap = halved(plus(a, b)), halved(plus(a, b, -1))
    if mean is None or gap is None or name not in ("cos", "sin"):
        return None
    if name == "cos":
        names, sign = (("cos", "cos"), 1) if equal else (("sin", "sin"), -1)
    else:
        names, sign = (("sin", "cos"), 1) if equal else (("cos", "sin"), 1)
    factors = []
    for each, (multiples, phase) in zip(names, (mean, gap), strict=True):
        flip = -1 if multiples and multiples[0][1] < 0 else 1
        sign = sign * flip if each == "sin" else sign
        factors.append((each, (tuple((v, flip * m) for v, m in multiples), flip * phase)))
    return (factors[0], factors[1]), sign
