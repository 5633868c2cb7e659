"""Equations as a value: SymPy matrices with their symbols, in text, LaTeX and MathML."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray

from ..checks import common_batch, instance, number, real_array
from ..errors import ArgumentError, UnknownNameError, warn
from ..lazy import cached_property
from .collect import Numbers
from .naming import Input
from .printing import Printed
from .reader import Reader
from .trig_sums import Budget, BudgetSpentError
from .vocabulary import Expression, Vocabulary, new_symbols


class EquationsWarning(UserWarning):
    """Equations that are correct but not in their simplest form."""


@dataclass(frozen=True, eq=False, repr=False)
class Equations(Printed):
    """A quantity in closed form: `matrix` over the symbols q1, qd1, ... and those in `values`.

    `entries` are its entries row by row. `definitions` is empty unless the equations were too
    long to multiply out; then entries and later definitions use the names x1, x2, ... of earlier
    ones. `values` are the numbers that symbolic constants have in the model, None for letters without one.
    """

    inputs: tuple[Input, ...]
    values: Mapping[Expression, float | None]
    groups: tuple[tuple[Expression, ...], ...]
    roles: Mapping[Expression, str]
    numbers: Numbers
    trajectory: bool

    @cached_property
    def array(self) -> Expression:
        """The SymPy array of the quantity's own shape."""
        return sp.ImmutableDenseNDimArray(self.entries, self.shape)

    def lambdify(self) -> Callable[..., NDArray[np.float64]]:
        """Return a NumPy function of the inputs and, by keyword, of symbolic constants.

        It takes arrays of any leading batch shape; constants not given have the model's values.
        """
        columns = [sp.Symbol(name) for each in self.inputs for name in each.symbols]
        constants = list(self.values)
        steps, entries = self._steps()
        compiled = sp.lambdify([*columns, *constants], entries, "numpy", cse=lambda each: (steps, each))

        def function(*arrays: ArrayLike, **given: float) -> NDArray[np.float64]:
            flat, batch = self._columns(arrays)
            unknown = set(given) - {symbol.name for symbol in constants}
            if unknown:
                raise UnknownNameError("constant", min(unknown), [symbol.name for symbol in constants])
            known = []
            for symbol, value in self.values.items():
                if value is None and symbol.name not in given:
                    raise ArgumentError(
                        f"{self.name}: letter {symbol.name!r} has no number; give it by name, "
                        f"evaluate(..., {symbol.name}=0.4)"
                    )
                known.append(number(f"{self.name}: {symbol.name}", given.get(symbol.name, value)))
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # the result shows it
                found = compiled(*flat, *known)
            values = [np.broadcast_to(np.asarray(x, dtype=float), batch) for x in found]
            return np.stack(values, axis=-1).reshape(batch + self.shape)

        return function

    def _steps(self) -> tuple[list[tuple[Expression, Expression]], list[Expression]]:
        """Return what is computed first (definitions, or each sine and cosine once) and the entries in it."""
        if self.definitions:
            return list(self.definitions), list(self.entries)
        waves = sorted(set().union(*(e.atoms(sp.sin, sp.cos) for e in self.entries)), key=sp.default_sort_key)
        names = dict(zip(waves, new_symbols(self.symbols), strict=False))
        return [(symbol, wave) for wave, symbol in names.items()], [e.xreplace(names) for e in self.entries]

    def evaluate(self, *arrays: ArrayLike, **constants: float) -> NDArray[np.float64]:
        """Return the numbers of the equations at a state, to check them against the robot's own.

        Takes the inputs of the form in order, and by keyword (m1=2.0) those symbolic constants
        that differ from the model's.
        """
        return self.lambdify()(*arrays, **constants)

    def _columns(self, arrays: tuple[ArrayLike, ...]) -> tuple[list[NDArray[np.float64]], tuple[int, ...]]:
        """Return the entries of the inputs, each over its own batch, and the batch of them all."""
        if len(arrays) != len(self.inputs):
            names = ", ".join(each.symbols[0] + "..." for each in self.inputs)
            raise ArgumentError(f"{self.name}: takes {len(self.inputs)} arrays ({names}); got {len(arrays)}")
        columns: list[NDArray[np.float64]] = []
        batches: dict[str, tuple[int, ...]] = {}
        for each, given in zip(self.inputs, arrays, strict=True):
            array = real_array(f"{self.name}: {each.symbols[0]}...", given)
            rank = len(each.shape)
            if array.shape[array.ndim - rank :] != each.shape or array.ndim < rank:
                raise ArgumentError(f"{self.name}: got shape {array.shape}; expected (..., {each.shape})")
            batch = batches[each.symbols[0] + "..."] = array.shape[: array.ndim - rank]
            flat = array.reshape(*batch, math.prod(each.shape))
            columns.extend(flat[..., k] for k in range(flat.shape[-1]))
        return columns, common_batch(self.name, **batches)

    def dot(self, *, seconds: float = 60.0) -> Equations:
        """Return the time derivative, by the chain rule on the symbols: q1 -> qd1 -> qdd1 -> ..."""
        Budget(seconds)  # refuses a bad number before the work
        if not self.trajectory:
            raise ArgumentError(f"{self.name}: quaternions are not the integral of qd; use a robot without")
        rate: dict[Expression, Expression] = {}
        for each in self.inputs:
            rate.update(zip(map(sp.Symbol, each.symbols), map(sp.Symbol, each.rate.symbols), strict=True))
        definitions: dict[Expression, Expression] = {}
        for symbol, each in self.definitions:
            rate[symbol] = sp.Symbol(symbol.name + "d")
            definitions.setdefault(symbol, each)
            definitions.setdefault(rate[symbol], _rate(each, rate))
        inputs = {each.quantity: each for old in self.inputs for each in (old, old.rate)}
        new = replace(
            self,
            name=f"{self.name}_dot",
            quantity=self.quantity.rate(),
            entries=tuple(_rate(each, rate) for each in self.entries),
            definitions=tuple(definitions.items()),
            inputs=tuple(inputs.values()),
            roles={**self.roles, **dict.fromkeys(rate.values(), "rate")},
        )
        return new if definitions else new._collected(seconds)

    def _collected(self, seconds: float) -> Equations:
        """Return the equations multiplied out and collected, or as they are if that takes too long."""
        vocabulary = Vocabulary()
        for symbol, role in self.roles.items():
            vocabulary.number(symbol, role)
        groups = [[vocabulary.number(symbol) for symbol in group] for group in self.groups]
        reader = Reader(vocabulary, groups, Budget(seconds))
        try:
            entries = [reader.written(reader.expression(each), self.numbers) for each in self.entries]
        except BudgetSpentError as spent:
            text = f"{self.name}: not multiplied out {spent}; the equations are correct, not collected"
            warn(text, EquationsWarning)
            return self
        return replace(self, entries=tuple(entries))

    def of_time(self, t: Expression | None = None) -> Expression:
        """Return the matrix with q1(t) and its derivatives in place of the symbols q1, qd1, ..."""
        t = sp.Symbol("t") if t is None else instance(f"{self.name}: t", t, sp.Symbol, "a SymPy symbol")
        replaced: dict[Expression, Expression] = {}
        for each in self.inputs:
            order = each.quantity.order
            for name, base in zip(each.symbols, each.base.symbols, strict=True):
                function = sp.Function(base)(t)
                replaced[sp.Symbol(name)] = function.diff(t, order) if order else function
        matrix = self.matrix
        for symbol, each in reversed(self.definitions):
            matrix = matrix.xreplace({symbol: each})
        return matrix.xreplace(replaced)


def _rate(expression: Expression, rate: Mapping[Expression, Expression]) -> Expression:
    """Return the total time derivative of an expression."""
    symbols = sorted(expression.free_symbols & set(rate), key=lambda symbol: str(symbol.name))
    return sp.Add(*(sp.diff(expression, symbol) * rate[symbol] for symbol in symbols))
