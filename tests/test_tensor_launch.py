"""Machine code that finds the memory of tensors: what it evaluates, and what it hands to a GPU."""

from __future__ import annotations

import ctypes
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import closedform as cf
from closedform.cuda import tensor_launch
from closedform.cuda.device import Shape
from closedform.kernels import memory_layout
from closedform.kernels.tensor_call import TENSOR

pytestmark = pytest.mark.skipif(not memory_layout.trusted(), reason="Python is not as expected")

OFFSET = 24
"""Bytes before the data of an array in the memory that its description names."""


@ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
def read(array, tensor):
    """Describe an array of NumPy as a library of tensors describes its own."""
    ctypes.c_int64.from_address(tensor + TENSOR["data"]).value = array.ctypes.data - OFFSET
    ctypes.c_int64.from_address(tensor + TENSOR["offset"]).value = OFFSET
    return 0


def address(function):
    return ctypes.cast(function, ctypes.c_void_p).value


@pytest.fixture(scope="module")
def kernel():
    return cf.load("2r").kernel("dynamic_matrices")


def arrays(kernel, *batch):
    rng = np.random.default_rng(0)
    given = [rng.normal(size=(*batch, *core)) for core in kernel.input_shapes]
    return given, [np.full((*batch, *core), np.nan) for core in kernel.output_shapes]


@pytest.mark.parametrize("count", [None, 1, 3, 1000])
def test_samples_and_batches_are_those_of_the_kernel(kernel, count):
    evaluate = kernel.tensor_call(address(read), count)
    given, outs = arrays(kernel, *([] if count is None else [count]))
    before = sys.getrefcount(None), sys.getrefcount(given[0])
    for _ in range(500):
        assert evaluate(*given, *outs) is None
    after = sys.getrefcount(None), sys.getrefcount(given[0])
    assert all(abs(a - b) < 100 for a, b in zip(after, before, strict=True))
    for one, other in zip(outs, kernel(*given), strict=True):
        np.testing.assert_array_equal(one, other)


class Driver:
    """A driver that writes down what it is told to launch, and answers with a status."""

    def __init__(self, kernel, status):
        self.launches, self.streams, self.status = [], [], status
        words = 2 + 2 * len(kernel.input_shapes) + len(kernel.output_shapes)

        @ctypes.CFUNCTYPE(
            ctypes.c_int,
            ctypes.c_void_p,
            *[ctypes.c_uint] * 7,
            ctypes.c_void_p,
            ctypes.POINTER(ctypes.POINTER(ctypes.c_int64)),
            ctypes.c_void_p,
        )
        def launch(function, bx, by, bz, tx, ty, tz, shared, stream, arguments, extra):
            values = [arguments[k][0] for k in range(words)]
            self.launches.append((function, (bx, by, bz), (tx, ty, tz), shared, stream, values, extra))
            return self.status

        @ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_int64))
        def stream(kind, device, found):
            self.streams.append((kind, device))
            found[0] = 0x5000 + device
            return 0

        self.launch, self.stream = launch, stream


@pytest.mark.parametrize("status", [0, 201])
def test_launches_carry_the_addresses_and_strides_of_the_tensors(kernel, monkeypatch, status):
    driver = Driver(kernel, status)
    monkeypatch.setattr(tensor_launch, "driver_address", lambda name: address(driver.launch))
    shape = Shape(most=10**6, function=0x1234, each=8, parts=3, warps=4, shared=50_000)
    loaded = SimpleNamespace(device=1, shape=lambda count: shape)
    run = tensor_launch.tensor_launch(kernel, loaded, address(read), address(driver.stream), 100)
    given, outs = arrays(kernel, 100)
    for _ in range(3):
        assert run(*given, *outs) == (status or None)
    assert driver.streams == [(tensor_launch.CUDA, 1)] * 3
    places = [each.ctypes.data for each in (*given, *outs)]
    values = [100, 8, *places[:2], *(np.prod(core) for core in kernel.input_shapes), *places[2:]]
    expected = 0x1234, (-(-100 // 32), 3, 1), (4 * 32, 1, 1), 50_000, 0x5001, values, None
    assert driver.launches == [expected] * 3
