"""Orders in which a program can run, cut into chunks that compilers can handle."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import groupby

from .program import Program


@dataclass(frozen=True)
class Store:
    """Neighbouring entries of one output, written together: those from `first` on take the values."""

    output: int
    first: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Clear:
    """Neighbouring entries of one output that are always zero."""

    output: int
    first: int
    count: int


Step = int | Store | Clear
"""A value to compute, or entries to write."""

Chunk = list[Step]
"""Consecutive steps that become one function."""


class Order(Enum):
    """Orders of the operations: the results are the same, but not the speed.

    An operation waits for its operands. Which operand is computed first decides what a processor can
    do meanwhile.
    """

    FIRST_OPERAND = "depth first from the outputs, first operands first"
    LAST_OPERAND = "depth first from the outputs, last operands first"
    AS_WRITTEN = "as the recursion computes them"


def schedule(
    program: Program,
    width: int,
    *,
    chunk: int,
    single: int,
    order: Order = Order.FIRST_OPERAND,
    zeros: int = 0,
) -> list[Chunk]:
    """Return the steps of a program in chunks; outputs are stored in groups of `width` entries.

    Programs of up to `single` instructions stay in one chunk; longer ones are cut every `chunk`
    instructions, since compilers take more than linear time on one long function. A store of
    several entries counts as the instructions that transpose them. Runs of at least `zeros` groups
    that are always zero are cleared instead of stored (none if `zeros` is 0).
    """
    stores = _stores(program, width)
    clears: list[Clear] = []
    if zeros:
        stores, clears = _cleared(program, stores, zeros)
    if order is Order.AS_WRITTEN:
        steps = _as_written(program, stores)
    else:
        steps = _depth_first(program, stores, order)
    steps = [*clears, *steps]
    weights = [4 * width if isinstance(step, Store) and width > 1 else 1 for step in steps]
    if sum(weights) <= single:
        return [steps]
    chunks: list[Chunk] = []
    current: Chunk = []
    size = 0
    for step, weight in zip(steps, weights, strict=True):
        if current and size + weight > chunk:
            chunks.append(current)
            current, size = [], 0
        current.append(step)
        size += weight
    return [*chunks, current]


def _depth_first(program: Program, stores: list[Store], order: Order) -> list[Step]:
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
                if order is Order.FIRST_OPERAND:  # what is put on the stack last is computed first
                    operands = operands[::-1]
                stack.extend((x, False) for x in operands)
        steps.append(store)
    return steps


def _as_written(program: Program, stores: list[Store]) -> list[Step]:
    """Return the operations in the program's own order, each store as soon as its values are known."""
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
    """Return the stores that remain when long runs of zeros are cleared, and those runs."""
    kept: list[Store] = []
    clears: list[Clear] = []
    for (output, zero), group in groupby(
        stores, key=lambda each: (each.output, all(map(program.is_zero, each.values)))
    ):
        run = list(group)
        if zero and len(run) >= least:
            clears.append(Clear(output, run[0].first, sum(len(each.values) for each in run)))
        else:
            kept += run
    return kept, clears
