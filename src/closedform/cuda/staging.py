"""The order of a program on a GPU, one thread per sample, and when its outputs leave.

The 32 samples of a warp are neighbours in memory, but the entries of one sample are too: if each thread
wrote its own, memory would see 32 lines with four bytes each. So threads put results into shared memory, in a
row of slots for each thread, and now and then the warp writes finished rows of all its samples together.

Values wait in registers, of which a thread has 255. The order in which outputs are asked for decides how
many wait at once: for matrices, column by column from the last one back needs the fewest, since what the last
joints need is forgotten before the first ones begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..programs import Program

REGISTERS = 220
"""Values that a thread holds without memory; the rest of its 255 registers are addresses and temporaries."""

Place = tuple[int, int]
"""An output and an entry of it."""


@dataclass(frozen=True)
class Compute:
    """An operation of the program."""

    value: int


@dataclass(frozen=True)
class Put:
    """A value goes to a slot of its thread."""

    value: int
    slot: int


@dataclass(frozen=True)
class Flush:
    """The entries from `first` to `last` of an output leave for all samples of the warp."""

    output: int
    first: int
    last: int


Step = Compute | Put | Flush


@dataclass(frozen=True)
class Staging:
    """The steps of a program, its slots, and the slot of every entry of every output.

    `waiting` is the mean number of values beyond the registers.
    """

    steps: tuple[Step, ...]
    slots: int
    table: tuple[tuple[int, ...], ...]
    waiting: float


def staging(program: Program, memory: int) -> Staging:
    """Return the steps with the fewest values in waiting; outputs leave whole if `memory` slots suffice."""
    for rows in _row_lengths(program):
        found = [_staged(program, groups, rows) for groups in _orders(program)]
        best = min(found, key=lambda each: (round(each.waiting), each.slots))
        if best.slots <= memory:
            break
    return best


def _orders(program: Program) -> Iterator[list[list[Place]]]:
    """Yield orders of the outputs, in groups after which finished rows may leave."""
    shapes = [shape for _, shape in program.outputs]
    entries = [[(o, e) for e in range(len(row))] for o, row in enumerate(program.results)]
    yield [[place for each in entries for place in each]]
    if all(len(shape) > 1 for shape in shapes) and len({shape[-1] for shape in shapes}) == 1:
        columns = shapes[0][-1]
        by_column = [[(o, e) for each in entries for o, e in each[j::columns]] for j in range(columns)]
        yield by_column[::-1]
        rows = max(len(each) for each in entries) // columns
        yield [
            [place for each in entries for place in each[i * columns : (i + 1) * columns]]
            for i in range(rows - 1, -1, -1)
        ]


def _row_lengths(program: Program) -> Iterator[list[int]]:
    """Yield what leaves at once: whole outputs, or their rows."""
    yield [len(row) for row in program.results]
    if any(len(shape) > 1 for _, shape in program.outputs):
        yield [shape[-1] if shape else 1 for _, shape in program.outputs]


def _staged(program: Program, groups: Sequence[Sequence[Place]], rows: Sequence[int]) -> Staging:
    """Return the steps for outputs in this order, whose rows of this length leave as they are finished."""
    stage = _Stage(program, rows)
    for group in groups:
        stage.compute(group)
        stage.leave()
    stage.leave(everything=True)
    return Staging(tuple(stage.steps), stage.slots, tuple(map(tuple, stage.table)), stage.waiting())


class _Stage:
    """The steps so far, and which slots are taken."""

    def __init__(self, program: Program, rows: Sequence[int]) -> None:
        self.program, self.rows = program, rows
        self.steps: list[Step] = []
        self.slots, self.free = 0, list[int]()
        self.table = [[-1] * len(row) for row in program.results]
        self.done: set[int] = set()
        self.order: list[int] = []
        self.places: dict[int, list[Place]] = {}
        self.missing: dict[Place, int] = {}
        self.uses: dict[int, int] = {}
        for o, row in enumerate(program.results):
            for e, value in enumerate(row):
                self.places.setdefault(value, []).append((o, e))
                self.missing[self._row(o, e)] = self.missing.get(self._row(o, e), 0) + 1
        self.finished: set[Place] = set()

    def _row(self, output: int, entry: int) -> Place:
        return output, entry // self.rows[output]

    def compute(self, places: Sequence[Place]) -> None:
        """Compute the values of some entries, operands first, and put each into a slot."""
        operations = self.program.operations
        for output, entry in places:
            stack = [(self.program.results[output][entry], False)]
            while stack:
                value, ready = stack.pop()
                if value in self.done:
                    continue
                name, operands, _ = operations[value]
                if ready or name in ("const", "input"):
                    self.done.add(value)
                    if name not in ("const", "input"):
                        self.steps.append(Compute(value))
                        self.order.append(value)
                    self._put(value)
                else:
                    stack.append((value, True))
                    stack.extend((operand, False) for operand in reversed(operands))

    def _put(self, value: int) -> None:
        places = self.places.get(value)
        if places is None:
            return
        slot = self.free.pop() if self.free else self.slots
        self.slots = max(self.slots, slot + 1)
        self.uses[slot] = len(places)
        self.steps.append(Put(value, slot))
        for output, entry in places:
            self.table[output][entry] = slot
            row = self._row(output, entry)
            self.missing[row] -= 1
            if not self.missing[row]:
                self.finished.add(row)

    def leave(self, everything: bool = False) -> None:
        """Let finished rows leave, neighbours together; rows of constants wait for a neighbour."""
        for output, length in enumerate(self.rows):
            rows = sorted(row for o, row in self.finished if o == output)
            for _, run in groupby(enumerate(rows), key=lambda each: each[1] - each[0]):
                there = [row for _, row in run]
                first, last = there[0] * length, (there[-1] + 1) * length
                values = self.program.results[output][first:last]
                plain = all(self.program.operations[value][0] == "const" for value in values)
                if plain and not everything:
                    continue
                self.steps.append(Flush(output, first, last))
                self.finished -= {(output, row) for row in there}
                for entry in range(first, last):
                    slot = self.table[output][entry]
                    self.uses[slot] -= 1
                    if not self.uses[slot]:
                        self.free.append(slot)

    def waiting(self) -> float:
        """Return the mean number of values that wait beyond the registers."""
        number = {value: k for k, value in enumerate(self.order)}
        last = dict(number.items())
        for value in self.order:
            for operand in self.program.operations[value][1]:
                if operand in number:
                    last[operand] = number[value]
        ends = [0] * (len(self.order) + 1)
        for value in self.order:
            ends[last[value]] += 1
        live, total = 0, 0
        for k in range(len(self.order)):
            live += 1
            total += max(0, live - REGISTERS)
            live -= ends[k]
        return total / max(1, len(self.order))
