"""Sums of products of symbols and waves with rational coefficients, exact and in one normal form.

A trigonometric sum is {wave: {monomial: coefficient}}. A monomial is one integer whose bytes are
the exponents of the symbols, so that multiplying monomials is adding integers.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from fractions import Fraction

from ..checks import not_negative
from .waves import Waves

Polynomial = dict[int, Fraction]
TrigSum = dict[int, Polynomial]

ZERO = Fraction(0)

BITS = 8
HALF_RANGE = 1 << (BITS - 1)
MASK = (1 << BITS) - 1

MAX_EXPONENT = HALF_RANGE // 2 - 1
"""Exponents that may be multiplied: the sum of two such still fits into its byte."""

MAX_TERMS = 500_000
"""Terms held at a time, beyond which nobody reads them and memory is at stake."""


class BudgetSpentError(Exception):
    """What is allowed for multiplying out is used up; the message says what."""


class Budget:
    """The time and the number of terms that multiplying out may take; `math.inf` seconds set no limit."""

    def __init__(self, seconds: float) -> None:
        unlimited = isinstance(seconds, float) and seconds == math.inf
        self.seconds = seconds if unlimited else not_negative("seconds", seconds)
        self.deadline = time.monotonic() + self.seconds

    def check(self, count: int = 0) -> None:
        """Raise `BudgetSpentError` when the time is up or there are too many terms."""
        if count > MAX_TERMS:
            raise BudgetSpentError(f"in {MAX_TERMS} terms")
        if time.monotonic() > self.deadline:
            raise BudgetSpentError(f"in {self.seconds:g} s")


def terms(a: TrigSum) -> int:
    """Return the number of terms."""
    return sum(map(len, a.values()))


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


class Arithmetic:
    """Sums and products of trigonometric sums within a budget."""

    def __init__(self, waves: Waves, budget: Budget) -> None:
        self.waves = waves
        self.check = budget.check
        self._symbols = self._offset = self._top_bits = 0

    def constant(self, value: Fraction, wave: int = 0) -> TrigSum:
        """Return a number, or a number times a wave."""
        return {wave: {0: value}} if value else {}

    def symbol(self, number: int) -> TrigSum:
        """Return a symbol."""
        for k in range(self._symbols, number + 1):
            self._offset += monomial(k, MAX_EXPONENT + 1)
            self._top_bits += monomial(k, HALF_RANGE)
        self._symbols = max(self._symbols, number + 1)
        return {0: {monomial(number): Fraction(1)}}

    def add(self, a: TrigSum, b: TrigSum, factor: Fraction = Fraction(1)) -> TrigSum:
        """Return a + factor b."""
        total = {wave: dict(polynomial) for wave, polynomial in a.items()}
        for wave, polynomial in b.items():
            _accumulate(total, wave, polynomial, factor)
        self.check()
        return total

    def scale(self, a: TrigSum, factor: Fraction) -> TrigSum:
        """Return a times a number."""
        if not factor:
            return {}
        return {wave: {m: factor * x for m, x in polynomial.items()} for wave, polynomial in a.items()}

    def multiply(self, a: TrigSum, b: TrigSum) -> TrigSum:
        """Return a times b."""
        self._check_exponents(a)
        self._check_exponents(b)
        total: TrigSum = {}
        for wave_a, left in a.items():
            for wave_b, right in b.items():
                product = self._polynomial(left, right)
                for wave, factor in self.waves.product(wave_a, wave_b):
                    _accumulate(total, wave, product, factor)
            self.check(terms(total))
        return total

    def _check_exponents(self, a: TrigSum) -> None:
        """Raise `BudgetSpentError` if an exponent is too large to be multiplied.

        With the offset every allowed exponent is from 0 to 127 in its byte, and any other sets
        the byte's top bit: two operations on integers look at all symbols of a monomial.
        """
        offset, top_bits = self._offset, self._top_bits
        for polynomial in a.values():
            for m in polynomial:
                if (m + offset) & top_bits:
                    raise BudgetSpentError(f"with exponents up to {MAX_EXPONENT}")

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

    def inverse(self, a: TrigSum) -> TrigSum | None:
        """Return 1 / a if a is a single product of symbols, else None."""
        if list(a) != [0] or len(a[0]) != 1:
            return None
        ((packed, value),) = a[0].items()
        return {0: {-packed: 1 / value}}


def _accumulate(total: TrigSum, wave: int, polynomial: Polynomial, factor: Fraction) -> None:
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
