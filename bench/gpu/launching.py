"""Machine code of the bench's own on the GPU, launched with 8-byte arguments on PyTorch's stream."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import torch


def checked(answer: tuple[Any, ...]) -> Any:
    """Return what a function of NVIDIA's bindings gives besides its status."""
    status, *results = answer
    if int(status) != 0:
        raise RuntimeError(f"the GPU says {status.name}")
    return results[0] if results else None


class Loaded:
    """A function of a module, from a cubin or from PTX text, in the context that PyTorch uses."""

    def __init__(self, code: bytes, name: str) -> None:
        from cuda.bindings import driver  # noqa: PLC0415 (only where there is a GPU)

        torch.zeros(1, device="cuda")  # makes the context current
        self._driver = driver
        self._code = code
        self._function = checked(
            driver.cuModuleGetFunction(checked(driver.cuModuleLoadData(code)), name.encode())
        )

    def launch(self, count: int, threads: int, values: Sequence[int]) -> None:
        """Run `count` threads in blocks."""
        kept = (ctypes.c_longlong * len(values))(*values)
        start = ctypes.addressof(kept)
        places = (ctypes.c_void_p * len(values))(*range(start, start + 8 * len(values), 8))
        stream = torch.cuda.current_stream().cuda_stream
        blocks = -(-count // threads)
        where = ctypes.addressof(places)
        checked(self._driver.cuLaunchKernel(self._function, blocks, 1, 1, threads, 1, 1, 0, stream, where, 0))
