"""CuPy arrays: the library's numbers on the GPU where the arrays are, in the order of CuPy's stream.

What needs a GPU is skipped where there is none: `make test-gpu`.
"""

from __future__ import annotations

from threading import Thread

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.kernels import compiled

cupy = pytest.importorskip("cupy", reason="CuPy is not installed")


def _has_gpu():
    try:
        return cupy.cuda.runtime.getDeviceCount() > 0
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


GPU = _has_gpu()
needs_gpu = pytest.mark.skipif(not GPU, reason="no GPU")
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"
)
ERRORS = {np.float32: 5e-6, np.float64: 1e-13}

OWNERS = {
    "2r": lambda: cf.load("2r"),
    "flexible": lambda: cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)]),
    "elastic": lambda: cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 0.01),
}
ABSENT = {"task_inertia", "dynamically_consistent_inverse", "nullspace_projector"}
"""Forms that a planar arm of two joints does not have."""


def numbers(kernel, batch, seed=0, dtype=float):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(*batch, *shape)).astype(dtype) for shape in kernel.input_shapes]


def as_list(results):
    return list(results) if isinstance(results, tuple | list) else [results]


def same(ours, expected, error=1e-13):
    for one, other in zip(as_list(ours), as_list(expected), strict=True):
        assert type(one) is cupy.ndarray
        assert one.shape == other.shape
        assert one.dtype == other.dtype
        assert np.abs(one.get() - other).max(initial=0) <= error * max(1e-3, np.abs(other).max(initial=0))


@pytest.fixture(scope="module")
def iiwa():
    return cf.load("iiwa14")


# ------------------------------------------------------------------ numbers


@needs_gpu
@pytest.mark.parametrize("owner", OWNERS)
def test_every_form_of_every_owner(owner):
    it = OWNERS[owner]()
    for name in sorted(set(it._kernels.forms) - (ABSENT if owner == "2r" else set())):
        kernel = it.kernel(name)
        given = numbers(kernel, (33,))
        same(kernel(*map(cupy.asarray, given)), kernel(*given), 1e-12)


@needs_gpu
@pytest.mark.parametrize("dtype", ERRORS)
@pytest.mark.parametrize("robot", ["iiwa14", "spherical_pendulum", "humanoid"])
def test_batches_and_precisions(robot, dtype):
    robot = cf.load(robot)
    large = robot.name == "humanoid"
    for form in (
        "inverse_dynamics",
        *(() if large else ("dynamic_matrices", "kinetic_energy", "frame_poses")),
    ):
        kernel = robot.kernel(form, dtype=dtype)
        for batch in ((), (1,), (31,), (4, 33), (1000,), (0,), (3, 0)):
            given = numbers(kernel, batch, dtype=dtype)
            given[0][...] = robot.random_state(0, batch=batch, order=0)[0]
            exact = getattr(robot, form)(*[each.astype(float) for each in given])
            expected = [each.astype(dtype) for each in as_list(exact)]
            ours = getattr(robot, form)(*map(cupy.asarray, given))
            same(ours, expected, ERRORS[dtype])
            if kernel.results is not None:
                assert type(ours) is kernel.results


@needs_gpu
def test_expressions_and_products(iiwa):
    x, y = ca.SX.sym("x", 2), ca.SX.sym("y")
    norm = compiled("norm", [("x", x), ("y", (), y)], [("norm", (), y * ca.sqrt(ca.dot(x, x)))])
    given = numbers(norm, (50,))
    same(norm(*map(cupy.asarray, given)), norm(*given))
    same(norm(cupy.asarray(given[0]), 2.0), norm(given[0], 2.0))
    kernel = iiwa.kernel("inverse_dynamics")
    for product in (kernel.vjp, kernel.jvp):
        given = numbers(product, (5,))
        same(product(*map(cupy.asarray, given)), product(*given), 1e-12)


@needs_gpu
def test_repeated_calls_take_the_shortcut_and_agree(iiwa):
    for batch in ((100,), (4, 25), (), (0,), (7,)):
        given = numbers(iiwa.kernel("coriolis_matrix"), batch, seed=len(batch))
        on_gpu = [cupy.asarray(each) for each in given]
        for _ in range(3):
            same(iiwa.coriolis_matrix(*on_gpu), iiwa.coriolis_matrix(*given), 1e-12)
    known = iiwa.coriolis_matrix.subject.shortcuts
    ((key, again),) = [item for item in known.items() if item[0][0] is cupy.ndarray]
    assert key[1:] == (2, np.dtype(float))
    q = cupy.zeros((4, 7))
    for other in (q, q[0], q[:, ::-1], q[::-1], q[:1]):
        assert again([q, other]) is not None
        assert again([other, q]) is not None
    for other in (q.astype(np.float32), q.get(), 0.0, [0.0] * 7):
        assert again([q, other]) is None
    for wrong in ([cupy.zeros((4, 8))] * 2, [cupy.zeros(())] * 2, [q, q[:3]]):
        with pytest.raises(cf.ArgumentError, match="coriolis_matrix: "):
            again(wrong)


@needs_gpu
def test_slices_broadcasts_and_lists(iiwa):
    state = cupy.asarray(np.random.default_rng(1).normal(size=(12, 30, 14)))
    views = [
        (state[..., :7], state[..., 7:]),
        (state[::2, ::3, 7:], state[::2, ::-3, :7]),
        (state[:, 0, :7], state[0, :12, 7:]),
        (state.transpose(1, 0, 2)[..., ::2], state[0, :12, :7]),
        (state[:, :1, :7], state[:1, :, 7:]),
        (cupy.broadcast_to(state[0, 0, :7], (5, 7)), state[0, 0, 7:]),
        (cupy.asfortranarray(state[:, 0, :7]), state[:, 1, :7]),
        (state[0, 0, :7], [0.1] * 7),
        (state[..., :7], [[0.1] * 7]),
        (state[0, 0, :7], [np.float64(1.0)] * 7),
    ]
    for q, qd in views:
        expected = iiwa.coriolis_matrix(q.get(), qd.get() if isinstance(qd, cupy.ndarray) else qd)
        for _ in range(2):
            same(iiwa.coriolis_matrix(q, qd), expected, 1e-12)
    same(
        iiwa.coriolis_matrix(state[0, :, :7].astype(np.float32), state[0, :, 7:]),
        iiwa.coriolis_matrix(state[0, :, :7].astype(np.float32).get(), state[0, :, 7:].get()),
        1e-12,
    )
    assert iiwa.gravity_torque(state[0, :, :7].astype(np.float32)).dtype == np.float32
    same(iiwa.coriolis_matrix(q=state[0, :, :7], qd=0 * state[0, 0, :7]), expected_still(iiwa, state), 1e-12)


def expected_still(robot, state):
    return robot.coriolis_matrix(state[0, :, :7].get(), np.zeros(7))


@needs_gpu
def test_wrenches_of_frames(iiwa):
    q, push = (np.random.default_rng(7).normal(size=(4, n)) for n in (7, 6))
    first, second = iiwa.body_names[:2]
    expected = iiwa.inverse_dynamics(q, q, q, wrenches={first: push, second: [1.0] * 6})
    given = [cupy.asarray(q)] * 3
    same(
        iiwa.inverse_dynamics(*given, wrenches={first: cupy.asarray(push), second: [1.0] * 6}),
        expected,
        1e-12,
    )
    with pytest.raises(cf.ArgumentError, match="is a NumPy array beside a CuPy array"):
        iiwa.inverse_dynamics(*given, wrenches={first: push})


# ------------------------------------------------------------------ out=


@needs_gpu
def test_results_go_into_given_arrays(iiwa):
    q = cupy.asarray(np.random.default_rng(2).normal(size=(40, 7)))
    expected = iiwa.mass_matrix(q.get())
    out = cupy.empty((40, 7, 7))
    assert iiwa.mass_matrix(q, out=out) is out
    same(out, expected, 1e-12)
    wide = cupy.full((80, 7, 9), np.nan)
    iiwa.mass_matrix(q, out=wide[::2, :, 1:8])
    same(wide[::2, :, 1:8].copy(), expected, 1e-12)
    assert bool(cupy.isnan(wide[1::2]).all())
    assert bool(cupy.isnan(wide[:, :, 0]).all())
    matrices = iiwa.kernel("dynamic_matrices")
    given = numbers(matrices, (40,))
    exact = matrices(*given)
    outs = tuple(cupy.empty(each.shape) for each in exact)
    assert iiwa.dynamic_matrices(*map(cupy.asarray, given), out=outs) is outs
    same(outs, exact, 1e-12)


@needs_gpu
@pytest.mark.parametrize("shift", [0, 1, 7, 35])
def test_outputs_that_overlap_inputs(iiwa, shift):
    memory = cupy.asarray(np.random.default_rng(3).normal(size=4000))
    q, qd, qdd = (memory[k * 700 : (k + 1) * 700].reshape(100, 7) for k in range(3))
    expected = iiwa.inverse_dynamics(q.get(), qd.get(), qdd.get())
    out = memory[700 + shift : 1400 + shift].reshape(100, 7)
    iiwa.inverse_dynamics(q, qd, qdd, out=out)
    same(out, expected, 1e-12)


@needs_gpu
def test_outputs_that_are_refused(iiwa):
    q = cupy.zeros((5, 7))
    whole = cupy.empty((5, 7, 7))
    refused = [
        (np.empty((5, 7, 7)), "out is a NumPy array; expected CuPy arrays on GPU 0"),
        (3.0, "out is 3.0; expected CuPy arrays"),
        (cupy.empty((5, 7)), r"out has shape \(5, 7\); expected \(5, 7, 7\)"),
        (cupy.empty((5, 7, 7), np.float32), "out is float32; expected float64"),
        (cupy.empty((5, 7, 7), np.float16), "float16; expected float32 or float64"),
        ((whole, whole), "out has 2 arrays; expected a tuple of 1"),
        (cupy.broadcast_to(whole[:1], (5, 7, 7)), "entries of out share memory"),
    ]
    for out, message in refused:
        with pytest.raises(cf.ArgumentError, match=message):
            iiwa.mass_matrix(q, out=out)
    several = iiwa.kernel("inverse_dynamics_derivatives")
    outs = [cupy.empty((5, *shape)) for shape in several.output_shapes]
    with pytest.raises(cf.ArgumentError, match="outputs overlap each other"):
        several(q, q, q, out=(outs[0],) * len(outs))
    with pytest.raises(cf.ArgumentError, match=f"out has 1 arrays; expected a tuple of {len(outs)}"):
        several(q, q, q, out=outs[0])


# ------------------------------------------------------------------ streams, graphs, threads


@needs_gpu
def test_the_current_stream_orders_the_work(iiwa):
    q = cupy.asarray(np.random.default_rng(4).normal(size=(1_000_000, 7)))
    expected = iiwa.gravity_torque(q)
    cupy.cuda.Device().synchronize()
    for stream in (cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream.ptds):
        with stream:
            later = q * 0
            for _ in range(50):  # takes milliseconds: a launch on another stream would read less
                later += q / 50
            aside = iiwa.gravity_torque(later)
        stream.synchronize()
        np.testing.assert_allclose(aside.get(), expected.get(), rtol=1e-9, atol=1e-9)


@needs_gpu
def test_a_graph_replays_the_calls(iiwa):
    given = [cupy.asarray(each) for each in numbers(iiwa.kernel("inverse_dynamics"), (256,))]
    q, qd, qdd = given
    tau, M = cupy.empty((256, 7)), cupy.empty((256, 7, 7))
    iiwa.inverse_dynamics(q, qd, qdd, out=tau)
    iiwa.mass_matrix(q, out=M)
    iiwa.inverse_dynamics(q, qd, qdd)
    cupy.cuda.Device().synchronize()
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        fresh = iiwa.inverse_dynamics(q, qd, qdd)  # CuPy's memory of this stream is there from now on
        del fresh
        stream.begin_capture()
        iiwa.inverse_dynamics(q, qd, qdd, out=tau)
        iiwa.mass_matrix(q, out=M)
        fresh = iiwa.inverse_dynamics(q, qd, qdd)
        graph = stream.end_capture()
        for each in given:
            each[...] = 1.1 * each
        tau.fill(0)
        graph.launch(stream)
    stream.synchronize()
    exact = iiwa.inverse_dynamics(q.get(), qd.get(), qdd.get())
    same(tau, exact, 1e-12)
    same(fresh, exact, 1e-12)
    same(M, iiwa.mass_matrix(q.get()), 1e-12)


@needs_gpu
def test_new_threads_compute_too():
    """A thread that has not touched the GPU has no context of its own; also at the first use of a form."""
    robot, found = cf.load("ur5"), {}
    q = cupy.asarray(np.random.default_rng(5).normal(size=(64, 6)))

    def work(form):
        found[form] = [getattr(robot, form)(q) for _ in range(3)][-1]
        cupy.cuda.get_current_stream().synchronize()

    for forms in (["gravity_torque"], ["gravity_torque", "mass_matrix"]):
        threads = [Thread(target=work, args=(form,)) for form in forms]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        for form in forms:
            same(found.pop(form), getattr(robot, form)(q.get()), 1e-12)


# ------------------------------------------------------------------ dask


@needs_gpu
def test_dask_arrays_of_cupy_chunks(iiwa):
    da = pytest.importorskip("dask.array")
    q, qd = numbers(iiwa.kernel("coriolis_matrix"), (100,))
    lazy = [da.from_array(cupy.asarray(each), chunks=(30, 7), asarray=False) for each in (q, qd)]
    later = iiwa.coriolis_matrix(*lazy)
    assert isinstance(later._meta, cupy.ndarray)
    same(later.compute(), iiwa.coriolis_matrix(q, qd), 1e-12)
    matrices = iiwa.dynamic_matrices(*lazy)
    for one, other in zip(matrices, iiwa.dynamic_matrices(q, qd), strict=True):
        same(one.compute(), other, 1e-12)
    still = iiwa.coriolis_matrix(q, np.zeros(7))
    for zero in ([0.0] * 7, cupy.zeros(7)):
        same(iiwa.coriolis_matrix(lazy[0], zero).compute(), still, 1e-12)
    same(iiwa.coriolis_matrix(cupy.asarray(q), lazy[1]).compute(), iiwa.coriolis_matrix(q, qd), 1e-12)
    single = iiwa.gravity_torque(lazy[0].astype(np.float32))
    assert single.dtype == np.float32
    assert single.compute().dtype == np.float32
    with pytest.raises(cf.ArgumentError, match="of several kinds: q a CuPy array, qd a NumPy array"):
        iiwa.coriolis_matrix(lazy[0], qd)


# ------------------------------------------------------------------ bound calls


@needs_gpu
@pytest.mark.parametrize("dtype", ERRORS)
def test_bound_arrays_are_evaluated_where_they_are(iiwa, dtype):
    kernel = iiwa.kernel("inverse_dynamics", dtype=dtype)
    state, tau = cupy.zeros((300, 21), dtype), cupy.empty((300, 7), dtype)
    parts = state[:, :7], state[:, 7:14], state[:, 14:]
    step = kernel.bind(*parts, out=tau)
    for seed in range(3):
        state[...] = cupy.asarray(np.random.default_rng(seed).normal(size=state.shape))
        used = cupy.get_default_memory_pool().used_bytes()
        step()
        assert cupy.get_default_memory_pool().used_bytes() == used
        assert (tau == kernel(*parts)).all()
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    with stream:
        state *= 2
        step()
    stream.synchronize()
    assert (tau == kernel(*parts)).all()


@needs_gpu
def test_a_bound_call_holds_its_arrays(iiwa):
    kernel, out = iiwa.kernel("gravity_torque"), cupy.empty((50, 7))
    step = kernel.bind(cupy.full((50, 7), 0.3), out=out)
    junk = [cupy.full((50, 7), 9.0) for _ in range(10)]
    step()
    assert (out == kernel(cupy.full((50, 7), 0.3))).all(), junk


# ------------------------------------------------------------------ bad input


@needs_gpu
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda q: (q, q.get()), "qd is a NumPy array beside CuPy arrays; convert it with cupy.asarray"),
        (lambda q: (q.get(), q), "q is a NumPy array beside CuPy arrays; convert it with cupy.asarray"),
        (lambda q: (q.astype(np.float16), q), "float16; expected float32 or float64"),
        (lambda q: (q, q.astype(complex)), "complex128; expected float32 or float64"),
        (lambda q: (q.astype(int), q), "int64; expected float32 or float64"),
        (lambda q: (q[:, :6], q), r"q has shape \(4, 6\); expected \(..., 7\)"),
        (lambda q: (q, q[:3]), r"batch shapes do not broadcast: q \(4,\), qd \(3,\)"),
        (lambda q: (q, "fast"), "qd is 'fast'; expected an array"),
        (lambda q: (q, [[0.0], [1.0, 2.0]]), "qd is"),
        (lambda q: (q, ["1"] * 7), "qd is"),
        (lambda q: (q, [1j] * 7), "qd has entries of complex128; expected real numbers"),
    ],
)
def test_arrays_that_are_refused(iiwa, given, message):
    q = cupy.zeros((4, 7))
    for _ in range(2):
        with pytest.raises(cf.ArgumentError, match=message):
            iiwa.coriolis_matrix(*given(q))
        iiwa.coriolis_matrix(q, q)


@needs_gpu
def test_other_kinds_and_options_are_refused(iiwa):
    q = cupy.zeros((4, 7))
    with pytest.raises(cf.ArgumentError, match="threads= does not go with CuPy arrays"):
        iiwa.mass_matrix(q, threads=2)
    torch = pytest.importorskip("torch")
    tensor = torch.zeros(4, 7, dtype=torch.float64, device="cuda")
    with pytest.raises(cf.ArgumentError, match="qd is a PyTorch tensor beside CuPy arrays; convert it with"):
        iiwa.coriolis_matrix(q, tensor)
    with pytest.raises(cf.ArgumentError, match="qd is a CuPy array beside tensors; convert it with"):
        iiwa.coriolis_matrix(tensor, q)
    same(iiwa.coriolis_matrix(cupy.from_dlpack(tensor), q), np.zeros((4, 7, 7)))


@needs_gpu
def test_bad_samples_are_nan_in_their_own_rows(iiwa):
    q = cupy.zeros((100, 7))
    q[13, 2], q[70, 0] = np.nan, np.inf
    bad = cupy.isnan(iiwa.gravity_torque(q)).any(axis=1).get()
    assert set(np.flatnonzero(bad)) <= {13, 70}
    assert bad[13]


@pytest.mark.skipif(not GPU or cupy.cuda.runtime.getDeviceCount() < 2, reason="one GPU at most")
def test_several_gpus(iiwa):
    q = np.random.default_rng(6).normal(size=(9, 7))
    with cupy.cuda.Device(1):
        there = cupy.asarray(q)
    same(iiwa.gravity_torque(there), iiwa.gravity_torque(q), 1e-12)
    assert iiwa.gravity_torque(there).device.id == 1
    with pytest.raises(cf.ArgumentError, match="arrays are on GPU 0 and GPU 1; copy them to one"):
        iiwa.coriolis_matrix(there, cupy.asarray(q))


# ------------------------------------------------------------------ without a GPU


def at_host(array, device=0):
    """Return a CuPy array over memory of the host, whose entries no GPU can read."""
    memory = cupy.cuda.UnownedMemory(array.ctypes.data, array.nbytes, array, device)
    return cupy.ndarray(array.shape, array.dtype, cupy.cuda.MemoryPointer(memory, 0))


def test_cupy_arrays_have_a_guest_of_their_own():
    from closedform.guests import cupy_arrays, guest_of  # noqa: PLC0415

    assert guest_of(at_host(np.zeros(3))) is cupy_arrays
    with pytest.raises(cf.ArgumentError, match="arrays are on GPU 0 and GPU 1; copy them to one"):
        cf.load("2r").coriolis_matrix(at_host(np.zeros(2)), at_host(np.zeros(2), device=1))


@pytest.mark.parametrize(
    ("q", "out", "message"),
    [
        (np.zeros((4, 2)), None, "q is a NumPy array; expected a CuPy array"),
        (None, np.zeros((4, 2)), "out is a NumPy array; expected a CuPy array"),
        (None, 3, "out is 3; expected a CuPy array"),
        (lambda: at_host(np.zeros((4, 2), np.float32)), None, "q is float32; expected aligned float64"),
        (lambda: at_host(np.zeros((4, 2)), device=1), None, "arrays are on GPU 0 and GPU 1"),
    ],
)
def test_what_cannot_be_bound_is_named(q, out, message):
    fine = at_host(np.zeros((4, 2))), at_host(np.zeros((4, 2)))
    given = q() if callable(q) else fine[0] if q is None else q
    with pytest.raises(cf.ArgumentError, match=message):
        cf.load("2r").kernel("gravity_torque").bind(given, out=fine[1] if out is None else out)


def test_views_of_cupy_are_rows_in_place():
    from closedform.cuda.rows import as_rows, writable_in_place  # noqa: PLC0415
    from closedform.guests.cupy_arrays import _library  # noqa: PLC0415

    state = at_host(np.arange(140.0).reshape(10, 14))
    qd, step = as_rows(_library(), state[:, 7:], (7,), (10,))
    assert (qd.data.ptr, step) == (state.data.ptr + 56, 14)
    backwards, step = as_rows(_library(), state[::-1, :7], (7,), (10,))
    assert (backwards.data.ptr, step) == (state.data.ptr + 9 * 112, -14)
    one, step = as_rows(_library(), state[3, :7], (7,), (4, 5))
    assert (one.data.ptr, step) == (state.data.ptr + 3 * 112, 0)
    out, double = at_host(np.zeros((10, 7))), np.dtype(float)
    assert writable_in_place(_library(), "form", [state[:, :7]], [out], double)
    assert not writable_in_place(_library(), "form", [state[:, :7]], [state[:5]], double)
    assert not writable_in_place(_library(), "form", [state[:, :7]], [out[::2]], double)
