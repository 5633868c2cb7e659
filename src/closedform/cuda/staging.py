"""The order of a part of a program on a GPU, one thread per sample, and where its outputs wait.

The samples of a warp are neighbours in memory, but the entries of one sample are too: if each thread
wrote its own, memory would see 32 lines with four bytes each. So threads put results into shared memory, in a
row of slots for each thread, and at the end the warp writes the rows of all its samples together.

Values wait in registers, of which a thread has 255. The order in which outputs are asked for decides how
many wait at once: for matrices, column by column from the last one back needs the fewest, since what the last
joints need is forgotten before the first ones begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
    orders = [_operations(program, order) for order in _orders(program, places)]
    best = min(orders, key=lambda order: _waiting(program, order, registers))
    written = dict.fromkeys(program.results[output][entry] for output, entry in places)
    return Staging(tuple(best), {value: slot for slot, value in enumerate(written)}, tuple(sorted(places)))


def _orders(program: Program, places: Sequence[Place]) -> Iterator[list[Place]]:
    """Yield orders of the outputs: as they are, and for matrices columns and rows from the last one back."""
    yield list(places)
    shapes = [shape for _, shape in program.outputs]
    if all(len(shape) > 1 for shape in shapes) and len({shape[-1] for shape in shapes}) == 1:
        columns = shapes[0][-1]
        yield sorted(places, key=lambda place: (-(place[1] % columns), place))
        yield sorted(places, key=lambda place: (-(place[1] // columns), place))


def _operations(program: Program, places: Sequence[Place]) -> list[int]:
    """Return the operations that some entries need, operands first."""
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
                stack.extend((operand, False) for operand in reversed(operands))
    return order


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
