"""A program as the one stream of statements that every language prints.

Sines and cosines of the inputs come first, so that a language may compute them together. Values
used once are written inside the expression that uses them, up to a few operands, so that lines
read like formulas; all others get a variable that is assigned once. Every operation keeps its
operands, so all languages round alike. Long programs become several parts that hand values over
in a workspace.
"""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from math import isfinite, prod

from ..errors import ClosedFormError
from ..programs import ORDERS, Chunk, Clear, Program, Store, schedule
from .statements import Apply, Entry, Expression, Local, Number, Part, Slot, Statement, Stream, Trig, leaves

PART = 500
"""Steps per part of a long program."""

OPERANDS = 6
"""Most operands written in one expression."""


def stream(program: Program, single: int | None = None) -> Stream:
    """Return the statements of a program, in parts where it has more than `single` steps.

    Compilers take more than linear time on one long function; interpreters do not mind. Matrices
    are written entry by entry, vectors in the order of their recursion: so they run fastest.
    """
    longest = single or len(program.operations) + sum(map(len, program.results))
    vectors = all(len(shape) < 2 for _, shape in program.outputs)
    order = ORDERS[2] if vectors else ORDERS[0]
    return _Writer(program, schedule(program, 1, chunk=PART, single=longest, order=order)).write()


class _Writer:
    def __init__(self, program: Program, chunks: list[Chunk]) -> None:
        self.operations = program.operations
        self.starts = [0, *accumulate(prod(shape) for _, shape in program.inputs)]
        self.angles, self.trigs = self._turns()
        self.zeros = tuple(
            tuple(k for k, value in enumerate(row) if self._is_zero(value)) for row in program.results
        )
        live = self._live(program.results)
        kept = [
            [step for step in chunk.steps if not isinstance(step, Clear) and self._is_kept(step, live)]
            for chunk in chunks
        ]
        self.chunks = [steps for steps in kept if steps] or [[]]
        self.home, self.last = self._parts_of_values()
        self.inlined = self._inlined()
        self.known: dict[int, Expression] = {}
        self.slots: dict[int, Slot] = {}
        self.free: list[Slot] = []
        self.workspace = 0
        self.count = 0

    def write(self) -> Stream:
        """Return every part."""
        parts = tuple(self._part(number, steps) for number, steps in enumerate(self.chunks))
        return Stream(tuple(self.angles), self.zeros, parts, self.workspace)

    def _is_zero(self, value: int) -> bool:
        return self.operations[value] == ("const", (), 0.0)

    def _is_kept(self, step: int | Store, live: set[int]) -> bool:
        return not self._is_zero(step.values[0]) if isinstance(step, Store) else step in live

    def _turns(self) -> tuple[list[Expression], dict[int, Trig]]:
        """Return the angles that are short expressions of inputs, and their sines and cosines."""
        found: dict[int, Expression] = {}
        for name, operands, _ in self.operations:
            if name in ("sin", "cos") and operands[0] not in found:
                angle = self._of_inputs(operands[0])
                if angle is not None:
                    found[operands[0]] = angle
        order = sorted(found, key=lambda value: _first_entry(found[value]))
        number = {value: k for k, value in enumerate(order)}
        trigs = {
            value: Trig(name, number[operands[0]])
            for value, (name, operands, _) in enumerate(self.operations)
            if name in ("sin", "cos") and operands[0] in number
        }
        return [found[value] for value in order], trigs

    def _of_inputs(self, value: int, depth: int = OPERANDS) -> Expression | None:
        """Return a value as a short expression of inputs and constants, or None."""
        name, operands, _ = self.operations[value]
        if name in ("const", "input"):
            return self._leaf(value)
        if name in ("sin", "cos") or depth == 0:
            return None
        inner = [self._of_inputs(operand, depth - 1) for operand in operands]
        parts = tuple(each for each in inner if each is not None)
        made = Apply(name, parts)
        return made if len(parts) == len(inner) and len(list(leaves(made))) <= OPERANDS else None

    def _live(self, results: tuple[tuple[int, ...], ...]) -> set[int]:
        """Return the values that the parts compute: those needed beside the sines and cosines."""
        live: set[int] = set()
        stack = [value for row in results for value in row]
        while stack:
            value = stack.pop()
            if value not in live and value not in self.trigs:
                live.add(value)
                stack.extend(self.operations[value][1])
        return live

    def _reads(self, step: int | Store) -> tuple[int, ...]:
        return step.values if isinstance(step, Store) else self.operations[step][1]

    def _parts_of_values(self) -> tuple[dict[int, int], dict[int, int]]:
        """Return the part that computes each value and the last that reads it."""
        home: dict[int, int] = {}
        last: dict[int, int] = {}
        for number, steps in enumerate(self.chunks):
            for step in steps:
                if not isinstance(step, Store):
                    home[step] = number
                for value in self._reads(step):
                    last[value] = number
        return home, last

    def _inlined(self) -> set[int]:
        """Return the values written inside the one expression that uses them."""
        uses = Counter(value for steps in self.chunks for step in steps for value in self._reads(step))
        inlined: set[int] = set()
        width: dict[int, int] = {}
        for number, steps in enumerate(self.chunks):
            for step in steps:
                total = len(self._reads(step))
                for value in self._reads(step):
                    grown = total - 1 + width.get(value, 1)
                    if uses[value] == 1 and self.home.get(value) == number and grown <= OPERANDS:
                        inlined.add(value)
                        total = grown
                if not isinstance(step, Store):
                    width[step] = total
        return inlined

    def _part(self, number: int, steps: list[int | Store]) -> Part:
        self.known = {}
        statements: list[Statement] = []
        for step in steps:
            if isinstance(step, Store):
                (value,) = step.values
                statements.append(Statement(Entry(step.output, step.first), self._expression(value)))
            elif step not in self.inlined:
                statements.append(Statement(Local(self.count), self._formula(step)))
                self.known[step] = Local(self.count)
                self.count += 1
                if self.last[step] > number:
                    self.slots[step] = self._slot()
                    statements.append(Statement(self.slots[step], self.known[step]))
        for value, slot in list(self.slots.items()):
            if self.last[value] <= number:
                self.free.append(slot)
                del self.slots[value]
        return Part(tuple(statements))

    def _slot(self) -> Slot:
        if not self.free:
            self.workspace += 1
            return Slot(self.workspace - 1)
        return self.free.pop()

    def _expression(self, value: int) -> Expression:
        """Return how a value is written where it is used."""
        if value in self.known:
            return self.known[value]
        if value in self.trigs:
            return self.trigs[value]
        if self.operations[value][0] in ("const", "input"):
            return self._leaf(value)
        return self._formula(value) if value in self.inlined else self.slots[value]

    def _formula(self, value: int) -> Expression:
        name, operands, _ = self.operations[value]
        return Apply(name, tuple(self._expression(operand) for operand in operands))

    def _leaf(self, value: int) -> Number | Entry:
        name, _, number = self.operations[value]
        if name == "const":
            if not isfinite(number):
                raise ClosedFormError(f"a constant of the program is {number}; check the robot's numbers")
            return Number(number)
        array = max(k for k, start in enumerate(self.starts[:-1]) if start <= number)
        return Entry(array, int(number) - self.starts[array])


def _first_entry(expression: Expression) -> tuple[int, int]:
    entries = [leaf for leaf in leaves(expression) if isinstance(leaf, Entry)]
    return min(((entry.array, entry.position) for entry in entries), default=(0, 0))
