"""Batches in the memory of the host, of any size, evaluated on a GPU chunk by chunk.

Workers are threads, each with a stream, memory on the GPU and pinned memory of its own, which the GPU reads
and writes by itself. Each takes the next chunk: copies it into pinned memory, has it copied to the GPU,
evaluated and copied back, and copies the results to where they belong. While one worker waits for the GPU,
the others copy, so that the bus is busy in both directions.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from threading import Lock
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import ClosedFormError
from ..kernels.threads import run_parts
from .device import device_kernel
from .driver import context_of, failure, started

WORKERS = min(4, os.cpu_count() or 1)
"""Threads that copy, if the caller does not say: on an H200 two to four were the fastest."""

CHUNK = 8 * 2**20
"""Bytes of inputs and results in a chunk: larger ones leave the processor's cache between two copies."""

LEAST = 2**14
"""Samples that keep a GPU busy; chunks are not made smaller only to give each worker one."""

SHARE = 0.8
"""Part of the free memory that chunks may take."""

ALIGNED = 256
"""Bytes to whose multiples arrays are aligned on a GPU."""

Box = tuple[slice, ...]


def boxes(batch: Sequence[int], most: int) -> Iterator[Box]:
    """Yield slices that cut a batch into parts of at most `most` samples, whole along the last axes.

    >>> list(boxes((4, 3), 6))
    [(slice(0, 2, None),), (slice(2, 4, None),)]
    """
    if not batch:
        yield ()
        return
    inner = prod(batch[1:])
    if inner <= most:
        parts = max(1, -(-batch[0] // max(1, most // max(1, inner))))
        edges = [batch[0] * k // parts for k in range(parts + 1)]
        yield from ((slice(a, b),) for a, b in pairwise(edges))
        return
    for k in range(batch[0]):
        yield from ((slice(k, k + 1), *rest) for rest in boxes(batch[1:], most))


@dataclass(frozen=True)
class Work:
    """Inputs and results of a kernel over a batch; inputs of one sample are shared by all chunks."""

    kernel: Any
    batch: tuple[int, ...]
    inputs: Sequence[Array]
    outputs: Sequence[Array]

    @property
    def count(self) -> int:
        """Samples."""
        return prod(self.batch)

    def shared(self, k: int) -> bool:
        """Whether an input is one sample for all."""
        return bool(self.inputs[k].size == prod(self.kernel.input_shapes[k]))

    @property
    def sizes(self) -> list[int]:
        """Bytes of a sample of each array that travels with the chunks, inputs first."""
        one = self.kernel.dtype.itemsize
        cores = [core for k, core in enumerate(self.kernel.input_shapes) if not self.shared(k)]
        return [one * prod(core) for core in (*cores, *self.kernel.output_shapes)]

    def chunk(self, workers: int, free: int) -> int:
        """Return how many samples go in a chunk."""
        each = max(1, sum(self.sizes))
        most = min(CHUNK // each, int(SHARE * free) // (workers * each))
        return max(1, min(most, max(LEAST, -(-self.count // workers))))


def evaluate_in_chunks(
    work: Work,
    device: int,
    chunk: int | None,
    workers: int | None,
    progress: Callable[[float], Any] | None,
) -> None:
    """Fill the outputs of some work; whatever happens, memory on the GPU is free again after."""
    with context_of(device), ExitStack() as held:
        memory = Memory(work.kernel.name, device, held)
        places = [
            memory.sent(np.ascontiguousarray(each, work.kernel.dtype)) if work.shared(k) else 0
            for k, each in enumerate(work.inputs)
        ]
        threads = workers or WORKERS
        most = chunk or work.chunk(threads, memory.free)
        plan = _Plan(work, device, most, places, progress)
        run_parts(plan.run, min(threads, -(-work.count // plan.most)), threads)


class _Plan:
    """The chunks that are left, and how much is done."""

    def __init__(
        self,
        work: Work,
        device: int,
        most: int,
        places: Sequence[int],
        progress: Callable[[float], Any] | None,
    ) -> None:
        self.work, self.device, self.places, self.progress = work, device, places, progress
        self.loaded = device_kernel(work.kernel, device)
        self._left = boxes(work.batch, most)
        self.most = min(most, work.count)
        self._lock, self._done, self._stopped = Lock(), 0, False

    def _next(self) -> Box | None:
        with self._lock:
            return None if self._stopped else next(self._left, None)

    def run(self, number: int) -> None:
        """Evaluate chunks until none is left, or another worker failed."""
        box = self._next()
        if box is None:
            return
        try:
            with context_of(self.device), ExitStack() as held:
                worker = _Worker(self, Memory(self.work.kernel.name, self.device, held))
                while box is not None:
                    self._report(worker.evaluate(box))
                    box = self._next()
        except BaseException:
            self._stopped = True
            raise

    def _report(self, samples: int) -> None:
        with self._lock:
            self._done += samples
            if self.progress is not None:
                self.progress(self._done / self.work.count)


class _Worker:
    """A stream with memory for one chunk on both sides of the bus, in the same order."""

    def __init__(self, plan: _Plan, memory: Memory) -> None:
        self.plan, self.memory = plan, memory
        starts = [0]
        for size in plan.work.sizes:
            starts.append(starts[-1] + -(-size * plan.most // ALIGNED) * ALIGNED)
        self.starts, total = starts[:-1], starts[-1]
        self.device = memory.on_device(total, plan.most)
        self.pinned = memory.pinned(total)
        self.stream, self.event = memory.stream(), memory.event()

    def evaluate(self, box: Box) -> int:
        """Evaluate a chunk and return how many samples it has."""
        plan, driver, work = self.plan, self.memory.driver, self.plan.work
        kernel, checked, batch = work.kernel, self.memory.checked, work.batch
        shape = (*(part.stop - part.start for part in box), *batch[len(box) :])
        count: int = prod(shape)
        own = iter(zip(self.starts, work.sizes, strict=True))
        addresses, strides = [], []
        for k, (each, core) in enumerate(zip(work.inputs, kernel.input_shapes, strict=True)):
            if work.shared(k):
                addresses.append(plan.places[k])
                strides.append(0)
                continue
            start, size = next(own)
            whole = np.broadcast_to(each, batch + tuple(core))
            np.copyto(self._staged(start, shape + tuple(core)), whole[box], casting="same_kind")
            checked(
                driver.cuMemcpyHtoDAsync(self.device + start, self.pinned + start, count * size, self.stream)
            )
            addresses.append(self.device + start)
            strides.append(prod(core))
        results = list(own)
        plan.loaded.launch(
            count, addresses, strides, [self.device + start for start, _ in results], int(self.stream)
        )
        for start, size in results:
            checked(
                driver.cuMemcpyDtoHAsync(self.pinned + start, self.device + start, count * size, self.stream)
            )
        checked(driver.cuEventRecord(self.event, self.stream))
        checked(driver.cuEventSynchronize(self.event))
        here: Any = (*box, ...)  # a view also if it has no axes
        for out, core, (start, _) in zip(work.outputs, kernel.output_shapes, results, strict=True):
            np.copyto(out[here], self._staged(start, shape + tuple(core)), casting="same_kind")
        return count

    def _staged(self, start: int, shape: tuple[int, ...]) -> Array:
        """Return pinned memory as an array."""
        dtype = self.plan.work.kernel.dtype
        memory = (ctypes.c_char * (prod(shape) * dtype.itemsize)).from_address(self.pinned + start)
        return np.frombuffer(memory, dtype).reshape(shape)


class Memory:
    """What is taken from a GPU until the end of a block, whose context is current."""

    def __init__(self, name: str, device: int, held: ExitStack) -> None:
        self.name, self.driver, self._device, self._held = f"{name} on GPU {device}", started(), device, held

    def checked(self, answer: tuple[Any, ...]) -> Any:
        """Return what a function of the driver gives besides its status, or say what went wrong."""
        status, *results = answer
        if int(status) != 0:
            raise failure(self.name, status)
        return results[0] if results else None

    @property
    def free(self) -> int:
        """Bytes that are free on the GPU."""
        return int(self._info()[0])

    def _info(self) -> tuple[int, int]:
        status, *both = self.driver.cuMemGetInfo()
        if int(status) != 0:
            raise failure(self.name, status)
        return int(both[0]), int(both[1])

    def on_device(self, size: int, samples: int) -> int:
        """Return the address of memory on the GPU."""
        status, place = self.driver.cuMemAlloc(max(size, ALIGNED))
        if status.name == "CUDA_ERROR_OUT_OF_MEMORY":
            free, total = self._info()
            raise ClosedFormError(
                f"{self.name}: no memory for {samples} samples at once: asked for {_mib(size)}, "
                f"{_mib(free)} of {_mib(total)} are free; give a smaller chunk= or fewer threads="
            )
        self.checked((status,))
        self._held.callback(self.driver.cuMemFree, place)
        return int(place)

    def sent(self, array: Array) -> int:
        """Return the address of a copy of an array on the GPU."""
        place = self.on_device(array.nbytes, 1)
        self.checked(self.driver.cuMemcpyHtoD(place, array.ctypes.data, array.nbytes))
        return place

    def pinned(self, size: int) -> int:
        """Return the address of memory of the host that the GPU reaches by itself."""
        status, place = self.driver.cuMemHostAlloc(max(size, ALIGNED), 0)
        if status.name == "CUDA_ERROR_OUT_OF_MEMORY":
            raise ClosedFormError(
                f"{self.name}: the host has no {_mib(size)} of memory that can be pinned; give a smaller "
                "chunk= or fewer threads="
            )
        self.checked((status,))
        self._held.callback(self.driver.cuMemFreeHost, place)
        return int(place)

    def stream(self) -> Any:
        """Return a stream, whose work ends before memory taken earlier is given back."""
        driver = self.driver
        made = self.checked(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
        self._held.callback(driver.cuStreamDestroy, made)
        self._held.callback(driver.cuStreamSynchronize, made)
        return made

    def event(self) -> Any:
        """Return an event for which a thread waits asleep."""
        flags = self.driver.CUevent_flags
        kind = flags.CU_EVENT_BLOCKING_SYNC | flags.CU_EVENT_DISABLE_TIMING
        made = self.checked(self.driver.cuEventCreate(int(kind)))
        self._held.callback(self.driver.cuEventDestroy, made)
        return made


def _mib(size: int) -> str:
    return f"{size / 2**20:,.0f} MiB"
