"""How a language writes statements: its numbers, its array entries, its functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .statements import Apply, Entry, Expression, Local, Number, Slot, Statement, Stream, Trig

SYMBOLS = {"add": " + ", "sub": " - ", "mul": "*", "div": "/"}
SUM, PRODUCT, SIGN, ATOM = range(4)
BINDING = {"add": SUM, "sub": SUM, "mul": PRODUCT, "div": PRODUCT, "neg": SIGN}


@dataclass(frozen=True)
class Dialect:
    """The few things in which languages differ when they write arithmetic.

    `functions` has the language's own name of an operation, or a template of a call, if it is not ours.
    """

    number: Callable[[float], str]
    entry: Callable[[Entry], str]
    output: Callable[[Entry], str]
    trig: Callable[[str, int], str] = "{}{}".format
    functions: dict[str, str] = field(default_factory=dict)

    def assignment(self, statement: Statement) -> str:
        """Return a statement as "target = value"."""
        target = statement.target
        name = self.output(target) if isinstance(target, Entry) else self.write(target)
        return f"{name} = {self.write(statement.value)}"

    def write(self, expression: Expression) -> str:
        """Return an expression as text, with the parentheses that keep its order and no others."""
        return self._write(expression)[0]

    def _write(self, expression: Expression) -> tuple[str, int]:
        if isinstance(expression, Number):
            return self.number(expression.value), SIGN if expression.value < 0 else ATOM
        if isinstance(expression, Entry):
            return self.entry(expression), ATOM
        if isinstance(expression, Trig):
            return self.trig(expression.function[0], expression.angle), ATOM
        if isinstance(expression, Local):
            return f"v{expression.number}", ATOM
        if isinstance(expression, Slot):
            return f"w[{expression.number}]", ATOM
        return self._apply(expression)

    def _apply(self, expression: Apply) -> tuple[str, int]:
        operation = expression.operation
        if operation not in BINDING:
            operands = [self.write(operand) for operand in expression.operands]
            known = self.functions.get(operation, operation)
            return known.format(*operands) if "{" in known else f"{known}({', '.join(operands)})", ATOM
        binding = BINDING[operation]
        if operation == "neg":
            text, inner = self._write(expression.operands[0])
            return "-" + (text if inner == ATOM else f"({text})"), SIGN
        constant = isinstance(expression.operands[0], Number)
        left, right = (self._write(operand) for operand in expression.operands)
        if operation in ("add", "mul") and right[1] == binding < left[1] and not constant:
            left, right = right, left  # a + (b + c) is b + c + a to the last bit, without parentheses
        first = left[0] if left[1] >= binding else f"({left[0]})"
        second = right[0] if right[1] > binding and right[1] != SIGN else f"({right[0]})"
        return first + SYMBOLS[operation] + second, binding


def sines_and_cosines(stream: Stream, dialect: Dialect) -> list[str]:
    """Return "s0 = sin(angle)", ... for the sines and cosines that are needed, angle by angle."""
    return [
        f"{dialect.trig(name[0], k)} = {dialect.write(Apply(name, (angle,)))}"
        for k, angle in enumerate(stream.angles)
        for name in ("sin", "cos")
        if Trig(name, k) in stream.trigs
    ]
