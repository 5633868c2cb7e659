"""Kernels give the same numbers whatever the memory, shape, order or precision of their arrays."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import closedform as cf
from kernel_inputs import (
    COMBINATIONS,
    LAYOUTS,
    ROBOTS,
    SINGLE,
    SINGLE_SOLVED,
    assert_same,
    every_kernel,
    every_second_column,
    fortran,
    inputs,
    kernel,
    last_axes_swapped,
    load,
    read_only,
    reversed_rows,
)


@every_kernel
def test_every_batch_size_equals_single_calls(robot: str, form: str) -> None:
    it = kernel(robot, form)
    arrays = inputs(robot, form, (1000,))
    single = np.array([it(*(x[i] for x in arrays)) for i in range(1000)])
    for size in (*range(21), 1000):
        given = it(*(x[:size] for x in arrays))
        assert given.shape == (size, *it.output_shape)
        assert_same(given, single[:size], form)


@every_kernel
def test_every_layout_of_the_inputs_gives_the_same(robot: str, form: str) -> None:
    it = kernel(robot, form)
    arrays = inputs(robot, form, (19,))
    expected = it(*arrays)
    for layout in LAYOUTS:
        assert_same(it(*map(layout, arrays)), expected, form)
        for k in range(len(arrays)):
            mixed = [layout(x) if i == k else x for i, x in enumerate(arrays)]
            assert_same(it(*mixed), expected, form)


@every_kernel
def test_every_layout_of_the_output_is_filled(robot: str, form: str) -> None:
    it = kernel(robot, form)
    arrays = inputs(robot, form, (19,))
    expected = it(*arrays)
    for layout in LAYOUTS:
        if layout is read_only or (layout is last_axes_swapped and it.output_shape == ()):
            continue
        out = layout(np.zeros(expected.shape))
        assert it(*arrays, out=out) is out
        assert_same(out, expected, form)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 19])
@pytest.mark.parametrize("form", ["gravity_torque", "mass_matrix", "potential_energy"])
def test_nothing_outside_the_output_is_written(form: str, size: int) -> None:
    it = kernel("panda", form)
    (q,) = inputs("panda", form, (size,))
    guarded = np.full((size + 2, *(2 * n + 2 for n in it.output_shape)), -7.0)
    window = (slice(1, -1), *(slice(1, -1, 2) for _ in it.output_shape))
    it(q, out=guarded[window])
    assert_same(guarded[window], it(q), form)
    guarded[window] = -7.0
    assert (guarded == -7.0).all()


def test_a_transposed_matrix_of_columns_is_read_by_rows() -> None:
    it = kernel("panda", "gravity_torque")
    columns = np.random.default_rng(0).normal(size=(7, 33))
    assert_same(it(columns.T), np.array([it(columns[:, i].copy()) for i in range(33)]), "gravity_torque")


def test_a_core_axis_of_stride_zero_is_read_as_it_is() -> None:
    it = kernel("panda", "mass_matrix")
    same = np.broadcast_to(np.array(0.3), (11, 7))
    assert same.strides == (0, 0)
    assert_same(it(same), it(np.full((11, 7), 0.3)), "mass_matrix")


@every_kernel
def test_batches_broadcast(robot: str, form: str) -> None:
    it = kernel(robot, form)
    full = inputs(robot, form, (5, 3))
    parts = (np.s_[:, :1], np.s_[0], np.s_[0, 0])  # batches (5, 1), (3,) and ()
    arrays = [x[part] for x, part in zip(full, parts, strict=False)]
    batch = np.broadcast_shapes(
        *(x.shape[: x.ndim - len(shape)] for x, shape in zip(arrays, it.input_shapes, strict=True))
    )
    spread = [
        np.broadcast_to(x, batch + shape).copy() for x, shape in zip(arrays, it.input_shapes, strict=True)
    ]
    given = it(*arrays)
    assert given.shape == batch + it.output_shape
    assert_same(given, it(*spread), form)


@every_kernel
def test_the_batch_shape_is_kept(robot: str, form: str) -> None:
    it = kernel(robot, form)
    for batch in ((0,), (3, 0), (0, 4), (1,), (1, 1, 1), (2, 3, 4)):
        given = it(*inputs(robot, form, batch))
        assert given.shape == batch + it.output_shape
        assert given.dtype == np.float64


@every_kernel
def test_no_batch_axis_gives_the_bare_core(robot: str, form: str) -> None:
    it = kernel(robot, form)
    arrays = inputs(robot, form, ())
    assert np.shape(it(*arrays)) == it.output_shape
    assert_same(it(*arrays), it(*(x[None] for x in arrays))[0], form)


@every_kernel
def test_numbers_of_other_types_mean_their_value(robot: str, form: str) -> None:
    it = kernel(robot, form)
    rng = np.random.default_rng(1)
    arrays = [rng.integers(0, 2, size=(9, *shape)) for shape in it.input_shapes]
    arrays[0][...] = 1  # no quaternion is zero
    expected = it(*(x.astype(float) for x in arrays))
    for kind in ("float16", "float32", "int8", "int64", "uint64", "bool"):
        converted = [x.astype(kind) for x in arrays]
        assert_same(it(*converted), expected, form)
        assert_same(it(*(x.tolist() for x in converted)), expected, form)


def test_a_list_of_rows_is_an_array() -> None:
    robot = load("2r")
    assert_same(robot.mass_matrix([[0, 1], [2, 3]]), robot.mass_matrix(np.arange(4.0).reshape(2, 2)), "M")
    assert_same(robot.mass_matrix((0.5, 1)), robot.mass_matrix(np.array([0.5, 1])), "M")


def test_inputs_are_left_alone() -> None:
    for robot, form in COMBINATIONS:
        arrays = inputs(robot, form, (11,))
        before = [x.copy() for x in arrays]
        kernel(robot, form)(*arrays)
        for x, y in zip(arrays, before, strict=True):
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("size", [1, 8, 13, 1000, 1005])
def test_the_output_may_be_the_input(size: int, threads: int) -> None:
    it = kernel("panda", "gravity_torque")
    (q,) = inputs("panda", "gravity_torque", (size,))
    expected = it(q)
    in_place = q.copy()
    it(in_place, out=in_place, threads=threads)
    assert_same(in_place, expected, "gravity_torque")


@pytest.mark.parametrize("threads", [1, 2])
def test_results_of_several_outputs_may_be_given_back_as_out(threads: int) -> None:
    robot = cf.load("2r")
    state, other = (robot.random_state(seed, batch=50) for seed in (0, 1))
    results = robot.inverse_dynamics_derivatives(*other)
    expected = robot.inverse_dynamics_derivatives(*state)
    again = robot.inverse_dynamics_derivatives(*state, out=results, threads=threads)
    for given, filled, each in zip(results, again, expected, strict=True):
        assert filled is given
        assert np.array_equal(filled, each)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_output_may_overlap_other_rows_of_the_input(threads: int) -> None:
    it = kernel("panda", "gravity_torque")
    (q,) = inputs("panda", "gravity_torque", (1000,))
    expected = it(q)
    shifted = np.vstack([q, q[:1]])
    it(shifted[:-1], out=shifted[1:], threads=threads)
    assert_same(shifted[1:], expected, "gravity_torque")
    turned = q.copy()
    it(turned, out=turned[::-1], threads=threads)
    assert_same(turned[::-1], expected, "gravity_torque")


@every_kernel
def test_a_bad_sample_stays_in_its_row(robot: str, form: str) -> None:
    it = kernel(robot, form)
    size = 19
    clean_arrays = inputs(robot, form, (size,))
    clean = it(*clean_arrays)
    for bad, row, k in product((np.nan, np.inf, -np.inf, 1e300), (0, 7, 8, 17, 18), range(len(clean_arrays))):
        arrays = [x.copy() for x in clean_arrays]
        arrays[k][row] = bad
        with np.errstate(all="ignore"):
            given = it(*arrays)
        others = np.arange(size) != row
        np.testing.assert_array_equal(given[others], clean[others])


@pytest.mark.parametrize("form", ["inverse_dynamics", "forward_dynamics"])
@pytest.mark.parametrize("robot", ROBOTS)
def test_nan_in_a_sample_shows_in_that_sample(robot: str, form: str) -> None:
    it = kernel(robot, form)
    for k in range(len(it.input_shapes)):
        arrays = inputs(robot, form, (19,))
        arrays[k][5, -1] = np.nan
        with np.errstate(all="ignore"):
            given = it(*arrays)
        assert np.isnan(given[5]).any()
        assert np.isfinite(np.delete(given, 5, axis=0)).all()


@pytest.mark.parametrize("size", [1, 3, 8, 19])
@pytest.mark.parametrize("form", ["pose", "inverse_dynamics", "forward_dynamics"])
def test_nan_passes_without_a_warning_at_any_batch_size(form: str, size: int) -> None:
    # As np.sin(np.nan) does: the NaN was there before, no operation made it.
    arrays = inputs("2r", form, (size,))
    arrays[0][0, -1] = np.nan
    with np.errstate(all="raise"):
        assert np.isnan(kernel("2r", form)(*arrays)[0]).any()


def polar_arm() -> cf.Robot:
    """Return a point mass that slides along a turning rail: M = diag(m q2^2, m)."""
    point = cf.Inertial.of(2.0)
    return cf.Robot.from_screws(
        [np.eye(4)] * 2, [(0, 0, 1, 0, 0, 0), (0, 0, 0, 1, 0, 0)], inertials=[None, point], gravity=(0, 0, 0)
    )


def test_a_singular_mass_matrix_spoils_only_its_sample() -> None:
    robot = polar_arm()
    q = np.tile([0.4, 1.5], (19, 1))
    q[11, 1] = 0.0
    with np.errstate(all="ignore"):
        qdd = robot.forward_dynamics(q, np.zeros(2), [0.9, 3.0])
    np.testing.assert_allclose(
        np.delete(qdd, 11, axis=0), np.tile([0.9 / 4.5, 1.5], (18, 1)), rtol=1e-14
    )  # a handful of operations
    assert not np.isfinite(qdd[11]).all()


@every_kernel
def test_good_samples_raise_no_floating_point_flags(robot: str, form: str) -> None:
    for size in (1, 8, 19):
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            kernel(robot, form)(*inputs(robot, form, (size,)))


@pytest.mark.parametrize(
    ("robot", "form"),
    [each for each in COMBINATIONS if each[0] != "quadruped" or each[1] in ("inverse_dynamics", "pose")],
)
def test_single_precision_is_double_to_its_rounding(robot: str, form: str) -> None:
    arrays = [x.astype(np.float32) for x in inputs(robot, form, (37,))]
    expected = kernel(robot, form)(*arrays)
    single = kernel(robot, form, np.float32)
    given = single(*arrays)
    assert given.dtype == np.float32
    assert_same(given, expected, form, SINGLE, SINGLE_SOLVED)
    for size in (0, 1, 3, 16, 17, 31):
        assert_same(single(*(x[:size] for x in arrays)), given[:size], form, SINGLE, SINGLE_SOLVED)
    for layout in (fortran, every_second_column, reversed_rows):
        assert_same(
            single(*(layout(x).astype(np.float32, copy=False) for x in arrays)),
            given,
            form,
            SINGLE,
            SINGLE_SOLVED,
        )


def test_a_single_precision_kernel_converts_its_inputs() -> None:
    single, double = kernel("2r", "mass_matrix", np.float32), kernel("2r", "mass_matrix")
    (q,) = inputs("2r", "mass_matrix", (9,))
    for given in (q, q.tolist(), np.array([[1, 2]]), q.astype(np.float16)):
        result = single(given)
        assert result.dtype == np.float32
        assert_same(result, double(np.asarray(given, float)), "mass_matrix", SINGLE)
    assert single(q, threads=2).dtype == np.float32


# ------------------------------------------------------------------ large results


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("robot", "form"), [("2r", "pose"), ("2r", "center_of_mass"), ("panda", "mass_matrix")]
)
def test_results_too_large_for_the_cache_are_the_same(robot: str, form: str, dtype: type) -> None:
    # Large results are streamed past the cache in whole lines; here in rows of 16, 3 (too narrow) and 49.
    it = kernel(robot, form, dtype)
    entries = int(np.prod(it.output_shape))
    size = 33 * 2**20 // (entries * np.dtype(dtype).itemsize) + 5
    q = np.random.default_rng(0).uniform(-3, 3, (size, *it.input_shapes[0])).astype(dtype)
    expected = np.concatenate([it(part) for part in np.array_split(q, 5)])
    np.testing.assert_array_equal(it(q), expected)
    np.testing.assert_array_equal(it(q, threads=2), expected)
    for offset in (1, 3, 8):
        memory = np.full(size * entries + 32, -7, dtype)
        out = memory[offset : offset + size * entries].reshape(size, *it.output_shape)
        it(q, out=out)
        np.testing.assert_array_equal(out, expected)
        assert (memory[:offset] == -7).all()
        assert (memory[offset + size * entries :] == -7).all()
