"""Times of calls on a GPU, by PyTorch: in a CUDA graph, eager, and call by call."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

ROUNDS = 7
"""Times that are taken; the median counts."""

PATIENCE = 0.4
"""Seconds after which three times are enough."""


def events(call: Callable[[], Any], repeats: int) -> float:
    """Return the seconds of `repeats` calls by events on the current stream."""
    import torch  # noqa: PLC0415 (parts without PyTorch use the other clocks)

    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(repeats):
        call()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) * 1e-3


def in_graph(call: Callable[[], Any], seconds: float = 2e-3) -> float:
    """Return the seconds of a call among many in one CUDA graph, so that launches of graphs do not count."""
    import torch  # noqa: PLC0415 (parts without PyTorch use the other clocks)

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    once = max(events(call, 3) / 3, 1e-6)
    repeats = max(1, min(50, int(seconds / once)))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(repeats):
            call()
    graph.replay()
    torch.cuda.synchronize()
    seconds = median(events(graph.replay, 1) for _ in range(ROUNDS)) / repeats
    del graph
    torch.cuda.empty_cache()  # what the graph held
    return seconds


def eager(call: Callable[[], Any], wait: Callable[[], Any], seconds: float = 0.03) -> float:
    """Return the seconds of a call by the wall clock: many calls, one wait at the end."""
    for _ in range(2):
        call()
    wait()
    start = time.perf_counter()
    call()
    wait()
    repeats = max(1, min(2000, int(seconds / max(time.perf_counter() - start, 1e-6))))

    def batch() -> float:
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        wait()
        return (time.perf_counter() - start) / repeats

    return _median(batch, ROUNDS)


def waited(call: Callable[[], Any], wait: Callable[[], Any], count: int = 50) -> float:
    """Return the seconds of a call by the wall clock, with a wait after each."""

    def one() -> float:
        start = time.perf_counter()
        call()
        wait()
        return time.perf_counter() - start

    return _median(one, count)


def _median(measure: Callable[[], float], count: int) -> float:
    """Return the median of several measurements, of three if they take long."""
    times: list[float] = []
    end = time.perf_counter() + PATIENCE
    while len(times) < 3 or (len(times) < count and time.perf_counter() < end):
        times.append(measure())
    return median(times)
