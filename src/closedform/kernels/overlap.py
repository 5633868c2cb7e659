"""Arrays that share memory: inputs that a result would overwrite are copied, and outputs have memory each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError

WORK = 10_000
"""Steps spent on the question whether two interleaved arrays share an entry; beyond, they are taken to."""


def share(one: ArrayLike, other: ArrayLike) -> bool:
    """Whether two arrays have an entry in common, or may have where that is hard to tell."""
    if not np.may_share_memory(one, other):
        return False
    try:
        return bool(np.shares_memory(one, other, max_work=WORK))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def repeats(array: np.ndarray[Any, Any]) -> bool:
    """Whether entries of an array may share memory, as those of a broadcast view or a sliding window do.

    Sorted by stride, each axis of an array cut from one without repetition steps over all that the
    axes before it reach.
    """
    reach = array.itemsize
    for stride, size in sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True)):
        if size > 1 and stride < reach and array.size:
            return True
        reach += stride * (size - 1)
    return False


def check_outputs(name: str, outs: Sequence[Any]) -> None:
    """Raise ArgumentError unless every entry of the outputs has memory of its own."""
    arrays = [out for out in outs if isinstance(out, np.ndarray)]
    for out in arrays:
        if not out.flags.c_contiguous and repeats(out):
            raise ArgumentError(
                f"{name}: entries of out share memory (shape {out.shape}, strides {out.strides}); "
                "give an array whose entries have memory each"
            )
    for one, other in combinations(arrays, 2):
        if share(one, other):
            raise ArgumentError(f"{name}: outputs overlap each other; give each memory of its own")


def kept(args: Sequence[ArrayLike], outs: Sequence[Any]) -> list[ArrayLike]:
    """Return the inputs, those that share memory with an output as copies."""
    arrays = [out for out in outs if isinstance(out, np.ndarray)]
    return [np.array(given) if any(share(given, out) for out in arrays) else given for given in args]
