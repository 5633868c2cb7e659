"""Orders of a program's operations that keep values close to their use, cut into chunks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from .program import Program


@dataclass(frozen=True)
class Store:
    """`lanes` neighbouring entries of one output, written together: (output, first entry, values)."""

    output: int
    first: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Clear:
    """Neighbouring entries of one output that are always zero: (output, first entry, count)."""

    output: int
    first: int
    count: int


Step = int | Store | Clear


@dataclass(frozen=True)
class Chunk:
    """A stretch of the schedule: values to compute and entries to write, in order."""

    steps: tuple[Step, ...]


ORDERS = ("last operand first", "first operand first", "as written")
"""Two depth-first orders from the outputs (which operand of an operation comes first changes what
overlaps), and the order of the recursion itself."""


def schedule(
    program: Program, width: int, *, chunk: int, single: int, order: str = ORDERS[0], zeros: int = 0
) -> list[Chunk]:
    """Return the operations depth first from the outputs, which are stored in groups of `width`.

    Programs of up to `single` instructions stay in one chunk; longer ones are cut every `chunk`
    instructions, since compilers take more than linear time on one long function. A store of
    `width` entries counts as its transposition. Runs of at least `zeros` groups that are always
    zero are cleared instead of stored (never, where it is 0).
    """
    stores = _stores(program, width)
    clears: list[Clear] = []
    if zeros:
        stores, clears = _cleared(program, stores, zeros)
    if order == "as written":
        steps = _as_written(program, stores)
    else:
        steps = _depth_first(program, stores, backward=order == ORDERS[0])
    steps = [*clears, *steps]
    weights = [4 * width if isinstance(step, Store) and width > 1 else 1 for step in steps]
    if sum(weights) <= single:
        return [Chunk(tuple(steps))]
    chunks: list[Chunk] = []
    current: list[Step] = []
    size = 0
    for step, weight in zip(steps, weights, strict=True):
        if current and size + weight > chunk:
            chunks.append(Chunk(tuple(current)))
            current, size = [], 0
        current.append(step)
        size += weight
    return [*chunks, Chunk(tuple(current))]


def _depth_first(program: Program, stores: list[Store], backward: bool) -> list[Step]:
    operations = program.operations
    done = [name in ("const", "input") for name, _, _ in operations]
    steps: list[Step] = []
    for store in reversed(stores):
        for root in store.values:
            stack = [(root, False)]
            while stack:
                value, ready = stack.pop()
                if done[value]:
                    continue
                if ready:
                    done[value] = True
                    steps.append(value)
                    continue
                stack.append((value, True))
                operands = operations[value][1]
                stack.extend((x, False) for x in (reversed(operands) if backward else operands))
        steps.append(store)
    return steps


def _as_written(program: Program, stores: list[Store]) -> list[Step]:
    """Return the operations as the program has them, each store as soon as its values are there."""
    done = {value for value, (name, _, _) in enumerate(program.operations) if name in ("const", "input")}
    missing = [set(store.values) - done for store in stores]
    waiting: dict[int, list[int]] = {}
    for k, values in enumerate(missing):
        for value in values:
            waiting.setdefault(value, []).append(k)
    steps: list[Step] = [store for store, values in zip(stores, missing, strict=True) if not values]
    for value in range(len(program.operations)):
        if value in done:
            continue
        steps.append(value)
        for k in waiting.get(value, ()):
            missing[k].discard(value)
            if not missing[k]:
                steps.append(stores[k])
    return steps


def _stores(program: Program, width: int) -> list[Store]:
    return [
        Store(output, first, row[first : first + width])
        for output, row in enumerate(program.results)
        for first in range(0, len(row), width)
    ]


def _cleared(program: Program, stores: list[Store], least: int) -> tuple[list[Store], list[Clear]]:
    """Return the stores that are left when long runs of zeros are cleared, and the runs."""
    zero = {value for value, operation in enumerate(program.operations) if operation == ("const", (), 0.0)}
    kept: list[Store] = []
    clears: list[Clear] = []
    for (output, always), group in groupby(
        stores, key=lambda each: (each.output, zero.issuperset(each.values))
    ):
        run = list(group)
        if always and len(run) >= least:
            clears.append(Clear(output, run[0].first, sum(len(each.values) for each in run)))
        else:
            kept += run
    return kept, clears
