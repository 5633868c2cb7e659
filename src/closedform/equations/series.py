"""Sums of products of symbols and waves with rational coefficients, exact and in one normal form.

A series is {wave: {monomial: coefficient}}. A monomial is one integer whose bytes are the
exponents of the symbols, so that multiplying monomials is adding integers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from fractions import Fraction

from ..checks import not_negative
from .waves import Waves

Polynomial = dict[int, Fraction]
Series = dict[int, Polynomial]

ZERO = Fraction(0)

BITS = 8
HALF_RANGE = 1 << (BITS - 1)
MASK = (1 << BITS) - 1

MAX_TERMS = 500_000
"""Terms held at a time, beyond which nobody reads them and memory is at stake."""


class BudgetSpentError(Exception):
    """The time or the number of terms allowed for writing things out is used up."""


def terms(series: Series) -> int:
    """Return the number of terms."""
    return sum(map(len, series.values()))


def monomial(symbol: int, exponent: int = 1) -> int:
    """Return the monomial of a power of one symbol."""
    return exponent << (BITS * symbol)


def exponents(packed: int) -> Iterator[tuple[int, int]]:
    """Yield (symbol, exponent) of a monomial, exponents from -128 to 127 and not zero."""
    symbol = 0
    while packed:
        exponent = ((packed + HALF_RANGE) & MASK) - HALF_RANGE
        if exponent:
            yield symbol, exponent
        packed = (packed - exponent) >> BITS
        symbol += 1


def deadline(seconds: float) -> float:
    """Return when the time to spend is over; `math.inf` seconds set no limit."""
    if isinstance(seconds, float) and seconds == math.inf:
        return math.inf
    return time.monotonic() + not_negative("seconds", seconds)


class Arithmetic:
    """Sums and products of series until a deadline."""

    def __init__(self, waves: Waves, deadline: float) -> None:
        self.waves = waves
        self.deadline = deadline

    def check(self, count: int = 0) -> None:
        """Raise `BudgetSpentError` when the time is up or there are too many terms."""
        if count > MAX_TERMS or time.monotonic() > self.deadline:
            raise BudgetSpentError

    def constant(self, value: Fraction) -> Series:
        """Return a number."""
        return {0: {0: value}} if value else {}

    def symbol(self, number: int) -> Series:
        """Return a symbol."""
        return {0: {monomial(number): Fraction(1)}}

    def add(self, a: Series, b: Series, factor: Fraction = Fraction(1)) -> Series:
        """Return a + factor b."""
        total = {wave: dict(polynomial) for wave, polynomial in a.items()}
        for wave, polynomial in b.items():
            _accumulate(total, wave, polynomial, factor)
        self.check()
        return total

    def scale(self, a: Series, factor: Fraction) -> Series:
        """Return a times a number."""
        if not factor:
            return {}
        return {wave: {m: factor * x for m, x in polynomial.items()} for wave, polynomial in a.items()}

    def multiply(self, a: Series, b: Series) -> Series:
        """Return a times b."""
        total: Series = {}
        for wave_a, left in a.items():
            for wave_b, right in b.items():
                product = self._polynomial(left, right)
                for wave, factor in self.waves.product(wave_a, wave_b):
                    _accumulate(total, wave, product, factor)
            self.check(terms(total))
        return total

    def _polynomial(self, a: Polynomial, b: Polynomial) -> Polynomial:
        if len(a) > len(b):
            a, b = b, a
        product: Polynomial = {}
        for m, x in a.items():
            if len(b) > 100:
                self.check(len(product))
            for n, y in b.items():
                key = m + n
                known = product.get(key)
                product[key] = x * y if known is None else known + x * y
        return product

    def inverse(self, a: Series) -> Series | None:
        """Return 1 / a where a is a single product of symbols, else None."""
        if list(a) != [0] or len(a[0]) != 1:
            return None
        ((packed, value),) = a[0].items()
        return {0: {-packed: 1 / value}}


def _accumulate(total: Series, wave: int, polynomial: Polynomial, factor: Fraction) -> None:
    """Add a polynomial times a factor to the coefficient of a wave, dropping what cancels."""
    target = total.get(wave)
    if target is None:
        target = total[wave] = {}
    one = factor == 1
    for m, x in polynomial.items():
        value = target.get(m, ZERO) + (x if one else factor * x)
        if value:
            target[m] = value
        else:
            target.pop(m, None)
    if not target:
        del total[wave]
