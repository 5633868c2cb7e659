"""Arrays that share memory: inputs that a result would overwrite are copied; outputs may not overlap."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError

WORK = 10_000
"""Steps NumPy may take to find out whether two arrays share an entry; after that, they are taken to."""


def share(one: ArrayLike, other: ArrayLike) -> bool:
    """Whether two arrays have an entry in common, or may have if that is hard to find out."""
    if not np.may_share_memory(one, other):
        return False
    try:
        return bool(np.shares_memory(one, other, max_work=WORK))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def repeats(array: np.ndarray[Any, Any]) -> bool:
    """Whether entries of an array may share memory, as those of a broadcast view or a sliding window do.

    If they do not, and the axes are sorted by stride, each axis steps over all entries of the axes
    before it.
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
                "give an array whose entries have memory of their own"
            )
    for one, other in combinations(arrays, 2):
        if share(one, other):
            raise ArgumentError(f"{name}: outputs overlap each other; give each memory of its own")


def kept(args: Sequence[ArrayLike], outs: Sequence[Any]) -> list[ArrayLike]:
    """Return the inputs, with copies of those that share memory with an output."""
    arrays = [out for out in outs if isinstance(out, np.ndarray)]
    return [np.array(given) if any(share(given, out) for out in arrays) else given for given in args]
