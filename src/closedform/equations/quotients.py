"""Sums of quotients over one common denominator."""

from __future__ import annotations

from collections.abc import Mapping

from .trig_sums import Arithmetic, TrigSum, exponents, monomial

MAX_QUOTIENTS = 3
"""Nested quotients that are brought over one denominator; more of them are shorter left alone."""


def over_one_denominator(
    arithmetic: Arithmetic, a: TrigSum, denominators: Mapping[int, TrigSum]
) -> tuple[TrigSum, list[tuple[TrigSum, int]]]:
    """Return a sum with quotients as one fraction: a numerator, and denominators with their powers.

    `denominators` maps the symbol of each quotient 1 / D to D, inner quotients first: a D may
    contain earlier symbols. A power of D that numerator and denominator share cancels.
    """
    used: set[int] = set()
    found = {symbol for symbol in denominators if _power(a, symbol)}
    while found:
        used |= found
        found = {s for s in denominators for outer in found if _power(denominators[outer], s)} - used
    if not used or len(used) > MAX_QUOTIENTS:
        return a, []
    numerator, below = a, dict.fromkeys(used, 0)
    written = dict(denominators)
    for symbol in sorted(used, reverse=True):
        D = written[symbol]
        power = _power(numerator, symbol)
        numerator = _cleared(arithmetic, numerator, symbol, D, power)
        below[symbol] += power
        for other in used:
            extra = _power(written[other], symbol) if other > symbol and below[other] else 0
            if extra:
                written[other] = _cleared(arithmetic, written[other], symbol, D, extra)
                below[symbol] -= extra * below[other]
    result = []
    for symbol in sorted(used):
        if below[symbol] < 0:
            for _ in range(-below[symbol]):
                numerator = arithmetic.multiply(numerator, written[symbol])
        elif below[symbol]:
            result.append((written[symbol], below[symbol]))
    return numerator, result


def _power(a: TrigSum, symbol: int) -> int:
    """Return the highest power of a symbol in a sum."""
    return max(
        (e for p in a.values() for packed in p for s, e in exponents(packed) if s == symbol), default=0
    )


def _cleared(arithmetic: Arithmetic, a: TrigSum, symbol: int, D: TrigSum, power: int) -> TrigSum:
    """Return the sum times D^power, given that the symbol means 1 / D."""
    parts: dict[int, TrigSum] = {}
    for wave, polynomial in a.items():
        for packed, value in polynomial.items():
            e = next((e for s, e in exponents(packed) if s == symbol), 0)
            parts.setdefault(e, {}).setdefault(wave, {})[packed - monomial(symbol, e)] = value
    total: TrigSum = {}
    for e in sorted(parts):
        lifted = parts[e]
        for _ in range(power - e):
            lifted = arithmetic.multiply(lifted, D)
        total = arithmetic.add(total, lifted)
    return total
