"""The states of a law that is sampled: where a sample finds them and leaves the next ones."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Array
from ..control import Law


class Memory:
    """What a sampled law remembers over a run: each of its states at all times, (steps + 1, runs, size)."""

    def __init__(self, law: Law, steps: int, substeps: int) -> None:
        self.law, self.steps, self.substeps = law, steps, substeps
        self.paths: list[Array] = []

    def begin(self, batch: tuple[int, ...]) -> None:
        """Make room for a run of each entry of a batch, all from the states that the law has."""
        self.batch = batch
        for start in self.law.states.values():
            path = np.full((self.steps + 1, math.prod(batch), start.size), np.nan)
            path[0] = start
            self.paths.append(path)

    def at(self, k: int) -> list[Array]:
        """Return the states at step k, (..., size) each."""
        return [path[k].reshape(*self.batch, path.shape[-1]) for path in self.paths]

    def keep(self, k: int, following: list[Array]) -> None:
        """Hold the states of step k until the next sample, and note those that it will find."""
        last = min(k + self.substeps, self.steps)
        for path, values in zip(self.paths, following, strict=True):
            path[k + 1 : last] = path[k]
            path[last] = np.broadcast_to(values, (*self.batch, path.shape[-1])).reshape(path.shape[1:])

    def recorded(self) -> dict[str, Array]:
        """Return the states over time, (..., steps + 1, size), by name."""
        found = {}
        for name, path in zip(self.law.states, self.paths, strict=True):
            found[name] = np.moveaxis(path.reshape(len(path), *self.batch, path.shape[-1]), 0, -2)
        return found
