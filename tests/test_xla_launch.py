"""What XLA runs on a GPU, on calls made by hand: addresses, strides and launches, and errors.

The driver and XLA's functions are stand-ins, so that neither JAX nor a GPU is needed.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

import casadi as ca
import numpy as np
import pytest

from closedform.cuda.xla_launch import LaunchHandler, trial_kernel
from closedform.kernels import compiled

EXECUTE, FLOAT32, FLOAT64 = 3, 11, 12
WORD = ctypes.c_int64
ERROR_ADDRESS, STREAM = 0x5EED, 0xABCD00


class Buffer(ctypes.Structure):
    """XLA_FFI_Buffer."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("dtype", ctypes.c_int32),
        ("data", ctypes.c_void_p),
        ("rank", WORD),
        ("dims", ctypes.POINTER(WORD)),
    ]


class Arrays(ctypes.Structure):
    """XLA_FFI_Args and XLA_FFI_Rets."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("count", WORD),
        ("types", ctypes.c_void_p),
        ("items", ctypes.POINTER(ctypes.POINTER(Buffer))),
    ]


class Attributes(ctypes.Structure):
    """XLA_FFI_Attrs."""

    _fields_ = [("words", WORD * 6)]


class Frame(ctypes.Structure):
    """XLA_FFI_CallFrame."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("api", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("stage", ctypes.c_int32),
        ("inputs", Arrays),
        ("outputs", Arrays),
        ("attributes", Attributes),
        ("future", ctypes.c_void_p),
    ]


class ErrorArguments(ctypes.Structure):
    """XLA_FFI_Error_Create_Args."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("message", ctypes.c_char_p),
        ("code", ctypes.c_int32),
    ]


class StreamArguments(ctypes.Structure):
    """XLA_FFI_Stream_Get_Args."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("extension", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("stream", ctypes.c_void_p),
    ]


class Metadata(ctypes.Structure):
    """XLA_FFI_Metadata."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("version_size", ctypes.c_size_t),
        ("version_extension", ctypes.c_void_p),
        ("major", ctypes.c_int32),
        ("minor", ctypes.c_int32),
        ("traits", ctypes.c_uint32),
    ]


class Extension(ctypes.Structure):
    """XLA_FFI_Metadata_Extension."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("type", ctypes.c_int32),
        ("next", ctypes.c_void_p),
        ("metadata", ctypes.POINTER(Metadata)),
    ]


INTS = (ctypes.c_uint,) * 7


class Gpu:
    """A driver and XLA's functions that write down what they are asked."""

    def __init__(self, kernel, device=0):
        self.kernel, self.device = kernel, device
        self.launches, self.errors = [], []
        self.status = self.device_status = self.stream_problem = 0
        launch = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_void_p, *INTS, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
        )(self._launch)
        current = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int))(self._current)
        create = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(ErrorArguments))(self._create)
        stream = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(StreamArguments))(self._stream)
        self._kept = [launch, current, create, stream]
        self.api = (ctypes.c_void_p * 24)()
        self.api[6] = ctypes.cast(create, ctypes.c_void_p)
        self.api[10] = ctypes.cast(stream, ctypes.c_void_p)
        places = [ctypes.cast(each, ctypes.c_void_p).value for each in (launch, current)]
        self.handler = LaunchHandler(kernel, *places)
        self.run = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Frame))(self.handler.address)

    def _launch(self, function, *rest):
        (*sizes, stream, arguments, extra) = rest
        count = 2 + 2 * len(self.kernel.input_shapes) + len(self.kernel.output_shapes)
        values = [WORD.from_address(p).value for p in (ctypes.c_void_p * count).from_address(arguments)]
        self.launches.append(SimpleNamespace(function=function, sizes=sizes, stream=stream, values=values))
        assert not extra
        return self.status

    def _current(self, there):
        there[0] = self.device
        return self.device_status

    def _create(self, there):
        assert there[0].size == 28
        assert not there[0].extension
        self.errors.append((there[0].code, there[0].message.decode()))
        return ERROR_ADDRESS

    def _stream(self, there):
        assert there[0].size == ctypes.sizeof(StreamArguments)
        assert there[0].context == 77
        there[0].stream = STREAM
        return self.stream_problem

    def call(self, inputs, outputs, dtype=FLOAT32, **changes):
        """Call the machine code with arrays at made-up addresses; shapes are whole."""
        kept, lists, addresses = [], [], []
        for shapes in (inputs, outputs):
            items = (ctypes.POINTER(Buffer) * max(1, len(shapes)))()
            for k, shape in enumerate(shapes):
                dims = (WORD * max(1, len(shape)))(*shape)
                address = 0x1000 * (len(addresses) + 1)
                buffer = Buffer(ctypes.sizeof(Buffer), None, dtype, address, len(shape), dims)
                items[k] = ctypes.pointer(buffer)
                kept += [dims, buffer]
                addresses.append(address)
            kept.append(items)
            lists.append(Arrays(ctypes.sizeof(Arrays), None, len(shapes), None, items))
        api = ctypes.addressof(self.api)
        frame = Frame(168, None, api, 77, EXECUTE, *lists, Attributes(), None)
        for name, value in changes.items():
            setattr(frame, name, value)
        return self.run(ctypes.byref(frame)), addresses


def loaded(function, grid, shared, each):
    """Return a kernel on a device, of which every batch is launched in one way."""
    shape = SimpleNamespace(function=function, grid=lambda count: grid, shared=shared, each=each)
    return SimpleNamespace(shape=lambda count: shape)


SMALL, LARGE = loaded(0xF000, (13, 4, 64), 5000, 4), loaded(0xF001, (32, 1, 64), 5000, 32)


@pytest.fixture
def gpu():
    found = Gpu(trial_kernel())
    found.handler.prepare(SMALL, 0, 100)
    return found


def whole(n, b=None):
    return [(n, 2), (n,), (n if b is None else b, 2, 2)], [(n, 2), (n,), (n, 2, 2)]


def test_addresses_strides_and_launch_reach_the_driver(gpu):
    error, places = gpu.call(*whole(100))
    assert error is None
    (launch,) = gpu.launches
    assert launch.values == [100, 4, *places[:3], 2, 1, 4, *places[3:]]
    assert launch.function == 0xF000
    assert launch.sizes == [13, 4, 1, 64, 1, 1, 5000]
    assert launch.stream == STREAM


def test_an_input_of_one_sample_goes_with_all(gpu):
    error, places = gpu.call(*whole(100, b=1))
    assert error is None
    assert gpu.launches[0].values == [100, 4, *places[:3], 2, 1, 0, *places[3:]]


def test_the_row_of_the_count_and_the_device_is_taken(gpu):
    gpu.handler.prepare(LARGE, 0, 2000)
    gpu.handler.prepare(loaded(0xE000, (3, 2, 32), 0, 32), 1, 100)
    assert gpu.call(*whole(2000))[0] is None
    assert gpu.call(*whole(100))[0] is None
    gpu.device = 1
    assert gpu.call(*whole(100))[0] is None
    assert [each.function for each in gpu.launches] == [0xF001, 0xF000, 0xE000]
    assert gpu.launches[-1].sizes == [3, 2, 1, 32, 1, 1, 0]
    assert [each.values[:2] for each in gpu.launches] == [[2000, 32], [100, 4], [100, 32]]
    error, _ = gpu.call(*whole(2000))
    assert error == ERROR_ADDRESS
    assert gpu.errors == [
        (13, "closedform: the kernel was not loaded for this GPU and batch; call it through its method")
    ]


def test_no_samples_need_no_launch(gpu):
    assert gpu.call(*whole(0))[0] is None
    assert not gpu.launches


def test_double_precision_and_many_operands():
    symbols = [ca.SX.sym(f"x{k}", 1 + k % 3) for k in range(40)]
    kernel = compiled(
        "many",
        [(f"x{k}", x) for k, x in enumerate(symbols)],
        [(f"y{k}", 2 * x) for k, x in enumerate(symbols[:20])],
    )
    gpu = Gpu(kernel)
    gpu.handler.prepare(SMALL, 0, 7)
    shapes = [(7, 1 + k % 3) for k in range(40)]
    error, places = gpu.call(shapes, shapes[:20], FLOAT64)
    assert error is None
    assert gpu.launches[0].values == [7, 4, *places[:40], *(1 + k % 3 for k in range(40)), *places[40:]]


@pytest.mark.parametrize(
    ("inputs", "outputs", "changes"),
    [
        (whole(100)[0][:2], whole(100)[1], {}),
        (whole(100)[0], whole(100)[1][:2], {}),
        ([(100, 2), (100,), (100, 4)], whole(100)[1], {}),
        ([(100, 2), (7,), (100, 2, 2)], whole(100)[1], {}),
        (whole(100)[0], [(100, 2), (1,), (100, 2, 2)], {}),
        (*whole(100), {"dtype": FLOAT64}),
        (*whole(100), {"stage": 2}),
        (*whole(100), {"size": 100}),
    ],
)
def test_other_calls_are_refused(gpu, inputs, outputs, changes):
    error, _ = gpu.call(inputs, outputs, **changes)
    assert error == ERROR_ADDRESS
    ((code, message),) = gpu.errors
    assert code == 3
    assert "other arrays than the kernel takes" in message
    assert not gpu.launches


def test_errors_of_the_driver_are_xla_s(gpu):
    gpu.status = 701
    assert gpu.call(*whole(100))[0] == ERROR_ADDRESS
    gpu.status, gpu.device_status = 0, 3
    assert gpu.call(*whole(100))[0] == ERROR_ADDRESS
    text = "closedform: the GPU did not take the launch of a kernel, CUDA error "
    assert gpu.errors == [(13, f"{text}701"), (13, f"{text}003")]
    assert len(gpu.launches) == 1


def test_xla_s_own_error_is_handed_on(gpu):
    gpu.stream_problem = 0xBAD
    assert gpu.call(*whole(100))[0] == 0xBAD
    assert not gpu.launches


def test_launches_may_be_kept_in_graphs(gpu):
    """The answer to XLA's question: the version that is followed, and the trait of the command buffers."""
    gpu.handler.follow(3)
    metadata = Metadata(major=9, minor=9)
    question = Extension(ctypes.sizeof(Extension), 1, None, ctypes.pointer(metadata))
    frame = Frame(168, ctypes.addressof(question))
    assert gpu.run(ctypes.byref(frame)) is None
    assert (metadata.major, metadata.minor, metadata.traits) == (0, 3, 1)


def test_the_trial_is_exact():
    """Its results are correctly rounded single operations, which every processor agrees on."""
    kernel, rng = trial_kernel(), np.random.default_rng(0)
    a, c, b = (rng.normal(size=(50, *shape)).astype(np.float32) for shape in kernel.input_shapes)
    found = kernel(a, c, b)
    np.testing.assert_array_equal(found[0], a + c[:, None])
    np.testing.assert_array_equal(found[1], c - a[:, 0])
    np.testing.assert_array_equal(found[2], b - 2 * c[:, None, None])
