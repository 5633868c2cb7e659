"""The GPU itself, through NVIDIA's own bindings: compiling, loading and launching."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from math import prod
from threading import local
from typing import Any

import numpy as np

from ..errors import ClosedFormError
from ..kernels import cache as disk
from ..kernels.recipe import Recipe
from .driver import attribute, bindings, checked, ensure_context, failure
from .text import FUNCTION, source

ROOMS = ("cuda", "emit")
"""Packages that write the text of a kernel, besides those that shape its program: parts of its key."""


@cache
def architecture(device: int) -> str:
    """Return the kind of machine code of a device, such as sm_90."""
    major, minor = (attribute(device, f"COMPUTE_CAPABILITY_{each}") for each in ("MAJOR", "MINOR"))
    return f"sm_{major}{minor}"


def compiled(name: str, text: str, kind: str) -> bytes:
    """Return the machine code of CUDA C."""
    _, nvrtc = bindings()
    program = checked(name, nvrtc.nvrtcCreateProgram(text.encode(), f"{name}.cu".encode(), 0, [], []))
    options = [f"--gpu-architecture={kind}".encode(), b"--std=c++17"]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    if int(status) != 0:
        log = b" " * checked(name, nvrtc.nvrtcGetProgramLogSize(program))
        nvrtc.nvrtcGetProgramLog(program, log)
        raise ClosedFormError(f"{name}: does not compile for {kind}: {log.decode(errors='replace')[:500]}")
    code = bytes(checked(name, nvrtc.nvrtcGetCUBINSize(program)))
    checked(name, nvrtc.nvrtcGetCUBIN(program, code))
    nvrtc.nvrtcDestroyProgram(program)
    return code


class DeviceKernel:
    """A program as machine code of one device, loaded into its context."""

    def __init__(self, recipe: Recipe, dtype: np.dtype[Any], device: int) -> None:
        driver, _ = bindings()
        real = "double" if dtype == np.float64 else "float"
        kind = architecture(device)
        self.name, self.device = recipe.name, device
        ensure_context(device)
        key = disk.key("cuda", *recipe.identity, real, kind, str(_version()), disk.source_digest(ROOMS))
        packed = disk.load(key)
        if packed is None:
            made = source(recipe.program(), real)
            code = compiled(recipe.name, made.text, kind)
            packed = made.threads.to_bytes(4, "little") + made.shared.to_bytes(4, "little") + code
            disk.save(key, packed)
        self.threads = int.from_bytes(packed[:4], "little")
        self.shared = int.from_bytes(packed[4:8], "little")
        self._code = packed[8:]
        module = checked(self.name, driver.cuModuleLoadData(self._code))
        self._function = checked(self.name, driver.cuModuleGetFunction(module, FUNCTION.encode()))
        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        if self.shared > 48 * 1024:
            checked(self.name, driver.cuFuncSetAttribute(self._function, attribute, self.shared))
        self.strides = [prod(shape) for _, shape in recipe.inputs]
        self._count = 1 + 2 * len(recipe.inputs) + len(recipe.outputs)
        self._values = ctypes.c_longlong * self._count
        self._places = ctypes.c_void_p * self._count
        self._launch = driver.cuLaunchKernel
        self._own = local()  # arguments of a launch, for each thread

    def shape(self, count: int) -> tuple[Any, int, int, int]:
        """Return how `count` samples are launched: the function, blocks, threads of each and their memory."""
        return self._function, -(-count // self.threads), self.threads, self.shared

    def launch(
        self, count: int, inputs: Sequence[int], strides: Sequence[int], outputs: Sequence[int], stream: int
    ) -> None:
        """Evaluate `count` samples, whose memory is at these addresses, in the order of a stream."""
        if not count:
            return
        try:
            values, places = self._own.arguments
        except AttributeError:
            ensure_context(self.device)
            values = self._values()
            start = ctypes.addressof(values)
            self._own.kept = self._places(*range(start, start + 8 * self._count, 8))
            places = ctypes.addressof(self._own.kept)
            self._own.arguments = values, places
        values[:] = (count, *inputs, *strides, *outputs)
        function, blocks, threads, shared = self.shape(count)
        (status,) = self._launch(function, blocks, 1, 1, threads, 1, 1, shared, stream, places, 0)
        if status != 0:
            raise failure(f"{self.name} on GPU {self.device}", status)


@cache
def _version() -> tuple[int, int]:
    """Return the version of the compiler, whose code is kept."""
    _, nvrtc = bindings()
    major, minor = checked("NVRTC", nvrtc.nvrtcVersion())
    return major, minor


def device_kernel(kernel: Any, device: int) -> DeviceKernel:
    """Return the machine code of a kernel for a device, made once; its context must be current."""
    found: dict[int, DeviceKernel] = kernel.__dict__.setdefault("_devices", {})
    if device not in found:
        found[device] = DeviceKernel(kernel.recipe, kernel.dtype, device)
    return found[device]
