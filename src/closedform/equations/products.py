"""Sums of waves written back as squares and products wherever that leaves fewer terms.

XX sin(q)^2 + YY cos(q)^2 is shorter than half sums and differences of XX and YY times cos(2 q);
cos(q3) + cos(2 q2 + q3) is 2 cos(q2) cos(q2 + q3), which has the angles of the links.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from .trig_sums import TrigSum
from .waves import Angle, Factor, Waves, plus

Key = tuple[Factor, ...]
"""Factors by group; besides "cos" and "sin" also "cos2" and "sin2", the squares."""

Terms = dict[Key, Fraction]

Trig = tuple[str, Angle]
"""("cos" or "sin", angle)."""

Partial = tuple[tuple[Trig, ...], Key, Fraction]
"""A term whose first groups are written out: (factors written, factors left, coefficient)."""

ONE: Trig = ("cos", ((), Fraction(0)))

Rule = dict[str, tuple[tuple[str, int], ...]]
"""What "one" and "double" (the cosine of the doubled angle) become: ((kind, factor), ...)."""

RULES: tuple[Rule, ...] = (
    {"one": (("one", 1),), "double": (("cos2", 2), ("one", -1))},
    {"one": (("one", 1),), "double": (("one", 1), ("sin2", -2))},
    {"one": (("cos2", 1), ("sin2", 1)), "double": (("cos2", 1), ("sin2", -1))},
)

MAX_TRIALS = 10_000
"""Every choice of squares is tried if all trials together write at most this many terms."""


def short_terms(waves: Waves, a: TrigSum) -> Iterator[tuple[tuple[Trig, ...], int, Fraction]]:
    """Yield (sines and cosines, monomial, coefficient) of few terms whose sum is `a`."""
    by_monomial: dict[int, Terms] = {}
    for wave, polynomial in a.items():
        for packed, value in polynomial.items():
            by_monomial.setdefault(packed, {})[waves.known[wave]] = value
    for packed, terms in by_monomial.items():
        partial: list[Partial] = [((), key, value) for key, value in _with_squares(terms).items()]
        for group in sorted({factor[0] for key in terms for factor in key}):
            partial = _with_products(group, partial)
        for done, _, value in partial:
            yield done, packed, value


def _with_squares(terms: Terms) -> Terms:
    """Return the same sum in the fewest terms that squares of its angles can give.

    If there are many angles the best square is taken, angle by angle.
    """
    left = sorted(set(_halves(terms)))
    if len(terms) < 2 or not left:
        return terms
    if len(terms) * (1 + len(RULES)) ** len(left) <= MAX_TRIALS:
        tried = [terms]
        for group, half in left:
            tried += [_squared(each, group, half, rule) for each in tried for rule in RULES]
        return min(tried, key=len)
    while left:
        candidates = [
            (len(new), group, half, new)
            for group, half in left
            for new in (_squared(terms, group, half, rule) for rule in RULES)
            if len(new) < len(terms)
        ]
        if not candidates:
            break
        _, group, half, terms = min(candidates, key=lambda each: each[:3])
        left.remove((group, half))
    return terms


def _halves(terms: Terms) -> Iterator[tuple[int, Angle]]:
    """Yield (group, angle) for every cosine of twice an angle of whole multiples."""
    for key in terms:
        for group, kind, angle in key:
            half = _half(angle)
            if kind == "cos" and half is not None:
                yield group, half


def _half(angle: Angle) -> Angle | None:
    """Return half an angle if its multiples stay whole."""
    if any((multiple / 2).denominator != 1 for _, multiple in angle[0]):
        return None
    return tuple((v, m / 2) for v, m in angle[0]), angle[1] / 2


def _squared(terms: Terms, group: int, half: Angle, rule: Rule) -> Terms:
    """Return the sum with one angle's doubled cosine replaced by squares as a rule says."""
    double = (group, "cos", plus(half, half))
    total: Terms = {}
    for key, value in terms.items():
        own = next((factor for factor in key if factor[0] == group), None)
        if own is not None and own != double:
            total[key] = total.get(key, Fraction(0)) + value
            continue
        rest = [factor for factor in key if factor[0] != group]
        for kind, factor in rule["one" if own is None else "double"]:
            new = tuple(rest if kind == "one" else sorted([*rest, (group, kind, half)]))
            total[new] = total.get(new, Fraction(0)) + factor * value
    return {key: value for key, value in total.items() if value}


def _with_products(group: int, terms: list[Partial]) -> list[Partial]:
    """Return the terms with the factors of one group written out, pairs of equal size as products."""
    rows: dict[tuple[tuple[Trig, ...], Key], dict[Trig, Fraction]] = {}
    for done, key, value in terms:
        own = next(((f[1], f[2]) for f in key if f[0] == group), ONE)
        rest = tuple(f for f in key if f[0] != group)
        rows.setdefault((done, rest), {})[own] = value
    result: list[Partial] = []
    for (done, rest), left in rows.items():
        for a, b in combinations(sorted(left), 2):
            if a in left and b in left and a[0] == b[0] and abs(left[a]) == abs(left[b]):
                product = _product_of_pair(a[0], a[1], b[1], left[a] == left[b])
                if product is not None:
                    factors, sign = product
                    result.append((done + factors, rest, 2 * sign * left[a]))
                    del left[a], left[b]
        result.extend((done + _factors(trig), rest, value) for trig, value in left.items())
    return result


def _factors(trig: Trig) -> tuple[Trig, ...]:
    if trig == ONE:
        return ()
    kind, angle = trig
    return ((kind[:3], angle), (kind[:3], angle)) if kind.endswith("2") else (trig,)


def _product_of_pair(name: str, a: Angle, b: Angle, equal: bool) -> tuple[tuple[Trig, Trig], int] | None:
    """Return cos a + cos b (equal) or cos a - cos b, or those of sines, as half a product and its sign."""
    mean, gap = _half(plus(a, b)), _half(plus(a, b, -1))
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
