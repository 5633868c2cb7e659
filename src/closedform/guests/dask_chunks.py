"""Which chunks of dask arrays make one task: small ones are joined, huge ones are cut, others stay."""

from __future__ import annotations

import itertools
import math

Chunks = tuple[tuple[int, ...], ...]
"""Lengths of the chunks along every batch axis."""


def cut(chunks: Chunks, most: int) -> Chunks:
    """Return chunks of at most so many samples each, cut along the first axes."""
    found = list(chunks)
    for axis, own in enumerate(chunks):
        largest = math.prod(max(each, default=0) for each in found)
        if largest <= most:
            break
        length = max(1, max(own) * most // largest)
        found[axis] = tuple(
            itertools.chain.from_iterable(_even(each, -(-each // length)) if each else (0,) for each in own)
        )
    return tuple(found)


def _even(total: int, count: int) -> list[int]:
    """Return a length in so many parts that differ by one at most."""
    return [total // count + (k < total % count) for k in range(count)]


def grouped(chunks: Chunks, wanted: float, most: int) -> tuple[Chunks, ...]:
    """Return chunks in groups of neighbours along each axis: `wanted` samples or more, if `most` allow it.

    Axes are joined from the last on, so that what is joined lies together in memory. What is left over at the
    end of an axis goes to the group before.

    >>> from closedform.guests.dask_chunks import grouped
    >>> grouped(((10, 10, 10, 10, 10),), 20, 1000)
    (((10, 10), (10, 10, 10)),)
    """
    groups: list[Chunks] = [tuple((each,) for each in axis) for axis in chunks]
    for axis, own in reversed(list(enumerate(chunks))):
        others = [max((sum(each) for each in each_axis), default=0) for each_axis in groups]
        others[axis] = 1
        rows = math.prod(others)
        if rows:
            groups[axis] = _joined(own, wanted / rows, most / rows)
    return tuple(groups)


def _joined(lengths: tuple[int, ...], least: float, most: float) -> Chunks:
    """Return neighbours in groups that are `least` long or more, and no longer than `most` if possible."""
    found: list[tuple[int, ...]] = []
    for each in lengths:
        if found and sum(found[-1]) < least and sum(found[-1]) + each <= most:
            found[-1] = (*found[-1], each)
        else:
            found.append((each,))
    if len(found) > 1 and sum(found[-1]) < least and sum(map(sum, found[-2:])) <= most:
        found[-2:] = [(*found[-2], *found[-1])]
    return tuple(found)
