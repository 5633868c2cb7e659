"""One way to measure every library: compare a form with the CPU, then time it at every size."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from . import clock
from .job import ARM, MEMORY, Job, error, listed, moved, reference
from .rows import SUM, Row, Sink


@contextmanager
def guarded(what: str) -> Iterator[None]:
    """Let the rest of the bench go on if this fails, and say why it did."""
    try:
        yield
    except Exception as problem:
        first = (str(problem).strip().splitlines() or [""])[0][:300]
        print(f"{what}: not measured: {type(problem).__name__}: {first}", flush=True)


@dataclass(frozen=True)
class Contestant:
    """A library's way to a form.

    `call(*arrays)` evaluates it; `given(array)` makes an array of NumPy's; `random(count)` makes inputs of a
    size; `back(results)` gives NumPy arrays in our order of joints; `wait()` waits for the card.
    """

    library: str
    arrays: str
    call: Callable[..., Any]
    given: Callable[[Any], Any]
    random: Callable[[int], Sequence[Any]]
    back: Callable[[list[Any]], list[Any]]
    wait: Callable[[], Any]
    graphs: bool = True
    note: str = ""


def measure(
    job: Job, sink: Sink, robot: str, nv: int, short: str, dtype: str, who: Contestant, sizes: Sequence[int]
) -> None:
    """Compare a contestant with the CPU on one form, and time it."""
    what = f"{robot} {short} {dtype} {who.library} {who.arrays}"
    states, expected = reference(job, robot, short)
    off = -1.0
    with guarded(f"{what}, comparison with the CPU"):
        off = error(who.back(listed(who.call(*[who.given(each) for each in states]))), expected)
    if off < 0:
        return
    for count in sizes:
        if moved(nv, short, count, dtype) > MEMORY:
            continue
        gc.collect()

        def row(how: str, seconds: float, count: int = count) -> None:
            size = moved(nv, short, count, dtype)
            sink.add(
                Row(robot, short, dtype, count, who.library, who.arrays, how, seconds, size, off, who.note)
            )

        with guarded(f"{what} {count}, inputs"):
            arrays = who.random(count)

            def call(arrays: Sequence[Any] = arrays) -> Any:
                return who.call(*arrays)

            with guarded(f"{what} {count}, eager"):
                row("eager", clock.eager(call, who.wait))
                if count <= 4096:
                    row("eager, waited", clock.waited(call, who.wait))
            if who.graphs:
                with guarded(f"{what} {count}, graph"):
                    row("graph", clock.in_graph(call))


def measure_sum(sink: Sink, who: Contestant) -> None:
    """Time the sum of two arrays of an arm's size by their own library: about the least that a call costs."""
    arrays = who.random(1024)
    seconds = clock.eager(lambda: who.call(*arrays), who.wait)
    sink.add(Row(ARM, SUM, "float32", 1024, who.library, who.arrays, "eager", seconds))
