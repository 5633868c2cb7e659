"""Kernels of JAX on NVIDIA GPUs: XLA launches them on its own stream, without Python and the host.

A kernel is compiled and loaded for all GPUs of the process when JAX lowers a function that calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from ..errors import ClosedFormError
from .jax_targets import Trial, on_host, registered


def target_of(kernel: Any, count: int) -> str:
    """Return the name by which XLA launches a kernel on `count` samples, after loading it on each GPU."""
    from ..cuda.xla_launch import handler_of, prepare  # noqa: PLC0415 (a later stage, needed on a GPU)

    name, handler = registered(kernel, "CUDA", lambda: handler_of(kernel))
    for device in jax.local_devices(backend="cuda"):
        prepare(handler, kernel, device.local_hardware_id, count)
    return name


TRIAL = Trial("cuda", target_of)


def on_cuda(program: Callable[[Any], Any], ctx: Any, *operands: Any, kernel: Any) -> Any:
    """Write a launch of a kernel into a function that XLA compiles for NVIDIA GPUs."""
    from ..cuda.xla_launch import trial_kernel  # noqa: PLC0415 (a later stage, needed on a GPU)

    try:
        jax.local_devices(backend="cuda")
        if not TRIAL.passes(trial_kernel()):
            raise ClosedFormError("machine code failed the comparison with NumPy")
        count = ctx.avals_out[0].shape[0]
        if not isinstance(count, int):
            raise ClosedFormError("the number of samples is not known yet")
        target = target_of(program(kernel), count)
    except (ClosedFormError, RuntimeError) as error:  # RuntimeError: JAX has no GPU here
        why = f" ({str(error).partition(chr(10))[0][:200]})"
        return on_host(program, ctx, *operands, kernel=kernel, why=why)
    return jax.ffi.ffi_lowering(target)(ctx, *operands)
