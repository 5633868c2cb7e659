"""Statements: expressions and the targets they are assigned to, in no language yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..lazy import cached_property


@dataclass(frozen=True)
class Number:
    """A constant."""

    value: float


@dataclass(frozen=True)
class Entry:
    """An entry of an input or output array, by row-major position."""

    array: int
    position: int


@dataclass(frozen=True)
class Trig:
    """The "sin" or "cos" of one of the stream's angles."""

    function: str
    angle: int


@dataclass(frozen=True)
class Local:
    """A variable that is assigned once."""

    number: int


@dataclass(frozen=True)
class Slot:
    """A place in the workspace that parts share."""

    number: int


@dataclass(frozen=True)
class Apply:
    """An operation on expressions."""

    operation: str
    operands: tuple[Expression, ...]


Expression = Number | Entry | Trig | Local | Slot | Apply


@dataclass(frozen=True)
class Statement:
    """An expression and its target: a new variable, the workspace, or an entry of an output."""

    target: Local | Slot | Entry
    value: Expression


@dataclass(frozen=True)
class Part:
    """The statements of one function."""

    statements: tuple[Statement, ...]

    @cached_property
    def reads(self) -> frozenset[Expression]:
        """Everything the statements read that is not an operation."""
        return frozenset(leaf for statement in self.statements for leaf in leaves(statement.value))

    @cached_property
    def keeps(self) -> bool:
        """Whether the statements touch the workspace."""
        writes = any(isinstance(statement.target, Slot) for statement in self.statements)
        return writes or any(isinstance(leaf, Slot) for leaf in self.reads)

    @cached_property
    def outputs(self) -> frozenset[int]:
        """Output arrays that the statements write."""
        return frozenset(each.target.array for each in self.statements if isinstance(each.target, Entry))


@dataclass(frozen=True)
class Stream:
    """The angles whose sines and cosines are needed, the parts in order, and their workspace.

    `zeros` lists, for each output, the positions that are zero for every robot state; no part
    writes them.
    """

    angles: tuple[Expression, ...]
    zeros: tuple[tuple[int, ...], ...]
    parts: tuple[Part, ...]
    workspace: int

    @cached_property
    def trigs(self) -> frozenset[Trig]:
        """The sines and cosines that any part reads."""
        return frozenset(leaf for part in self.parts for leaf in part.reads if isinstance(leaf, Trig))


def leaves(expression: Expression) -> Iterator[Expression]:
    """Yield the numbers, entries and variables of an expression."""
    if isinstance(expression, Apply):
        for operand in expression.operands:
            yield from leaves(operand)
    else:
        yield expression


def arrays(expressions: Iterable[Expression]) -> frozenset[int]:
    """Return the input arrays among leaves of expressions."""
    return frozenset(leaf.array for leaf in expressions if isinstance(leaf, Entry))
