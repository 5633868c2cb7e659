"""Kernels give the same numbers whatever the memory, shape, order or precision of their arrays."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from functools import cache
from itertools import product

import mpmath
import numpy as np
import pytest

import closedform as cf
from basic_forms import BASIC

ROBOTS = ("2r", "panda", "quadruped", "spherical_pendulum")

ROUNDING = 1e-13
"""Vector and scalar code may contract products and sums differently: up to 3e3 roundings of 1e-16."""

SOLVED = 1e-11
"""Forward dynamics divides by pivots of M, which range over two decades in these robots."""

SINGLE = 5e-6
"""float32 rounds at 6e-8; a hundred such roundings in a row are allowed."""

SINGLE_SOLVED = 5e-4
"""The same over the pivots of M."""

COMBINATIONS = [(robot, form) for robot in ROBOTS for form in BASIC]

every_kernel = pytest.mark.parametrize(("robot", "form"), COMBINATIONS)


@cache
def load(name: str) -> cf.Robot:
    return cf.load(name)


def kernel(robot: str, form: str, dtype: type = np.float64) -> cf.Kernel:
    return load(robot).kernel(form, dtype=dtype)


def inputs(robot: str, form: str, batch: tuple[int, ...], seed: int = 0) -> list[np.ndarray]:
    """Return random inputs of a form; q is a valid configuration."""
    rng = np.random.default_rng(seed)
    it = kernel(robot, form)
    (q,) = load(robot).random_state(rng, batch=batch, order=0)
    return [
        q if name == "q" else rng.normal(size=(*batch, *shape))
        for name, shape in zip(it.input_names, it.input_shapes, strict=True)
    ]


def assert_same(
    given: np.ndarray, expected: np.ndarray, form: str, exact: float = ROUNDING, solved: float = SOLVED
) -> None:
    """Fail unless equal to rounding, relative to the largest entry."""
    assert np.shape(given) == np.shape(expected)
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    bound = solved if form == "forward_dynamics" else exact
    np.testing.assert_allclose(given, expected, rtol=0, atol=bound * scale)


def fortran(x: np.ndarray) -> np.ndarray:
    return np.asfortranarray(x)


def every_second_column(x: np.ndarray) -> np.ndarray:
    wide = np.full((*x.shape[:-1], 2 * x.shape[-1]), np.nan)
    wide[..., ::2] = x
    return wide[..., ::2]


def every_third_row(x: np.ndarray) -> np.ndarray:
    long = np.full((3 * len(x), *x.shape[1:]), np.nan)
    long[::3] = x
    return long[::3]


def reversed_columns(x: np.ndarray) -> np.ndarray:
    return x[..., ::-1].copy()[..., ::-1]


def reversed_rows(x: np.ndarray) -> np.ndarray:
    return x[::-1].copy()[::-1]


def last_axes_swapped(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)


def misaligned(x: np.ndarray) -> np.ndarray:
    raw = np.zeros(x.nbytes + 1, np.uint8)
    view = raw[1:].view(np.float64).reshape(x.shape)
    view[...] = x
    assert not view.flags.aligned
    return view


def field_of_packed_records(x: np.ndarray) -> np.ndarray:
    records = np.zeros(x.shape, np.dtype([("tag", "u1"), ("x", "f8"), ("end", "u2")]))
    records["x"] = x
    return records["x"]


def huge_strides(x: np.ndarray) -> np.ndarray:
    rows = np.zeros((len(x), 2**17, *x.shape[1:]))[:, 12345]
    rows[...] = x
    return rows


def big_endian(x: np.ndarray) -> np.ndarray:
    return x.astype(">f8")


def read_only(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.flags.writeable = False
    return x


LAYOUTS = (
    fortran,
    every_second_column,
    every_third_row,
    reversed_columns,
    reversed_rows,
    last_axes_swapped,
    misaligned,
    field_of_packed_records,
    huge_strides,
    big_endian,
    read_only,
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


@every_kernel
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


# ------------------------------------------------------------------ methods of a robot


class Subclass(np.ndarray):
    """An array of another type."""


@every_kernel
def test_a_method_is_its_kernel_on_single_samples_of_any_layout(robot: str, form: str) -> None:
    it, method = kernel(robot, form), getattr(load(robot), form)
    arrays = inputs(robot, form, (3,))
    single = [x[1].copy() for x in arrays]
    expected = it(*single)
    layouts = [misaligned, big_endian, read_only, fortran, every_second_column, reversed_columns]
    layouts += [lambda x: x.view(Subclass), lambda x: x.tolist(), lambda x: x[None], np.ascontiguousarray]
    for layout in layouts:
        given = method(*map(layout, single))
        assert_same(np.asarray(given).reshape(it.output_shape), expected, form)
        for k in range(len(single)):
            mixed = [layout(x) if i == k else x for i, x in enumerate(single)]
            assert_same(np.asarray(method(*mixed)).reshape(it.output_shape), expected, form)
    out = np.zeros(it.output_shape)
    assert method(*single, out=out) is out
    assert_same(out, expected, form)
    assert_same(method(*single, threads=2), expected, form)
    assert_same(method(*arrays), it(*arrays), form)


@every_kernel
def test_results_of_a_method_are_arrays_of_their_own(robot: str, form: str) -> None:
    method = getattr(load(robot), form)
    arrays = inputs(robot, form, ())
    first, second = method(*arrays), method(*arrays)
    if kernel(robot, form).output_shape:
        assert type(first) is np.ndarray
        assert first.flags.owndata
        assert first.flags.writeable
        assert first.flags.c_contiguous
        first[...] = -7.0
        assert not (second == -7.0).all()


@pytest.mark.parametrize("form", ["inverse_dynamics", "pose", "external_torque", "kinetic_energy"])
def test_calls_of_a_method_keep_no_references(form: str) -> None:
    method = getattr(load("2r"), form)
    arrays = inputs("2r", form, ())
    watched = [*arrays, np.dtype(np.float64), np.ndarray, method]

    def call() -> None:
        for _ in range(200):
            method(*arrays)
            with pytest.raises(cf.ArgumentError):
                method()

    call()
    gc.collect()
    before = [sys.getrefcount(thing) for thing in watched]
    call()
    gc.collect()
    after = [sys.getrefcount(thing) for thing in watched]
    assert all(abs(a - b) < 50 for a, b in zip(after, before, strict=True)), (before, after)


def test_a_bound_call_keeps_no_references() -> None:
    out = np.zeros(2)
    evaluate = kernel("2r", "gravity_torque").bind(np.zeros(2), out=out)
    before = sys.getrefcount(None), sys.getrefcount(out), sys.getrefcount(evaluate)
    for _ in range(1000):
        evaluate()
    after = sys.getrefcount(None), sys.getrefcount(out), sys.getrefcount(evaluate)
    assert all(abs(a - b) < 100 for a, b in zip(after, before, strict=True)), (before, after)


def test_a_bound_call_takes_no_arguments() -> None:
    evaluate = kernel("2r", "gravity_torque").bind(np.zeros(2), out=np.zeros(2))
    with pytest.raises(TypeError):
        evaluate(np.zeros(2))


def test_a_dropped_bound_call_lets_its_arrays_go() -> None:
    q, out = np.zeros(2), np.zeros(2)
    before = sys.getrefcount(q), sys.getrefcount(out)
    for _ in range(50):
        kernel("2r", "gravity_torque").bind(q, out=out)()
    gc.collect()
    assert (sys.getrefcount(q), sys.getrefcount(out)) == before


# ------------------------------------------------------------------ sine and cosine

ULPS = 2.0
"""The documented bound on sine and cosine; 1.4 is what random angles show."""


def ulps(x: np.ndarray) -> float:
    """Return the largest error of sine and cosine in units of their last place, through a pendulum's pose."""
    T = load("pendulum").pose(np.asarray(x)[:, None])
    worst = 0.0
    with mpmath.workprec(300):
        for angle, sine, cosine in zip(x.tolist(), T[:, 0, 2].tolist(), T[:, 0, 0].tolist(), strict=True):
            for given, exact in ((sine, mpmath.sin(angle)), (cosine, mpmath.cos(angle))):
                unit = float(np.spacing(abs(float(exact)))) or 5e-324
                worst = max(worst, abs(float((given - exact) / unit)))
    return worst


@pytest.mark.parametrize("top", [1e-300, 1e-8, 1.0, 10.0, 1e3, 1e6, 1e9])
def test_sine_and_cosine_of_any_angle_are_right_to_two_ulps(top: float) -> None:
    x = np.random.default_rng(0).uniform(-top, top, 500)
    assert ulps(x) <= ULPS


def nearest_to_quarter_turns(top: float) -> np.ndarray:
    """Return doubles below `top` extraordinarily close to multiples of pi/2, by continued fractions."""
    found = set()
    with mpmath.workprec(400):
        for exponent in range(-52, 30):
            remainder, p, q = mpmath.ldexp(2 / mpmath.pi, exponent), (0, 1), (1, 0)
            while q[1] < 2**53:
                whole = int(mpmath.floor(remainder))
                p, q = (p[1], whole * p[1] + p[0]), (q[1], whole * q[1] + q[0])
                x = float(mpmath.ldexp(q[1], exponent))
                if 2**30 < q[1] < 2**53 and 1 < x < top:
                    found.add(x)
                remainder = 1 / (remainder - whole)
    return np.array(sorted(found))


def test_sine_and_cosine_keep_their_digits_next_to_quarter_turns() -> None:
    # 29 quarter turns in double precision: the cosine is 6e-19, and every digit of it is known.
    assert ulps(np.array([45.553093477052])) <= ULPS


def test_sine_and_cosine_keep_their_digits_at_the_worst_angles_up_to_1e9() -> None:
    x = nearest_to_quarter_turns(1e9)
    assert len(x) > 100
    assert ulps(x) <= ULPS


def test_multiples_of_half_a_turn_are_as_exact_as_the_angle() -> None:
    k = np.arange(-1000, 1001)
    assert ulps(k * (np.pi / 2)) <= ULPS


def test_zero_keeps_its_sine_and_cosine() -> None:
    for sign in (0.0, -0.0):
        T = load("pendulum").pose([sign])
        assert T[0, 0] == 1.0
        assert T[0, 2] == 0.0


@pytest.mark.parametrize("size", [1, 8, 11])
def test_angles_beyond_2_to_the_45_are_nan(size: int) -> None:
    pose = load("pendulum").pose
    below = float(np.nextafter(2.0**45, 0))
    for angle in (2.0**45, -(2.0**45), 1e14, 1e300, np.finfo(float).max):
        with np.errstate(all="raise"):  # an angle too large is no overflow of the caller's
            T = pose(np.full((size, 1), angle))
        assert np.isnan(T[:, 0, 0]).all()
        assert np.isnan(T[:, 0, 2]).all()
    T = pose(np.full((size, 1), below))
    exact = float(mpmath.cos(below))
    np.testing.assert_allclose(T[:, 0, 0], exact, rtol=1e-13)  # an ordinary angle, far from a quarter turn


def test_vector_and_scalar_sines_agree() -> None:
    x = np.random.default_rng(2).uniform(-1e9, 1e9, (1000, 1))
    pose = load("pendulum").pose
    np.testing.assert_array_equal(pose(x), np.array([pose(row) for row in x]))


# ------------------------------------------------------------------ bound calls


@every_kernel
def test_a_bound_call_equals_a_call_and_sees_new_inputs(robot: str, form: str) -> None:
    it = kernel(robot, form)
    arrays = inputs(robot, form, ())
    out = np.full(it.output_shape, np.nan)
    evaluate = it.bind(*arrays, out=out)
    for seed in range(3):
        for x, new in zip(arrays, inputs(robot, form, (), seed), strict=True):
            x[...] = new
        assert evaluate() is None
        assert_same(out, it(*arrays), form)


def test_a_bound_call_in_single_precision() -> None:
    it = kernel("2r", "inverse_dynamics", np.float32)
    arrays = [x.astype(np.float32) for x in inputs("2r", "inverse_dynamics", ())]
    out = np.zeros(2, np.float32)
    it.bind(*arrays, out=out)()
    assert_same(out, it(*arrays), "inverse_dynamics", SINGLE)


def test_a_bound_call_keeps_its_arrays_and_kernel_alive() -> None:
    out = np.zeros(2)
    evaluate = cf.load("2r").kernel("gravity_torque").bind(np.array([0.1, 0.2]), out=out)
    _junk = [np.full(2, 9.0) for _ in range(1000)]
    evaluate()
    np.testing.assert_array_equal(out, load("2r").gravity_torque([0.1, 0.2]))


def test_a_bound_output_may_not_overlap_an_input() -> None:
    it = kernel("panda", "inverse_dynamics")
    q, qd, qdd = inputs("panda", "inverse_dynamics", ())
    with pytest.raises(cf.ArgumentError, match="overlap"):
        it.bind(q, qd, qdd, out=qdd)


@pytest.mark.parametrize(
    "given",
    [
        [0.1, 0.2],
        0.1,
        None,
        np.zeros(3),
        np.zeros((1, 2)),
        np.zeros(2, np.float32),
        np.zeros(2, np.int64),
        np.zeros(2, ">f8"),
        np.zeros(2, complex),
        np.zeros(4)[::2],
        misaligned(np.zeros(2)),
    ],
)
def test_binding_an_array_of_another_kind_says_what_is_expected(given: object) -> None:
    it = kernel("2r", "gravity_torque")
    with pytest.raises(cf.ArgumentError, match=r"\bq\b"):
        it.bind(given, out=np.zeros(2))
    with pytest.raises(cf.ArgumentError, match=r"\bout\b"):
        it.bind(np.zeros(2), out=given)


def test_binding_the_wrong_number_of_arrays_says_how_many() -> None:
    it = kernel("2r", "inverse_dynamics")
    with pytest.raises(cf.ArgumentError, match=r"3 array.*2 given"):
        it.bind(np.zeros(2), np.zeros(2), out=np.zeros(2))


def test_binding_a_read_only_output_is_refused_and_a_read_only_input_is_not() -> None:
    it = kernel("2r", "gravity_torque")
    with pytest.raises(cf.ArgumentError, match="read-only"):
        it.bind(np.zeros(2), out=read_only(np.zeros(2)))
    out = np.zeros(2)
    it.bind(read_only(np.array([0.1, 0.2])), out=out)()
    np.testing.assert_array_equal(out, it(np.array([0.1, 0.2])))


# ------------------------------------------------------------------ memory


def peak_beyond_result(call: Callable[[], np.ndarray]) -> int:
    """Return the bytes a call allocates at its peak beyond what it returns."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        result = call()
        return tracemalloc.get_traced_memory()[1] - before - result.nbytes
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_million_inverse_dynamics_allocate_their_output_and_little_more(threads: int) -> None:
    it = kernel("2r", "inverse_dynamics")
    q, qd, qdd = np.zeros((3, 1_000_000, 2))
    assert peak_beyond_result(lambda: it(q, qd, qdd, threads=threads)) < 10e6
    assert peak_beyond_result(lambda: it(q, qd[0], qdd[::-1], threads=threads)) < 10e6


def test_columns_of_a_million_samples_are_not_copied_whole() -> None:
    it = kernel("2r", "inverse_dynamics")
    q, qd, qdd = np.zeros((3, 2, 1_000_000))
    assert peak_beyond_result(lambda: it(q.T, qd.T, qdd.T)) < 10e6


def test_many_calls_leave_no_memory_behind() -> None:
    it = kernel("2r", "inverse_dynamics")
    arrays, out = inputs("2r", "inverse_dynamics", ()), np.zeros(2)
    transposed = [np.asfortranarray(np.tile(x, (20, 1))) for x in arrays]
    evaluate = it.bind(*arrays, out=out)

    def work(count: int) -> None:
        for _ in range(count):
            evaluate()
            it(*arrays, out=out)
            it(*transposed)
            it.bind(*arrays, out=out)

    work(100)
    tracemalloc.start()
    try:
        work(100)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        work(2000)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 10_000  # five bytes a round: noise, not a leak
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_beyond_memory_is_refused(threads: int) -> None:
    q = np.broadcast_to(np.zeros(2), (2**44, 2))
    says = "mass_matrix: the result does not fit in memory .*split the batch"
    with pytest.raises(cf.ArgumentError, match=says):
        kernel("2r", "mass_matrix")(q, threads=threads)
