"""Values as they are computed: equal operations get one number, constants fold, signs move outwards."""

from __future__ import annotations

import casadi as ca

from ..errors import ClosedFormError
from .operations import FUNCTIONS, SIMPLIFIED
from .program import Operation

MAX_POWER = 8
"""Whole powers up to this are multiplied out."""


class Values:
    """The operations so far; each method returns the number of the value that it computes."""

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
        if power is not None and power.is_integer() and 1 <= abs(power) <= MAX_POWER:
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
