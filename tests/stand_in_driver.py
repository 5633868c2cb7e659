"""A stand-in for NVIDIA's driver, on the CPU: what is asked of streams happens as late as it may.

Copies and launches wait in the queue of their stream until someone waits for it. A caller that reads results
too early finds garbage, and one that overwrites what is still to be copied spoils the results.
"""

from __future__ import annotations

import ctypes
from enum import IntEnum
from itertools import count
from threading import Lock, local
from types import SimpleNamespace

import numpy as np

GARBAGE = 0xA5
"""What memory holds before it is written."""


class Status(IntEnum):
    """Some of the driver's answers."""

    CUDA_SUCCESS = 0
    CUDA_ERROR_OUT_OF_MEMORY = 2
    CUDA_ERROR_INVALID_VALUE = 1
    CUDA_ERROR_ILLEGAL_ADDRESS = 700


FINE = Status.CUDA_SUCCESS


class StandIn:
    """The functions of the driver that batches in chunks use, and what was asked of them."""

    CUstream_flags = SimpleNamespace(CU_STREAM_NON_BLOCKING=1)
    CUevent_flags = SimpleNamespace(CU_EVENT_BLOCKING_SYNC=1, CU_EVENT_DISABLE_TIMING=2)

    def __init__(self, memory=2**30, devices=1):
        self.memory, self.devices = memory, devices
        self.blocks, self.kind, self.queues, self.events = {}, {}, {}, {}
        self.log, self.most, self.fail_at = [], 0, None
        self._numbers, self._lock, self._own = count(1), Lock(), local()

    # ---------------------------------------------------------------- contexts

    @property
    def contexts(self):
        """The contexts of this thread, the current one last."""
        if not hasattr(self._own, "contexts"):
            self._own.contexts = []
        return self._own.contexts

    def cuInit(self, flags):
        return (FINE,)

    def cuDeviceGetCount(self):
        return FINE, self.devices

    def cuDevicePrimaryCtxRetain(self, device):
        return FINE, f"context {device}"

    def cuCtxPushCurrent(self, context):
        self.contexts.append(context)
        return (FINE,)

    def cuCtxPopCurrent(self):
        return FINE, self.contexts.pop()

    # ---------------------------------------------------------------- memory

    def _taken(self, kind, size):
        assert self.contexts, "no context is current"
        block = np.full(size, GARBAGE, np.uint8)
        with self._lock:
            self.blocks[block.ctypes.data] = block
            self.kind[block.ctypes.data] = kind
            self.most = max(self.most, self._used())
        return FINE, block.ctypes.data

    def _used(self):
        return sum(len(self.blocks[each]) for each, kind in self.kind.items() if kind == "device")

    def _given_back(self, place, kind):
        with self._lock:
            assert self.kind.pop(int(place)) == kind
            del self.blocks[int(place)]
        return (FINE,)

    def cuMemGetInfo(self):
        return FINE, self.memory - self._used(), self.memory

    def cuMemAlloc(self, size):
        if self._used() + size > self.memory:
            return Status.CUDA_ERROR_OUT_OF_MEMORY, 0
        return self._taken("device", size)

    def cuMemHostAlloc(self, size, flags):
        return self._taken("pinned", size)

    def cuMemFree(self, place):
        return self._given_back(place, "device")

    def cuMemFreeHost(self, place):
        return self._given_back(place, "pinned")

    def _inside(self, place, size, kind):
        return any(
            self.kind[each] == kind and each <= place and place + size <= each + len(block)
            for each, block in self.blocks.items()
        )

    # ---------------------------------------------------------------- streams

    def cuStreamCreate(self, flags):
        number = next(self._numbers)
        self.queues[number] = []
        return FINE, number

    def cuStreamDestroy(self, stream):
        assert not self.queues.pop(stream), "work is left in a stream"
        return (FINE,)

    def cuEventCreate(self, flags):
        number = next(self._numbers)
        self.events[number] = None
        return FINE, number

    def cuEventDestroy(self, event):
        del self.events[event]
        return (FINE,)

    def cuEventRecord(self, event, stream):
        self.events[event] = stream
        return (FINE,)

    def cuEventSynchronize(self, event):
        return self.cuStreamSynchronize(self.events[event])

    def cuStreamSynchronize(self, stream):
        queue, self.queues[stream] = self.queues[stream], []
        for work in queue:
            work()
        return (FINE,)

    def enqueue(self, stream, what, work):
        """Put work into a stream."""
        with self._lock:
            self.log.append((int(stream), what))
        self.queues[int(stream)].append(work)

    def cuMemcpyHtoD(self, place, source, size):
        assert self._inside(place, size, "device")
        ctypes.memmove(place, source, size)
        with self._lock:
            self.log.append((0, "in"))
        return (FINE,)

    def cuMemcpyHtoDAsync(self, place, source, size, stream):
        if self.fail_at is not None and len(self.log) >= self.fail_at:
            return (Status.CUDA_ERROR_ILLEGAL_ADDRESS,)
        assert self._inside(place, size, "device")
        assert self._inside(source, size, "pinned")
        self.enqueue(stream, "in", lambda: ctypes.memmove(place, source, size))
        return (FINE,)

    def cuMemcpyDtoHAsync(self, place, source, size, stream):
        assert self._inside(source, size, "device")
        assert self._inside(place, size, "pinned")
        self.enqueue(stream, "out", lambda: ctypes.memmove(place, source, size))
        return (FINE,)


class StandInKernel:
    """A kernel on the stand-in's device: it evaluates rows of memory on the CPU."""

    def __init__(self, driver, kernel):
        self.driver, self.kernel = driver, kernel

    def launch(self, count, inputs, strides, outputs, stream):
        """Evaluate when the stream comes to it."""

        def evaluate():
            kernel = self.kernel
            given = [
                self._rows(place, count, stride, core)
                for place, stride, core in zip(inputs, strides, kernel.input_shapes, strict=True)
            ]
            outs = tuple(
                self._rows(place, count, int(np.prod(core)), core)
                for place, core in zip(outputs, kernel.output_shapes, strict=True)
            )
            kernel(*given, out=outs if len(outs) > 1 else outs[0])

        self.driver.enqueue(stream, "launch", evaluate)

    def _rows(self, place, count, stride, core):
        dtype = self.kernel.dtype
        size = int(np.prod(core))
        assert self.driver._inside(place, ((count - 1) * stride + size) * dtype.itemsize, "device")
        memory = (ctypes.c_char * (((count - 1) * stride + size) * dtype.itemsize)).from_address(place)
        flat = np.frombuffer(memory, dtype)
        rows = np.lib.stride_tricks.as_strided(flat, (count, size), (stride * dtype.itemsize, dtype.itemsize))
        return rows.reshape(count, *core) if stride else rows[:1].reshape(1, *core)
