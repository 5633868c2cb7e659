"""Lazy calls on dask arrays, in tasks that are neither short nor larger than a worker's memory.

A scheduler spends up to a millisecond on every task. So small chunks are worked on together, as many as make
a task of 0.1 s by an estimate of the time of a sample; chunks whose arrays would not fit are cut. Chunks in
between stay as they are, and so do those that take less time but hold 128 MiB: to make or to move such arrays
takes 0.1 s, and dask fuses a call with what makes its chunks only if these stay.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.array.core import unify_chunks
from dask.array.utils import meta_from_array
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

from ..errors import ArgumentError
from .dask_blocks import ByBlock, Together
from .dask_chunks import Chunks, cut, grouped
from .dask_parcels import Parcel
from .kinds import guest_of

TASK_SECONDS = 0.1
"""Least time of a task, by the estimate; dask's configuration `closedform.task-seconds` has another."""

TASK_BYTES = 2**30
"""Most bytes of the arrays of a task, in and out; dask's configuration `closedform.task-bytes`."""

LONGEST = 5
"""Most time of a task by the estimate, in least times, for what takes long: others then share it, a bar of
progress moves, and little is lost with a worker."""

FEW = 100
"""Tasks that are not worth joining, if all of them together take less than one should: they may be there for
what follows, which takes longer."""

SENSIBLE_BYTES = 2**27
"""Bytes of the arrays of a chunk, in and out, that is not joined with others."""

MOST_AXES = 64
"""Axes of an array, NumPy's own limit."""


@dataclass(frozen=True)
class Given:
    """An argument: its name, its core shape, and the array."""

    name: str
    core: tuple[int, ...]
    array: Any


@dataclass(frozen=True)
class Part:
    """One array of what a task gives: how it is taken from there, its core shape and dtype."""

    name: str
    take: Callable[[Any], Any]
    core: tuple[int, ...]
    dtype: np.dtype[Any]


@dataclass(frozen=True)
class Work:
    """What tasks do: a function of arrays, its name on dask's dashboard, and what a sample takes.

    `by_block` says that the function gives the arrays themselves and takes `out=`: blocks that make one task
    are then evaluated one by one into the arrays of the result, without being joined. `shared` says that
    chunks that take long are cut, so that several workers share them.
    """

    label: str
    function: Parcel
    parts: tuple[Part, ...]
    seconds: float
    other_bytes: int = 0
    by_block: bool = False
    shared: bool = False
    token: Any = None

    @property
    def core(self) -> tuple[int, ...] | None:
        """The core shape of the only array that the function gives, None if it gives more."""
        return self.parts[0].core if self.by_block and len(self.parts) == 1 else None

    def bytes_per_sample(self, given: Sequence[Given]) -> int:
        """Return the memory of a sample: its arguments, results, and what the function needs besides."""
        arrays = [(each.core, each.array.dtype) for each in given]
        arrays += [(each.core, each.dtype) for each in self.parts]
        return self.other_bytes + sum(math.prod(core) * int(dtype.itemsize) for core, dtype in arrays)


def lazy_call(work: Work, given: Sequence[Given]) -> list[Any]:
    """Return the parts of a function's result, as dask arrays (..., *core) like those given."""
    depth = max(each.array.ndim - len(each.core) for each in given)
    arrays, chunks = _aligned(given, depth)
    size = work.bytes_per_sample(given)
    wanted = _setting("task-seconds", TASK_SECONDS) / work.seconds
    most = max(1, int(_setting("task-bytes", TASK_BYTES) / max(1, size)))
    if work.shared and wanted:
        most = max(1, min(most, int(LONGEST * wanted)))
    fitting = cut(chunks, most)
    if fitting != chunks:
        arrays = [_rechunked(array, each, depth, fitting) for array, each in zip(arrays, given, strict=True)]
    groups = grouped(fitting, _least(fitting, wanted, size), most)
    meta = next((a._meta for a in arrays if not isinstance(a._meta, np.ndarray)), arrays[0]._meta)
    token = tokenize(work.token or work.function, [a.name for a in arrays], groups, len(work.parts))
    name = f"{_words(work.label)}-{token}"
    joined = tuple(tuple(map(sum, each)) for each in groups)
    if all(len(each) == 1 for axis in groups for each in axis):
        whole = _blockwise(work, given, arrays, depth, name, meta)
    else:
        whole = _joining(work, given, arrays, depth, groups, name, meta)
    if work.core is not None:
        return [whole]
    found = []
    after = (0,) * (whole.ndim - depth)
    for part in work.parts:
        leaf = f"{_words(part.name)}-of-{name}"
        zeros = (0,) * len(part.core)
        graph: dict[Any, Any] = {
            (leaf, *index, *zeros): (part.take, (whole.name, *index, *after))
            for index in itertools.product(*(range(len(each)) for each in joined))
        }
        high = HighLevelGraph.from_collections(leaf, graph, dependencies=[whole])
        sizes = (*joined, *((n,) for n in part.core))
        own = meta_from_array(meta, len(sizes), dtype=part.dtype)
        found.append(da.Array(high, leaf, sizes, meta=own))
    return found


def _least(chunks: Chunks, wanted: float, size: int) -> float:
    """Return how many samples a task should have at least; none if chunks are large enough as they are."""
    largest, total = (math.prod(each(axis) for axis in chunks) for each in (_longest, sum))
    if largest * size >= SENSIBLE_BYTES:
        return 0
    return wanted if wanted <= total else min(wanted, total / FEW)


def _longest(lengths: tuple[int, ...]) -> int:
    return max(lengths, default=0)


def _words(label: str) -> str:
    """Return a label as dask's dashboard keeps it, also of tasks that it fuses: InverseDynamics-panda.

    The dashboard drops what follows a word with other characters than letters, or with eight that begins
    with a to f, such as dynamics.
    """
    first, *more = label.split(" ")
    name = "".join(word.capitalize() for word in re.findall("[A-Za-z]+", first))
    return "-".join([name or "Call", *re.findall("[0-9A-Za-z_]+", " ".join(more))])


def _setting(name: str, default: float) -> float:
    given = dask.config.get(f"closedform.{name}", default)
    return float(dask.utils.parse_bytes(given) if name == "task-bytes" else given)


def lazy_argument(label: str, given: Given) -> Any:
    """Return an argument as a dask array of known chunks; NumPy's, numbers and lists become one chunk."""
    array = given.array
    if isinstance(array, da.Array):
        if any(map(np.isnan, array.shape)):
            raise ArgumentError(
                f"{label}: chunks of {given.name} have unknown sizes; say {given.name}.compute_chunk_sizes() "
                "first"
            )
        return array
    if type(array).__module__.partition(".")[0] == "dask":
        raise ArgumentError(
            f"{label}: {given.name} is a dask {type(array).__name__}; expected a dask array: "
            "say .to_dask_array(lengths=True)"
        )
    if guest_of(array) is not None:
        raise ArgumentError(
            f"{label}: {given.name} is a {type(array).__module__}.{type(array).__name__} beside dask arrays; "
            "expected arrays of one kind: dask's, NumPy's, numbers and lists"
        )
    array = np.asarray(array)
    return da.from_array(array, chunks=array.shape)


def _aligned(given: Sequence[Given], depth: int) -> tuple[list[Any], Chunks]:
    """Return the arrays in common chunks along batch axes and one chunk along others, and those chunks."""
    pairs: list[Any] = []
    for k, each in enumerate(given):
        array, own = each.array, each.array.ndim - len(each.core)
        pairs += [
            array.rechunk(dict.fromkeys(range(own, array.ndim), -1)) if each.core else array,
            _indices(each, k, depth),
        ]
    chunks, arrays = unify_chunks(*pairs, warn=False)
    return list(arrays), tuple(tuple(map(int, chunks[axis])) for axis in range(depth))


def _indices(given: Given, number: int, depth: int) -> tuple[int, ...]:
    """Return a number for every axis of an argument: batch axes are common to all, others its own."""
    own, first = given.array.ndim - len(given.core), depth + MOST_AXES * number
    return (*range(depth - own, depth), *range(first, first + len(given.core)))


def _rechunked(array: Any, given: Given, depth: int, chunks: Chunks) -> Any:
    own = array.ndim - len(given.core)
    sizes = chunks[depth - own :]
    return array.rechunk({axis: size for axis, size in enumerate(sizes) if array.shape[axis] > 1})


def _meta(work: Work, dummies: int, depth: int, meta: Any) -> Any:
    """Return an empty array like the result, or like the whole of several."""
    if work.core is None:
        return np.empty((0,) * (depth + dummies), dtype=object)
    return meta_from_array(meta, depth + len(work.core), dtype=work.parts[0].dtype)


def _blockwise(
    work: Work, given: Sequence[Given], arrays: Sequence[Any], depth: int, name: str, meta: Any
) -> Any:
    """Return the call as one task per block, which dask can fuse with what is before and after.

    It fuses no sum over axes with what is before. So core axes of the inputs are those of the result, if that
    has as many: all have a single chunk.
    """
    most = max(len(each.core) for each in given)
    core = (1,) * most if work.core is None else work.core
    sizes = {depth + axis: size for axis, size in enumerate(core)}
    pairs: list[Any] = []
    shared: set[int] = set()
    for k, (each, array) in enumerate(zip(given, arrays, strict=True)):
        indices = _indices(each, k + 1, depth)
        if most <= len(core):
            own = array.ndim - len(each.core)
            indices = (*indices[:own], *range(depth, depth + len(each.core)))
            shared |= set(indices[own:])
        pairs += [array, indices]
    before = arrays[0].dask.layers.get(arrays[0].name)
    return da.blockwise(
        work.function,
        (*range(depth), *sizes),
        *pairs,
        name=name,
        new_axes={index: size for index, size in sizes.items() if index not in shared},
        adjust_chunks={index: size for index, size in sizes.items() if index in shared},
        concatenate=getattr(before, "concatenate", True) if most <= len(core) else True,
        align_arrays=False,
        meta=_meta(work, most, depth, meta),
    )


def _joining(
    work: Work,
    given: Sequence[Given],
    arrays: Sequence[Any],
    depth: int,
    groups: tuple[Chunks, ...],
    name: str,
    meta: Any,
) -> Any:
    """Return the call as one task per group of blocks."""
    starts = [list(itertools.accumulate((len(each) for each in axis), initial=0)) for axis in groups]
    dummies = max(len(each.core) for each in given)
    core = (1,) * dummies if work.core is None else work.core
    results = tuple((part.core, part.dtype) for part in work.parts)
    graph: dict[Any, Any] = {}
    for index in itertools.product(*(range(len(axis)) for axis in groups)):
        blocks = []
        for each, array in zip(given, arrays, strict=True):
            own = array.ndim - len(each.core)
            ranges = [
                range(starts[axis][k], starts[axis][k + 1])
                if array.numblocks[axis - depth + own] > 1
                else (0,)
                for axis, k in enumerate(index)
                if axis >= depth - own
            ]
            blocks.append(_nested(array.name, ranges, (0,) * len(each.core)))
        lengths = tuple(groups[axis][k] for axis, k in enumerate(index))
        key = (name, *index, *((0,) * len(core)))
        evaluate = ByBlock(work.function, lengths, results) if work.by_block else Together(work.function)
        graph[key] = (evaluate, blocks)
    sizes = (*(tuple(map(sum, axis)) for axis in groups), *((n,) for n in core))
    high = HighLevelGraph.from_collections(name, graph, dependencies=arrays)
    return da.Array(high, name, sizes, meta=_meta(work, dummies, depth, meta))


def _nested(name: str, ranges: Sequence[Sequence[int]], after: tuple[int, ...], before: Any = ()) -> Any:
    """Return the keys of blocks as nested lists, one level per axis."""
    if not ranges:
        return (name, *before, *after)
    return [_nested(name, ranges[1:], after, (*before, k)) for k in ranges[0]]
