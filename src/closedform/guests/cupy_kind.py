"""CuPy arrays as applications take them: brought to the host, made from numbers, taken through steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import cupy
import numpy as np

from ..errors import ArgumentError
from .gradientless import Gradientless
from .kinds import known_precision

SMALL = 2**16
"""Bytes up to which numbers are kept for the next call."""


@dataclass(frozen=True)
class CupyKind(Gradientless):
    """CuPy arrays of one device and precision."""

    device: int
    dtype: np.dtype[Any]
    plain: bool = False
    xp: ClassVar[Any] = cupy

    def host(self, name: str, array: Any) -> np.ndarray[Any, Any]:
        """Return a copy of an array as NumPy's."""
        found: np.ndarray[Any, Any] = cupy.asnumpy(array)
        return found

    def array(self, values: Any) -> Any:
        """Return numbers as an array on the device."""
        with cupy.cuda.Device(self.device):
            given = values if isinstance(values, cupy.ndarray) else np.asarray(values)
            return cupy.asarray(given, dtype=self.dtype if given.dtype.kind == "f" else None)

    def constant(self, values: Any) -> Any:
        """Return numbers as an array on the device, one of those that are kept if they are few."""
        given = np.asarray(values)
        if given.dtype.kind == "f":
            given = given.astype(self.dtype, copy=False)
        if given.nbytes > SMALL:
            return self.array(given)
        return _kept(given.tobytes(), given.dtype.str, given.shape, self.device)

    def moved(self, array: Any, source: int, destination: int) -> Any:
        """Return an array with an axis moved to another place."""
        return cupy.moveaxis(array, source, destination)

    def march(self, step: Callable[..., Any], start: Any, tables: Sequence[Any], count: int) -> Any:
        """Return the states of steps, taken one after the other."""
        states = [start]
        for k in range(count):
            states.append(step(states[-1], k, *(each[k] for each in tables)))
        return tuple(cupy.stack(parts) for parts in zip(*states, strict=True))


@lru_cache(maxsize=512)
def _kept(numbers: bytes, dtype: str, shape: tuple[int, ...], device: int) -> Any:
    """Return an array on a GPU, one for equal numbers."""
    with cupy.cuda.Device(device):
        return cupy.asarray(np.frombuffer(numbers, dtype=dtype).reshape(shape))


def kind(name: str, arrays: Sequence[Any]) -> CupyKind:
    """Return what CuPy arrays have in common; those on several devices are refused."""
    devices = {each.device.id for each in arrays}
    if len(devices) > 1:
        listed = " and ".join(f"GPU {each}" for each in sorted(devices))
        raise ArgumentError(f"{name}: arrays are on {listed}; copy them to one device")
    precisions = {known_precision(name, each.dtype) for each in arrays if each.dtype.kind in "fc"}
    dtype = np.dtype(np.float32) if precisions == {np.dtype(np.float32)} else np.dtype(np.float64)
    return CupyKind(devices.pop(), dtype)
