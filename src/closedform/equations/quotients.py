"""Sums of quotients over one common denominator."""

from __future__ import annotations

from collections.abc import Mapping

from .series import Arithmetic, Series, exponents, monomial

MAX_QUOTIENTS = 3
"""Nested quotients that are brought over one denominator; more are shorter as they stand."""


def over_one_denominator(
    arithmetic: Arithmetic, series: Series, denominators: Mapping[int, Series]
) -> tuple[Series, list[tuple[Series, int]]]:
    """Return a numerator and denominators with their powers: a sum over quotients 1 / D as one fraction.

    `denominators` are the series D of the symbols that stand for 1 / D, inner ones first: a D may
    contain the symbols before it. A power of D that numerator and denominator share cancels.
    """
    used: set[int] = set()
    found = {symbol for symbol in denominators if _power(series, symbol)}
    while found:
        used |= found
        found = {s for s in denominators for outer in found if _power(denominators[outer], s)} - used
    if not used or len(used) > MAX_QUOTIENTS:
        return series, []
    numerator, below = series, dict.fromkeys(used, 0)
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


def _power(series: Series, symbol: int) -> int:
    """Return the highest power of a symbol in a series."""
    return max(
        (e for p in series.values() for packed in p for s, e in exponents(packed) if s == symbol), default=0
    )


def _cleared(arithmetic: Arithmetic, series: Series, symbol: int, D: Series, power: int) -> Series:
    """Return the series times D^power, where the symbol stands for 1 / D."""
    parts: dict[int, Series] = {}
    for wave, polynomial in series.items():
        for packed, value in polynomial.items():
            e = next((e for s, e in exponents(packed) if s == symbol), 0)
            parts.setdefault(e, {}).setdefault(wave, {})[packed - monomial(symbol, e)] = value
    total: Series = {}
    for e in sorted(parts):
        lifted = parts[e]
        for _ in range(power - e):
            lifted = arithmetic.multiply(lifted, D)
        total = arithmetic.add(total, lifted)
    return total
