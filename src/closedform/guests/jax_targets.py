"""How XLA runs a kernel: as machine code that it calls by itself, or else through Python on the host.

The machine code reads XLA's structures in place (`Kernel.xla_handler`, on GPUs `jax_cuda.py`). It is used
after a kernel gave the same numbers through XLA as through NumPy, once per process and platform, and if
XLA's interface has the version that it was written for. Otherwise, and on other devices, kernels are called
through `jax.pure_callback`, which is right and slower.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import jax
import numpy as np
from jax.interpreters import mlir

from ..errors import ClosedFormError, warn
from .names import lasting_name

HEADER = "xla/ffi/api/c_api.h"
"""The file, among those that come with JAX, that says which version of the interface XLA has."""

_KNOWN: dict[str, Any] = {}
"""Kernels by name. They stay: XLA keeps compiled functions, and with them the addresses of their code."""

_SHARED: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""The kernel by that name, of each kernel met so far."""

_TARGETS: dict[tuple[str, str], Any] = {}
"""The machine code that XLA calls, by platform and the kernels' names."""

_LOCK = Lock()


def known(kernel: Any) -> Any:
    """Return the first kernel of the same program and precision, so that functions are compiled once."""
    found = _SHARED.get(kernel)
    if found is None:
        found = _SHARED[kernel] = _KNOWN.setdefault(name_of(kernel), kernel)
    return found


def name_of(kernel: Any) -> str:
    """Return the name of a kernel in XLA, the same in every process."""
    return f"closedform_{lasting_name(kernel)}"


@cache
def interface_version() -> tuple[int, int]:
    """Return the version of XLA's interface for functions from elsewhere."""
    text = (Path(jax.ffi.include_dir()) / HEADER).read_text()
    numbers = [re.search(rf"#define XLA_FFI_API_{part} (\d+)", text) for part in ("MAJOR", "MINOR")]
    major, minor = (int(each[1]) if each else -1 for each in numbers)
    return major, minor


def target_of(kernel: Any) -> str:
    """Return the name by which XLA calls a kernel's machine code on the CPU, after registering it."""
    return registered(kernel, "cpu", lambda: kernel.xla_handler)[0]


def registered(kernel: Any, platform: str, make: Callable[[], Any]) -> tuple[str, Any]:
    """Return a kernel's name and machine code in XLA on a platform; it is made and registered once."""
    name = name_of(kernel)
    with _LOCK:
        if (platform, name) not in _TARGETS:
            handler = make()
            handler.follow(interface_version()[1])
            jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(handler.address), platform=platform)
            _TARGETS[platform, name] = handler
        return name, _TARGETS[platform, name]


class Trial:
    """Whether XLA calls machine code on a platform as expected, found out once per process.

    `target` makes a kernel known to XLA for a number of samples, and returns its name there.
    """

    def __init__(self, platform: str, target: Callable[[Any, int], str]) -> None:
        self.platform, self.target = platform, target
        self.passed: bool | None = None

    def passes(self, kernel: Any) -> bool:
        """Compare a kernel's numbers through XLA with those through NumPy, the first time."""
        if self.passed is None:
            wrong = self._difference(kernel)
            self.passed = wrong is None
            if wrong is not None:
                warn(
                    f"JAX {jax.__version__} does not call machine code on {self.platform} as expected: "
                    f"{wrong}. Results are right, but calls go through Python and are slower: install a "
                    "newer closedform, or another JAX",
                    RuntimeWarning,
                )
        return self.passed

    def _difference(self, kernel: Any) -> str | None:
        """Return what keeps XLA from calling machine code, None if nothing does."""
        samples, count = 100, len(kernel.input_shapes)
        inputs = [
            np.linspace(0.1, 1.0 + k, num=rows * int(np.prod(core)), dtype=kernel.dtype).reshape(rows, *core)
            for k, core in enumerate(kernel.input_shapes)
            for rows in (1 if 0 < k == count - 1 else samples,)
        ]
        expected = kernel(*inputs)
        expected = (expected,) if kernel.results is None else expected
        try:
            if interface_version()[0] != kernel.xla_handler.major:
                return f"its interface has version {'.'.join(map(str, interface_version()))}"
            shapes = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in expected]
            call = jax.ffi.ffi_call(self.target(kernel, samples), shapes)
            with jax.ensure_compile_time_eval(), jax.debug_nans(False):
                found = jax.device_get(
                    call(*jax.device_put(inputs, jax.local_devices(backend=self.platform)[0]))
                )
        except (AttributeError, ClosedFormError, OSError, RuntimeError, TypeError, ValueError) as error:
            return f"{type(error).__name__}: {str(error)[:200]}"
        same = all(np.array_equal(a, b, equal_nan=True) for a, b in zip(found, expected, strict=True))
        return None if same else "its results are not those of NumPy"


CPU = Trial("cpu", lambda kernel, _: target_of(kernel))


def on_xla(program: Callable[[Any], Any], ctx: Any, *operands: Any, kernel: Any) -> Any:
    """Write a call of a kernel's machine code into a function that XLA compiles for the CPU."""
    computed = program(kernel)
    if not CPU.passes(computed):
        return _through_python(computed, ctx, *operands)
    return jax.ffi.ffi_lowering(target_of(computed))(ctx, *operands)


def on_host(program: Callable[[Any], Any], ctx: Any, *operands: Any, kernel: Any, why: str = "") -> Any:
    """Write a call through the host into a function for another device."""
    warn(
        f"{kernel.name}: there is no machine code for JAX on this device{why}; numbers go to the host and "
        "back. Calls are quicker with arrays on the CPU",
        RuntimeWarning,
    )
    return _through_python(program(kernel), ctx, *operands)


def _through_python(kernel: Any, ctx: Any, *operands: Any) -> Any:
    shapes = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in ctx.avals_out]

    def call(*arrays: Any) -> Any:
        return jax.pure_callback(partial(_numbers, kernel), shapes, *arrays)

    return mlir.lower_fun(call, multiple_results=True)(ctx, *operands)


def _numbers(kernel: Any, *arrays: Any) -> list[Any]:
    results = kernel(*(np.asarray(each) for each in arrays))
    return [np.asarray(each) for each in ((results,) if kernel.results is None else results)]
