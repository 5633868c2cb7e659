"""A program: a flat list of scalar operations, each computed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod

from ..lazy import cached_property
from .operations import FUNCTIONS

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
    def starts(self) -> tuple[int, ...]:
        """Where each input begins in the concatenation of all inputs, and where the last ends."""
        return (0, *accumulate(prod(shape) for _, shape in self.inputs))

    def entry(self, position: int) -> tuple[int, int]:
        """Return the input that holds a position of the concatenation, and the entry within it."""
        number = max(k for k, start in enumerate(self.starts[:-1]) if start <= position)
        return number, position - self.starts[number]

    def is_zero(self, value: int) -> bool:
        """Whether a value is the constant zero."""
        return self.operations[value] == ("const", (), 0.0)

    @cached_property
    def counts(self) -> Counts:
        """Operation counts; negations are not counted, since they fold into their neighbours."""
        tally = Counter(name for name, _, _ in self.operations)
        return Counts(
            tally["add"] + tally["sub"],
            tally["mul"],
            tally["div"],
            tally["sqrt"],
            tally["sin"] + tally["cos"],
            sum(tally[name] for name in set(FUNCTIONS.values()) - {"sqrt", "sin", "cos"}),
        )


def needed(
    operations: Sequence[Operation], results: Iterable[Iterable[int]], given: Container[int] = ()
) -> set[int]:
    """Return the values that must be computed for the results, if those in `given` are known."""
    found: set[int] = set()
    stack = [value for row in results for value in row]
    while stack:
        value = stack.pop()
        if value not in found and value not in given:
            found.add(value)
            stack.extend(operations[value][1])
    return found
