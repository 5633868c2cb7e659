"""A function on several blocks of dask arrays, as one task."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Together:
    """A function of blocks that are joined first."""

    function: Callable[..., Any]

    def __call__(self, blocks: Sequence[Any]) -> Any:
        """Return the function of nested lists of blocks, one of them per argument."""
        return self.function(*(_array(each) for each in blocks))


@dataclass(frozen=True)
class ByBlock:
    """A function of blocks, evaluated one by one into the arrays of the result.

    `lengths` are those of the blocks along each batch axis, `results` the core shapes and dtypes.
    """

    function: Callable[..., Any]
    lengths: tuple[tuple[int, ...], ...]
    results: tuple[tuple[tuple[int, ...], Any], ...]

    def __call__(self, blocks: Sequence[Any]) -> Any:
        """Return the function of nested lists of blocks, one of them per argument."""
        if not all(isinstance(_first(each), np.ndarray) for each in blocks):
            return Together(self.function)(blocks)
        batch = tuple(map(sum, self.lengths))
        results = [np.empty((*batch, *core), dtype=dtype) for core, dtype in self.results]
        ends = [list(itertools.accumulate(axis, initial=0)) for axis in self.lengths]
        for index in np.ndindex(*map(len, self.lengths)):
            where = tuple(slice(ends[axis][k], ends[axis][k + 1]) for axis, k in enumerate(index))
            outs = [result[where] for result in results]
            given = [_at(each, index) for each in blocks]
            self.function(*given, out=outs[0] if len(outs) == 1 else tuple(outs))
        return results[0] if len(results) == 1 else tuple(results)


def _array(blocks: Any, axis: int = 0) -> Any:
    """Return nested lists of blocks, one level per axis, as one array of their kind."""
    if not isinstance(blocks, list):
        return blocks
    parts = [_array(each, axis + 1) for each in blocks]
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=axis)


def _first(blocks: Any) -> Any:
    while isinstance(blocks, list):
        blocks = blocks[0]
    return blocks


def _at(blocks: Any, index: tuple[int, ...]) -> Any:
    """Return the block at an index; fewer axes, or single blocks along one, broadcast."""
    depth, inner = 0, blocks
    while isinstance(inner, list):
        depth, inner = depth + 1, inner[0]
    for k in index[len(index) - depth :] if depth else ():
        blocks = blocks[k if len(blocks) > 1 else 0]
    return blocks
