"""Kernels on CuPy arrays: results are CuPy arrays on the same GPU, in the order of CuPy's current stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from math import prod
from typing import Any

import cupy
import numpy as np

from ..errors import ArgumentError, shown
from .kinds import guest_of, kind_in_words, known_precision
from .shapes import batch_of, outputs_of


def call(kernel: Any, args: Sequence[Any], out: Any, threads: int) -> Any:
    """Evaluate a kernel on CuPy arrays; numbers and lists become arrays beside them."""
    for each in args:
        if not isinstance(each, cupy.ndarray) and kind_in_words(each) == "a dask array":
            guest: Any = guest_of(each)  # one CuPy array goes with all chunks, as one of NumPy does
            return guest.call(kernel, args, out, threads)
    if threads != 1:
        raise ArgumentError(f"{kernel.name}: threads= does not go with CuPy arrays; leave it out")
    device = _device(kernel, args)
    try:
        if device == cupy.cuda.runtime.getDevice():
            return _results(kernel, device, args, out)
        with cupy.cuda.Device(device):
            return _results(kernel, device, args, out)
    except MemoryError as error:
        raise ArgumentError(
            f"{kernel.name}: the result does not fit in the memory of GPU {device} ({error}); split the "
            "batch, or give out="
        ) from None


def shortcut(kernel: Any) -> Callable[[Sequence[Any]], Any]:
    """Return what evaluates repeated calls of arrays of the kernel's precision on the current GPU.

    It gives None for others, which take the usual way.
    """
    array, dtype, results = cupy.ndarray, kernel.dtype, kernel.results
    cores, outputs = [tuple(each) for each in kernel.input_shapes], kernel.output_shapes
    depth, alike = len(cores[0]), len(set(cores)) == 1
    current, stream = cupy.cuda.runtime.getDevice, cupy.cuda.get_current_stream
    devices = kernel.__dict__.setdefault("_devices", {})

    def again(args: Sequence[Any]) -> Any:
        shape, device = args[0].shape, current()
        batch = shape[: len(shape) - depth]
        loaded = devices.get(device)
        if loaded is None:
            return None
        places, plain = [], shape[len(batch) :] == cores[0]
        for each, core in zip(args, cores, strict=True):
            if type(each) is not array or each.dtype != dtype:
                return None
            memory = each.data
            if memory.device_id != device:
                return None
            places.append(memory.ptr)
            plain = plain and each.shape == (shape if alike else batch + core) and each.flags.c_contiguous
        try:
            if not plain:
                return _results(kernel, device, args, None)
            made = [array(batch + core, dtype) for core in outputs]
        except MemoryError:  # the usual way says what to do
            return None
        loaded.launch(
            prod(batch), places, loaded.strides, [each.data.ptr for each in made], stream(device).ptr
        )
        return made[0] if results is None else tuple.__new__(results, made)

    return again


def bind(kernel: Any, args: Sequence[Any], out: Any) -> Callable[[], None]:
    """Return a function of no arguments that evaluates these arrays into `out`, on the current stream."""
    from ..cuda.bound import bound_launch  # noqa: PLC0415 (a later stage, needed where there is a GPU)
    from ..cuda.device import device_kernel  # noqa: PLC0415 (the same)

    held = [*args, *(out if isinstance(out, tuple) else (out,))]
    names = [*kernel.input_names, *["out"] * (len(held) - len(args))]
    for name, each in zip(names, held, strict=True):
        if not isinstance(each, cupy.ndarray):
            what = kind_in_words(each) or shown(each)
            raise ArgumentError(
                f"bind {kernel.name}: {name} is {what}; expected a CuPy array, like the others"
            )
        if each.dtype != kernel.dtype or any(step % each.itemsize for step in each.strides):
            raise ArgumentError(
                f"bind {kernel.name}: {name} is {each.dtype}; expected aligned {kernel.dtype.name}"
            )
    device = _device(kernel, held)
    with cupy.cuda.Device(device):
        prepared = bound_launch(_library(), kernel, args, out)
        launch = device_kernel(kernel, device).bound(*prepared)
    return partial(_launch_again, device, launch, tuple(held))


def _launch_again(device: int, launch: Callable[[int], None], held: tuple[Any, ...]) -> None:
    """Launch on the current stream of a device; the arrays are held here, so that their memory stays."""
    if cupy.cuda.runtime.getDevice() == device:
        launch(cupy.cuda.get_current_stream().ptr)
    else:
        with cupy.cuda.Device(device):
            launch(cupy.cuda.get_current_stream().ptr)


def _results(kernel: Any, device: int, args: Sequence[Any], out: Any) -> Any:
    """Evaluate on arrays of the current GPU."""
    arrays = [_array(kernel, name, each) for name, each in zip(kernel.input_names, args, strict=True)]
    batch = batch_of(kernel, arrays, _broadcast)
    if out is not None:
        _into(kernel, device, arrays, out, batch)
        return out
    made = [cupy.ndarray((*batch, *core), kernel.dtype) for core in kernel.output_shapes]
    _evaluate(kernel, device, arrays, made, batch)
    return made[0] if kernel.results is None else tuple.__new__(kernel.results, made)


def _broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape to which shapes broadcast; most often they are the same."""
    return shapes[0] if len(set(shapes)) == 1 else np.broadcast_shapes(*shapes)


def _device(kernel: Any, args: Sequence[Any]) -> int:
    """Return the GPU that all arrays are on."""
    devices = {each.data.device_id for each in args if isinstance(each, cupy.ndarray)}
    if len(devices) > 1:
        places = " and ".join(f"GPU {each}" for each in sorted(devices))
        raise ArgumentError(
            f"{kernel.name}: arrays are on {places}; copy them to one with cupy.asarray within its Device"
        )
    return int(devices.pop())


def _array(kernel: Any, name: str, given: Any) -> cupy.ndarray:
    """Return an argument as an array of the kernel's precision; other kinds of arrays are refused."""
    if isinstance(given, cupy.ndarray):
        if not given.flags.c_contiguous and any(each % given.itemsize for each in given.strides):
            raise ArgumentError(f"{kernel.name}: {name} lies across the bounds of entries; copy it first")
        if given.dtype == kernel.dtype:
            return given
        known_precision(kernel.name, given.dtype)
        return given.astype(kernel.dtype)
    other = kind_in_words(given)
    if other is not None:
        how = "cupy.asarray" if other == "a NumPy array" else "cupy.from_dlpack"
        raise ArgumentError(f"{kernel.name}: {name} is {other} beside CuPy arrays; convert it with {how}")
    try:
        made = cupy.asarray(given)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ArgumentError(f"{kernel.name}: {name} is {shown(given)}; expected an array") from error
    if made.dtype.kind not in "fiub":
        raise ArgumentError(f"{kernel.name}: {name} has entries of {made.dtype}; expected real numbers")
    return made.astype(kernel.dtype)


def _into(kernel: Any, device: int, arrays: Sequence[Any], out: Any, batch: tuple[int, ...]) -> None:
    """Evaluate into arrays of the caller: in place if they are whole and apart from the inputs."""
    from ..cuda.rows import writable_in_place  # noqa: PLC0415 (a later stage, needed where there is a GPU)

    for each in out if isinstance(out, tuple) else (out,):
        if not isinstance(each, cupy.ndarray) or each.data.device_id != device:
            what = f"on GPU {each.data.device_id}" if isinstance(each, cupy.ndarray) else kind_in_words(each)
            raise ArgumentError(
                f"{kernel.name}: out is {what or shown(each)}; expected CuPy arrays on GPU {device}, where "
                "the inputs are"
            )
    outs = outputs_of(kernel, out, batch)
    if writable_in_place(_library(), kernel.name, arrays, outs, kernel.dtype):
        _evaluate(kernel, device, arrays, outs, batch)
        return
    made = [cupy.ndarray(each.shape, kernel.dtype) for each in outs]
    _evaluate(kernel, device, arrays, made, batch)
    for each, result in zip(outs, made, strict=True):
        each[...] = result


def _evaluate(
    kernel: Any, device: int, arrays: Sequence[Any], outs: Sequence[Any], batch: tuple[int, ...]
) -> None:
    from ..cuda.rows import evaluate  # noqa: PLC0415 (a later stage, needed where there is a GPU)

    stream = cupy.cuda.get_current_stream().ptr
    evaluate(_library(), kernel, device, stream, arrays, outs, batch)


@cache
def _library() -> Any:
    """Return what rows of memory are made with."""
    from ..cuda.rows import Library  # noqa: PLC0415 (a later stage, needed where there is a GPU)

    return Library(
        lambda array: array.data.ptr,
        lambda array: [each // array.itemsize for each in array.strides],
        lambda array: array.flags.c_contiguous,
        cupy.broadcast_to,
        cupy.ascontiguousarray,
    )
