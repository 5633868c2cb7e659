"""Robots and kernels work across processes, threads, dask, copies and garbage collection."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import casadi as ca
import dask.array as da
import numpy as np
import pytest

import closedform as cf
from basic_forms import BASIC
from closedform.kernels import FormRecipe, compiled

ROUNDING = 1e-13
"""Batches cut elsewhere run other samples through the scalar code, which may round differently."""


def inputs(robot: cf.Robot, form: str, batch: tuple[int, ...] = (23,), seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    it = BASIC[form]
    (q,) = robot.random_state(rng, batch=batch, order=0)
    return [
        q if name == "q" else rng.normal(size=(*batch, *shape))
        for name, shape in zip(it.inputs, it.input_shapes(robot.model), strict=True)
    ]


def assert_same(given: np.ndarray, expected: np.ndarray) -> None:
    assert given.dtype == expected.dtype
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    np.testing.assert_allclose(given, expected, rtol=0, atol=ROUNDING * scale)


def run(code: str, seconds: float = 60) -> str:
    """Return what a script prints in a process of its own, whose memory is limited."""
    head = "import resource; resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))\n"
    done = subprocess.run(
        [sys.executable, "-c", (head if os.name == "posix" else "") + code],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(cf.__file__).parents[1])},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


# ------------------------------------------------------------------ pickles and copies

COPIES: dict[str, Callable] = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "old pickle": lambda thing: pickle.loads(pickle.dumps(thing, protocol=2)),
    "copy": copy.copy,
    "deep copy": copy.deepcopy,
}

every_copy = pytest.mark.parametrize("how", COPIES)


@every_copy
@pytest.mark.parametrize("name", ["2r", "spherical_pendulum", "pendulum"])
def test_a_copied_robot_is_the_same_robot(name: str, how: str) -> None:
    robot = cf.load(name)
    robot.mass_matrix(robot.neutral())  # a kernel in use must not be in the way
    again = COPIES[how](robot)
    assert repr(again) == repr(robot)
    assert again.frame_names == robot.frame_names
    assert again.joint_names == robot.joint_names
    np.testing.assert_array_equal(again.phi, robot.phi)
    np.testing.assert_array_equal(again.gravity, robot.gravity)
    for form in ("pose", "inverse_dynamics"):
        arrays = inputs(robot, form)
        np.testing.assert_array_equal(getattr(again, form)(*arrays), getattr(robot, form)(*arrays))


@every_copy
@pytest.mark.parametrize("form", BASIC)
def test_a_copied_kernel_gives_the_same_numbers(form: str, how: str) -> None:
    robot = cf.load("2r")
    kernel = robot.kernel(form)
    again = COPIES[how](kernel)
    assert repr(again) == repr(kernel)
    arrays = inputs(robot, form)
    np.testing.assert_array_equal(again(*arrays), kernel(*arrays))


@every_copy
def test_a_copied_kernel_keeps_frame_and_precision(how: str) -> None:
    kernel = cf.load("2r").kernel("pose", "link1", np.float32)
    again = COPIES[how](kernel)
    assert (again.recipe.variant.frame, again.dtype) == ("link1", np.float32)
    q = np.float32([0.1, 0.2])
    np.testing.assert_array_equal(again(q), kernel(q))


@every_copy
def test_a_copied_method_of_a_frame_works(how: str) -> None:
    robot = cf.load("2r")
    again = COPIES[how](robot.pose)
    np.testing.assert_array_equal(again([0.1, 0.2], "link1"), robot.pose([0.1, 0.2], "link1"))


@every_copy
def test_a_copied_method_of_an_order_works(how: str) -> None:
    robot = cf.load("2r")
    state = robot.random_state(0)
    again = COPIES[how](robot.inverse_dynamics_rates)
    np.testing.assert_array_equal(again(*state).tau, robot.inverse_dynamics_rates(*state).tau)


def test_a_pickled_robot_is_small() -> None:
    robot = cf.load("panda")
    robot.gravity_torque(robot.neutral())
    assert len(pickle.dumps(robot)) < 10_000, "object code does not travel"


# ------------------------------------------------------------------ processes


@pytest.fixture(name="pool", scope="module")
def fixture_pool() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def test_a_process_pool_evaluates_kernels(pool: ProcessPoolExecutor) -> None:
    robot = cf.load("2r")
    for form in ("mass_matrix", "inverse_dynamics", "kinetic_energy"):
        arrays = inputs(robot, form)
        kernel = robot.kernel(form)
        jobs = [pool.submit(kernel, *(x[i::4] for x in arrays)) for i in range(4)]
        for i, job in enumerate(jobs):
            assert_same(job.result(60), kernel(*(x[i::4] for x in arrays)))


def test_a_process_pool_evaluates_methods_of_a_frame(pool: ProcessPoolExecutor) -> None:
    robot = cf.load("2r")
    assert_same(pool.submit(robot.pose, [0.1, 0.2], "link1").result(60), robot.pose([0.1, 0.2], "link1"))


def test_a_process_pool_returns_robots_and_kernels(pool: ProcessPoolExecutor) -> None:
    robot = pool.submit(cf.load, "2r").result(60)
    assert_same(robot.mass_matrix([0.1, 0.2]), cf.load("2r").mass_matrix([0.1, 0.2]))
    kernel = pool.submit(copy.copy, robot.kernel("gravity_torque")).result(60)
    assert_same(kernel([0.1, 0.2]), robot.gravity_torque([0.1, 0.2]))


def test_a_process_pool_returns_our_errors(pool: ProcessPoolExecutor) -> None:
    robot = cf.load("2r")
    with pytest.raises(cf.ArgumentError, match=r"\(3,\)"):
        pool.submit(robot.kernel("mass_matrix"), np.zeros(3)).result(60)
    with pytest.raises(cf.UnknownNameError, match="link1"):
        pool.submit(robot.pose, np.zeros(2), "nope").result(60)
    with pytest.raises(cf.UnknownNameError, match="panda"):
        pool.submit(cf.load, "nope").result(60)


# ------------------------------------------------------------------ threads


def test_threads_may_call_one_kernel_at_once() -> None:
    robot = cf.load("2r")
    kernel = robot.kernel("inverse_dynamics")
    work = [inputs(robot, "inverse_dynamics", (500,), seed) for seed in range(8)]
    strided = [[np.asfortranarray(x) for x in arrays] for arrays in work]
    expected = [kernel(*arrays) for arrays in work]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            for given, right in zip(pool.map(lambda arrays: kernel(*arrays), work), expected, strict=True):
                np.testing.assert_array_equal(given, right)
            for given, right in zip(pool.map(lambda arrays: kernel(*arrays), strided), expected, strict=True):
                np.testing.assert_array_equal(given, right)


def test_threads_may_compile_the_same_and_other_kernels_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    expected = {form: cf.load("2r").kernel(form)(*inputs(cf.load("2r"), form)) for form in BASIC}
    monkeypatch.setenv("CLOSEDFORM_CACHE", str(tmp_path))
    robot = cf.load("2r")
    together = threading.Barrier(4)

    def work(number: int) -> None:
        together.wait()
        forms = list(BASIC)
        for form in forms[number:] + forms[:number]:
            given = getattr(robot, form)(*inputs(robot, form))
            np.testing.assert_array_equal(given, expected[form])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert all(path.suffix == ".o" for path in tmp_path.iterdir())


def test_the_call_lets_other_threads_run() -> None:
    kernel = cf.load("panda").kernel("forward_dynamics")
    arrays = [np.full((200_000, 7), 0.1)] * 3
    out = np.empty((200_000, 7))
    turns, stop = [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            turns[0] += 1

    counter = threading.Thread(target=count)
    counter.start()
    try:
        before = turns[0]
        kernel(*arrays, out=out)
        during = turns[0] - before
    finally:
        stop.set()
        counter.join()
    assert during > 1000, "a counter in another thread stands still while the GIL is held"


@pytest.mark.parametrize("threads", [2, 3, 7])
@pytest.mark.parametrize("form", BASIC)
def test_any_number_of_threads_gives_the_same(form: str, threads: int) -> None:
    robot = cf.load("2r")
    kernel = robot.kernel(form)
    for batch in ((), (0,), (1,), (2,), (5, 3), (1, 7), (1001,), (3, 0)):
        arrays = inputs(robot, form, batch)
        expected = kernel(*arrays)
        given = kernel(*arrays, threads=threads)
        assert_same(np.asarray(given), np.asarray(expected))
        assert type(given) is type(expected)
        out = np.zeros(batch + kernel.output_shape)
        assert kernel(*arrays, out=out, threads=threads) is out
        assert_same(out, np.asarray(expected))


def test_threads_broadcast() -> None:
    kernel = cf.load("2r").kernel("inverse_dynamics")
    rng = np.random.default_rng(0)
    arrays = rng.normal(size=(5, 1, 2)), rng.normal(size=(3, 2)), rng.normal(size=2)
    assert_same(kernel(*arrays, threads=2), kernel(*arrays))
    assert_same(kernel(*arrays[::-1], threads=2), kernel(*arrays[::-1]))


# ------------------------------------------------------------------ forks

FORKS = """
import os, signal, sys, threading, time, warnings
import numpy as np, closedform as cf
from closedform.kernels import machine
from closedform.programs.building import BUILDING
warnings.simplefilter("ignore")
os.environ["CLOSEDFORM_CACHE"] = ""
right = cf.load("2r").mass_matrix(np.zeros(2))
inside, leave = threading.Event(), threading.Event()

def child():
    pid = os.fork()
    if pid == 0:
        signal.alarm(50)
        many = cf.load("2r").mass_matrix(np.zeros((1000, 2)), threads=2)
        os._exit(0 if (many == right).all() else 3)
    return os.waitpid(pid, 0)[1]
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize(
    "where", ["while a program is traced", "while expressions are built", "while LLVM works"]
)
def test_a_fork_while_another_thread_compiles_does_not_hang(where: str) -> None:
    """The thread is held where it would hold a lock; the child compiles for itself."""
    if where == "while a program is traced":
        code = """
from closedform.kernels import FormRecipe
whole = FormRecipe.program
def held(self):
    inside.set(); leave.wait(40)
    return whole(self)
FormRecipe.program = held
thread = threading.Thread(target=lambda: cf.load("pendulum").kernel("mass_matrix"))
thread.start(); inside.wait()
FormRecipe.program = whole
status = child()
leave.set(); thread.join(); print(status)
"""
    else:
        lock = "BUILDING" if where == "while expressions are built" else "machine._LOCK"
        code = f"""
def hold():
    with {lock}:
        inside.set(); leave.wait(40)
thread = threading.Thread(target=hold)
thread.start(); inside.wait()
threading.Timer(0.5, leave.set).start()  # the fork waits for it
status = child()
thread.join(); print(status)
"""
    assert run(FORKS + code, seconds=120).strip() == "0"


# ------------------------------------------------------------------ lifetimes


def test_a_kernel_outlives_its_robot() -> None:
    robot = cf.load("2r")
    expected = robot.mass_matrix([0.1, 0.2])
    kernel, method, pose = robot.kernel("mass_matrix"), robot.gravity_torque, robot.pose
    gravity = method([0.1, 0.2])
    ghost = weakref.ref(robot)
    del robot
    gc.collect()
    np.testing.assert_array_equal(kernel([0.1, 0.2]), expected)
    np.testing.assert_array_equal(method([0.1, 0.2]), gravity)
    assert pose([0.1, 0.2], "link1").shape == (4, 4)
    del pose
    gc.collect()
    assert ghost() is None, "kernels do not keep their robot alive"


def test_a_ufunc_outlives_its_kernel() -> None:
    printed = run(
        "import gc, numpy as np, closedform as cf\n"
        "ufunc = cf.load('2r').kernel('mass_matrix').ufunc\n"
        "gc.collect()\n"
        f"others = [cf.load('2r').kernel(form) for form in {list(BASIC)!r}]\n"
        "junk = [bytearray(10_000) for _ in range(1000)]\n"
        "print(ufunc.__name__, ufunc(np.array([0.1, 0.2]))[1, 1])\n"
    )
    assert printed.split() == ["mass_matrix", str(cf.load("2r").mass_matrix([0.1, 0.2])[1, 1])]


def test_kernels_are_freed() -> None:
    robot = cf.load("2r")
    ghosts = [weakref.ref(cf.Kernel(FormRecipe(robot.model, "mass_matrix"))) for _ in range(20)]
    gc.collect()
    assert not any(ghost() for ghost in ghosts)


def test_the_interpreter_ends_cleanly_with_kernels_alive() -> None:
    assert (
        run(
            "import threading, numpy as np, closedform as cf\n"
            "robot = cf.load('2r')\n"
            "bound = robot.kernel('gravity_torque').bind(np.zeros(2), out=np.zeros(2)); bound()\n"
            "robot.mass_matrix(np.zeros((1000, 2)), threads=2)\n"
            "print('done')\n"
        )
        == "done\n"
    )


# ------------------------------------------------------------------ dask


@pytest.mark.parametrize("name", ["2r", "pendulum", "spherical_pendulum"])
@pytest.mark.parametrize("form", BASIC)
def test_dask_equals_numpy(name: str, form: str) -> None:
    robot = cf.load(name)
    arrays = inputs(robot, form)
    lazy = [da.from_array(x, chunks=(5, *x.shape[1:])) for x in arrays]
    result = getattr(robot, form)(*lazy)
    expected = getattr(robot, form)(*arrays)
    assert isinstance(result, da.Array)
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    assert_same(result.compute(scheduler="synchronous"), expected)
    assert_same(result.compute(scheduler="threads"), expected)


@pytest.mark.parametrize("name", ["2r", "pendulum"])
def test_a_dask_graph_travels_to_other_processes(name: str) -> None:
    robot = cf.load(name)
    arrays = inputs(robot, "inverse_dynamics")
    expected = robot.inverse_dynamics(*arrays)
    lazy = robot.inverse_dynamics(*(da.from_array(x, chunks=(12, -1)) for x in arrays))
    assert_same(pickle.loads(pickle.dumps(lazy)).compute(scheduler="synchronous"), expected)


def test_dask_chunks_may_cut_the_last_axis() -> None:
    robot = cf.load("2r")
    (q,) = inputs(robot, "mass_matrix")
    lazy = robot.mass_matrix(da.from_array(q, chunks=(4, 1)))
    assert_same(lazy.compute(scheduler="synchronous"), robot.mass_matrix(q))


def test_dask_broadcasts_with_numpy() -> None:
    robot = cf.load("2r")
    q, qd = np.random.default_rng(0).normal(size=(2, 7, 2))
    lazy = robot.coriolis_matrix(da.from_array(q, chunks=(3, -1)), qd[:5, None])
    assert lazy.shape == (5, 7, 2, 2)
    assert_same(lazy.compute(scheduler="synchronous"), robot.coriolis_matrix(q, qd[:5, None]))
    lazy = robot.coriolis_matrix(q[0], da.from_array(qd, chunks=(3, -1)))
    assert_same(lazy.compute(scheduler="synchronous"), robot.coriolis_matrix(q[0], qd))


def test_dask_with_a_frame_and_in_single_precision() -> None:
    robot = cf.load("2r")
    (q,) = inputs(robot, "pose")
    lazy = da.from_array(q, chunks=(6, -1))
    assert_same(robot.pose(lazy, "link1").compute(scheduler="synchronous"), robot.pose(q, "link1"))
    single = robot.kernel("mass_matrix", dtype=np.float32)
    assert single(lazy.astype(np.float32)).compute(scheduler="synchronous").dtype == np.float32


def test_a_dask_array_of_a_wrong_shape_is_refused_as_any_other() -> None:
    robot = cf.load("2r")
    with pytest.raises(cf.ArgumentError, match=r"q .*3\); expected \(\.\.\., 2\)"):
        robot.mass_matrix(da.zeros((10, 3), chunks=(5, 3))).compute(scheduler="synchronous")


def test_too_many_dask_arrays_are_counted() -> None:
    printed = run(
        "import dask.array as da, closedform as cf\n"
        "q = da.zeros((10, 2), chunks=(5, 2))\n"
        "try: cf.load('2r').mass_matrix(q, q)\n"
        "except cf.ArgumentError as error: print(error)\n",
        seconds=20,
    )
    assert "2 given" in printed


def test_dask_has_no_out() -> None:
    robot = cf.load("2r")
    with pytest.raises(cf.ArgumentError, match="out"):
        robot.mass_matrix(da.zeros((10, 2), chunks=(5, 2)), out=np.zeros((10, 2, 2)))


def test_dask_stays_lazy_with_threads() -> None:
    robot = cf.load("2r")
    assert isinstance(robot.mass_matrix(da.zeros((10, 2), chunks=(5, 2)), threads=2), da.Array)


@every_copy
def test_a_copied_kernel_of_expressions_gives_the_same_numbers(how: str) -> None:
    x = ca.SX.sym("x", 2)
    kernel = compiled("turn", [("x", x)], [("c", ca.cos(x)), ("norm", (), ca.sqrt(ca.dot(x, x)))])
    again = COPIES[how](kernel)
    given = np.array([[0.1, 0.2], [3.0, 4.0]])
    for ours, theirs in zip(again(given), kernel(given), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_allclose(again(given)[1], np.linalg.norm(given, axis=-1), rtol=4e-16)
