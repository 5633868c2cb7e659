"""NVIDIA's driver: its bindings, the context of a device, and what its errors mean.

Every message says what is missing or what to do. Where there is no GPU, work on the CPU goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from ..errors import ClosedFormError

REASONS = {
    "CUDA_ERROR_NO_DEVICE": "there is no NVIDIA GPU, or CUDA_VISIBLE_DEVICES hides it",
    "CUDA_ERROR_INVALID_DEVICE": "there is no such GPU; nvidia-smi lists those that there are",
    "CUDA_ERROR_INSUFFICIENT_DRIVER": "the NVIDIA driver is too old; install a newer one",
    "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH": "parts of the NVIDIA driver have different versions; restart",
    "CUDA_ERROR_UNSUPPORTED_PTX_VERSION": "the NVIDIA driver is too old; install a newer one",
    "CUDA_ERROR_NO_BINARY_FOR_GPU": "the NVIDIA driver is too old for the compiler, or the GPU is",
    "CUDA_ERROR_INVALID_IMAGE": "the NVIDIA driver is too old for the compiler, or the GPU is",
    "CUDA_ERROR_DEVICE_UNAVAILABLE": "another process has the GPU for itself",
    "CUDA_ERROR_OUT_OF_MEMORY": "the GPU has no memory left; split the batch, or free other arrays",
    "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES": "the kernel needs more registers or memory than the GPU has",
    "CUDA_ERROR_INVALID_CONTEXT": "the device of the arrays is not the current one of this thread",
}
"""What some errors mean to a user."""

LASTING = (
    "ILLEGAL_ADDRESS",
    "ILLEGAL_INSTRUCTION",
    "MISALIGNED_ADDRESS",
    "INVALID_ADDRESS_SPACE",
    "INVALID_PC",
    "HARDWARE_STACK_ERROR",
    "LAUNCH_FAILED",
    "LAUNCH_TIMEOUT",
    "ASSERT",
    "ECC_UNCORRECTABLE",
    "NVLINK_UNCORRECTABLE",
    "CONTEXT_IS_DESTROYED",
)
"""Errors after which a process cannot use the GPU any more; any later call reports them."""


@cache
def bindings() -> tuple[Any, Any]:
    """Return NVIDIA's bindings of the driver and of the compiler."""
    try:
        from cuda.bindings import driver, nvrtc  # noqa: PLC0415 (an extra, needed only where there is a GPU)
    except ImportError as error:
        raise ClosedFormError(
            f"arrays on a GPU need NVIDIA's bindings ({error}); install closedform[cuda]"
        ) from error
    return driver, nvrtc


@cache
def started() -> Any:
    """Return the bindings of the driver, which is there and runs."""
    driver, _ = bindings()
    try:
        answer = driver.cuInit(0)
    except (RuntimeError, OSError, ImportError) as error:
        raise ClosedFormError(
            f"arrays on a GPU need NVIDIA's driver, which is not found ({str(error).splitlines()[0][:200]})"
        ) from error
    checked("NVIDIA's driver", answer)
    return driver


def checked(what: str, answer: tuple[Any, ...]) -> Any:
    """Return what a function of the bindings gives besides its status, or say what went wrong."""
    status, *results = answer
    if int(status) != 0:
        raise failure(what, status)
    return results[0] if len(results) == 1 else results


def failure(what: str, status: Any) -> ClosedFormError:
    """Return the error of a status, in words."""
    name = str(status.name)
    if name.removeprefix("CUDA_ERROR_") in LASTING:
        reason = (
            "work on the GPU failed, now or earlier, and this process cannot use it any more; restart the "
            "process (CUDA_LAUNCH_BLOCKING=1 shows which call it was)"
        )
    else:
        reason = REASONS.get(name, "")
    return ClosedFormError(f"{what}: the GPU says {name}{reason and ': '}{reason}")


@cache
def attribute(device: int, name: str) -> int:
    """Return a property of a device by the driver's name of it."""
    driver = started()
    which = getattr(driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
    return int(checked(f"GPU {device}", driver.cuDeviceGetAttribute(which, device)))


def shared_memory(device: int) -> int:
    """Return how many bytes of shared memory a block may have on a device."""
    return attribute(device, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN")


class Gpu(NamedTuple):
    """A device as the driver describes it: its name and the bytes of its memory."""

    name: str
    memory: int


def gpus() -> list[Gpu]:
    """Return the devices that this process sees."""
    driver = started()
    found = []
    for device in range(int(checked("GPUs", driver.cuDeviceGetCount()))):
        name = checked(f"GPU {device}", driver.cuDeviceGetName(256, device))
        memory = checked(f"GPU {device}", driver.cuDeviceTotalMem(device))
        found.append(Gpu(name.partition(b"\0")[0].decode(errors="replace"), int(memory)))
    return found


@cache
def primary_context(device: int) -> Any:
    """Return the context of a device that all libraries of a process share; it stays, as code in it does."""
    driver = started()
    count = int(checked("GPUs", driver.cuDeviceGetCount()))
    if device >= count:
        has = "one GPU, number 0" if count == 1 else f"{count} GPUs, from 0"
        raise ClosedFormError(f"there is no GPU {device}: this process sees {has}")
    return checked(f"GPU {device}", driver.cuDevicePrimaryCtxRetain(device))


@contextmanager
def context_of(device: int) -> Iterator[None]:
    """Make a device that of the thread, whichever library uses another, and give that back after."""
    driver = started()
    checked(f"GPU {device}", driver.cuCtxPushCurrent(primary_context(device)))
    try:
        yield
    finally:
        driver.cuCtxPopCurrent()


def ensure_context(device: int) -> None:
    """Let a thread that has not used a GPU yet, such as a new one, use this device."""
    driver = started()
    if int(checked(f"GPU {device}", driver.cuCtxGetCurrent())) == 0:
        checked(f"GPU {device}", driver.cuCtxSetCurrent(primary_context(device)))
