"""Batches in the memory of the host on a GPU: samples per second, and what bounds them.

The bus, copies between pageable and pinned memory by several threads, and the registration of pageable
memory, which is the other way to let a GPU reach it.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import pairwise
from typing import Any

import numpy as np

import closedform as cf
from closedform.cuda.chunks import Memory
from closedform.cuda.driver import context_of

FORMS = ("inverse_dynamics", "mass_matrix")
THREADS = (1, 2, 4, 8, 16)
SIZES = (2, 8, 32, 128)
"""MiB of a chunk."""

GIB = 2**30


def _best(call: Any, repeats: int = 3) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def _bounds(size: int) -> dict[str, float]:
    """Return GB/s of each way that numbers take."""
    found = {}
    with context_of(0), ExitStack() as held:
        memory = Memory("bench", 0, held)
        driver, place, pinned = memory.driver, memory.on_device(size, 1), memory.pinned(size)
        stream = memory.stream()
        host = np.ones(size, np.uint8)

        def there() -> None:
            memory.checked(driver.cuMemcpyHtoDAsync(place, pinned, size, stream))
            memory.checked(driver.cuStreamSynchronize(stream))

        def back() -> None:
            memory.checked(driver.cuMemcpyDtoHAsync(pinned, place, size, stream))
            memory.checked(driver.cuStreamSynchronize(stream))

        def register() -> None:
            memory.checked(driver.cuMemHostRegister(host.ctypes.data, size, 0))
            memory.checked(driver.cuMemHostUnregister(host.ctypes.data))

        found["to the GPU, pinned"] = size / _best(there) * 1e-9
        found["back, pinned"] = size / _best(back) * 1e-9
        found["to the GPU, pageable"] = (
            size / _best(lambda: memory.checked(driver.cuMemcpyHtoD(place, host.ctypes.data, size))) * 1e-9
        )
        found["registered and back"] = size / _best(register) * 1e-9
        for threads in THREADS:
            target = np.empty(size, np.uint8)
            edges = np.linspace(0, size, threads + 1).astype(int)
            with ThreadPoolExecutor(threads) as pool:

                def copy(edges: Any = edges, pool: Any = pool, target: Any = target) -> None:
                    parts = list(pairwise(edges))
                    list(pool.map(lambda at: np.copyto(target[at[0] : at[1]], host[at[0] : at[1]]), parts))

                found[f"host to host, {threads} threads"] = size / _best(copy) * 1e-9
    return found


def run(batch: int = 0, quick: bool = False) -> dict[str, Any]:
    """Measure a batch of some GiB, by threads and by sizes of chunks."""
    robot = cf.load("iiwa14")
    try:
        bounds = _bounds(GIB // 4 if quick else GIB)
    except cf.ClosedFormError as error:
        print(f"left out: {error}")
        return {}
    for name, rate in bounds.items():
        print(f"{name:32} {rate:7.1f} GB/s")
    found: dict[str, Any] = {"bounds": bounds}
    for form in FORMS:
        kernel = robot.kernel(form)
        each = 8 * sum(int(np.prod(core)) for core in (*kernel.input_shapes, *kernel.output_shapes))
        count = (GIB if quick else 4 * GIB) // each
        given = [np.random.default_rng(0).normal(size=(count, *core)) for core in kernel.input_shapes]
        out = np.zeros((count, *kernel.output_shape))
        kernel.on_gpu(*given, out=out)
        expected = kernel(*[x[::1000] for x in given])
        error = np.abs(out[::1000] - expected).max() / np.abs(expected).max()
        cpu = _best(lambda k=kernel, x=given, y=out: k(*x, out=y, threads=16), 2)
        print(f"\n{form}, {count:,} samples of {each} bytes, error {error:.0e}; CPU, 16 threads: {cpu:.2f} s")
        rows = found[form] = {"error": float(error), "cpu": cpu}
        for threads in THREADS:
            seconds = _best(lambda k=kernel, x=given, y=out, t=threads: k.on_gpu(*x, out=y, threads=t), 2)
            rows[f"{threads} threads"] = seconds
            print(f"  {threads:3} threads        {seconds:7.3f} s {count * each / seconds * 1e-9:7.1f} GB/s")
        for size in SIZES:
            chunk = size * 2**20 // each
            seconds = _best(lambda k=kernel, x=given, y=out, c=chunk: k.on_gpu(*x, out=y, chunk=c), 2)
            rows[f"{size} MiB"] = seconds
            print(f"  {size:3} MiB in a chunk {seconds:7.3f} s {count * each / seconds * 1e-9:7.1f} GB/s")
        seconds = _best(lambda k=kernel, x=given: k.on_gpu(*x), 2)
        rows["new results"] = seconds
        print(f"  into new memory    {seconds:7.3f} s {count * each / seconds * 1e-9:7.1f} GB/s")
    return found
