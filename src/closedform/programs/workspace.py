"""Places for the values that one chunk of a program hands over to later ones."""

from __future__ import annotations

from collections.abc import Sequence

from .program import Program
from .schedule import Chunk, Clear, Step, Store


def values_read(program: Program, step: Step) -> tuple[int, ...]:
    """Return the values that a step reads."""
    if isinstance(step, Clear):
        return ()
    return step.values if isinstance(step, Store) else program.operations[step][1]


class Workspace:
    """Places by value; a place is free again after the last chunk that reads its value."""

    def __init__(self, program: Program, chunks: Sequence[Chunk]) -> None:
        self.last_read = {
            value: number
            for number, chunk in enumerate(chunks)
            for step in chunk
            for value in values_read(program, step)
        }
        self.places: dict[int, int] = {}
        self.size = 0
        self._free: list[int] = []

    def keep(self, value: int, chunk: int) -> int | None:
        """Return a new place for a value if a chunk after this one reads it and it has none yet."""
        if value in self.places or self.last_read.get(value, -1) <= chunk:
            return None
        if self._free:
            place = self._free.pop()
        else:
            place, self.size = self.size, self.size + 1
        self.places[value] = place
        return place

    def end(self, chunk: int) -> None:
        """Free the places of values that no chunk after this one reads."""
        for value in [value for value in self.places if self.last_read[value] <= chunk]:
            self._free.append(self.places.pop(value))
