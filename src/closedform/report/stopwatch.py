"""Timing of short calls: medians over repeats, each long enough for the clock."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

REPEATS = 5


def seconds_per_call(function: Callable[[], object], patience: float) -> float:
    """Return the median time of a call; all repeats together take about `patience` seconds."""
    function()
    start = time.perf_counter()
    function()
    once = max(time.perf_counter() - start, 1e-7)
    count = max(1, int(patience / REPEATS / once))
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(count):
            function()
        times.append((time.perf_counter() - start) / count)
    return statistics.median(times)
