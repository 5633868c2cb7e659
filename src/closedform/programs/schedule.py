"""Orders of a program's operations that keep values close to their use, cut into chunks."""

from __future__ import annotations

from dataclasses import dataclass

from .program import Program


@dataclass(frozen=True)
class Store:
    """`lanes` neighbouring entries of one output, written together: (output, first entry, values)."""

    output: int
    first: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Chunk:
    """A stretch of the schedule: values to compute and stores to make, in order."""

    steps: tuple[int | Store, ...]


def schedule(program: Program, width: int, *, chunk: int, single: int) -> list[Chunk]:
    """Return the operations depth first from the outputs, which are stored in groups of `width`.

    Programs of up to `single` steps stay in one chunk; longer ones are cut every `chunk`
    steps, since compilers take more than linear time on one long function.
    """
    steps = _depth_first(program, width)
    if len(steps) <= single:
        return [Chunk(tuple(steps))]
    return [Chunk(tuple(steps[k : k + chunk])) for k in range(0, len(steps), chunk)]


def _depth_first(program: Program, width: int) -> list[int | Store]:
    operations = program.operations
    done = [name in ("const", "input") for name, _, _ in operations]
    steps: list[int | Store] = []
    for store in reversed(_stores(program, width)):
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
                stack.extend((operand, False) for operand in reversed(operations[value][1]))
        steps.append(store)
    return steps


def _stores(program: Program, width: int) -> list[Store]:
    return [
        Store(output, first, row[first : first + width])
        for output, row in enumerate(program.results)
        for first in range(0, len(row), width)
    ]
