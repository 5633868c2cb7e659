"""Batches in chunks on a GPU: what is copied when, on a stand-in for the driver that does things late."""

from __future__ import annotations

import ctypes
import gc
import itertools
from threading import Thread

import numpy as np
import pytest

import closedform as cf
from closedform.cuda import chunks, device, driver
from closedform.cuda.chunks import boxes
from stand_in_driver import StandIn, StandInKernel


@pytest.fixture
def gpu(monkeypatch):
    """Return a driver with a GPU of one GiB."""
    it = StandIn()
    monkeypatch.setattr(driver, "started", lambda: it)
    monkeypatch.setattr(chunks, "started", lambda: it)
    monkeypatch.setattr(chunks, "device_kernel", lambda kernel, device: StandInKernel(it, kernel))
    driver.primary_context.cache_clear()
    yield it
    driver.primary_context.cache_clear()
    assert not it.contexts
    assert not it.blocks, "memory is left"
    assert not it.queues
    assert not it.events


@pytest.fixture(scope="module")
def kernel():
    return cf.load("2r").kernel("inverse_dynamics")


def given(*batches, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(*batch, 2)) for batch in batches]


@pytest.mark.parametrize("batch", [(), (1,), (10,), (3, 4), (2, 1, 7), (5, 3, 2), (0,), (3, 0)])
@pytest.mark.parametrize("most", [1, 2, 5, 6, 100])
def test_boxes_cut_a_batch_without_gaps(batch, most):
    seen = np.zeros(batch, int)
    for box in boxes(batch, most):
        assert seen[box].size <= most
        seen[box] += 1
    assert (seen == 1).all()


@pytest.mark.parametrize("chunk", [None, 1, 7, 1000])
@pytest.mark.parametrize("threads", [None, 1, 3])
def test_results_are_those_of_the_cpu(gpu, kernel, chunk, threads):
    arrays = given((50,), (50,), (50,))
    np.testing.assert_array_equal(
        kernel.on_gpu(*arrays, chunk=chunk, threads=threads), kernel(*arrays, out=np.empty((50, 2)))
    )


def test_each_stream_copies_launches_and_copies_back(gpu, kernel):
    kernel.on_gpu(*given((90,), (90,), (90,)), chunk=10, threads=2)
    for _, steps in itertools.groupby(sorted(gpu.log, key=lambda each: each[0]), key=lambda each: each[0]):
        words = [what for _, what in steps]
        assert words == ["in", "in", "in", "launch", "out"] * (len(words) // 5)
    assert len(gpu.log) == 9 * 5


def test_an_input_of_one_sample_is_copied_once(gpu, kernel):
    q, qd, qdd = given((40,), (1,), ())
    np.testing.assert_array_equal(kernel.on_gpu(q, qd, qdd, chunk=10), kernel(q, qd, qdd))
    assert [what for _, what in gpu.log].count("in") == 2 + 4


def test_batches_of_several_axes_broadcast(gpu):
    kernel = cf.load("2r").kernel("dynamic_matrices")
    q, qd = given((4, 1, 3), (5, 1))
    for chunk in (1, 3, 4, 15, 40, None):
        found = kernel.on_gpu(q, qd, chunk=chunk)
        assert type(found) is kernel.results
        for one, other in zip(found, kernel(q, qd), strict=True):
            np.testing.assert_array_equal(one, other)


def test_strides_precision_names_and_numbers(gpu, kernel):
    whole = np.random.default_rng(1).normal(size=(2, 30, 3)).astype(np.float32)
    q, qd, qdd = (whole[..., k].T for k in range(3))
    np.testing.assert_array_equal(kernel.on_gpu(q, qdd=qdd, qd=qd, chunk=8), kernel(q, qd, qdd))
    np.testing.assert_array_equal(
        kernel.on_gpu([0, 1], [0.5, 1], 0 * q, chunk=8), kernel([0, 1], [0.5, 1], 0 * q)
    )


def test_files_are_read_and_written_in_place(gpu, kernel, tmp_path):
    arrays = given((60,), (60,), (60,))
    for k, each in enumerate(arrays):
        np.save(tmp_path / f"{k}.npy", each)
    mapped = [np.load(tmp_path / f"{k}.npy", mmap_mode="r") for k in range(3)]
    out = np.lib.format.open_memmap(tmp_path / "out.npy", "w+", shape=(60, 2))
    assert kernel.on_gpu(*mapped, out=out, chunk=11) is out
    np.testing.assert_array_equal(out, kernel(*arrays))


def test_progress_is_told_and_may_stop_the_work(gpu, kernel):
    arrays, seen = given((60,), (60,), (60,)), []
    kernel.on_gpu(*arrays, chunk=10, progress=seen.append)
    np.testing.assert_allclose(seen, np.arange(1, 7) / 6)

    def stop(fraction):
        if fraction > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kernel.on_gpu(*arrays, chunk=10, progress=stop, threads=3)


def test_a_single_sample(gpu):
    kernel = cf.load("2r").kernel("kinetic_energy")
    q, qd = given((), ())
    found = kernel.on_gpu(q, qd)
    assert found.shape == ()
    np.testing.assert_array_equal(found, kernel(q, qd))


def test_chunks_of_dask_arrays(gpu, kernel):
    da = pytest.importorskip("dask.array")
    arrays = given((60,), (60,), (60,))
    later = da.map_blocks(kernel.on_gpu, *[da.from_array(x, chunks=(25, 2)) for x in arrays], dtype=float)
    np.testing.assert_array_equal(later.compute(scheduler="threads"), kernel(*arrays))


def test_lazy_arrays_are_neither_bound_nor_sent(kernel):
    da = pytest.importorskip("dask.array")
    lazy = da.zeros((4, 2))
    with pytest.raises(cf.ArgumentError, match="dask arrays are lazy"):
        kernel.bind(lazy, lazy, lazy, out=np.zeros((4, 2)))
    with pytest.raises(
        cf.ArgumentError, match="on_gpu takes NumPy arrays, and q is a dask array; call the kernel"
    ):
        kernel.on_gpu(lazy, lazy, lazy)


def test_nothing_is_asked_of_the_gpu_for_no_samples(gpu, kernel):
    assert kernel.on_gpu(*given((0,), (0,), (0,))).shape == (0, 2)
    assert not gpu.log


# ------------------------------------------------------------------ memory and errors


def test_chunks_keep_within_the_free_memory(gpu, kernel):
    gpu.memory = 100_000
    arrays = given((20_000,), (20_000,), (20_000,))  # 1.3 MB with the results
    np.testing.assert_array_equal(kernel.on_gpu(*arrays, threads=2), kernel(*arrays))
    assert gpu.most <= gpu.memory


def test_a_gpu_without_memory_says_how_much_is_free(gpu, kernel):
    gpu.memory = 3 * 2**20
    arrays = given((200_000,), (200_000,), (200_000,))
    with pytest.raises(
        cf.ClosedFormError, match=r"GPU 0: no memory for 200000 samples.* 12 MiB, 3 MiB of 3 MiB"
    ):
        kernel.on_gpu(*arrays, chunk=200_000)


def test_a_failed_copy_names_the_kernel_and_frees_everything(gpu, kernel):
    gpu.fail_at = 12
    with pytest.raises(cf.ClosedFormError, match=r"inverse_dynamics on GPU 0: .*ILLEGAL_ADDRESS.* restart"):
        kernel.on_gpu(*given((90,), (90,), (90,)), chunk=5, threads=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": 1}, "there is no GPU 1: this process sees one GPU, number 0"),
        ({"device": -1}, "device is -1; expected a whole number from 0"),
        ({"chunk": 0}, "chunk is 0"),
        ({"chunk": 1.5}, r"chunk is 1\.5"),
        ({"threads": 0}, "threads is 0"),
        ({"progress": 3}, "progress is 3"),
        ({"out": np.zeros((3, 2))}, r"out has shape \(3, 2\)"),
        ({"out": np.zeros((2, 4, 2))}, r"out has shape \(2, 4, 2\)"),
        ({"out": np.zeros((4, 2), int)}, "out has dtype"),
        ({"out": "here"}, "out is 'here'"),
        ({"size": 3}, r"has the name 'size'"),
    ],
)
def test_wrong_arguments_are_named(gpu, kernel, options, message):
    with pytest.raises(cf.ArgumentError if "GPU 1" not in message else cf.ClosedFormError, match=message):
        kernel.on_gpu(*given((4,), (4,), (4,)), **options)


def test_wrong_arrays_are_named(gpu, kernel):
    q, qd, qdd = given((4,), (4,), (4,))
    for arrays, message in [
        ((q, qd), "3 array"),
        ((q, qd, qdd[:3]), "batches do not broadcast"),
        ((q, qd, qdd[:, :1]), "qdd has shape"),
        ((q, qd, qdd.astype(complex)), "qdd has dtype complex128"),
        ((q, qd, np.ma.masked_less(qdd, 0.0)), "masked"),
    ]:
        with pytest.raises(cf.ArgumentError, match=message):
            kernel.on_gpu(*arrays)
    with pytest.raises(cf.ArgumentError, match="out overlaps qd"):
        kernel.on_gpu(q, qd, qdd, out=qd)


# ------------------------------------------------------------------ no GPU


def test_what_is_missing_is_said(monkeypatch, kernel):
    """Without the bindings, a driver or a card; whichever of them this machine lacks."""
    driver.started.cache_clear()
    driver.primary_context.cache_clear()

    class Bindings:
        def cuInit(self, flags):
            raise RuntimeError("libcuda.so.1 is not there\nand more")

    monkeypatch.setattr(driver, "bindings", lambda: (Bindings(), None))
    with pytest.raises(
        cf.ClosedFormError, match=r"NVIDIA's driver, which is not found \(libcuda.so.1 is not there\)"
    ):
        kernel.on_gpu(*given((4,), (4,), (4,)))

    class Status:
        name = "CUDA_ERROR_NO_DEVICE"

        def __int__(self):
            return 100

    monkeypatch.setattr(Bindings, "cuInit", lambda self, flags: (Status(),))
    with pytest.raises(cf.ClosedFormError, match="there is no NVIDIA GPU, or CUDA_VISIBLE_DEVICES hides it"):
        kernel.on_gpu(*given((4,), (4,), (4,)))
    monkeypatch.undo()
    monkeypatch.setitem(__import__("sys").modules, "cuda.bindings", None)
    driver.bindings.cache_clear()
    with pytest.raises(cf.ClosedFormError, match=r"install closedform\[cuda\]"):
        kernel.on_gpu(*given((4,), (4,), (4,)))
    driver.bindings.cache_clear()
    assert kernel(*given((4,), (4,), (4,))).shape == (4, 2)


@pytest.mark.parametrize("name", ["CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_ERROR_LAUNCH_FAILED"])
def test_errors_that_stay_ask_for_a_new_process(name):
    class Status:
        pass

    Status.name = name
    assert "restart the process" in str(driver.failure("work", Status()))


# ------------------------------------------------------------------ launches


def test_a_bound_launch_is_the_same_as_others(monkeypatch, kernel):
    """What the driver is given by launches and bound launches, looked at on the CPU."""
    seen = []

    class Driver:
        def cuLaunchKernel(self, function, *rest):
            *grid, stream, places, extra = rest
            arguments = (ctypes.c_void_p * 9).from_address(places)
            seen.append(
                (
                    function,
                    grid,
                    stream,
                    extra,
                    [ctypes.c_longlong.from_address(at).value for at in arguments],
                )
            )
            return (0,)

    entered = []
    monkeypatch.setattr(device, "bindings", lambda: (Driver(), None))
    monkeypatch.setattr(device, "attribute", lambda number, name: 132)
    monkeypatch.setattr(device, "ensure_context", entered.append)
    monkeypatch.setattr(
        device.DeviceKernel,
        "_loaded",
        lambda self, small: None if small else device.Shape(2**62, "f", 32, 1, 4, 64),
    )
    it = device.DeviceKernel(kernel.recipe, kernel.dtype, 0)
    for samples in (1, 31, 5000, 10**6):
        given_now = samples, [8, 16, 24], [2, 2, 0], [32]
        it.launch(*given_now, 7)
        again = it.bound(*given_now)
        it.launch(3, [1, 2, 3], [2, 2, 2], [4], 0)  # another launch meanwhile
        gc.collect()
        for stream in (7, 8):
            again(stream)
        first, _, *same = seen
        assert same == [first, (*first[:2], 8, *first[3:])]
        assert first[-1][0] == samples
        assert first[-1][2:] == [8, 16, 24, 2, 2, 0, 32]
        seen.clear()
    it.bound(0, [8, 16, 24], [2, 2, 0], [32])(7)
    assert not seen
    before = len(entered)
    thread = Thread(target=again, args=(9,))
    thread.start()
    thread.join()
    assert (len(entered), len(seen)) == (before + 1, 1)
