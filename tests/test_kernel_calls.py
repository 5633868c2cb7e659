"""Methods and bound calls equal their kernels, and keep no references."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest

import closedform as cf
from kernel_inputs import (
    SINGLE,
    assert_same,
    big_endian,
    every_kernel,
    every_second_column,
    fortran,
    inputs,
    kernel,
    load,
    misaligned,
    read_only,
    reversed_columns,
)

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


def test_a_bound_batch_equals_a_call_and_sees_new_inputs() -> None:
    it = kernel("2r", "inverse_dynamics")
    state = np.zeros((4, 3, 6))
    arrays = state[..., :2], state[..., 2:4], np.zeros((3, 2))  # rows of a larger array, and a broadcast
    out = np.full((4, 3, 2), np.nan)
    evaluate = it.bind(*arrays, out=out)
    for seed in range(3):
        state[...] = np.random.default_rng(seed).normal(size=state.shape)
        assert evaluate() is None
        np.testing.assert_array_equal(out, it(*arrays))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda q, out: ([[0.1, 0.2]], q, out), r"q is \[\[0.1, 0.2\]\]; expected an array"),
        (lambda q, out: (q[:3], q, out), "batches do not broadcast"),
        (lambda q, out: (q, q, out[0]), r"out is of shape \(2,\).*expected float64 \(4, 2\), the batch of q"),
        (lambda q, out: (q, q, np.zeros((4, 4))[:, ::2]), "out must be C-contiguous"),
        (lambda q, out: (np.zeros((4, 4))[:, ::2], q, out), "q must be C-contiguous"),
        (lambda q, out: (q, q.astype(np.float32), out), "qd is .*float32"),
        (lambda q, out: (q, q, q), "overlaps"),
        (lambda q, out: (q, q, read_only(out)), "read-only"),
    ],
)
def test_batches_that_cannot_be_bound_are_named(spoil, message) -> None:
    q, qd, out = spoil(np.zeros((4, 2)), np.zeros((4, 2)))
    with pytest.raises(cf.ArgumentError, match=message):
        kernel("2r", "inverse_dynamics").bind(q, qd, np.zeros(2), out=out)


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
