"""Calls of every shape take the way through machine code, and give what the way through Python gives."""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import re
import sys
import threading
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.form_methods.method import Method
from closedform.kernels import compiled, dispatch, memory_layout, patterns

Call = tuple[tuple[Any, ...], dict[str, Any]]


class PythonError(Exception):
    """A call went through Python."""


@pytest.fixture(name="no_python")
def fixture_no_python(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return a function after which every call that is not evaluated in place fails."""

    def fails(*args: Any, **named: Any) -> None:
        raise PythonError

    def forbid() -> None:
        monkeypatch.setattr(Method, "resolve", fails)
        monkeypatch.setattr(cf.Kernel, "__call__", fails)

    return forbid


@cache
def arm() -> cf.Robot:
    return cf.load("2r")


def states(seed: int = 0, dtype: str = "f8") -> list[np.ndarray]:
    return [x.astype(dtype) for x in arm().random_state(seed, order=3)]


def spelled(name: str) -> str:
    """Return an equal text that is another object."""
    return "".join(list(name))


SHAPES: dict[str, Callable[[list[np.ndarray]], tuple[str, Call]]] = {
    "plain": lambda s: ("inverse_dynamics", (tuple(s[:3]), {})),
    "out": lambda s: ("inverse_dynamics", (tuple(s[:3]), {"out": np.zeros(2)})),
    "no out": lambda s: ("inverse_dynamics", (tuple(s[:3]), {"out": None})),
    "keyword": lambda s: ("gravity_torque", ((), {"q": s[0]})),
    "keywords": lambda s: ("inverse_dynamics", ((), dict(zip(("q", "qd", "qdd"), s, strict=False)))),
    "mixed": lambda s: ("inverse_dynamics", ((s[0],), {"qdd": s[2], "out": np.zeros(2), "qd": s[1]})),
    "frame": lambda s: ("jacobian", ((s[0], "link1"), {})),
    "frame by name": lambda s: ("pose", ((s[0],), {"frame": "tool"})),
    "no frame": lambda s: ("pose", ((s[0], None), {})),
    "frame out": lambda s: ("jacobian_dot", ((s[0], s[1], "tool"), {"out": np.zeros((6, 2))})),
    "spelled frame": lambda s: ("pose", ((s[0], spelled("link2")), {})),
    "family": lambda s: ("inverse_dynamics_rates", (tuple(s[:4]), {})),
    "family of none": lambda s: ("inverse_dynamics_rates", (tuple(s[:3]), {})),
    "family by name": lambda s: ("inverse_dynamics_rates", (tuple(s[:3]), {"qddd": s[3]})),
    "family out": lambda s: ("inverse_dynamics_rates", (tuple(s[:4]), {"out": (np.zeros(2), np.zeros(2))})),
    "framed family": lambda s: ("jacobian_rates", ((s[0], s[1], "tool"), {})),
    "several": lambda s: ("inverse_dynamics_derivatives", (tuple(s[:3]), {})),
    "several out": lambda s: (
        "inverse_dynamics_derivatives",
        (tuple(s[:3]), {"out": (np.zeros((2, 2)), np.zeros((2, 2)))}),
    ),
    "number": lambda s: ("kinetic_energy", (tuple(s[:2]), {})),
    "number out": lambda s: ("kinetic_energy", (tuple(s[:2]), {"out": np.zeros(())})),
    "reference": lambda s: ("jacobian", ((s[0],), {"frame": "tool", "reference": "world"})),
    "relative": lambda s: ("relative_pose", ((s[0], "tool", "link1"), {})),
    "wrenches by name": lambda s: (
        "inverse_dynamics",
        (tuple(s[:3]), {"wrenches": np.tile(s[1], 6).reshape(2, 6), "reference": "world_aligned"}),
    ),
    "friction": lambda s: ("forward_dynamics", (tuple(s[:3]), {"friction": True, "wrenches": None})),
    "rows": lambda s: ("task_inertia_inverse", ((s[0], "tool"), {"rows": "x"})),
    "factorisation": lambda s: ("coriolis_matrix", (tuple(s[:2]), {"factorisation": "mueller-kumar-22"})),
    "wrenches": lambda s: ("external_torque", ((s[0], np.tile(s[1], 6).reshape(2, 6)), {})),
}
"""Calls of every shape that machine code takes."""


def same(one: Any, other: Any) -> None:
    """Fail unless two results are equal, of the same types."""
    assert type(one) is type(other)
    if isinstance(one, tuple):
        assert one._fields == other._fields
        for a, b in zip(one, other, strict=True):
            same(a, b)
    else:
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_call_that_was_made_before_does_without_python(shape: str, no_python) -> None:
    name, (args, named) = SHAPES[shape](states(1))
    method = getattr(arm(), name)
    method(*args, **named)
    calls = [SHAPES[shape](states(seed))[1] for seed in range(3)]
    expected = [method.resolve(*args, **named) for args, named in calls]
    expected = [copied(each) for each in expected]
    no_python()
    for (args, named), right in zip(calls, expected, strict=True):
        out = named.get("out")
        for each in out if isinstance(out, tuple) else () if out is None else (out,):
            each.fill(np.nan)
        result = method(*args, **named)
        same(result, right)
        if out is not None:
            assert result is out or all(a is b for a, b in zip(result, out, strict=True))


def copied(result: Any) -> Any:
    """Return a copy of a result, arrays and all."""
    if isinstance(result, tuple):
        return type(result)(*(each.copy() for each in result))
    return result.copy()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_each_precision_has_its_own_pattern(dtype: str, no_python) -> None:
    state = states(0, dtype)[:3]
    for given in (states(0, "f4")[:3], states(0, "f8")[:3]):
        arm().inverse_dynamics(*given)
        arm().inverse_dynamics_derivatives(*given)
        arm().kinetic_energy(*given[:2])
    no_python()
    assert arm().inverse_dynamics(*state).dtype == dtype
    assert all(each.dtype == dtype for each in arm().inverse_dynamics_derivatives(*state))
    assert type(arm().kinetic_energy(*state[:2])) is np.dtype(dtype).type


def test_arguments_keep_their_roles_if_one_array_was_given_twice(no_python) -> None:
    q, qd, qdd = states(3)[:3]
    expected = arm().inverse_dynamics.resolve(q, qd, qdd)
    fresh = cf.load("2r")
    fresh.inverse_dynamics(q, q, q)
    fresh.inverse_dynamics(q=q, qdd=q, qd=q)
    no_python()
    same(fresh.inverse_dynamics(q, qd, qdd), expected)
    same(fresh.inverse_dynamics(q=q, qdd=qdd, qd=qd), expected)


def test_arrays_by_name_may_come_in_any_order(no_python) -> None:
    state = dict(zip(("q", "qd", "qdd"), states(4), strict=False)) | {"out": np.empty(2)}
    expected = arm().inverse_dynamics.resolve(**state).copy()
    orders = list(itertools.permutations(state))
    for order in orders:
        arm().inverse_dynamics(**{name: state[name] for name in order})
    no_python()
    for order in orders:
        state["out"].fill(np.nan)
        same(arm().inverse_dynamics(**{name: state[name] for name in order}), expected)


# ------------------------------------------------------------------ words


class Text(str):
    """A text that claims to be equal to any other."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("tool")


def test_frames_are_compared_by_their_letters(no_python) -> None:
    q = states(5)[0]
    expected = {frame: arm().pose.resolve(q, frame) for frame in arm().frame_names}
    for frame in expected:
        arm().pose(q, frame)
    no_python()
    for _ in range(3):
        for frame, right in expected.items():
            same(arm().pose(q, spelled(frame)), right)
            same(arm().pose(q, sys.intern(frame)), right)
    for other in (Text("link1"), spelled("link3"), "", "link", b"link1", 1, True, ("link1",), "l\u012bnk1"):
        with pytest.raises(PythonError):
            arm().pose(q, other)


def test_a_text_of_another_class_means_its_letters() -> None:
    q = states(5)[0]
    for frame in ("tool", "link1"):
        arm().pose(q, frame)
    with pytest.raises(cf.ClosedFormError, match=r"frame"):
        arm().pose(q, Text("nowhere"))


def test_a_word_may_not_stand_for_an_array_nor_an_array_for_a_word() -> None:
    q = states(5)[0]
    arm().pose(q, "tool")
    arm().gravity_torque(q)
    for args in (("tool", q), ("tool",), (q, q), ("tool", "tool"), (q, "tool", "tool"), (q, None, None)):
        with pytest.raises(cf.ClosedFormError):
            arm().pose(*args)
    for argument in ("tool", None, False, (), np.ndarray, tuple, str, object()):
        with pytest.raises(cf.ArgumentError):
            arm().gravity_torque(argument)
        with pytest.raises(cf.ArgumentError):
            arm().gravity_torque(q, threads=argument)
        if argument is not None:
            with pytest.raises(cf.ArgumentError):
                arm().gravity_torque(q, out=argument)


def test_names_that_are_made_at_run_time_are_names_too() -> None:
    q, qd, qdd = states(6)[:3]
    right = arm().inverse_dynamics(q, qd, qdd)
    for _ in range(3):
        same(arm().inverse_dynamics(q, **{spelled("qd"): qd, spelled("qdd"): qdd}), right)
    for wrong in ("qdot", "Qd", "frame", "self", "args", "named", "wrenches", "q d", ""):
        with pytest.raises(cf.ArgumentError):
            arm().inverse_dynamics(q, qdd=qdd, **{wrong: qd})


def test_threads_that_are_not_one_are_never_forgotten() -> None:
    q = states(6)[0]
    for threads in (1, 2, np.int64(1)):
        same(arm().gravity_torque(q, threads=threads), arm().gravity_torque(q))
    for _ in range(3):
        for wrong in (False, None, "1", 0):
            with pytest.raises(cf.ArgumentError, match="threads"):
                arm().gravity_torque(q, threads=wrong)


# ------------------------------------------------------------------ arrays


class Subclass(np.ndarray):
    """An array of another class."""


def strange(x: np.ndarray) -> Iterator[Any]:
    """Yield what may be given for an array: the same numbers in another form, or something wrong."""
    big = np.zeros((4, *x.shape))
    big[::2] = x
    yield x.view(Subclass)
    yield big[0]
    yield big[::2]
    yield big[0].repeat(2).reshape(*x.shape, 2)[..., 0]
    yield x.astype(x.dtype.newbyteorder())
    yield x.astype("f4")
    yield x.astype("f2")
    yield x.astype(np.longdouble)
    yield x.astype(int)
    yield x.astype(complex)
    yield x.astype(object)
    yield np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view("f8").reshape(x.shape)  # misaligned
    yield x[None]
    yield x[..., None]
    yield x[..., :-1] if x.ndim else x
    yield np.zeros((0, *x.shape))
    yield x.ravel()[0]
    yield np.array(0.5)
    yield x.tolist()
    yield tuple(x.tolist()) if x.ndim else (x.item(),)
    yield memoryview(np.ascontiguousarray(x))
    yield np.ma.array(x)
    yield np.ma.array(x, mask=True)
    yield (x,)
    yield (x, x)
    yield ()
    yield from (None, True, "tool", 0.5, object(), np.ndarray, float, lambda: x)
    still = x.copy()
    still.flags.writeable = False
    yield still


def ending(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or its error without addresses of objects."""
    try:
        with np.errstate(all="ignore"):  # half precision overflows
            return call()
    except cf.ClosedFormError as error:
        return type(error), re.sub(r"0x[0-9a-f]+", "", str(error))


def alike(one: Any, other: Any) -> bool:
    """Whether two calls ended the same way."""
    arrays = isinstance(one, np.ndarray | np.generic)
    if arrays or hasattr(one, "_fields"):
        same(one, other)
        return True
    return bool(one == other)


@pytest.mark.parametrize("shape", [name for name in SHAPES if "spelled" not in name])
def test_strange_arguments_end_as_they_do_through_python(shape: str) -> None:
    name, (args, named) = SHAPES[shape](states(7))
    method = getattr(arm(), name)
    for _ in range(2):
        method(*args, **named)
    keys: list[int | str] = [*range(len(args)), *named]
    for key in keys:
        for at in range(len(list(strange(np.zeros(2))))):
            ends = []
            for call in (method, method.resolve):
                _, (args, named) = SHAPES[shape](states(7))
                old = args[key] if isinstance(key, int) else named[key]
                plain = old[0] if isinstance(old, tuple) else old if isinstance(old, np.ndarray) else args[0]
                value = list(strange(plain))[at]
                if isinstance(key, int):
                    args = (*args[:key], value, *args[key + 1 :])
                else:
                    named[key] = value
                ends.append(ending(lambda: call(*args, **named)))  # noqa: B023 (called at once)
            assert alike(*ends), (key, at)


def test_an_array_that_changes_is_looked_at_again(no_python) -> None:
    q, out = states(8)[0], np.zeros(2)
    expected = arm().gravity_torque(q, out=out).copy()
    no_python()
    same(arm().gravity_torque(q, out=out), expected)
    out.flags.writeable = False
    with pytest.raises(PythonError):
        arm().gravity_torque(q, out=out)
    out.flags.writeable = True
    same(arm().gravity_torque(q, out=out), expected)
    for shape in ((1, 2), (2, 1), 3, 0):
        q.resize(shape, refcheck=False)
        with pytest.raises(PythonError):
            arm().gravity_torque(q, out=out)


def test_outputs_that_share_memory_take_the_way_through_python(no_python) -> None:
    s = states(9)[:3]
    store = np.zeros(12)
    square = store.reshape(3, 2, 2)
    tau = [*map(np.copy, s)]
    arm().inverse_dynamics(*s, out=np.empty(2))
    arm().inverse_dynamics_derivatives(*s, out=(square[0], square[1]))
    no_python()
    arm().inverse_dynamics_derivatives(*s, out=(square[1], square[0]))
    overlapping = store[2:6].reshape(2, 2)
    for outs in ((square[0], square[0]), (square[0], overlapping), (overlapping, square[1])):
        with pytest.raises(PythonError):
            arm().inverse_dynamics_derivatives(*s, out=outs)
    for given in tau:
        with pytest.raises(PythonError):
            arm().inverse_dynamics(*tau, out=given)


# ------------------------------------------------------------------ many patterns, many threads


@cache
def weighted() -> Any:
    """Return a function of six arrays."""
    x = [ca.SX.sym(name, 2) for name in "abcdef"]
    return compiled(
        "weighted",
        list(zip("abcdef", x, strict=True)),
        [("sum", sum((k + 1) * each for k, each in enumerate(x)))],
    )


def test_more_patterns_than_a_function_learns_are_still_right() -> None:
    function = weighted().fast
    arrays = {name: np.random.default_rng(k).normal(size=2) for k, name in enumerate("abcdef")}
    expected = weighted()(**arrays)
    orders = list(itertools.permutations(arrays))
    out = np.empty(2)
    for _ in range(2):
        for order in orders:
            given = {name: arrays[name] for name in order}
            np.testing.assert_allclose(function(**given), expected, rtol=1e-14)
            np.testing.assert_allclose(function(**given, out=out), expected, rtol=1e-14)
    assert len(function.patterns._entries) == patterns.MOST < 2 * len(orders)


def test_threads_may_learn_and_call_at_once() -> None:
    q = np.random.default_rng(0).normal(size=(8, 2))
    frames = arm().frame_names
    expected = {frame: arm().pose(q, frame) for frame in frames}
    together = threading.Barrier(8)

    for _ in range(20):
        pose = cf.load("2r").pose

        def work(number: int, pose: Any = pose) -> None:
            together.wait()
            for round_ in range(20):
                frame = spelled(frames[(number + round_) % len(frames)])
                args = (q[number], frame) if round_ % 2 else (q[number].copy(),)
                named = {} if round_ % 2 else {"frame": frame}
                np.testing.assert_allclose(pose(*args, **named), expected[frame][number], atol=1e-14)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))


# ------------------------------------------------------------------ lifetimes


def test_a_method_outlives_its_robot_and_does_not_keep_it() -> None:
    q = states(0)[0]
    gc.collect()
    gc.disable()
    try:
        robot = cf.load("2r")
        methods = [robot.mass_matrix, robot.pose, robot.inverse_dynamics_rates]
        expected = robot.pose(q, "link1"), robot.mass_matrix(q)
        ghost = weakref.ref(robot)
        del robot
        assert ghost() is None, "an owner is freed without the help of the garbage collector"
        ghosts = [weakref.ref(method) for method in methods]
        for _ in range(3):
            same(methods[1](q, "link1"), expected[0])
            same(methods[0](q=q), expected[1])
        methods.clear()
        assert not any(each() for each in ghosts)
    finally:
        gc.enable()


def test_a_subclass_may_have_a_method_of_its_own_that_calls_the_form(no_python) -> None:
    class Heavy(cf.Robot):
        def mass_matrix(self, q: np.ndarray) -> np.ndarray:
            return 2 * super().mass_matrix(q)

    q = states(0)[0]
    robot, expected = Heavy(arm().model), 2 * arm().mass_matrix(q)
    for _ in range(2):
        np.testing.assert_array_equal(robot.mass_matrix(q), expected)
    no_python()
    np.testing.assert_array_equal(robot.mass_matrix(q), expected)
    assert Heavy.gravity_torque is cf.Robot.gravity_torque


def test_methods_and_bound_calls_keep_the_code_that_reads_their_calls() -> None:
    q, out = states(0)[0], np.zeros(2)
    dispatch.dispatcher.cache_clear()  # as if another thread had loaded it at the same time
    ghost = weakref.ref(dispatch.dispatcher())
    robot = cf.load("2r")
    method, bound = robot.gravity_torque, robot.kernel("gravity_torque").bind(q, out=out)
    dispatch.dispatcher.cache_clear()
    gc.collect()
    assert ghost() is not None
    for _ in range(3):
        bound()
        same(method(q), out)
    del method, bound, robot
    gc.collect()
    assert ghost() is None


def test_a_method_of_a_form_that_is_gone_keeps_what_it_knows() -> None:
    def builder(factor: float) -> Callable[..., ca.SX]:
        def scaled(model: Any, q: ca.SX, frame: str | None = None) -> ca.SX:
            """Return the coordinates times a factor."""
            return factor * q

        return scaled

    robot, takes, held = cf.load("2r"), cf.FORMS["mass_matrix"].takes, []
    q = np.ones(2)
    for factor in (2.0, 3.0):
        cf.FORMS.add(builder(factor), takes, takes[0].quantity.array("q"), framed=True)
        try:
            held.append(robot.scaled)
            assert robot.scaled(q)[0] == factor
            assert [each(q)[0] for each in held] == [2.0, 3.0][: len(held)]
        finally:
            cf.FORMS.remove("scaled")
    for method, factor in zip(held, (2.0, 3.0), strict=True):
        assert method(q)[0] == factor
        with pytest.raises(cf.ClosedFormError, match="not in the catalogue any more"):
            method(q, "link1")


def test_calls_of_every_shape_leave_no_references_and_no_memory() -> None:
    calls = [(getattr(arm(), name), call) for name, call in (make(states(2)) for make in SHAPES.values())]
    watched = [None, True, np.dtype("f8"), np.ndarray, tuple, *(frame for frame in arm().frame_names)]
    watched += [each for _, (args, named) in calls for each in (*args, *named.values())]
    watched += [method for method, _ in calls] + [arm().kernel("inverse_dynamics_derivatives").results]
    wrong = np.zeros(3)

    def work() -> None:
        for _ in range(50):
            for method, (args, named) in calls:
                method(*args, **named)
            for method, _ in calls:
                with contextlib.suppress(cf.ClosedFormError):
                    method(wrong)

    work()
    gc.collect()
    before = [sys.getrefcount(each) for each in watched]
    work()
    gc.collect()
    after = [sys.getrefcount(each) for each in watched]
    assert all(abs(a - b) < 20 for a, b in zip(after, before, strict=True)), (before, after)
    tracemalloc.start()
    try:
        work()
        gc.collect()
        level = tracemalloc.get_traced_memory()[0]
        work()
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - level < 2000
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_knows_and_learns_patterns() -> None:
    robot, q = cf.load("2r"), states(1)[0]
    known, new = robot.pose(q, "link1"), arm().pose(q, "tool")
    child = os.fork()
    if child == 0:
        right = all(
            (robot.pose(q, "link1") == known).all() and (robot.pose(q, frame="tool") == new).all()
            for _ in range(3)
        )
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0


# ------------------------------------------------------------------ without trust


@pytest.mark.parametrize("shape", SHAPES)
def test_without_the_expected_layout_every_shape_goes_through_python(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, (args, named) = SHAPES[shape](states(1))
    expected = copied(getattr(arm(), name)(*args, **named))
    monkeypatch.setattr(memory_layout, "trusted", lambda: False)
    method = getattr(cf.load("2r"), name)
    assert type(method) is Method
    assert method.patterns is None
    for _ in range(2):
        same(method(*args, **named), expected)
