"""Kernels on CuPy arrays: results are CuPy arrays on the same GPU, in the order of CuPy's current stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any

import cupy

from ..errors import ArgumentError, shown
from .kinds import guest_of, kind_of, known_precision
from .shapes import batch_of, outputs_of


def call(kernel: Any, args: Sequence[Any], out: Any, threads: int) -> Any:
    """Evaluate a kernel on CuPy arrays; numbers and lists become arrays beside them."""
    lazy = next((each for each in args if kind_of(each) == "a dask array"), None)
    if lazy is not None:  # one array goes with all chunks, as one of NumPy does
        return guest_of(lazy).call(kernel, args, out, threads)  # type: ignore[union-attr]
    if threads != 1:
        raise ArgumentError(f"{kernel.name}: threads= does not go with CuPy arrays; leave it out")
    device = _device(kernel, args)
    with device:
        arrays = [_array(kernel, name, each) for name, each in zip(kernel.input_names, args, strict=True)]
        batch = batch_of(kernel, arrays)
        if out is None:
            made = [cupy.ndarray((*batch, *core), kernel.dtype) for core in kernel.output_shapes]
            _evaluate(kernel, device, arrays, made, batch)
            return made[0] if kernel.results is None else tuple.__new__(kernel.results, made)
        _into(kernel, device, arrays, out, batch)
        return out


def shortcut(kernel: Any) -> Callable[[Sequence[Any]], Any]:
    """Return what evaluates repeated calls of contiguous arrays of one batch shape on the current GPU.

    It gives None for others, which take the usual way.
    """
    array, dtype, results = cupy.ndarray, kernel.dtype, kernel.results
    cores, outputs = [tuple(each) for each in kernel.input_shapes], kernel.output_shapes
    depth, alike = len(cores[0]), len(set(cores)) == 1
    current, stream = cupy.cuda.runtime.getDevice, cupy.cuda.get_current_stream
    devices = kernel.__dict__.setdefault("_devices", {})

    def again(args: Sequence[Any]) -> Any:
        shape = args[0].shape
        batch = shape[: len(shape) - depth]
        device = current()
        loaded = devices.get(device)
        if loaded is None:
            return None
        places = []
        for each, core in zip(args, cores, strict=True):
            if type(each) is not array or each.dtype != dtype:
                return None
            if each.shape != (shape if alike else batch + core) or not each.flags.c_contiguous:
                return None
            memory = each.data
            if memory.device_id != device:
                return None
            places.append(memory.ptr)
        if shape[len(batch) :] != cores[0]:
            return None
        made = [array(batch + core, dtype) for core in outputs]
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
            what = kind_of(each) or shown(each)
            raise ArgumentError(
                f"bind {kernel.name}: {name} is {what}; expected a CuPy array, like the others"
            )
        if each.dtype != kernel.dtype or any(step % each.itemsize for step in each.strides):
            raise ArgumentError(
                f"bind {kernel.name}: {name} is {each.dtype}; expected aligned {kernel.dtype.name}"
            )
    device = _device(kernel, held)
    with device:
        prepared = bound_launch(_library(), kernel, args, out)
        launch = device_kernel(kernel, device.id).launch
    stream, current = cupy.cuda.get_current_stream, cupy.cuda.runtime.getDevice

    def call(held: Sequence[Any] = tuple(held)) -> None:
        if current() == device.id:
            launch(*prepared, stream().ptr)
        else:
            with device:
                launch(*prepared, stream().ptr)

    return call


def _device(kernel: Any, args: Sequence[Any]) -> cupy.cuda.Device:
    """Return the GPU that all arrays are on."""
    devices = {each.device.id: each.device for each in args if isinstance(each, cupy.ndarray)}
    if len(devices) > 1:
        places = " and ".join(f"GPU {each}" for each in sorted(devices))
        raise ArgumentError(
            f"{kernel.name}: arrays are on {places}; copy them to one with cupy.asarray within its Device"
        )
    (device,) = devices.values()
    return device


def _array(kernel: Any, name: str, given: Any) -> cupy.ndarray:
    """Return an argument as an array of the kernel's precision; other kinds of arrays are refused."""
    if isinstance(given, cupy.ndarray):
        known_precision(kernel.name, given.dtype)
        if any(each % given.itemsize for each in given.strides):
            raise ArgumentError(f"{kernel.name}: {name} lies across the bounds of entries; copy it first")
        return given if given.dtype == kernel.dtype else given.astype(kernel.dtype)
    other = kind_of(given)
    if other is not None:
        how = "cupy.asarray" if other == "a NumPy array" else "cupy.from_dlpack"
        raise ArgumentError(f"{kernel.name}: {name} is {other} beside CuPy arrays; convert it with {how}")
    try:
        return cupy.asarray(given, dtype=kernel.dtype)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ArgumentError(f"{kernel.name}: {name} is {shown(given)}; expected an array") from error


def _into(
    kernel: Any, device: cupy.cuda.Device, arrays: Sequence[Any], out: Any, batch: tuple[int, ...]
) -> None:
    """Evaluate into arrays of the caller: in place if they are whole and apart from the inputs."""
    from ..cuda.rows import writable_in_place  # noqa: PLC0415 (a later stage, needed where there is a GPU)

    for each in out if isinstance(out, tuple) else (out,):
        if not isinstance(each, cupy.ndarray) or each.device != device:
            what = f"on GPU {each.device.id}" if isinstance(each, cupy.ndarray) else kind_of(each)
            raise ArgumentError(
                f"{kernel.name}: out is {what or shown(each)}; expected CuPy arrays on GPU {device.id}, "
                "where the inputs are"
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
    kernel: Any, device: cupy.cuda.Device, arrays: Sequence[Any], outs: Sequence[Any], batch: tuple[int, ...]
) -> None:
    from ..cuda.rows import evaluate  # noqa: PLC0415 (a later stage, needed where there is a GPU)

    stream = cupy.cuda.get_current_stream().ptr
    evaluate(_library(), kernel, device.id, stream, arrays, outs, batch)


@cache
def _library() -> Any:
    """Return what rows of memory are made with."""
    from ..cuda.rows import Library  # noqa: PLC0415 (a later stage, needed where there is a GPU)

    return Library(
        lambda array: array.data.ptr,
        lambda array: [each // array.itemsize for each in array.strides],
        cupy.broadcast_to,
        cupy.ascontiguousarray,
    )
