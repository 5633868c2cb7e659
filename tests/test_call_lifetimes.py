"""Functions that learn patterns of calls: how many they keep, in how many threads, and how long all lives."""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import sys
import threading
import tracemalloc
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from call_shapes import SHAPES, arm, same, spelled, states
from closedform.kernels import compiled, dispatch, patterns

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
        for _ in range(25):
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
        levels = []
        for _ in range(5):
            work()
            gc.collect()
            levels.append(tracemalloc.get_traced_memory()[0])
        # What Python keeps for later comes once; what a call leaves behind comes every time.
        assert min(after - before for before, after in itertools.pairwise(levels)) < 2000
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
