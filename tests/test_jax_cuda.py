"""JAX arrays on an NVIDIA GPU: XLA launches the kernels, and every transform has the library's numbers.

Needs a GPU that JAX can use: `make test-gpu`.
"""

from __future__ import annotations

import os
import re

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.kernels import compiled

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # PyTorch and CuPy may use the GPU too
jax = pytest.importorskip("jax", reason="JAX is not installed")
try:
    DEVICE = jax.local_devices(backend="cuda")[0]
except RuntimeError:
    pytest.skip("JAX has no GPU", allow_module_level=True)

import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

from closedform.guests import jax_cuda  # noqa: E402

EXACT = {"rtol": 1e-11, "atol": 1e-11}
OWNERS = {
    "2r": lambda: cf.load("2r"),
    "flexible": lambda: cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)]),
    "elastic": lambda: cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 0.01),
}

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


@pytest.fixture(autouse=True)
def double():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    with jax.default_device(DEVICE):
        yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture(scope="module")
def iiwa():
    return cf.load("iiwa14")


def numbers(kernel, batch, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(*batch, *shape)) for shape in kernel.input_shapes]


def as_list(results):
    return list(results) if isinstance(results, tuple | list) else [results]


def same(ours, expected, error=1e-12):
    for one, other in zip(as_list(ours), as_list(expected), strict=True):
        assert isinstance(one, jax.Array)
        assert {each.platform for each in one.devices()} <= {"gpu", "cuda"}
        assert one.shape == other.shape
        scale = max(1e-3, np.abs(other).max(initial=0))
        assert np.abs(np.asarray(one) - other).max(initial=0) <= error * scale


def on_gpu(arrays, dtype=float):
    return [jax.device_put(np.asarray(each, dtype), DEVICE) for each in arrays]


# ------------------------------------------------------------------ numbers


def test_xla_launches_the_machine_code(iiwa):
    (q,) = on_gpu(numbers(iiwa.kernel("mass_matrix"), (4,)))
    same(iiwa.mass_matrix(q), iiwa.mass_matrix(np.asarray(q)))
    assert jax_cuda.TRIAL.passed is True
    lowered = jax.jit(iiwa.mass_matrix).lower(q).as_text()
    assert "closedform_mass_matrix_" in lowered
    assert "callback" not in lowered


@pytest.mark.parametrize("owner", OWNERS)
def test_forms_of_every_owner(owner):
    it = OWNERS[owner]()
    names = ["mass_matrix", "inverse_dynamics", "forward_dynamics", "potential_energy", "state_rate", "pose"]
    for name in [each for each in names if each in it._kernels.forms]:
        kernel = it.kernel(name)
        given = numbers(kernel, (33,))
        same(kernel(*on_gpu(given)), kernel(*given))


@pytest.mark.parametrize("form", ["inverse_dynamics", "dynamic_matrices", "kinetic_energy", "frame_poses"])
def test_batches_and_precisions(iiwa, form):
    for batch in ((), (1,), (31,), (4, 33), (1000,), (0,), (2, 0)):
        given = numbers(iiwa.kernel(form), batch)
        ours = getattr(iiwa, form)(*on_gpu(given))
        same(ours, getattr(iiwa, form)(*given))
        if iiwa.kernel(form).results is not None:
            assert type(ours) is iiwa.kernel(form).results
    singles = [each.astype(np.float32) for each in numbers(iiwa.kernel(form), (500,))]
    expected = getattr(iiwa, form)(*[each.astype(float) for each in singles])
    ours = getattr(iiwa, form)(*on_gpu(singles, np.float32))
    assert all(each.dtype == jnp.float32 for each in as_list(ours))
    same(ours, expected, 5e-6)


def test_a_large_robot():
    robot = cf.load("humanoid")
    kernel = robot.kernel("inverse_dynamics", dtype="float32")
    given = numbers(kernel, (300,))
    given[0][...] = robot.random_state(0, batch=(300,), order=0)[0]
    singles = [each.astype(np.float32) for each in given]
    expected = robot.inverse_dynamics(*[each.astype(float) for each in singles])
    same(kernel(*on_gpu(singles, np.float32)), expected, 5e-6)


def test_broadcasts_slices_and_lists(iiwa):
    state = np.random.default_rng(1).normal(size=(12, 30, 14))
    whole = jax.device_put(state, DEVICE)
    views = [
        lambda s: (s[..., :7], s[..., 7:]),
        lambda s: (s[::2, ::3, ::2], s[::2, ::-3, :7]),
        lambda s: (s[:, :1, :7], s[:1, :, 7:]),
        lambda s: (s[0, 0, :7], s[..., 7:]),
        lambda s: (s[..., :7], [0.1] * 7),
    ]
    for view in views:
        expected = iiwa.coriolis_matrix(*view(state))
        same(iiwa.coriolis_matrix(*view(whole)), expected)
        same(jax.jit(lambda s, view=view: iiwa.coriolis_matrix(*view(s)))(whole), expected)


def test_expressions():
    x, y = ca.SX.sym("x", 2), ca.SX.sym("y")
    norm = compiled("norm", [("x", x), ("y", (), y)], [("norm", (), y * ca.sqrt(ca.dot(x, x)))])
    given = numbers(norm, (50,))
    same(norm(*on_gpu(given)), norm(*given))
    gradient = jax.grad(lambda x: norm(x, 2.0).sum())(on_gpu(given)[0])
    exact = 2 * given[0] / np.linalg.norm(given[0], axis=-1, keepdims=True)
    same(gradient, exact)


def test_bad_samples_are_nan_in_their_own_rows(iiwa):
    q = np.zeros((100, 7))
    q[13, 2] = np.nan
    bad = np.isnan(np.asarray(iiwa.gravity_torque(jax.device_put(q, DEVICE)))).any(axis=1)
    assert np.flatnonzero(bad).tolist() == [13]


# ------------------------------------------------------------------ transforms


def test_jacobians_and_hessians_are_the_closed_forms(iiwa):
    state = iiwa.random_state(1)
    given = on_gpu(state)
    exact = iiwa.inverse_dynamics_dq(*state)
    for transform in (jax.jacfwd, jax.jacrev):
        same(jax.jit(transform(iiwa.inverse_dynamics))(*given), exact)
    same(jax.jit(jax.hessian(iiwa.potential_energy))(given[0]), iiwa.gravity_torque_dq(state[0]))
    q = on_gpu(numbers(iiwa.kernel("gravity_torque"), (64,)))[0]
    same(jax.jit(jax.vmap(jax.hessian(iiwa.potential_energy)))(q), iiwa.gravity_torque_dq(np.asarray(q)))


def test_first_and_second_derivatives():
    robot = cf.load("2r")
    q, qd = on_gpu([np.random.default_rng(2).normal(size=shape) for shape in ((2, 1, 2), (3, 2))])
    check_grads(robot.coriolis_matrix, (q, qd), order=2, eps=1e-5, rtol=1e-6, atol=1e-6)


def test_vmap_over_any_axis(iiwa):
    q, qd = np.random.default_rng(3).normal(size=(2, 5, 3, 7))
    direct = iiwa.coriolis_matrix(q, qd[0])
    over = jax.vmap(iiwa.coriolis_matrix, in_axes=(2, None))
    same(over(jax.device_put(np.moveaxis(q, 0, 2), DEVICE), on_gpu([qd[0]])[0]), direct)


def test_a_simulation_with_many_launches_and_its_gradient():
    """In a scan, and unrolled, which XLA may put into a graph of the GPU."""
    robot, dt = cf.load("2r"), 0.01
    q0 = np.array([0.3, -0.4])

    def step(state, tau):
        q, qd = state
        qd = qd + dt * robot.forward_dynamics(q, qd, tau)
        return (q + dt * qd, qd), robot.potential_energy(q)

    def scanned(tau):
        (_, qd), energies = jax.lax.scan(
            lambda s, _: step(s, tau), (jnp.asarray(q0), jnp.zeros(2)), length=30
        )
        return (qd**2).sum() + energies.sum()

    def unrolled(tau):
        state, total = (jnp.asarray(q0), jnp.zeros(2)), 0.0
        for _ in range(30):
            state, energy = step(state, tau)
            total += energy
        return (state[1] ** 2).sum() + total

    q, qd, total, tau = q0, np.zeros(2), 0.0, np.array([0.5, -0.2])
    for _ in range(30):
        total += robot.potential_energy(q)
        qd = qd + dt * robot.forward_dynamics(q, qd, tau)
        q = q + dt * qd
    expected = (qd**2).sum() + total
    (given,) = on_gpu([tau])
    for function in (scanned, unrolled):
        compiled_function = jax.jit(function)
        for _ in range(5):
            np.testing.assert_allclose(compiled_function(given), expected, rtol=1e-11)
    check_grads(jax.jit(scanned), (given,), order=1, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(jax.jit(jax.grad(unrolled))(given), jax.grad(scanned)(given), **EXACT)


def test_many_batch_sizes_of_one_kernel(iiwa):
    """Each has a launch of its own; those compiled before stay right."""
    functions = {n: jax.jit(iiwa.gravity_torque) for n in (1, 2, 31, 32, 33, 100, 4097)}
    for _ in range(2):
        for n, function in functions.items():
            (q,) = numbers(iiwa.kernel("gravity_torque"), (n,), seed=n)
            same(function(jax.device_put(q, DEVICE)), iiwa.gravity_torque(q))


def test_both_processors_in_one_process(iiwa):
    (q,) = numbers(iiwa.kernel("mass_matrix"), (9,))
    try:
        host = jax.local_devices(backend="cpu")[0]
    except RuntimeError:
        pytest.skip("JAX has no CPU here")
    for device in (DEVICE, host, DEVICE):
        found = iiwa.mass_matrix(jax.device_put(q, device))
        assert found.devices() == {device}
        np.testing.assert_allclose(np.asarray(found), iiwa.mass_matrix(q), **EXACT)
    with pytest.raises(cf.ArgumentError, match="move them to one device with"):
        iiwa.coriolis_matrix(jax.device_put(q, DEVICE), jax.device_put(q, host))


# ------------------------------------------------------------------ without machine code, and bad input


def test_the_way_through_the_host_gives_the_same(monkeypatch):
    robot = cf.load("pendulum")
    monkeypatch.setattr(jax_cuda.TRIAL, "passed", False)
    jax.clear_caches()
    (q,) = on_gpu([np.linspace(0, 1, 5)[:, None]])
    with pytest.warns(RuntimeWarning, match="numbers go to the host and back"):
        found = robot.gravity_torque(q)
    same(found, robot.gravity_torque(np.asarray(q)))
    jax.clear_caches()


def test_a_kernel_that_the_gpu_does_not_take_goes_through_the_host(monkeypatch):
    from closedform.cuda import xla_launch  # noqa: PLC0415

    def refuse(kernel, device):
        raise cf.ClosedFormError("pose: does not compile for sm_0")

    robot = cf.load("pendulum")
    (q,) = on_gpu([np.linspace(0, 1, 5)[:, None]])
    robot.mass_matrix(q)  # so that the trial is over
    monkeypatch.setattr(xla_launch, "device_kernel", refuse)
    with pytest.warns(RuntimeWarning, match=re.escape("(pose: does not compile for sm_0)")):
        found = robot.pose(q)
    same(found, robot.pose(np.asarray(q)))
    jax.clear_caches()


def test_bad_input(iiwa):
    q = jnp.zeros((4, 7))
    with pytest.raises(cf.ArgumentError, match="float16; expected float32 or float64"):
        iiwa.mass_matrix(q.astype(jnp.float16))
    with pytest.raises(cf.ArgumentError, match="NumPy array beside JAX arrays"):
        iiwa.coriolis_matrix(q, np.zeros(7))
    target = jax_cuda.target_of(iiwa.kernel("mass_matrix"), 4)
    call = jax.ffi.ffi_call(target, jax.ShapeDtypeStruct((4, 7, 7), jnp.float64))
    with pytest.raises(Exception, match="other arrays than the kernel takes"):
        jax.block_until_ready(call(q.astype(jnp.float32)))
    call = jax.ffi.ffi_call(target, jax.ShapeDtypeStruct((12345, 7, 7), jnp.float64))
    with pytest.raises(Exception, match="not loaded for this GPU and batch"):
        jax.block_until_ready(call(jnp.zeros((12345, 7))))


@pytest.mark.skipif(jax.local_device_count(backend="cuda") < 2, reason="one GPU")
def test_several_gpus(iiwa):
    q = numbers(iiwa.kernel("mass_matrix"), (9,))[0]
    for device in jax.local_devices(backend="cuda"):
        found = iiwa.mass_matrix(jax.device_put(q, device))
        assert found.devices() == {device}
        np.testing.assert_allclose(np.asarray(found), iiwa.mass_matrix(q), **EXACT)
