"""From programs and SymPy expressions to series: everything multiplied out, equal terms merged."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from ..programs import Program
from .collect import Collector
from .definitions import function
from .quotients import over_one_denominator
from .series import Arithmetic, Series, exponents, terms
from .vocabulary import Expression, Vocabulary
from .waves import Angle

SIMPLE = 1 << 20
"""Denominators up to this are meant; beyond, a constant is a decimal or an irrational number."""

FACTORIAL = 5040
"""Denominators of Taylor series up to seventh order."""


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
    """Evaluates programs and expressions on series."""

    def __init__(self, arithmetic: Arithmetic, vocabulary: Vocabulary) -> None:
        self.arithmetic = arithmetic
        self.vocabulary = vocabulary
        self.collector = Collector(arithmetic, vocabulary)
        self.denominators: dict[int, Series] = {}

    def program(self, program: Program, inputs: list[Series]) -> list[list[Series]]:
        """Return the outputs of a program as series, given its input entries."""
        last: dict[int, int] = {}
        for k, (_, operands, _) in enumerate(program.operations):
            last.update(dict.fromkeys(operands, k))
        for row in program.results:
            last.update(dict.fromkeys(row, len(program.operations)))
        values: dict[int, Series] = {}
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
        return [[values[x] for x in row] for row in program.results]

    def apply(self, name: str, x: list[Series]) -> Series:
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
        return self._opaque(function(name, [self.collector.expression(each) for each in x]))

    def expression(self, expression: Expression) -> Series:
        """Return a SymPy expression as a series."""
        arithmetic = self.arithmetic
        if expression.is_Rational:
            return arithmetic.constant(Fraction(int(expression.p), int(expression.q)))
        if expression.is_Float:
            return arithmetic.constant(Fraction(str(expression)))
        if expression.is_Symbol:
            return self._opaque(expression)
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

    def _opaque(self, expression: Expression) -> Series:
        return self.arithmetic.symbol(self.vocabulary.number(expression))

    def _inverse(self, x: Series) -> Series:
        found = self.arithmetic.inverse(x)
        if found is None:
            found = self._opaque(1 / self.collector.expression(x))
            ((packed, _),) = found[0].items()
            ((symbol, _),) = exponents(packed)
            self.denominators[symbol] = x
        return found

    def written(self, series: Series, collector: Collector) -> Expression:
        """Return a series for people: one fraction, collected above and below the line."""
        numerator, below = over_one_denominator(self.arithmetic, series, self.denominators)
        return collector.expression(numerator) / sp.Mul(*(collector.expression(D) ** e for D, e in below))

    def _wave(self, name: str, x: Series) -> Series:
        waves = self.arithmetic.waves
        angle = _angle(x)
        found = None if angle is None else waves.of_angle(name, angle)
        if found is None:
            function: Any = sp.cos if name == "cos" else sp.sin
            return self._opaque(function(self.collector.expression(x)))
        wave, factor = found
        return {waves.number(wave): {0: factor}} if factor else {}


def _angle(x: Series) -> Angle | None:
    """Return a series as a sum of multiples of symbols and a constant, if it is one."""
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
