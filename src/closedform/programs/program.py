"""A form as a flat list of scalar operations, each computed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from ..errors import ClosedFormError
from ..lazy import cached_property
from .operations import FUNCTIONS, SIMPLIFIED
from .size import MAX_OPERATIONS, too_large

MAX_POWER = 8
"""Whole powers up to this are multiplied out."""

Operation = tuple[str, tuple[int, ...], float]
"""(name, operands, value): the value is the constant of "const", and the position of "input"."""


@dataclass(frozen=True)
class Counts:
    """Operations per evaluation, as the papers report them."""

    additions: int
    multiplications: int
    divisions: int
    square_roots: int
    sines_and_cosines: int
    others: int = 0

    @property
    def total(self) -> int:
        """All operations together."""
        return sum(vars(self).values())


@dataclass(frozen=True)
class Program:
    """Straight-line code: operations in order, and for every output entry the value it takes.

    `inputs` and `outputs` are (name, core shape); entries are in row-major order. Operation k
    defines value k; operands are earlier values. An input operation's value is its position
    in the concatenation of all inputs.
    """

    name: str
    inputs: tuple[tuple[str, tuple[int, ...]], ...]
    outputs: tuple[tuple[str, tuple[int, ...]], ...]
    operations: tuple[Operation, ...]
    results: tuple[tuple[int, ...], ...]

    @cached_property
    def counts(self) -> Counts:
        """Operation counts; a negation is free, as it folds into its neighbours."""
        tally = Counter(name for name, _, _ in self.operations)
        return Counts(
            tally["add"] + tally["sub"],
            tally["mul"],
            tally["div"],
            tally["sqrt"],
            tally["sin"] + tally["cos"],
            sum(tally[name] for name in set(FUNCTIONS.values()) - {"sqrt", "sin", "cos"}),
        )


Shaped = tuple[str, tuple[int, ...], ca.SX]
"""Name, core shape and expression (or symbol) of an array."""


def program(
    name: str,
    inputs: Sequence[Shaped],
    outputs: Sequence[Shaped],
) -> Program:
    """Return the program of CasADi expressions; matrices are flattened row by row."""
    function = ca.Function(
        "f", [ca.vec(symbol.T) for _, _, symbol in inputs], [ca.densify(ca.vec(e.T)) for _, _, e in outputs]
    )
    if function.n_instructions() > MAX_OPERATIONS:
        raise too_large(name, f"{function.n_instructions()} operations", MAX_OPERATIONS)
    values = _Values()
    results = _run(function, values)
    given, made = (tuple((label, shape) for label, shape, _ in each) for each in (inputs, outputs))
    return _pruned(name, given, made, values.operations, results)


def core_shape(symbol: ca.SX) -> tuple[int, ...]:
    """Return the shape of an expression as an array: a column is a vector, of one entry too."""
    return (symbol.size1(),) if symbol.size2() == 1 else (symbol.size1(), symbol.size2())


def _run(function: ca.Function, values: _Values) -> list[list[int]]:
    """Replay CasADi's instructions into numbered values; return those of the outputs."""
    starts = [0]
    for k in range(function.n_in()):
        starts.append(starts[-1] + function.nnz_in(k))
    results = [[0] * function.nnz_out(k) for k in range(function.n_out())]
    work: dict[int, int] = {}
    for k in range(function.n_instructions()):
        op, args, outs = (
            function.instruction_id(k),
            function.instruction_input(k),
            function.instruction_output(k),
        )
        if op == ca.OP_OUTPUT:
            results[outs[0]][outs[1]] = work[args[0]]
        elif op == ca.OP_INPUT:
            work[outs[0]] = values.input(starts[args[0]] + args[1])
        elif op == ca.OP_CONST:
            work[outs[0]] = values.constant(function.instruction_constant(k))
        else:
            work[outs[0]] = values.apply(op, [work[a] for a in args])
    return results


class _Values:
    """Hash-consed values: equal operations get one number, signs are pulled outwards."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self._known: dict[Operation, int] = {}

    def _add(self, name: str, operands: tuple[int, ...], value: float = 0.0) -> int:
        key = (name, operands, value)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self.operations)
            self.operations.append(key)
        return found

    def input(self, position: int) -> int:
        """Return the value of an input entry."""
        return self._add("input", (), float(position))

    def constant(self, value: float) -> int:
        """Return the value of a constant; zero has one sign."""
        return self._add("const", (), float(value) + 0.0)

    def apply(self, op: int, x: list[int]) -> int:
        """Return the value of a CasADi operation."""
        if op in SIMPLIFIED:
            return int(getattr(self, SIMPLIFIED[op])(*x))
        if op in FUNCTIONS:
            return self.function(FUNCTIONS[op], x)
        if op == ca.OP_SQ:
            return self.mul(x[0], x[0])
        if op == ca.OP_TWICE:
            return self.mul(self.constant(2.0), x[0])
        if op == ca.OP_INV:
            return self.div(self.constant(1.0), x[0])
        if op == ca.OP_NE:
            return self._add("not", (self._add("not", (self.sub(*x),)),))
        if op == ca.OP_EQ:
            return self._add("not", (self.sub(*x),))
        raise ClosedFormError(f"operation {op} of CasADi has no machine code here; avoid it in the form")

    def function(self, name: str, x: list[int]) -> int:
        """Return the value of a function; small whole powers are products."""
        power = self._const(x[1]) if name == "pow" else None
        if power is not None and power == int(power) and 1 <= abs(power) <= MAX_POWER:
            result = x[0]
            for _ in range(int(abs(power)) - 1):
                result = self.mul(result, x[0])
            return result if power > 0 else self.div(self.constant(1.0), result)
        return self._add(name, tuple(x))

    def _const(self, x: int) -> float | None:
        name, _, value = self.operations[x]
        return value if name == "const" else None

    def _positive(self, x: int) -> tuple[int, bool]:
        """Return (y, negative) with x = y or x = -y and y not a negation."""
        name, operands, value = self.operations[x]
        if name == "neg":
            return operands[0], True
        if name == "const" and value < 0:
            return self.constant(-value), True
        return x, False

    def neg(self, x: int) -> int:
        """Return -x."""
        value = self._const(x)
        if value is not None:
            return self.constant(-value)
        name, operands, _ = self.operations[x]
        if name == "neg":
            return operands[0]
        return self._add("neg", (x,))

    def add(self, x: int, y: int) -> int:
        """Return x + y."""
        a, b = self._const(x), self._const(y)
        if a is not None and b is not None:
            return self.constant(a + b)
        if a == 0:
            return y
        if b == 0:
            return x
        (px, nx), (py, ny) = self._positive(x), self._positive(y)
        if nx and ny:
            return self.neg(self.add(px, py))
        if ny:
            return self.sub(px, py)
        if nx:
            return self.sub(py, px)
        return self._add("add", (min(x, y), max(x, y)))

    def sub(self, x: int, y: int) -> int:
        """Return x - y."""
        a, b = self._const(x), self._const(y)
        if a is not None and b is not None:
            return self.constant(a - b)
        if x == y:
            return self.constant(0.0)
        if b == 0:
            return x
        if a == 0:
            return self.neg(y)
        (px, nx), (py, ny) = self._positive(x), self._positive(y)
        if ny:
            return self.add(x, py)
        if nx:
            return self.neg(self.add(px, y))
        if ("sub", (y, x), 0.0) in self._known:
            return self.neg(self._known["sub", (y, x), 0.0])
        return self._add("sub", (x, y))

    def mul(self, x: int, y: int) -> int:
        """Return x * y."""
        (px, nx), (py, ny) = self._positive(x), self._positive(y)
        if nx or ny:
            product = self.mul(px, py)
            return product if nx == ny else self.neg(product)
        a, b = self._const(x), self._const(y)
        if a is not None and b is not None:
            return self.constant(a * b)
        if a is None and b is not None:
            x, y, a, b = y, x, b, a
        if a == 0:
            return self.constant(0.0)
        if a == 1:
            return y
        if a is not None:
            name, operands, _ = self.operations[y]
            inner = self._const(operands[0]) if name == "mul" else None
            if inner is not None:
                return self.mul(self.constant(a * inner), operands[1])
            return self._add("mul", (x, y))
        return self._add("mul", (min(x, y), max(x, y)))

    def div(self, x: int, y: int) -> int:
        """Return x / y as x * (1 / y), so that divisions by one value share its reciprocal."""
        b = self._const(y)
        if b is not None and b != 0:
            return self.mul(x, self.constant(1.0 / b))
        py, negative = self._positive(y)
        quotient = self.mul(x, self._add("div", (self.constant(1.0), py)))
        return self.neg(quotient) if negative else quotient


def _pruned(
    name: str,
    inputs: tuple[tuple[str, tuple[int, ...]], ...],
    outputs: tuple[tuple[str, tuple[int, ...]], ...],
    operations: list[Operation],
    results: list[list[int]],
) -> Program:
    """Return the program without values that no output needs."""
    needed = [False] * len(operations)
    stack = [value for row in results for value in row]
    while stack:
        value = stack.pop()
        if not needed[value]:
            needed[value] = True
            stack.extend(operations[value][1])
    renumber: dict[int, int] = {}
    kept: list[Operation] = []
    for old, (op, operands, number) in enumerate(operations):
        if needed[old]:
            renumber[old] = len(kept)
            kept.append((op, tuple(renumber[x] for x in operands), number))
    return Program(
        name, inputs, outputs, tuple(kept), tuple(tuple(renumber[v] for v in row) for row in results)
    )
