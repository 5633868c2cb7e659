"""The GPU itself, through NVIDIA's own bindings: compiling, loading and launching."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache, partial
from math import prod
from struct import Struct
from threading import local
from typing import Any, NamedTuple

import numpy as np

from ..errors import ClosedFormError
from ..kernels import cache as disk
from ..kernels.recipe import Recipe
from ..lazy import cached_property
from ..programs import Program
from .driver import attribute, bindings, checked, ensure_context, failure, shared_memory
from .text import FUNCTION, WARP, Source, source

ROOMS = ("cuda", "emit")
"""Packages that write the text of a kernel, besides those that shape its program: parts of its key."""

LONELY, CROWD = 1.75, 4
"""Warps for each multiprocessor up to which short parts pay, and up to which warps of fewer samples do."""

ENDLESS = 2**62

HEAD = Struct("<III")
"""What is kept on the disk before machine code: parts, warps of a block, bytes of its shared memory."""


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


class Shape(NamedTuple):
    """How batches of up to `most` samples are launched, `each` of them by a warp."""

    most: int
    function: Any
    each: int
    parts: int
    warps: int
    shared: int

    def grid(self, count: int) -> tuple[int, int, int]:
        """Return the blocks, the parts and the threads of a block."""
        return -(-count // (self.each * self.warps)), self.parts, self.warps * WARP


class DeviceKernel:
    """A program as machine code of one device, loaded into its context.

    Small batches are cut into more and shorter parts, or have fewer samples per warp, until every
    multiprocessor of the card has a warp.
    """

    def __init__(self, recipe: Recipe, dtype: np.dtype[Any], device: int) -> None:
        self.name, self.device = recipe.name, device
        self._recipe, self._real = recipe, "double" if dtype == np.float64 else "float"
        ensure_context(device)
        self.strides = [prod(shape) for _, shape in recipe.inputs]
        self._count = 2 + 2 * len(recipe.inputs) + len(recipe.outputs)
        self._values = ctypes.c_longlong * self._count
        self._places = ctypes.c_void_p * self._count
        self._launch = bindings()[0].cuLaunchKernel
        self._own = local()  # arguments of a launch, for each thread
        self._processors = attribute(device, "MULTIPROCESSOR_COUNT")
        self._last: tuple[int, Shape | None] = 0, None  # most calls have the size of the one before

    @cached_property
    def _program(self) -> Program:
        """The program, which both kinds of batches are made of."""
        return self._recipe.program()

    @cached_property
    def small(self) -> Shape | None:
        """How small batches are launched: in short parts, if these are more than the long ones."""
        found = self._loaded(small=True)
        return found and found._replace(most=WARP * int(LONELY * self._processors / found.parts))

    @cached_property
    def large(self) -> list[Shape]:
        """How other batches are launched: in long parts; if there is one, few samples have a warp each."""
        found = self._loaded(small=False)
        assert found is not None
        fewer = (4, 8, 16) if found.parts == 1 else ()
        few = [found._replace(each=each, most=CROWD * self._processors * each) for each in fewer]
        return [*few, found]

    def shape(self, count: int) -> Shape:
        """Return how a batch is launched."""
        if count <= WARP * LONELY * self._processors / 2 and self.small and count <= self.small.most:
            return self.small
        return next(each for each in self.large if count <= each.most)

    def _loaded(self, small: bool) -> Shape | None:
        """Return the function in short or long parts, from the disk if it was made before."""
        driver, _ = bindings()
        kind, memory = architecture(self.device), shared_memory(self.device)
        identity = (*self._recipe.identity, self._real, kind, str(memory), str(small), str(_version()))
        key = disk.key("cuda", *identity, disk.source_digest(ROOMS))
        packed = disk.load(key)
        if packed is None:
            packed = _packed(self.name, source(self._program, self._real, memory, small), kind)
            disk.save(key, packed)
        parts, warps, shared = HEAD.unpack_from(packed)
        if not parts:
            return None
        module = checked(self.name, driver.cuModuleLoadData(packed[HEAD.size :]))
        function = checked(self.name, driver.cuModuleGetFunction(module, FUNCTION.encode()))
        limit = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        if shared > 48 * 1024:
            checked(self.name, driver.cuFuncSetAttribute(function, limit, shared))
        return Shape(ENDLESS, function, WARP, parts, warps, shared)

    def launch(
        self, count: int, inputs: Sequence[int], strides: Sequence[int], outputs: Sequence[int], stream: int
    ) -> None:
        """Evaluate `count` samples, whose memory is at these addresses, in the order of a stream."""
        if not count:
            return
        values, places, _ = self._mine()
        last, shape = self._last
        if shape is None or count != last:
            shape = self.shape(count)
            self._last = count, shape
        values[:] = (count, shape.each, *inputs, *strides, *outputs)
        blocks, parts, threads = shape.grid(count)
        (status,) = self._launch(
            shape.function, blocks, parts, 1, threads, 1, 1, shape.shared, stream, places, 0
        )
        if status != 0:
            raise failure(f"{self.name} on GPU {self.device}", status)

    def bound(
        self, count: int, inputs: Sequence[int], strides: Sequence[int], outputs: Sequence[int]
    ) -> Callable[[int], None]:
        """Return the same launch again and again: all is loaded and written now, but for the stream."""
        if not count:
            return lambda stream: None
        values, places, kept = self._arguments()
        shape = self.shape(count)
        values[:] = (count, shape.each, *inputs, *strides, *outputs)
        blocks, parts, threads = shape.grid(count)
        launch = partial(self._launch, shape.function, blocks, parts, 1, threads, 1, 1, shape.shared)

        def again(stream: int, alive: Any = (values, kept)) -> None:
            self._mine()  # a thread that has not used the GPU yet is let in
            (status,) = launch(stream, places, 0)
            if status != 0:
                raise failure(f"{self.name} on GPU {self.device}", status)

        return again

    def _mine(self) -> tuple[Any, int, Any]:
        """Return the arguments of this thread's launches."""
        try:
            return self._own.arguments  # type: ignore[no-any-return]
        except AttributeError:
            ensure_context(self.device)
            self._own.arguments = self._arguments()
            return self._own.arguments  # type: ignore[no-any-return]

    def _arguments(self) -> tuple[Any, int, Any]:
        """Return memory for arguments, where the driver finds their addresses, and what holds these."""
        values = self._values()
        start = ctypes.addressof(values)
        kept = self._places(*range(start, start + 8 * self._count, 8))
        return values, ctypes.addressof(kept), kept


def _packed(name: str, made: Source | None, kind: str) -> bytes:
    """Return machine code behind what its launches need; no parts if there is none."""
    if made is None:
        return HEAD.pack(0, 0, 0)
    return HEAD.pack(made.parts, made.warps, made.shared) + compiled(name, made.text, kind)


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
