"""The order of a part of a program on a GPU, one thread per sample, and where its outputs wait.

The samples of a warp are neighbours in memory, but the entries of one sample are too: if each thread
wrote its own, memory would see 32 lines with four bytes each. So threads put results into shared memory, in a
row of slots for each thread, and at the end the warp writes the rows of all its samples together.

Values wait in registers, of which a thread has 255. The order of the operations decides how many wait at
once. What the last joints need is forgotten before the first ones begin if outputs are asked for from the
last one back; and an operation that ends as many values as it begins is best done at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from ..programs import Program
from .parts import Place


@dataclass(frozen=True)
class Staging:
    """The operations of a part in order, the slot of each value that leaves, and the values of places."""

    operations: tuple[int, ...]
    slots: dict[int, int]
    places: tuple[Place, ...]


def staging(program: Program, places: Sequence[Place], registers: int) -> Staging:
    """Return the order in which the fewest values wait beyond those that registers hold."""

    def waiting(order: Sequence[int]) -> int:
        return _waiting(program, order, registers)

    best: list[int] = []
    fewest = -1
    for order in _attempts(program, places):
        count = waiting(order)
        if fewest < 0 or count < fewest:
            best, fewest = order, count
        if not fewest:
            break
    if fewest:
        best = min(best, _at_once(program, best), key=waiting)
    written = dict.fromkeys(program.results[output][entry] for output, entry in places)
    return Staging(tuple(best), {value: slot for slot, value in enumerate(written)}, tuple(sorted(places)))


def _attempts(program: Program, places: Sequence[Place]) -> Iterator[list[int]]:
    """Yield orders of operations: for each of the outputs, operands as they are or the highest first."""
    for heights in ([0] * len(program.operations), _heights(program)):
        for order in _orders(program, places):
            yield _operations(program, order, heights)


def _orders(program: Program, places: Sequence[Place]) -> Iterator[list[Place]]:
    """Yield orders of the outputs: as they are, from the last joint back, and matrices from the last row."""
    yield list(places)
    last = [shape[-1] if shape else 1 for _, shape in program.outputs]
    yield sorted(places, key=lambda place: (-(place[1] % last[place[0]]), place))
    if len(last) > 1:
        yield sorted(places, key=lambda place: (-(place[1] % last[place[0]]), -place[0], place[1]))
    if any(len(shape) > 1 for _, shape in program.outputs):
        yield sorted(places, key=lambda place: (-(place[1] // last[place[0]]), place))


def _heights(program: Program) -> list[int]:
    """Return for each value how many operations are below it, one on the other."""
    found: list[int] = []
    for name, operands, _ in program.operations:
        below = name not in ("const", "input")
        found.append(1 + max((found[each] for each in operands), default=0) if below else 0)
    return found


def _operations(program: Program, places: Sequence[Place], heights: Sequence[int]) -> list[int]:
    """Return the operations that some entries need, operands first, and of these the highest one first."""
    operations, done, order = program.operations, set[int](), []
    for output, entry in places:
        stack = [(program.results[output][entry], False)]
        while stack:
            value, ready = stack.pop()
            if value in done:
                continue
            name, operands, _ = operations[value]
            if name in ("const", "input"):
                done.add(value)
            elif ready:
                done.add(value)
                order.append(value)
            else:
                stack.append((value, True))
                stack.extend((each, False) for each in sorted(operands, key=heights.__getitem__))
    return order


def _at_once(program: Program, order: Sequence[int]) -> list[int]:
    """Return the order in which every operation that ends as many values as it begins is done at once."""
    position = {value: k for k, value in enumerate(order)}
    operands = {v: {each for each in program.operations[v][1] if each in position} for v in order}
    users: dict[int, set[int]] = {value: set() for value in order}
    for value in order:
        for each in operands[value]:
            users[each].add(value)
    lacking = {value: len(operands[value]) for value in order}
    soon: list[tuple[int, int]] = []
    done: dict[int, None] = {}

    def offer(value: int) -> None:
        """Do a value soon if that ends as many values as it begins."""
        gain = sum(len(users[each]) == 1 for each in operands[value]) - bool(users[value])
        if not lacking[value] and gain >= 0:
            heappush(soon, (-gain, position[value]))

    def do(value: int) -> None:
        done[value] = None
        for each in operands[value]:
            users[each].discard(value)
            if len(users[each]) == 1:
                offer(*users[each])
        for each in users[value]:
            lacking[each] -= 1
            offer(each)

    for value in order:
        while soon:
            _, at = heappop(soon)
            if order[at] not in done:
                do(order[at])
        if value not in done:
            do(value)
    return list(done)


def _waiting(program: Program, order: Sequence[int], registers: int) -> int:
    """Return how many values wait beyond the registers, summed over the operations."""
    last = {value: k for k, value in enumerate(order)}
    for k, value in enumerate(order):
        for operand in program.operations[value][1]:
            if operand in last:
                last[operand] = k
    ends = [0] * len(order)
    for k in last.values():
        ends[k] += 1
    live, total = 0, 0
    for ended in ends:
        live += 1
        total += max(0, live - registers)
        live -= ended
    return total
