"""A batch split over threads that stay: new ones for every call would cost more than a small batch takes."""

from __future__ import annotations

import contextvars
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import whole_number
from . import overlap
from .signature import Signature

PARTS, PART = 8, 4096
"""Parts of a batch per thread at most, and samples per part at least."""

MOST = 4 * (os.cpu_count() or 1)
"""Threads that are started at most."""


def threaded(
    signature: Signature,
    evaluate: Callable[..., Any],
    args: Sequence[ArrayLike],
    out: Any,
    threads: int,
) -> Any:
    """Evaluate parts of the first batch axis on several threads, each writing its part of the outputs."""
    threads = min(whole_number(f"{signature.name}: threads", threads, 1), MOST)
    arrays = [np.asarray(argument) for argument in args]
    batch = signature.batch(arrays)
    whole = [batch + shape for shape in signature.output_shapes]
    outs = out if isinstance(out, tuple) else (out,) * (out is not None)
    fits = all(getattr(each, "shape", None) == shape for each, shape in zip(outs, whole, strict=False))
    if not batch or batch[0] < 2 or not fits:
        return evaluate(*arrays, out=out)
    views = [
        np.broadcast_to(np.asarray(array), batch + shape)
        for array, shape in zip(overlap.kept(arrays, outs), signature.input_shapes, strict=True)
    ]
    outs = outs or tuple(np.empty(shape, signature.dtype) for shape in whole)
    parts = max(threads, min(PARTS * threads, batch[0] // PART))  # small parts even out busy cores
    edges = np.linspace(0, batch[0], min(parts, batch[0]) + 1).astype(int)

    def run(k: int) -> None:
        part = slice(edges[k], edges[k + 1])
        evaluate(*(view[part] for view in views), out=tuple(each[part] for each in outs))

    run_parts(run, len(edges) - 1, threads)
    return outs[0] if len(outs) == 1 else outs


@cache
def _pool() -> ThreadPoolExecutor:
    """Return the threads of this process."""
    return ThreadPoolExecutor(MOST, thread_name_prefix="closedform")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of its parent's threads


def run_parts(work: Callable[[int], None], parts: int, threads: int) -> None:
    """Run work(0) ... work(parts - 1) on `threads` threads, of which the calling one is the first.

    Each takes the next part when it is done with one, so that a busy core holds nothing up.
    """
    numbers = count()

    def take() -> None:
        while (part := next(numbers)) < parts:  # `next` of a counter is atomic
            work(part)

    pool = _pool()
    jobs = [pool.submit(contextvars.copy_context().run, take) for _ in range(min(threads, parts) - 1)]
    try:
        take()
    finally:
        for job in jobs:
            job.result()
