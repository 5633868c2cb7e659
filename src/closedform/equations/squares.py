"""Cosines of doubled angles written as squares where that leaves fewer terms.

XX sin(q)^2 + YY cos(q)^2 is shorter than half sums and differences of XX and YY times cos(2 q).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from .waves import Angle, Factor, plus

Key = tuple[Factor, ...]
"""Factors by group; besides "cos" and "sin" also "cos2" and "sin2", the squares."""

Terms = dict[Key, Fraction]

Rule = dict[str, tuple[tuple[str, int], ...]]
"""What "one" and "double" (the cosine of the doubled angle) become: ((kind, factor), ...)."""

RULES: tuple[Rule, ...] = (
    {"one": (("one", 1),), "double": (("cos2", 2), ("one", -1))},
    {"one": (("one", 1),), "double": (("one", 1), ("sin2", -2))},
    {"one": (("cos2", 1), ("sin2", 1)), "double": (("cos2", 1), ("sin2", -1))},
)

MAX_TRIALS = 10_000
"""Terms written in all trials together, up to which every choice of squares is tried."""


def with_squares(terms: Terms) -> Terms:
    """Return the same sum in the fewest terms that squares of its angles can give.

    Every choice of squares is tried where there are few; else the best one is taken, angle by angle.
    """
    left = sorted(set(_halves(terms)))
    if len(terms) < 2 or not left:
        return terms
    if len(terms) * (1 + len(RULES)) ** len(left) <= MAX_TRIALS:
        tried = [terms]
        for group, half in left:
            tried += [_applied(each, group, half, rule) for each in tried for rule in RULES]
        return min(tried, key=len)
    while left:
        candidates = [
            (len(new), group, half, new)
            for group, half in left
            for new in (_applied(terms, group, half, rule) for rule in RULES)
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
            half = halved(angle)
            if kind == "cos" and half is not None:
                yield group, half


def halved(angle: Angle) -> Angle | None:
    """Return half an angle if its multiples stay whole."""
    if any((multiple / 2).denominator != 1 for _, multiple in angle[0]):
        return None
    return tuple((v, m / 2) for v, m in angle[0]), angle[1] / 2


def _applied(terms: Terms, group: int, half: Angle, rule: Rule) -> Terms:
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
