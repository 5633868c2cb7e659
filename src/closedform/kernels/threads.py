"""Threads that stay: starting new ones for every call costs more than a small batch takes."""

from __future__ import annotations

import contextvars
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import count


@cache
def _pool() -> ThreadPoolExecutor:
    """Return the threads of this process."""
    return ThreadPoolExecutor(4 * (os.cpu_count() or 1), thread_name_prefix="closedform")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of its parent's threads


def run_parts(work: Callable[[int], None], parts: int, threads: int) -> None:
    """Run work(0) ... work(parts - 1) on `threads` threads, of which the calling one is the first.

    Each takes the next part when it is done with one, so that a busy core holds nothing up.
    """
    turns = count()

    def take() -> None:
        while (part := next(turns)) < parts:  # `next` of a counter is atomic
            work(part)

    others = min(threads, parts) - 1
    pool = _pool()
    jobs = [pool.submit(contextvars.copy_context().run, take) for _ in range(others)]
    try:
        take()
    finally:
        for job in jobs:
            job.result()
