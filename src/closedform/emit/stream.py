"""A program as the one stream of statements that every language prints.

Sines and cosines of the inputs come first, so that a language may compute them together. Values
used once are written inside the expression that uses them, up to a few operands, so that lines
read like formulas; all others get a variable that is assigned once. Every operation keeps its
operands, so all languages round alike. Long programs become several parts that hand values over
in a workspace.
"""

from __future__ import annotations

from collections import Counter
from math import isfinite

from ..errors import ClosedFormError
from ..programs import Chunk, Clear, Order, Program, Step, Store, Workspace, needed, schedule, values_read
from .statements import Apply, Entry, Expression, Local, Number, Part, Slot, Statement, Stream, Trig, leaves

PART = 500
"""Steps per part of a long program."""

OPERANDS = 6
"""Most operands written in one expression."""


def stream(program: Program, single: int | None = None) -> Stream:
    """Return the statements of a program, in several parts if it has more than `single` steps.

    Compilers take more than linear time on one long function; interpreters do not. Matrices are
    written entry by entry, vectors in the order of their recursion, since that runs fastest.
    """
    longest = single or len(program.operations) + sum(map(len, program.results))
    vectors = all(len(shape) < 2 for _, shape in program.outputs)
    order = Order.AS_WRITTEN if vectors else Order.FIRST_OPERAND
    return _Writer(program, schedule(program, 1, chunk=PART, single=longest, order=order)).write()


class _Writer:
    def __init__(self, program: Program, chunks: list[Chunk]) -> None:
        self.program, self.operations = program, program.operations
        self.angles, self.trigs = self._angles()
        self.zeros = tuple(
            tuple(k for k, value in enumerate(row) if program.is_zero(value)) for row in program.results
        )
        live = needed(program.operations, program.results, self.trigs)
        kept = [[step for step in chunk if self._is_kept(step, live)] for chunk in chunks]
        self.chunks = [steps for steps in kept if steps] or [[]]
        self.workspace = Workspace(program, self.chunks)
        self.inlined = self._inlined()
        self.known: dict[int, Expression] = {}
        self.count = 0

    def write(self) -> Stream:
        """Return every part."""
        parts = tuple(self._part(number, steps) for number, steps in enumerate(self.chunks))
        return Stream(tuple(self.angles), self.zeros, parts, self.workspace.size)

    def _is_kept(self, step: Step, live: set[int]) -> bool:
        """Whether a step is written: zeros are listed apart, and sines and cosines come first."""
        if isinstance(step, Store):
            return not self.program.is_zero(step.values[0])
        return not isinstance(step, Clear) and step in live

    def _angles(self) -> tuple[list[Expression], dict[int, Trig]]:
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

    def _inlined(self) -> set[int]:
        """Return the values written inside the one expression that uses them."""
        reads = [[(step, values_read(self.program, step)) for step in chunk] for chunk in self.chunks]
        uses = Counter(value for steps in reads for _, values in steps for value in values)
        inlined: set[int] = set()
        for steps in reads:
            width: dict[Step, int] = {}  # operands of each expression of this part
            for step, values in steps:
                width[step] = len(values)
                for value in values:
                    grown = width[step] - 1 + width.get(value, OPERANDS)
                    if uses[value] == 1 and value in width and grown <= OPERANDS:
                        inlined.add(value)
                        width[step] = grown
        return inlined

    def _part(self, number: int, steps: Chunk) -> Part:
        self.known = {}
        statements: list[Statement] = []
        for step in steps:
            if isinstance(step, Store):
                (value,) = step.values
                statements.append(Statement(Entry(step.output, step.first), self._expression(value)))
            elif isinstance(step, int) and step not in self.inlined:
                self.known[step] = variable = Local(self.count)
                statements.append(Statement(variable, self._formula(step)))
                self.count += 1
                place = self.workspace.keep(step, number)
                if place is not None:
                    statements.append(Statement(Slot(place), variable))
        self.workspace.end(number)
        return Part(tuple(statements))

    def _expression(self, value: int) -> Expression:
        """Return how a value is written in the expression that uses it."""
        if value in self.known:
            return self.known[value]
        if value in self.trigs:
            return self.trigs[value]
        if self.operations[value][0] in ("const", "input"):
            return self._leaf(value)
        return self._formula(value) if value in self.inlined else Slot(self.workspace.places[value])

    def _formula(self, value: int) -> Expression:
        name, operands, _ = self.operations[value]
        return Apply(name, tuple(self._expression(operand) for operand in operands))

    def _leaf(self, value: int) -> Number | Entry:
        name, _, number = self.operations[value]
        if name == "const":
            if not isfinite(number):
                raise ClosedFormError(f"a constant of the program is {number}; check the robot's numbers")
            return Number(number)
        return Entry(*self.program.entry(int(number)))


def _first_entry(expression: Expression) -> tuple[int, int]:
    entries = [leaf for leaf in leaves(expression) if isinstance(leaf, Entry)]
    return min(((entry.array, entry.position) for entry in entries), default=(0, 0))
