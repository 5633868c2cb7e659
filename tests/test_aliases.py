"""An output that overlaps an input holds the result of copies; outputs never share memory."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import closedform as cf
from closedform.kernels import compiled, overlap
from tolerances import ITERATED

FORMS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "external_torque", "potential_energy")
ROOM = 400

steps = st.sampled_from([1, 1, 1, 2, 3, -1, -2])


@cache
def exchanged(dtype: str) -> cf.Kernel:
    """Return a kernel that stores each entry before it loads the next."""
    x = ca.SX.sym("x", 5)
    y = ca.vertcat(*(2 * x[4 - k] for k in range(5)))
    return compiled("exchanged", [("x", x)], [("y", y)], dtype=dtype)


@cache
def pair() -> cf.Kernel:
    x, y = ca.SX.sym("x", 2), ca.SX.sym("y", 2)
    return compiled("pair", [("x", x), ("y", y)], [("a", y[::-1] * 2), ("b", x[::-1] * 3)])


@cache
def form_kernel(name: str) -> cf.Kernel:
    return cf.load("2r").kernel(name)


def strided(flat: np.ndarray, start: int, shape: tuple[int, ...], step: int) -> np.ndarray:
    """Return a view of that shape: contiguous entries, or every few of them, forwards or backwards."""
    size = int(np.prod(shape)) * abs(step)
    part = flat[start : start + size]
    return (part[::step] if step > 0 else part[::-1][:: abs(step)]).reshape(shape)


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(FORMS),
    batch=st.sampled_from([(), (1,), (2,), (3,), (9,), (3, 2)]),
    places=st.lists(st.tuples(st.integers(0, 6), steps), min_size=4, max_size=4),
    threads=st.sampled_from([1, 2]),
    seed=st.integers(0, 100),
)
def test_any_overlap_gives_the_result_of_copies(name, batch, places, threads, seed) -> None:
    kernel = form_kernel(name)
    flat = np.random.default_rng(seed).uniform(-1, 1, ROOM)
    shapes = [(*batch, *shape) for shape in (*kernel.input_shapes, *kernel.output_shapes)]
    views = [strided(flat, at, shape, step) for shape, (at, step) in zip(shapes, places, strict=False)]
    *args, _ = views
    out = strided(flat, places[3][0], shapes[-1], places[3][1])
    expected = kernel(*(x.copy() for x in args))
    kernel(*args, out=out, threads=threads)
    np.testing.assert_allclose(out, expected, rtol=ITERATED, atol=ITERATED)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("size", [1, 7, 8, 9, 16, 37])
def test_an_output_that_is_the_input_is_right_by_every_way(size: int, dtype: str) -> None:
    kernel = exchanged(dtype)
    given_ = np.arange(5.0 * size, dtype=dtype).reshape(size, 5)
    for call in (kernel, kernel.fast, kernel.ufunc, lambda x, out: kernel(x, out=out, threads=2)):
        reversed_rows, every_second = given_[::-1].copy()[::-1], given_.repeat(2, 1)[:, ::2]
        for x in (given_.copy(), reversed_rows, given_.copy("F"), every_second):
            call(x, out=x)
            np.testing.assert_array_equal(x, 2 * given_[:, ::-1])


def test_one_array_may_be_a_sample_of_the_input_and_many_of_the_output() -> None:
    robot = cf.load("2r")
    q = np.array([0.3, 0.4])
    expected = robot.potential_energy(q)
    np.testing.assert_array_equal(robot.potential_energy(q, out=q), [expected, expected])


def test_several_outputs_may_overlap_inputs_but_not_each_other() -> None:
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    a, b = pair()(x, y, out=(x, y))
    assert a is x
    np.testing.assert_array_equal([a, b], [[8, 6], [6, 3]])
    shared = np.zeros((4, 3))
    left, right = shared[:, :2], shared[:, 1:]
    for outs in ((left, right), (left, left), (left[:3], right[1:])):
        size = len(outs[0])
        with pytest.raises(cf.ArgumentError, match="pair: outputs overlap each other; give each memory"):
            pair()(np.ones((size, 2)), np.ones((size, 2)), out=outs)
    woven = np.zeros((4, 4))
    pair()(np.ones((4, 2)), np.ones((4, 2)), out=(woven[:, ::2], woven[:, 1::2]))
    np.testing.assert_array_equal(woven, [[2, 3, 2, 3]] * 4)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_output_that_repeats_memory_is_refused(threads: int) -> None:
    kernel = form_kernel("inverse_dynamics")
    args = [np.ones((4, 2))] * 3
    flat = np.zeros(10)
    for out in (
        np.lib.stride_tricks.as_strided(flat, (4, 2), (0, 8)),
        np.lib.stride_tricks.sliding_window_view(flat, 2, writeable=True)[:4],
    ):
        with pytest.raises(cf.ArgumentError, match="inverse_dynamics: entries of out share memory"):
            kernel(*args, out=out, threads=threads)
    assert not flat.any()


@given(
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    cut=st.lists(steps, min_size=3, max_size=3),
    seed=st.integers(0, 99),
)
@settings(max_examples=60, deadline=None)
def test_views_of_an_array_do_not_repeat_memory(shape, cut, seed) -> None:
    array = np.zeros(shape).transpose(np.random.default_rng(seed).permutation(len(shape)))
    view = array[tuple(slice(None, None, step) for step in cut[: len(shape)])]
    assert not overlap.repeats(view)
    assert overlap.repeats(np.broadcast_to(view, (2, *view.shape)))


def test_binding_refuses_partial_overlaps() -> None:
    flat = np.zeros(12)
    kernel = pair()
    for at in range(-1, 2):
        with pytest.raises(cf.ArgumentError, match="overlaps another array"):
            kernel.bind(flat[4:6], flat[:2], out=(flat[4 + at : 6 + at], flat[8:10]))
        with pytest.raises(cf.ArgumentError, match="overlaps another array"):
            kernel.bind(flat[4:6], flat[:2], out=(flat[8:10], flat[8 + at : 10 + at]))
