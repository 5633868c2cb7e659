"""The GPU itself, through NVIDIA's own bindings: compiling, loading and launching."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from math import prod
from threading import local
from typing import Any

import numpy as np

from ..errors import ClosedFormError
from ..kernels import cache as disk
from ..kernels.recipe import Recipe
from .text import FUNCTION, source

ROOMS = ("cuda", "emit")
"""Packages that write the text of a kernel, besides those that shape its program: parts of its key."""


@cache
def _bindings() -> tuple[Any, Any]:
    """Return NVIDIA's bindings of the driver and of the compiler."""
    try:
        from cuda.bindings import driver, nvrtc  # noqa: PLC0415 (an extra, needed only where there is a GPU)
    except ImportError as error:
        raise ClosedFormError(
            f"arrays on a GPU need NVIDIA's bindings ({error}); install closedform[cuda]"
        ) from error
    return driver, nvrtc


def _checked(what: str, answer: tuple[Any, ...]) -> Any:
    """Return what a function of the bindings gives besides its status, or say what went wrong."""
    status, *results = answer
    if int(status) != 0:
        raise ClosedFormError(f"{what}: the GPU says {status.name}")
    return results[0] if len(results) == 1 else results


@cache
def primary_context(device: int) -> Any:
    """Return the context of a device that all libraries of a process share; it stays, as code in it does."""
    driver, _ = _bindings()
    return _checked(f"GPU {device}", driver.cuDevicePrimaryCtxRetain(device))


@contextmanager
def context_of(device: int) -> Iterator[None]:
    """Make a device that of the thread, whichever library uses another, and give that back after."""
    driver, _ = _bindings()
    _checked(f"GPU {device}", driver.cuCtxPushCurrent(primary_context(device)))
    try:
        yield
    finally:
        driver.cuCtxPopCurrent()


def ensure_context(device: int) -> None:
    """Let a thread that has not used a GPU yet, such as a new one, use this device."""
    driver, _ = _bindings()
    if int(_checked(f"GPU {device}", driver.cuCtxGetCurrent())) == 0:
        _checked(f"GPU {device}", driver.cuCtxSetCurrent(primary_context(device)))


@cache
def architecture(device: int) -> str:
    """Return the kind of machine code of a device, such as sm_90."""
    driver, _ = _bindings()
    numbers = driver.CUdevice_attribute
    major, minor = (
        _checked("device", driver.cuDeviceGetAttribute(each, device))
        for each in (
            numbers.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            numbers.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        )
    )
    return f"sm_{major}{minor}"


def compiled(name: str, text: str, kind: str) -> bytes:
    """Return the machine code of CUDA C."""
    _, nvrtc = _bindings()
    program = _checked(name, nvrtc.nvrtcCreateProgram(text.encode(), f"{name}.cu".encode(), 0, [], []))
    options = [f"--gpu-architecture={kind}".encode(), b"--std=c++17"]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    if int(status) != 0:
        log = b" " * _checked(name, nvrtc.nvrtcGetProgramLogSize(program))
        nvrtc.nvrtcGetProgramLog(program, log)
        raise ClosedFormError(f"{name}: does not compile for {kind}: {log.decode(errors='replace')[:500]}")
    code = bytes(_checked(name, nvrtc.nvrtcGetCUBINSize(program)))
    _checked(name, nvrtc.nvrtcGetCUBIN(program, code))
    nvrtc.nvrtcDestroyProgram(program)
    return code


class DeviceKernel:
    """A program as machine code of one device, loaded into its context."""

    def __init__(self, recipe: Recipe, dtype: np.dtype[Any], device: int) -> None:
        driver, _ = _bindings()
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
        module = _checked(self.name, driver.cuModuleLoadData(self._code))
        self._function = _checked(self.name, driver.cuModuleGetFunction(module, FUNCTION.encode()))
        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        if self.shared > 48 * 1024:
            _checked(self.name, driver.cuFuncSetAttribute(self._function, attribute, self.shared))
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
            raise ClosedFormError(f"{self.name}: the GPU says {status.name}")


@cache
def _version() -> tuple[int, int]:
    """Return the version of the compiler, whose code is kept."""
    _, nvrtc = _bindings()
    major, minor = _checked("NVRTC", nvrtc.nvrtcVersion())
    return major, minor


def device_kernel(kernel: Any, device: int) -> DeviceKernel:
    """Return the machine code of a kernel for a device, made once; its context must be current."""
    found: dict[int, DeviceKernel] = kernel.__dict__.setdefault("_devices", {})
    if device not in found:
        found[device] = DeviceKernel(kernel.recipe, kernel.dtype, device)
    return found[device]
