"""How arrays lie in memory, as launches on a GPU read them: with arrays of NumPy in place of a GPU's."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.cuda.rows import Library, as_rows, writable_in_place

PACKED = []


def packed(array):
    PACKED.append(array)
    return np.ascontiguousarray(array)


LIBRARY = Library(
    lambda array: array.ctypes.data,
    lambda array: [each // array.itemsize for each in array.strides],
    lambda array: array.flags.c_contiguous,
    np.broadcast_to,
    packed,
)
BASE = np.arange(2000.0)


def read(array, stride, core, count):
    """Return what a launch reads: rows of whole cores from an address on, a stride apart."""
    whole = np.lib.stride_tricks.as_strided(
        array, (count, int(np.prod(core))), (stride * array.itemsize, array.itemsize)
    )
    return whole.reshape(count, *core)


VIEWS = {
    "whole": (BASE[:60].reshape(20, 3), (3,), (20,), False),
    "several batch axes": (BASE[:120].reshape(4, 5, 2, 3), (2, 3), (4, 5), False),
    "one sample": (BASE[:3], (3,), (20,), False),
    "one sample of many axes": (BASE[:3].reshape(1, 1, 3), (3,), (4, 5), False),
    "half of a state": (BASE[:120].reshape(20, 6)[:, 3:], (3,), (20,), False),
    "every second": (BASE[:120].reshape(40, 3)[::2], (3,), (20,), False),
    "backwards": (BASE[:60].reshape(20, 3)[::-1], (3,), (20,), False),
    "numbers a step apart": (BASE[:60:3], (), (20,), False),
    "a transposed matrix": (BASE[:120].reshape(20, 2, 3).swapaxes(1, 2), (3, 2), (20,), True),
    "columns": (BASE[:60].reshape(3, 20).T, (3,), (20,), True),
    "every second entry": (BASE[:120].reshape(20, 6)[:, ::2], (3,), (20,), True),
    "an entry repeated": (np.broadcast_to(BASE[:20, None], (20, 3)), (3,), (20,), True),
    "one column": (BASE[:60:20].reshape(1, 3), (3,), (20,), True),
    "repeated outside": (BASE[:15].reshape(1, 5, 3), (3,), (4, 5), True),
    "repeated inside": (BASE[:12].reshape(4, 1, 3), (3,), (4, 5), True),
    "repeated throughout": (np.broadcast_to(BASE[:3], (4, 5, 3)), (3,), (4, 5), False),
    "slices of two axes": (BASE[:360].reshape(8, 15, 3)[::2, :5], (3,), (4, 5), True),
    "slices that stay even": (BASE[:240].reshape(4, 10, 6)[:, ::2, :3], (3,), (4, 5), False),
    "matrices of one row": (BASE[:60].reshape(20, 1, 3), (1, 3), (20,), False),
}


@pytest.mark.parametrize("name", VIEWS)
def test_rows_are_the_samples(name):
    array, core, batch, copied = VIEWS[name]
    PACKED.clear()
    rows, stride = as_rows(LIBRARY, array, core, batch)
    count = int(np.prod(batch))
    expected = np.broadcast_to(array, (*batch, *core)).reshape(count, *core)
    np.testing.assert_array_equal(read(rows, stride, core, count), expected)
    assert bool(PACKED) is copied


def test_random_views_are_the_samples():
    rng = np.random.default_rng(4)
    memory = np.arange(20_000.0)
    for _ in range(300):
        core = tuple(rng.integers(1, 4, size=rng.integers(0, 3)).tolist())
        batch = tuple(rng.integers(1, 4, size=rng.integers(0, 4)).tolist())
        own = tuple(1 if rng.random() < 0.3 else n for n in batch)[int(rng.integers(0, len(batch) + 1)) :]
        shape = (*own, *core)
        order = rng.permutation(len(shape))
        steps = rng.integers(1, 3, size=len(shape))
        room = np.array(shape)[order] * steps[order]
        array = memory[: int(np.prod(room))].reshape(room)[tuple(slice(None, None, s) for s in steps[order])]
        array = array.transpose(np.argsort(order))
        rows, stride = as_rows(LIBRARY, array, core, batch)
        count = int(np.prod(batch))
        expected = np.broadcast_to(array, (*batch, *core)).reshape(count, *core)
        np.testing.assert_array_equal(read(rows, stride, core, count), expected)


def in_place(inputs, outputs):
    return writable_in_place(LIBRARY, "form", inputs, outputs, np.dtype(float))


def test_outputs_apart_from_the_inputs_are_written_in_place():
    memory = np.zeros(100)
    q, out = memory[:50].reshape(10, 5), memory[50:].reshape(10, 5)
    assert in_place([q], [out])
    assert in_place([q, q], [out[:5], out[5:]])
    assert not in_place([q], [q])
    assert not in_place([q], [memory[49:99].reshape(10, 5)])
    assert not in_place([q], [memory.reshape(10, 10)[:, 5:]])
    assert in_place([q], [np.zeros((0, 5))])


def test_outputs_that_share_memory_are_refused():
    memory = np.zeros(100)
    q = np.zeros((10, 5))
    with pytest.raises(cf.ArgumentError, match="form: outputs overlap each other"):
        in_place([q], [memory[:50], memory[49:99]])
    with pytest.raises(cf.ArgumentError, match="form: entries of out share memory"):
        in_place([q], [np.broadcast_to(memory[:5], (10, 5))])
    assert not in_place([q], [memory.reshape(10, 10)[:, :5], memory.reshape(10, 10)[:, 5:]])
