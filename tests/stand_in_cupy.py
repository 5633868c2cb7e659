"""A stand-in for CuPy on memory of the host, and for launches: the logic of the guest runs without a GPU.

`install` puts it in CuPy's place in this process.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from types import SimpleNamespace

import numpy as np

from closedform.cuda import rows


class StandInArray(np.ndarray):
    """An array of NumPy that says of itself what CuPy's do."""

    __module__ = "cupy"

    def __new__(cls, shape, dtype=float):
        return super().__new__(cls, shape, dtype)

    @property
    def data(self):
        """Where the entries are."""
        return SimpleNamespace(ptr=self.__array_interface__["data"][0], device_id=0)

    @property
    def device(self):
        """The GPU."""
        return Device()

    def get(self):
        """Return a copy as NumPy's."""
        return np.array(self)


class Device:
    """The only GPU, always current."""

    def __init__(self, number=0):
        self.id = number

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def _given(function):
    """Return a function of NumPy whose results are arrays of the stand-in."""
    return lambda *args, **named: np.asarray(function(*args, **named)).view(StandInArray)


def asarray(given, dtype=None):
    """Return an array; CuPy has numbers only."""
    if isinstance(given, StandInArray) and dtype in (None, given.dtype):
        return given
    made = np.array(given, dtype)
    if made.dtype.kind not in "fiubc":
        raise ValueError(f"Unsupported dtype {made.dtype}")
    return made.view(StandInArray)


class Launches:
    """A kernel as launches evaluate it: rows at addresses, with outputs that are overwritten first."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.strides = [int(np.prod(core)) for core in kernel.input_shapes]

    def launch(self, count, inputs, strides, outputs, stream):
        """Evaluate."""
        if not count:
            return
        kernel = self.kernel
        wide = [int(np.prod(core)) for core in kernel.output_shapes]
        given = [self._rows(count, *each) for each in zip(inputs, strides, kernel.input_shapes, strict=True)]
        made = [self._rows(count, *each) for each in zip(outputs, wide, kernel.output_shapes, strict=True)]
        for each in made:
            each[...] = np.nan
        found = kernel(*given)
        for each, result in zip(made, found if isinstance(found, tuple) else (found,), strict=True):
            each[...] = result

    def _rows(self, count, address, stride, core):
        size = self.kernel.dtype.itemsize
        inner = [int(np.prod(core[k + 1 :])) * size for k in range(len(core))]
        interface = {
            "version": 3,
            "typestr": self.kernel.dtype.str,
            "shape": (count, *core),
            "strides": (stride * size, *inner),
            "data": (address, False),
        }
        return np.asarray(SimpleNamespace(__array_interface__=interface))


def device_kernel(kernel, device):
    """Return the launches of a kernel, as the real function does."""
    return kernel.__dict__.setdefault("_devices", {}).setdefault(device, Launches(kernel))


def install():
    """Let `import cupy` find the stand-in, and launches evaluate on the host."""
    cupy, cuda = (module_from_spec(ModuleSpec(name, None)) for name in ("cupy", "cupy.cuda"))
    cupy.ndarray, cupy.asarray, cupy.cuda = StandInArray, asarray, cuda
    cupy.broadcast_to = lambda array, shape: np.broadcast_to(array, shape, subok=True)
    for name in ("zeros", "empty", "full", "isnan", "ascontiguousarray", "asfortranarray", "stack"):
        setattr(cupy, name, _given(getattr(np, name)))
    cupy.broadcast_arrays = np.broadcast_arrays
    cuda.Device, cuda.get_current_stream = Device, lambda device=0: SimpleNamespace(ptr=0)
    cuda.runtime = SimpleNamespace(
        getDevice=lambda: 0, getDeviceCount=lambda: 1, CUDARuntimeError=RuntimeError
    )
    sys.modules |= {"cupy": cupy, "cupy.cuda": cuda}
    rows.device_kernel = device_kernel
