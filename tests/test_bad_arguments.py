"""Wrong arguments raise a ClosedFormError that says what was expected and what was given."""

from __future__ import annotations

import copy
import pickle
from functools import cache

import numpy as np
import pytest

import closedform as cf
from basic_forms import BASIC


@cache
def robot() -> cf.Robot:
    return cf.load("2r")


def says(*parts: str) -> str:
    """Return a pattern for a message with these parts in order."""
    return r"(?s)" + r".*".join(parts)


# ------------------------------------------------------------------ numbers of arguments


def zeros(form: str, batch: tuple[int, ...] = ()) -> list[np.ndarray]:
    return [np.zeros(batch + shape) for shape in BASIC[form].input_shapes(robot().model)]


@pytest.mark.parametrize("form", BASIC)
def test_too_few_arguments_name_those_expected(form: str) -> None:
    arrays = zeros(form)[:-1]
    expected = says(form, f"{len(arrays) + 1} array", *BASIC[form].inputs, f"{len(arrays)} given")
    for threads in (1, 2):
        with pytest.raises(cf.ArgumentError, match=expected):
            getattr(robot(), form)(*arrays, threads=threads)


@pytest.mark.parametrize("form", BASIC)
@pytest.mark.parametrize("threads", [1, 2])
def test_one_argument_too_many_is_refused_and_left_alone(form: str, threads: int) -> None:
    # A gufunc takes outputs as further positional arguments: it must not write into this one.
    kernel = robot().kernel(form)
    surplus = np.full(kernel.output_shape, -7.0)
    with pytest.raises(cf.ArgumentError, match=says(form, f"{len(kernel.input_names) + 1} given")):
        kernel(*zeros(form), surplus, threads=threads)
    assert (surplus == -7.0).all()


def test_gravity_torque_of_q_and_qd_does_not_overwrite_qd() -> None:
    qd = np.array([1.0, 2.0])
    with pytest.raises(cf.ArgumentError, match=says("gravity_torque", "takes q in order", "2 given")):
        robot().gravity_torque(np.zeros(2), qd)
    np.testing.assert_array_equal(qd, [1.0, 2.0])


@pytest.mark.parametrize("form", BASIC)
def test_many_arguments_too_many_are_counted(form: str) -> None:
    arrays = zeros(form) + [np.zeros(2)] * 3
    with pytest.raises(cf.ArgumentError, match=f"{len(arrays)} given"):
        getattr(robot(), form)(*arrays)


# ------------------------------------------------------------------ shapes


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (0,), (2, 1), (4, 3), (2, 0)])
@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_wrong_last_axis_says_expected_and_given(
    position: int, shape: tuple[int, ...], threads: int
) -> None:
    arrays = zeros("inverse_dynamics")
    arrays[position] = np.zeros(shape)
    name = ("q", "qd", "qdd")[position]
    given = str(shape).replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(
        cf.ArgumentError, match=says("inverse_dynamics", rf"\b{name}\b", given, r"\(\.\.\., 2\)")
    ):
        robot().inverse_dynamics(*arrays, threads=threads)


@pytest.mark.parametrize("shape", [(6,), (2,), (6, 2), (2, 5), (3, 6), (1, 6)])
def test_wrenches_of_a_wrong_shape_say_both_axes(shape: tuple[int, ...]) -> None:
    with pytest.raises(cf.ArgumentError, match=says("wrenches", r"\(\.\.\., 2, 6\)")):
        robot().external_torque(np.zeros(2), np.zeros(shape))


@pytest.mark.parametrize("threads", [1, 2])
def test_batches_that_do_not_broadcast_name_every_shape(threads: int) -> None:
    with pytest.raises(cf.ArgumentError, match=says("coriolis_matrix", r"q \(3, 2\)", r"qd \(4, 2\)")):
        robot().coriolis_matrix(np.zeros((3, 2)), np.zeros((4, 2)), threads=threads)


# ------------------------------------------------------------------ things that are not numbers


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "given",
    [
        np.zeros(2, complex),
        [1j, 2],
        ["a", "b"],
        "ab",
        b"ab",
        None,
        [None, None],
        {},
        {"q": [0, 0]},
        object(),
        np.array([0.0, 1.0], object),
        np.array([1, 2], "m8[s]"),
        np.zeros(2, [("x", float)]),
        [10**400, 1],
        lambda: None,
    ],
)
def test_what_is_no_real_number_is_named(given: object, threads: int) -> None:
    with pytest.raises(cf.ArgumentError, match=says("coriolis_matrix", r"\bqd\b")):
        robot().coriolis_matrix(np.zeros(2), given, threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_ragged_list_is_named(threads: int) -> None:
    with pytest.raises(cf.ArgumentError, match=says("mass_matrix", r"\bq\b", "ragged")):
        robot().mass_matrix([[1, 2], [3]], threads=threads)


# ------------------------------------------------------------------ outputs


def read_only(shape: tuple[int, ...]) -> np.ndarray:
    out = np.zeros(shape)
    out.flags.writeable = False
    return out


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "out",
    [
        np.zeros((6, 3, 3)),
        np.zeros((6, 2)),
        np.zeros((5, 2, 2)),
        np.zeros((7, 2, 2)),
        np.zeros((1, 2, 2)),
        np.zeros((2, 2)),
        np.zeros((6, 2, 2), int),
        np.zeros((6, 2, 2), bool),
        [[0.0, 0.0], [0.0, 0.0]],
        3.0,
        "out",
        read_only((6, 2, 2)),
    ],
    ids=lambda out: f"{type(out).__name__}{np.shape(out)}{getattr(out, 'dtype', '')}",
)
def test_an_output_that_cannot_hold_the_result_is_refused(out: object, threads: int) -> None:
    with pytest.raises(cf.ArgumentError, match=says("mass_matrix", r"\bout(put)?\b")):
        robot().mass_matrix(np.zeros((6, 2)), out=out, threads=threads)


def test_an_output_of_lower_precision_is_rounded() -> None:
    out = np.zeros((2, 2), np.float32)
    robot().mass_matrix(np.zeros(2), out=out)
    np.testing.assert_array_equal(out, robot().mass_matrix(np.zeros(2)).astype(np.float32))


# ------------------------------------------------------------------ threads


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", None, [2]])
def test_threads_is_a_whole_number_from_one(threads: object) -> None:
    with pytest.raises(cf.ArgumentError, match=says("mass_matrix", "threads", "whole number")):
        robot().mass_matrix(np.zeros((3, 2)), threads=threads)


@pytest.mark.parametrize("threads", [np.int64(1), np.int64(2), np.uint8(3)])
def test_threads_may_be_a_numpy_integer(threads: object) -> None:
    assert robot().mass_matrix(np.zeros((3, 2)), threads=threads).shape == (3, 2, 2)


def test_more_threads_than_samples_or_cores_is_fine() -> None:
    q = np.random.default_rng(0).normal(size=(500, 2))
    expected = robot().gravity_torque(q)
    for threads in (3, 64, 100_000):
        np.testing.assert_allclose(robot().gravity_torque(q, threads=threads), expected, rtol=1e-13)


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_keep_the_callers_floating_point_settings(threads: int) -> None:
    qd = np.zeros((4, 2))
    qd[1] = np.inf, -np.inf
    arguments = np.ones(2), qd, np.zeros(2)
    with np.errstate(all="ignore"):
        robot().inverse_dynamics(*arguments, threads=threads)  # a warning would be an error
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="inverse_dynamics"):
        robot().inverse_dynamics(*arguments, threads=threads)


# ------------------------------------------------------------------ names


@pytest.mark.parametrize("frame", ["nope", "", "LINK1", "link1 ", 3, 1.5])
@pytest.mark.parametrize("form", [form.name for form in BASIC.values() if form.framed])
def test_an_unknown_frame_lists_the_known(form: str, frame: object) -> None:
    with pytest.raises(cf.UnknownNameError, match=says("frame", "base", "link1", "link2", "tool")):
        getattr(robot(), form)(*zeros(form), frame=frame)


@pytest.mark.parametrize("frame", [[], {}, np.zeros(2)])
def test_a_frame_that_is_no_name_is_refused(frame: object) -> None:
    with pytest.raises(cf.ClosedFormError, match="frame"):
        robot().pose(np.zeros(2), frame=frame)
    with pytest.raises(cf.ClosedFormError, match=r"frame|given"):
        robot().pose(np.zeros(2), frame)


def test_a_frame_given_twice_is_refused() -> None:
    with pytest.raises(cf.ArgumentError, match="twice"):
        robot().pose(np.zeros(2), "tool", frame="tool")


def test_a_frame_for_a_form_without_one_is_refused() -> None:
    with pytest.raises(cf.ArgumentError, match=says("mass_matrix", "frame")):
        robot().kernel("mass_matrix", frame="tool")


@pytest.mark.parametrize("name", ["nope", "", "Pose", "__init__", 3, None, [], {}])
def test_an_unknown_form_lists_the_known(name: object) -> None:
    with pytest.raises(cf.UnknownNameError, match=says("form", "pose", "inverse_dynamics", "mass_matrix")):
        robot().kernel(name)


def test_an_unknown_method_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="inertia_matrix"):
        _ = robot().inertia_matrix


@pytest.mark.parametrize("name", ["pandaa", "", "../robots/panda", "panda.yaml", "a\0b", "\n"])
def test_an_unknown_robot_lists_the_known(name: str) -> None:
    with pytest.raises(cf.UnknownNameError, match=says(*cf.catalogue())):
        cf.load(name)


def test_lists_of_known_names_are_cut_short() -> None:
    rows = np.zeros((300, 5))
    long = cf.Robot.from_mdh(rows)
    with pytest.raises(cf.UnknownNameError) as caught:
        long.pose(np.zeros(300), "nope")
    assert len(str(caught.value)) < 2000
    assert len(caught.value.known) == 301


@pytest.mark.parametrize("source", [None, 3, 1.5, [], object()])
def test_a_source_that_is_no_path_is_refused(source: object) -> None:
    with pytest.raises(cf.ClosedFormError, match="path"):
        cf.load(source)


@pytest.mark.parametrize("source", ["x" * 5000, "x" * 5000 + ".urdf", "<robot name='r'/>" * 400])
def test_a_source_too_long_for_a_path_is_refused_in_few_words(source: str) -> None:
    with pytest.raises(cf.ClosedFormError) as caught:
        cf.load(source)
    assert len(str(caught.value)) < 2000


# ------------------------------------------------------------------ precision


@pytest.mark.parametrize(
    "dtype", [int, bool, complex, object, str, np.float16, np.longdouble, ">f8", ">f4", "banana", 7]
)
def test_a_kernel_is_double_or_single(dtype: object) -> None:
    robot().kernel("pose")  # compiled before: a look-up by the dtype's name must not find it
    robot().kernel("pose", dtype=np.float32)
    with pytest.raises(cf.ArgumentError, match=says("pose", "float64", "float32")):
        robot().kernel("pose", dtype=dtype)


@pytest.mark.parametrize("dtype", [float, "double", "f8", "d", np.dtype(float)])
def test_names_of_one_precision_give_one_kernel(dtype: object) -> None:
    assert robot().kernel("pose", dtype=dtype) is robot().kernel("pose")


# ------------------------------------------------------------------ the robot's other methods


@pytest.mark.parametrize(
    "gravity",
    [
        "x",
        ("a", "b", "c"),
        (1, 2),
        (1, 2, 3, 4),
        9.81,
        (0, 0, np.nan),
        (0, 0, np.inf),
        (0, 0, 1j),
        [[0, 0, 9]],
    ],
)
def test_gravity_is_three_finite_numbers(gravity: object) -> None:
    with pytest.raises(cf.ClosedFormError, match=says("gravity", "expected")):
        robot().with_gravity(gravity)
    with pytest.raises(cf.ClosedFormError, match=says("gravity", "expected")):
        cf.load("2r", gravity=gravity)
    with pytest.raises(cf.ClosedFormError, match="gravity"):
        cf.Robot.from_mdh([(0, 0, 0, 0, 0)], gravity=gravity)


@pytest.mark.parametrize(
    "phi",
    ["x", 3, None, np.zeros(19), np.zeros((2, 10)), np.full(20, np.nan), np.full(20, 1j), [[1], [2, 3]]],
)
def test_phi_is_ten_finite_numbers_per_body(phi: object) -> None:
    with pytest.raises(cf.ArgumentError, match=says("phi", "expected")):
        robot().with_phi(phi)


def test_phi_of_a_robot_cannot_be_changed_in_place() -> None:
    with pytest.raises(ValueError, match="read-only"):
        robot().phi[0] = 1.0
    robot().gravity[0] = 5.0
    assert robot().gravity[0] == 0.0


@pytest.mark.parametrize("snap", [-1, np.nan, np.inf, 0.6, 1e9, "x", None, 1j])
def test_snap_is_a_small_number(snap: object, tmp_path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute">'
        '<parent link="a"/><child link="b"/><origin rpy="0.785 0 0"/></joint></robot>'
    )
    with pytest.raises(cf.ArgumentError, match="snap"):
        cf.load(path, snap=snap)


@pytest.mark.parametrize(
    "given", ["x", None, [[1, 2], [3]], np.zeros(3), np.zeros(2, complex), ["a", "b"], 1.0]
)
def test_integrate_names_the_argument(given: object) -> None:
    with pytest.raises(cf.ArgumentError, match=says("integrate", r"\bq\b")):
        robot().integrate(given, np.zeros(2))
    with pytest.raises(cf.ArgumentError, match=says("integrate", r"\bstep\b")):
        robot().integrate(np.zeros(2), given)


def test_integrate_refuses_batches_that_do_not_broadcast() -> None:
    with pytest.raises(cf.ArgumentError, match=says("integrate", r"q \(3,\)", r"step \(4,\)")):
        robot().integrate(np.zeros((3, 2)), np.zeros((4, 2)))


@pytest.mark.parametrize("batch", [-1, (2, -1), 1.5, "ab", None, (1.5,)])
def test_the_batch_of_random_states_is_a_shape(batch: object) -> None:
    with pytest.raises(cf.ArgumentError, match=says("random_state", "batch")):
        robot().random_state(0, batch=batch)


def test_the_batch_of_random_states_may_be_a_numpy_integer() -> None:
    assert robot().random_state(0, batch=np.int64(3))[0].shape == (3, 2)


@pytest.mark.parametrize("order", [-1, 1.5, "2", None])
def test_the_order_of_random_states_is_a_whole_number(order: object) -> None:
    with pytest.raises(cf.ArgumentError, match=says("random_state", "order")):
        robot().random_state(0, order=order)


# ------------------------------------------------------------------ errors themselves


def raised(call) -> cf.ClosedFormError:
    with pytest.raises(cf.ClosedFormError) as caught:
        call()
    return caught.value


@pytest.mark.parametrize(
    "call",
    [
        lambda: robot().mass_matrix(np.zeros(3)),
        lambda: robot().pose(np.zeros(2), "nope"),
        lambda: cf.load("nope"),
        lambda: cf.Robot.from_mdh([(2, 0, 0, 0, 0)]),
    ],
)
def test_errors_travel_between_processes(call) -> None:
    error = raised(call)
    for again in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)


def test_a_failed_call_leaves_the_robot_usable() -> None:
    arm = cf.load("2r")
    for bad in (lambda: arm.mass_matrix("x"), lambda: arm.pose([0, 0], "nope"), arm.mass_matrix):
        with pytest.raises(cf.ClosedFormError):
            bad()
    assert arm.mass_matrix([0, 0]).shape == (2, 2)
    assert arm.pose([0, 0], "tool").shape == (4, 4)


def test_arrays_may_be_given_by_name() -> None:
    arm = robot()
    q, qd, qdd = arm.random_state(0, batch=3)
    np.testing.assert_array_equal(arm.gravity_torque(q=q), arm.gravity_torque(q))
    tau = arm.inverse_dynamics(q, qd, qdd)
    np.testing.assert_array_equal(arm.inverse_dynamics(q, qdd=qdd, qd=qd), tau)
    np.testing.assert_array_equal(arm.jacobian(q=q, frame="tool"), arm.jacobian(q, "tool"))
    for wrong, problem in (
        ({"x": q}, "no argument has the name 'x'; it takes q, qd, qdd"),
        ({"qdot": qd, "qdd": qdd}, r"'qdot' \(did you mean 'qd'\?\)"),
        ({"q": q}, "q is given twice"),
        ({"qd": qd, "q": q}, "q is given twice"),
        ({"qdd": qdd}, "2 given, without qd"),
    ):
        with pytest.raises(cf.ArgumentError, match=problem):
            arm.inverse_dynamics(q, **wrong)
