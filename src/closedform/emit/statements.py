"""A program as statements: the one stream that every language prints.

Values used once are written inside the expression that uses them, up to a few operands, so that
lines read like formulas; all others get a variable that is assigned once. Nothing is reordered
within an expression: every language computes the same roundings, operation by operation. Long
programs become several parts that hand values over in a workspace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, count
from math import isfinite, prod

from ..errors import ClosedFormError
from ..programs import Chunk, Program, Store, schedule

PART, SINGLE = 500, 2500
"""Steps per part of a long program, and the longest program kept in one part."""

OPERANDS = 6
"""Most operands written in one expression."""


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
class Local:
    """A variable that is assigned once."""

    name: str


@dataclass(frozen=True)
class Slot:
    """A place in the workspace that parts share."""

    number: int


@dataclass(frozen=True)
class Apply:
    """An operation on expressions."""

    operation: str
    operands: tuple[Expression, ...]


Expression = Number | Entry | Local | Slot | Apply


@dataclass(frozen=True)
class Define:
    """A new variable."""

    name: str
    value: Expression


@dataclass(frozen=True)
class Turn:
    """Two new variables: sine and cosine of one angle."""

    sine: str
    cosine: str
    angle: Expression


@dataclass(frozen=True)
class Keep:
    """A variable saved in the workspace for later parts."""

    slot: Slot
    value: Local


@dataclass(frozen=True)
class Output:
    """An entry of an output array, written once."""

    entry: Entry
    value: Expression


Statement = Define | Turn | Keep | Output


@dataclass(frozen=True)
class Part:
    """Statements of one function, with the input and output arrays they touch."""

    statements: tuple[Statement, ...]
    inputs: frozenset[int]
    outputs: frozenset[int]


@dataclass(frozen=True)
class Stream:
    """The parts of a program in order, and the size of the workspace between them."""

    parts: tuple[Part, ...]
    workspace: int


def stream(program: Program, *, split: bool) -> Stream:
    """Return the statements of a program; `split` cuts long programs into parts.

    Compilers take more than linear time on one long function; interpreters do not mind.
    """
    longest = SINGLE if split else len(program.operations) + sum(map(len, program.results))
    return _Writer(program, schedule(program, 1, chunk=PART, single=longest)).write()


class _Writer:
    def __init__(self, program: Program, chunks: list[Chunk]) -> None:
        self.operations = program.operations
        self.chunks = chunks
        self.starts = [0, *accumulate(prod(shape) for _, shape in program.inputs)]
        self.home, self.last_part = self._parts_of_values()
        self.turns = self._angles()
        self.inlined = self._inlined()
        self.expressions: dict[int, Expression] = {}
        self.slots: dict[int, Slot] = {}
        self.free: list[Slot] = []
        self.workspace = 0
        self.values = count()
        self.other_turns = count(self.starts[1])

    def write(self) -> Stream:
        """Return every part."""
        parts = tuple(self._part(number, chunk) for number, chunk in enumerate(self.chunks))
        return Stream(parts, self.workspace)

    def _parts_of_values(self) -> tuple[dict[int, int], dict[int, int]]:
        """Return the part that computes each value and the last that reads it."""
        home: dict[int, int] = {}
        last: dict[int, int] = {}
        for number, chunk in enumerate(self.chunks):
            for step in chunk.steps:
                if not isinstance(step, Store):
                    home[step] = number
                for value in self._reads(step):
                    last[value] = number
        return home, last

    def _reads(self, step: int | Store) -> tuple[int, ...]:
        return step.values if isinstance(step, Store) else self.operations[step][1]

    def _angles(self) -> dict[int, dict[str, int]]:
        """Return the sine and cosine of each angle."""
        angles: dict[int, dict[str, int]] = {}
        for value, (name, operands, _) in enumerate(self.operations):
            if name in ("sin", "cos"):
                angles.setdefault(operands[0], {})[name] = value
        return angles

    def _inlined(self) -> set[int]:
        """Return the values written inside the one expression that uses them."""
        uses: Counter[int] = Counter()
        for chunk in self.chunks:
            for step in chunk.steps:
                uses.update(self._reads(step))
        inlined: set[int] = set()
        width: dict[int, int] = {}
        for number, chunk in enumerate(self.chunks):
            for step in chunk.steps:
                reads = self._reads(step)
                total = len(reads)
                for value in reads:
                    name = self.operations[value][0]
                    alone = uses[value] == 1 and self.home.get(value) == number
                    grown = total - 1 + width.get(value, 1)
                    if alone and name not in ("sin", "cos") and grown <= OPERANDS:
                        inlined.add(value)
                        total = grown
                if not isinstance(step, Store):
                    width[step] = total
        return inlined

    def _part(self, number: int, chunk: Chunk) -> Part:
        self.expressions = {}
        statements: list[Statement] = []
        for step in chunk.steps:
            if isinstance(step, Store):
                (value,) = step.values
                statements.append(Output(Entry(step.output, step.first), self._expression(value)))
            elif not (step in self.inlined or step in self.expressions or step in self.slots):
                statements.extend(self._define(step, number))
        statements.sort(key=_starts_late)
        for value, slot in list(self.slots.items()):
            if self.last_part[value] <= number:
                self.free.append(slot)
                del self.slots[value]
        outputs = frozenset(each.entry.array for each in statements if isinstance(each, Output))
        return Part(tuple(statements), frozenset(_arrays(statements)), outputs)

    def _define(self, value: int, number: int) -> Iterator[Statement]:
        """Yield the statements that give a value its variable, and keep it for later parts."""
        name, operands, _ = self.operations[value]
        if name in ("sin", "cos"):
            pair = self.turns[operands[0]]
            angle = self._expression(operands[0])
            index = self._turn_number(angle)
            names = {"sin": f"s{index}", "cos": f"c{index}"}
            if len(pair) == 2:
                yield Turn(names["sin"], names["cos"], angle)
            else:
                yield Define(names[name], Apply(name, (angle,)))
            made = {pair[each]: names[each] for each in pair}
        else:
            made = {value: f"v{next(self.values)}"}
            yield Define(made[value], self._formula(value))
        for each, local in made.items():
            self.expressions[each] = Local(local)
            if self.last_part[each] > number and each not in self.slots:
                slot = self.slots[each] = self._slot()
                yield Keep(slot, Local(local))

    def _turn_number(self, angle: Expression) -> int:
        """Return k where the angle is entry k of the first input, and a number beyond those otherwise."""
        return angle.position if isinstance(angle, Entry) and angle.array == 0 else next(self.other_turns)

    def _slot(self) -> Slot:
        if not self.free:
            self.workspace += 1
            return Slot(self.workspace - 1)
        return self.free.pop()

    def _expression(self, value: int) -> Expression:
        """Return how a value is written where it is used."""
        if value in self.expressions:
            return self.expressions[value]
        name, _, number = self.operations[value]
        if name == "const":
            if not isfinite(number):
                raise ClosedFormError(f"a constant of the program is {number}; check the robot's numbers")
            return Number(number)
        if name == "input":
            array = max(k for k, start in enumerate(self.starts[:-1]) if start <= number)
            return Entry(array, int(number) - self.starts[array])
        if value in self.inlined:
            return self._formula(value)
        return self.slots[value]

    def _formula(self, value: int) -> Expression:
        name, operands, _ = self.operations[value]
        return Apply(name, tuple(self._expression(operand) for operand in operands))


def _starts_late(statement: Statement) -> tuple[bool, int]:
    """Order the sines and cosines of inputs first: calls do not then disturb what is in registers."""
    if isinstance(statement, Turn) and isinstance(statement.angle, Entry):
        return False, statement.angle.position
    return True, 0


def _arrays(statements: list[Statement]) -> Iterator[int]:
    """Yield the input arrays that statements read."""
    stack: list[Expression] = []
    for statement in statements:
        stack.append(statement.angle if isinstance(statement, Turn) else statement.value)
    while stack:
        expression = stack.pop()
        if isinstance(expression, Apply):
            stack.extend(expression.operands)
        elif isinstance(expression, Entry):
            yield expression.array
