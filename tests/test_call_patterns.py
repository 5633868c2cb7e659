"""Calls of every shape take the way through machine code, and give what the way through Python gives."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import closedform as cf
from call_shapes import SHAPES, PythonError, arm, copied, same, spelled, states
from closedform.form_methods.method import Method
from closedform.kernels import memory_layout


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
