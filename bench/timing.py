"""Interleaved timing: every contestant runs in every round, so that noise hits all alike."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping

import numpy as np


def interleaved(
    contestants: Mapping[str, Callable[[], object]], *, seconds: float = 1.5, least: int = 5
) -> dict[str, float]:
    """Return the median time of one call of each contestant, in seconds.

    Short calls are repeated within a round until a round takes about a millisecond.
    """
    repeats = {}
    for name, call in contestants.items():
        call()
        start = time.perf_counter()
        call()
        once = max(time.perf_counter() - start, 1e-8)
        repeats[name] = max(1, int(1e-3 / once))
    times: dict[str, list[float]] = {name: [] for name in contestants}
    gc.collect()
    gc.disable()
    try:
        end = time.perf_counter() + seconds * len(contestants)
        while time.perf_counter() < end or len(next(iter(times.values()))) < least:
            for name, call in contestants.items():
                count = repeats[name]
                start = time.perf_counter()
                for _ in range(count):
                    call()
                times[name].append((time.perf_counter() - start) / count)
    finally:
        gc.enable()
    return {name: float(np.median(values)) for name, values in times.items()}
