"""From programs and SymPy expressions to trigonometric sums, and from these to what people read."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from ..programs import Program
from .collect import Collector, Numbers
from .definitions import function
from .quotients import over_one_denominator
from .trig_sums import Arithmetic, Budget, TrigSum, exponents, terms
from .vocabulary import Expression, Vocabulary
from .waves import Angle, Waves

SIMPLE = 1 << 20
"""A float with a denominator up to this is taken as it is; others may be rounded decimals or fractions."""

FACTORIAL = 5040
"""Denominators of Taylor series up to seventh order."""

DECIMAL = 10**12
"""Denominators up to this belong to fractions and decimals; beyond, a constant is irrational."""

ROUND_OFF = 1e-13
"""Terms this much smaller than the largest of an output are round-off if a constant is irrational."""


def meant(value: float) -> Fraction:
    """Return the number that a constant was meant to be: a small fraction, a decimal, or the float."""
    exact = Fraction(value)
    if exact.denominator <= SIMPLE:
        return exact
    near = exact.limit_denominator(FACTORIAL)
    if float(near) == value:
        return near
    short = f"{value:.12g}"
    return Fraction(short) if float(short) == value else exact


class Reader:
    """Multiplies programs and expressions out and merges equal terms, within a budget.

    `groups` are the numbers of the symbols that are angles of parallel axes.
    """

    def __init__(self, vocabulary: Vocabulary, groups: Sequence[Sequence[int]], budget: Budget) -> None:
        self.arithmetic = Arithmetic(Waves(groups), budget)
        self.vocabulary = vocabulary
        self.denominators: dict[int, TrigSum] = {}

    def program(self, program: Program, inputs: list[TrigSum]) -> list[list[TrigSum]]:
        """Return the outputs of a program, given its input entries."""
        last: dict[int, int] = {}
        for k, (_, operands, _) in enumerate(program.operations):
            last.update(dict.fromkeys(operands, k))
        for row in program.results:
            last.update(dict.fromkeys(row, len(program.operations)))
        values: dict[int, TrigSum] = {}
        alive = 0
        for k, (name, operands, number) in enumerate(program.operations):
            if name == "const":
                values[k] = self.arithmetic.constant(meant(number))
            elif name == "input":
                values[k] = inputs[int(number)]
            else:
                values[k] = self.apply(name, [values[x] for x in operands])
            alive += terms(values[k])
            for x in set(operands):
                if last[x] == k:
                    alive -= terms(values.pop(x))
            self.arithmetic.check(alive)
        rows = [[values[x] for x in row] for row in program.results]
        constants = (meant(value) for name, _, value in program.operations if name == "const")
        if any(value.denominator > DECIMAL for value in constants):
            return [self._without_round_off(row) for row in rows]
        return rows

    def _without_round_off(self, row: list[TrigSum]) -> list[TrigSum]:
        """Return the entries of an output without terms that are round-off of irrational constants."""
        largest = 0.0
        for each in row:
            self.arithmetic.check()
            sizes = (abs(float(x)) for polynomial in each.values() for x in polynomial.values())
            largest = max(largest, max(sizes, default=0.0))
        kept = []
        for each in row:
            self.arithmetic.check()
            left = {
                wave: {m: x for m, x in polynomial.items() if abs(float(x)) > ROUND_OFF * largest}
                for wave, polynomial in each.items()
            }
            kept.append({wave: polynomial for wave, polynomial in left.items() if polynomial})
        return kept

    def apply(self, name: str, x: list[TrigSum]) -> TrigSum:
        """Return one operation of a program."""
        arithmetic = self.arithmetic
        if name == "add":
            return arithmetic.add(x[0], x[1])
        if name == "sub":
            return arithmetic.add(x[0], x[1], Fraction(-1))
        if name == "neg":
            return arithmetic.scale(x[0], Fraction(-1))
        if name == "mul":
            return arithmetic.multiply(x[0], x[1])
        if name == "div":
            return arithmetic.multiply(x[0], self._inverse(x[1]))
        if name in ("sin", "cos"):
            return self._wave(name, x[0])
        return self._opaque(function(name, [self._collected(each) for each in x]))

    def expression(self, expression: Expression) -> TrigSum:
        """Return a SymPy expression multiplied out."""
        arithmetic = self.arithmetic
        if expression.is_Rational:
            return arithmetic.constant(Fraction(int(expression.p), int(expression.q)))
        if expression.is_Float:
            return arithmetic.constant(Fraction(str(expression)))
        if expression.is_Add or expression.is_Mul:
            first, *rest = (self.expression(argument) for argument in expression.args)
            for each in rest:
                first = (arithmetic.add if expression.is_Add else arithmetic.multiply)(first, each)
            return first
        if expression.is_Pow and expression.exp.is_Integer:
            base = self.expression(expression.base)
            if expression.exp < 0:
                base = self._inverse(base)
            power = base
            for _ in range(abs(int(expression.exp)) - 1):
                power = arithmetic.multiply(power, base)
            return power
        if expression.func in (sp.cos, sp.sin):
            return self._wave(expression.func.__name__, self.expression(expression.args[0]))
        return self._opaque(expression)

    def written(self, a: TrigSum, numbers: Numbers) -> Expression:
        """Return a sum for people: one fraction, collected above and below the line."""
        numerator, below = over_one_denominator(self.arithmetic, a, self.denominators)
        divisor = sp.Mul(*(self._collected(D, numbers) ** e for D, e in below))
        return self._collected(numerator, numbers) / divisor

    def _collected(self, a: TrigSum, numbers: Numbers | None = None) -> Expression:
        return Collector(self.arithmetic, self.vocabulary, numbers).expression(a)

    def _opaque(self, expression: Expression) -> TrigSum:
        return self.arithmetic.symbol(self.vocabulary.number(expression))

    def _inverse(self, x: TrigSum) -> TrigSum:
        found = self.arithmetic.inverse(x)
        if found is None:
            expression = 1 / self._collected(x)
            found = self._opaque(expression)
            self.denominators[self.vocabulary.number(expression)] = x
        return found

    def _wave(self, name: str, x: TrigSum) -> TrigSum:
        waves = self.arithmetic.waves
        angle = _angle(x)
        found = None if angle is None else waves.of_angle(name, angle)
        if found is None:
            function: Any = sp.cos if name == "cos" else sp.sin
            return self._opaque(function(self._collected(x)))
        wave, factor = found
        return self.arithmetic.constant(factor, waves.number(wave))


def _angle(x: TrigSum) -> Angle | None:
    """Return `x` as a sum of multiples of symbols and a constant, if it is one."""
    if any(wave for wave in x):
        return None
    multiples, phase = [], Fraction(0)
    for packed, value in x.get(0, {}).items():
        powers = list(exponents(packed))
        if not powers:
            phase = value
        elif len(powers) == 1 and powers[0][1] == 1:
            multiples.append((powers[0][0], value))
        else:
            return None
    return tuple(sorted(multiples)), phase
