"""JAX arrays: the same numbers under every transform, gradients of any order, machine code run by XLA.

Needs JAX: `make test-jax` installs it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

import closedform as cf
from closedform.kernels import compiled
from guest_wrenches import check_wrenches

jax = pytest.importorskip("jax", reason="JAX is not installed: make test-jax")

import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

from closedform.cuda.xla_launch import LaunchHandler, trial_kernel  # noqa: E402
from closedform.guests import jax_arrays, jax_targets  # noqa: E402

FORMS = ["inverse_dynamics", "mass_matrix", "kinetic_energy", "pose", "dynamic_matrices"]
EXACT = {"rtol": 1e-12, "atol": 1e-12}


@contextmanager
def x64(on):
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", on)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture(autouse=True)
def double():
    with x64(True):
        yield


@pytest.fixture(scope="module")
def robot():
    return cf.load("2r")


@pytest.fixture
def without_machine_code(monkeypatch):
    """XLA as it is where the self-test fails; functions compiled before are forgotten."""
    monkeypatch.setattr(jax_targets.CPU, "passed", False)
    jax.clear_caches()
    yield
    jax.clear_caches()


def arrays(*shapes, seed=0):
    rng = np.random.default_rng(seed)
    return [jnp.asarray(rng.standard_normal(shape)) for shape in shapes]


def numpys(given):
    return [np.asarray(each) for each in given]


# ------------------------------------------------------------------ numbers


@pytest.mark.parametrize("batch", [(), (1,), (5,), (3, 1), (0,), (2, 0, 3)])
@pytest.mark.parametrize("form", FORMS)
def test_results_are_jax_arrays_with_the_library_s_numbers(robot, form, batch):
    kernel = robot.kernel(form)
    given = arrays(*[(*batch, *shape) for shape in kernel.input_shapes])
    ours, theirs = getattr(robot, form)(*given), getattr(robot, form)(*numpys(given))
    if kernel.results is None:
        ours, theirs = (ours,), (theirs,)
    else:
        assert type(ours) is kernel.results
    for one, other in zip(ours, theirs, strict=True):
        assert isinstance(one, jax.Array)
        np.testing.assert_array_equal(one, other)


def test_xla_runs_the_machine_code(robot):
    (q,) = arrays((4, 2))
    robot.mass_matrix(q)
    assert jax_targets.CPU.passed is True
    lowered = jax.jit(robot.mass_matrix).lower(q).as_text()
    assert "closedform_mass_matrix_" in lowered
    assert "callback" not in lowered


def test_batches_broadcast(robot):
    for shapes in ([(4, 1, 2), (3, 2), (2,)], [(2,), (0, 2), (1, 2)], [(1, 1, 2), (2,), (1, 2)]):
        given = arrays(*shapes)
        np.testing.assert_array_equal(robot.inverse_dynamics(*given), robot.inverse_dynamics(*numpys(given)))


def test_slices_and_transposes(robot):
    whole = jnp.arange(24.0).reshape(6, 4) / 7
    q, qd = whole[::2, ::2], whole.T[:2, :3].T
    expected = robot.inverse_dynamics(*numpys([q, qd]), [0.0, 1.0])
    np.testing.assert_array_equal(robot.inverse_dynamics(q, qd, [0.0, 1.0]), expected)
    inside = jax.jit(lambda w: robot.inverse_dynamics(w[::2, ::2], w.T[:2, :3].T, [0, 1]))
    np.testing.assert_array_equal(inside(whole), expected)


def test_precision_is_kept(robot):
    (q,) = arrays((4, 2))
    single = q.astype(jnp.float32)
    assert robot.mass_matrix(q).dtype == jnp.float64
    assert robot.inverse_dynamics(single, q, q).dtype == jnp.float64
    with x64(False):
        found = robot.mass_matrix(single)
    assert found.dtype == jnp.float32
    np.testing.assert_array_equal(found, robot.mass_matrix(np.asarray(single)))


def test_kernels_and_expressions_take_jax_arrays(robot):
    (q,) = arrays((4, 2))
    np.testing.assert_array_equal(robot.kernel("mass_matrix")(q), robot.mass_matrix(q))
    np.testing.assert_array_equal(robot.kernel("mass_matrix").fast(q=q), robot.mass_matrix(q))
    ca = pytest.importorskip("casadi")
    x = ca.SX.sym("x", 2)
    norm = compiled("the norm's", [("x", x)], [("norm", (), ca.sqrt(ca.dot(x, x)))])
    np.testing.assert_allclose(norm(q), jnp.linalg.norm(q, axis=-1), rtol=1e-15)


def test_wrenches_of_frames_are_jax_arrays(robot):
    q, push = arrays((4, 2), (4, 6))
    check_wrenches(robot, q, push)


def test_repeated_calls_take_arrays_of_one_precision(robot):
    (q,) = arrays((4, 2))
    again = jax_arrays.shortcut(robot.kernel("coriolis_matrix"))
    np.testing.assert_array_equal(again([q, q]), robot.coriolis_matrix(q, q))
    for other in (q.astype(jnp.float32), np.asarray(q), [0.0, 1.0]):
        assert again([q, other]) is None


def test_a_large_batch(robot):
    given = arrays((100_003, 2), (2,), (100_003, 2))
    np.testing.assert_array_equal(robot.inverse_dynamics(*given), robot.inverse_dynamics(*numpys(given)))


# ------------------------------------------------------------------ derivatives


@pytest.mark.parametrize("form", ["inverse_dynamics", "forward_dynamics", "pose"])
def test_first_and_second_derivatives(robot, form):
    """JAX's own differences, backward and forward, on broadcast batches."""
    call, shapes = getattr(robot, form), robot.kernel(form).input_shapes
    batches = [(2, 1), (3,), ()]
    given = arrays(*[(*batch, *shape) for batch, shape in zip(batches, shapes, strict=False)])
    check_grads(call, given, order=2, eps=1e-5, rtol=1e-6, atol=1e-6)


def test_several_outputs_have_derivatives(robot):
    check_grads(robot.dynamic_matrices, arrays((3, 2), (2,)), order=1, rtol=1e-6, atol=1e-6)


def test_jacobians_are_the_closed_forms():
    robot = cf.load("iiwa14")
    state = robot.random_state(1)
    exact = robot.inverse_dynamics_dq(*state)
    given = [jnp.asarray(each) for each in state]
    for transform in (jax.jacfwd, jax.jacrev):
        found = jax.jit(transform(robot.inverse_dynamics))(*given)
        np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-12 * np.abs(exact).max())
    mass = jax.jacrev(robot.inverse_dynamics, argnums=2)(*given)
    np.testing.assert_allclose(mass, robot.mass_matrix(state[0]), **EXACT)


def test_hessians_are_the_closed_forms(robot):
    q, qd = arrays((2,), (2,))
    stiffness = robot.gravity_torque_dq(np.asarray(q))
    for outer in (jax.jacfwd, jax.jacrev):
        for inner in (jax.jacfwd, jax.jacrev):
            np.testing.assert_allclose(outer(inner(robot.potential_energy))(q), stiffness, **EXACT)
    energy = lambda qd: robot.kinetic_energy(q, qd)  # noqa: E731
    np.testing.assert_allclose(jax.hessian(energy)(qd), robot.mass_matrix(np.asarray(q)), **EXACT)


def test_third_derivatives(robot):
    """Of the gravity torque: minus itself, since each of its terms is a sine or cosine of sums of angles."""
    (q,) = arrays((2,))
    along = lambda t: robot.gravity_torque(q + t * jnp.ones(2) * jnp.array([1.0, 0.0]))  # noqa: E731
    rate = jax.jacfwd(along)
    np.testing.assert_allclose(jax.jacfwd(jax.jacfwd(rate))(0.0), -rate(0.0), **EXACT)


def test_gradients_by_inertias(robot):
    kernel, q = robot.kernel("gravity_torque", phi=True), jnp.zeros((3, 2))
    found = jax.grad(lambda phi: kernel(q, phi).sum())(jnp.asarray(robot.phi))
    exact = robot.gravity_torque_dphi(np.zeros(2)).sum(axis=0) * 3
    np.testing.assert_allclose(found, exact, **EXACT)


def test_gradients_in_single_precision(robot):
    q = np.array([0.3, -0.4])
    exact = robot.gravity_torque_dq(q)
    with x64(False):
        found = jax.jacrev(robot.gravity_torque)(jnp.asarray(q, jnp.float32))
    assert found.dtype == jnp.float32
    np.testing.assert_allclose(found, exact, rtol=1e-5)


# ------------------------------------------------------------------ transforms


def test_a_further_batch_in_any_axis(robot):
    q, qd = arrays((5, 3, 2), (3, 2))
    direct = robot.coriolis_matrix(*numpys([q, qd]))
    for axis in (0, 1, 2):
        over = jax.vmap(robot.coriolis_matrix, in_axes=(axis, None))
        np.testing.assert_array_equal(over(jnp.moveaxis(q, 0, axis), qd), direct)
    np.testing.assert_array_equal(jax.vmap(robot.coriolis_matrix, in_axes=(1, 0), out_axes=1)(q, qd), direct)
    twice = jax.vmap(jax.vmap(robot.coriolis_matrix), in_axes=(0, None))
    np.testing.assert_array_equal(twice(q, qd), direct)


def test_batches_of_derivatives(robot):
    (q,) = arrays((5, 2))
    exact = robot.gravity_torque_dq(np.asarray(q))
    for transform in (jax.jacrev, jax.jacfwd):
        found = jax.jit(jax.vmap(transform(robot.gravity_torque)))(q)
        np.testing.assert_allclose(found, exact, **EXACT)
    np.testing.assert_allclose(jax.vmap(jax.hessian(robot.potential_energy))(q), exact, **EXACT)


def test_a_gradient_through_a_simulation(robot):
    """By reverse mode through a scan, against differences."""
    (q,) = arrays((2,))
    dt = 0.01

    def end(tau):
        def step(state, _):
            q, qd = state
            qd = qd + dt * robot.forward_dynamics(q, qd, tau)
            return (q + dt * qd, qd), robot.potential_energy(q)

        (_, qd), energies = jax.lax.scan(step, (q, jnp.zeros(2)), length=20)
        return (qd**2).sum() + energies.sum()

    check_grads(jax.jit(end), arrays((2,), seed=1), order=1, rtol=1e-6, atol=1e-6)


def test_rematerialised_and_uncompiled_functions(robot):
    given = arrays((4, 2), (2,))
    whole = lambda q, qd: (robot.coriolis_matrix(q, qd) ** 2).sum()  # noqa: E731
    expected = jax.grad(whole)(*given)
    np.testing.assert_allclose(jax.grad(jax.checkpoint(whole))(*given), expected, **EXACT)
    with jax.disable_jit():
        np.testing.assert_allclose(jax.grad(whole)(*given), expected, **EXACT)


def test_robots_are_static_parts_of_modules(robot):
    """A robot is no array: it goes into jitted functions as a static argument, or as a static field."""
    (q,) = arrays((4, 2))
    torque = jax.jit(lambda robot, q: robot.gravity_torque(q), static_argnums=0)
    np.testing.assert_array_equal(torque(robot, q), robot.gravity_torque(q))

    @partial(jax.tree_util.register_dataclass, data_fields=["phi"], meta_fields=["robot"])
    @dataclass
    class Learned:
        phi: jax.Array
        robot: cf.Robot

    def total(learned):
        return learned.robot.kernel("gravity_torque", phi=True)(q, learned.phi).sum()

    gradient = jax.jit(jax.grad(total))(Learned(jnp.asarray(robot.phi), robot))
    np.testing.assert_allclose(
        gradient.phi, robot.gravity_torque_dphi(np.asarray(q)).sum(axis=(0, 1)), **EXACT
    )


def test_guards_and_checks_of_jax(robot):
    q, qd = arrays((4, 2), (4, 2))
    gradient = jax.jit(jax.grad(lambda q: robot.coriolis_matrix(q, qd).sum()))
    expected, bad = gradient(q), qd.at[0].set(jnp.inf)
    jax.clear_caches()
    with jax.transfer_guard("disallow"), jax.checking_leaks():
        np.testing.assert_array_equal(gradient(q), expected)
    with jax.debug_nans(True):
        np.testing.assert_array_equal(gradient(q), expected)
        with pytest.raises(FloatingPointError):
            robot.inverse_dynamics(q, bad, bad)


@pytest.mark.skipif(not hasattr(jax, "shard_map"), reason="JAX has no shard_map yet")
def test_shards_are_computed_where_they_are(robot):
    (q,) = arrays((4, 2))
    rows = jax.sharding.PartitionSpec("rows")
    mesh = jax.make_mesh((1,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))
    over = partial(jax.shard_map, mesh=mesh, in_specs=rows, out_specs=rows, check_vma=False)
    found = jax.grad(lambda q: over(robot.potential_energy)(q).sum())(q)
    np.testing.assert_allclose(found, robot.gravity_torque(np.asarray(q)), **EXACT)


def test_equal_robots_share_what_xla_compiles(robot):
    (q,) = arrays((2,))
    one, other = robot.kernel("mass_matrix"), cf.load("2r").kernel("mass_matrix")
    np.testing.assert_array_equal(one(q), other(q))
    assert jax_targets.known(one) is jax_targets.known(other)
    assert jax_targets.known(one) is not jax_targets.known(one.vjp)


# ------------------------------------------------------------------ without machine code


def test_the_way_through_python_gives_the_same(robot, without_machine_code):
    q, qd = arrays((4, 2), (2,))
    lowered = jax.jit(robot.mass_matrix).lower(q).as_text()
    assert "closedform_mass_matrix_" not in lowered
    np.testing.assert_array_equal(robot.coriolis_matrix(q, qd), robot.coriolis_matrix(*numpys([q, qd])))
    exact = robot.gravity_torque_dq(np.asarray(q))
    np.testing.assert_allclose(jax.vmap(jax.hessian(robot.potential_energy))(q), exact, **EXACT)
    np.testing.assert_allclose(jax.vmap(jax.jacfwd(robot.gravity_torque))(q), exact, **EXACT)


@pytest.mark.parametrize("wrong", ["version", "numbers", "absent"])
def test_the_self_test_notices(robot, monkeypatch, wrong):
    kernel = robot.kernel("mass_matrix")
    if wrong == "version":
        monkeypatch.setattr(jax_targets, "interface_version", lambda: (1, 0))
    elif wrong == "absent":
        monkeypatch.delattr(jax.ffi, "ffi_call")
    else:
        other = robot.kernel("mass_matrix_dot")
        monkeypatch.setattr(jax_targets, "target_of", lambda _: jax_targets.name_of(other))
    monkeypatch.setattr(jax_targets.CPU, "passed", None)
    with pytest.warns(RuntimeWarning, match="does not call machine code on cpu as expected"):
        assert jax_targets.CPU.passes(kernel) is False


def test_other_devices_are_told(robot):
    """XLA compiles for a device that is not here up to the call through the host."""
    (q,) = arrays((3, 2))
    traced = jax.jit(robot.mass_matrix).trace(q)
    with (
        pytest.warns(RuntimeWarning, match="no machine code for JAX on this device"),
        pytest.raises(ValueError, match="platform"),
    ):
        traced.lower(lowering_platforms=("cuda",))


@pytest.mark.parametrize(
    ("shapes", "result"),
    [
        ([(3, 2), (3, 2)], (3, 2, 2)),
        ([(3, 3)], (3, 2, 2, 1)),
        ([(2, 2)], (3, 2, 2)),
    ],
)
def test_arrays_of_other_shapes_are_refused_by_the_machine_code(robot, shapes, result):
    target = jax_targets.target_of(robot.kernel("mass_matrix"))
    call = jax.ffi.ffi_call(target, jax.ShapeDtypeStruct(result, jnp.float64))
    with pytest.raises(RuntimeError, match="other arrays than the kernel takes"):
        jax.block_until_ready(call(*arrays(*shapes)))


def test_arrays_of_other_precision_are_refused_by_the_machine_code(robot):
    target = jax_targets.target_of(robot.kernel("mass_matrix"))
    call = jax.ffi.ffi_call(target, jax.ShapeDtypeStruct((3, 2, 2), jnp.float64))
    with pytest.raises(RuntimeError, match="other arrays than the kernel takes"):
        jax.block_until_ready(call(jnp.zeros((3, 2), jnp.float32)))


def test_the_launch_of_a_gpu_asks_xla_for_its_stream():
    """Which XLA has none of on the CPU: its own error comes back."""
    kernel = trial_kernel()
    handler = LaunchHandler(kernel, 0, 0)
    handler.follow(jax_targets.interface_version()[1])
    jax.ffi.register_ffi_target("closedform_launch", jax.ffi.pycapsule(handler.address), platform="cpu")
    results = [jax.ShapeDtypeStruct((5, *shape), jnp.float32) for shape in kernel.output_shapes]
    call = jax.ffi.ffi_call("closedform_launch", results)
    with pytest.raises(RuntimeError, match="GPU context is not available"):
        jax.block_until_ready(call(*[jnp.zeros((5, *shape), jnp.float32) for shape in kernel.input_shapes]))


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda q: (q.astype(jnp.float16),), "float16; expected float32 or float64"),
        (lambda q: (q.astype(jnp.bfloat16),), "bfloat16; expected float32 or float64"),
        (lambda q: (q.astype(jnp.complex128),), "complex128"),
        (lambda q: (q.astype(int),), "int64; expected float32 or float64: convert"),
        (lambda q: (q[:, :1],), r"q has shape \(4, 1\); expected \(..., 2\)"),
        (lambda q: (q[0, 0],), r"q has shape \(\); expected \(..., 2\)"),
    ],
)
def test_arrays_that_are_refused(robot, given, message):
    (q,) = arrays((4, 2))
    with pytest.raises(cf.ArgumentError, match=message):
        robot.mass_matrix(*given(q))
    with pytest.raises(cf.ArgumentError, match=message):
        jax.jit(robot.mass_matrix)(*given(q))


@pytest.mark.parametrize("other", [np.zeros(2), np.float64(1.0), np.zeros(2, np.float32)])
def test_mixed_kinds_are_refused(robot, other):
    (q,) = arrays((4, 2))
    for pair in ((q, other), (other, q)):
        with pytest.raises(
            cf.ArgumentError, match=r"NumPy array beside JAX arrays; convert it with jax.numpy"
        ):
            robot.coriolis_matrix(*pair)


def test_other_things_are_refused(robot):
    (q,) = arrays((4, 2))
    with pytest.raises(cf.ArgumentError, match="qd is 'fast'; expected an array"):
        robot.coriolis_matrix(q, "fast")
    with pytest.raises(cf.ArgumentError, match="qd is"):
        robot.coriolis_matrix(q, [[0.0], [1.0, 2.0]])
    with pytest.raises(cf.ArgumentError, match=r"do not broadcast: q \(4,\), qd \(3,\)"):
        robot.coriolis_matrix(q, q[:3])
    with pytest.raises(cf.ArgumentError, match=r"q is a list of tensors or JAX arrays; join them first"):
        jax.jit(lambda angle: robot.mass_matrix([angle, angle]))(1.0)
    with pytest.raises(cf.ArgumentError, match="out= does not go with JAX arrays"):
        robot.mass_matrix(q, out=np.empty((4, 2, 2)))
    with pytest.raises(cf.ArgumentError, match="threads= does not go with JAX arrays"):
        robot.mass_matrix(q, threads=2)


def test_double_precision_that_is_switched_off(robot):
    kernel = robot.kernel("coriolis_matrix")
    with x64(False):
        q = jnp.zeros(2)
        for qd in (q, [0.0, 0.0]):
            with pytest.raises(cf.ArgumentError, match="jax_enable_x64"):
                kernel(q, qd)
        assert robot.coriolis_matrix(q, [0.0, 0.0]).dtype == jnp.float32


TWO_DEVICES = """
import jax, numpy as np, closedform as cf
robot, devices = cf.load("2r"), jax.devices()
q = np.linspace(0, 1, 8, dtype=np.float32).reshape(4, 2)
rows = jax.sharding.NamedSharding(jax.sharding.Mesh(devices, "rows"), jax.sharding.PartitionSpec("rows"))
assert np.array_equal(robot.mass_matrix(jax.device_put(q, rows)), robot.mass_matrix(q))
try:
    robot.coriolis_matrix(*map(jax.device_put, (q, q), devices))
except cf.ClosedFormError as error:
    print(error)
"""


def test_several_devices():
    """Shards are gathered; arrays on different devices are refused."""
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-c", TWO_DEVICES]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **flags})
    assert "arrays are on" in done.stdout
    assert "move them to one device with jax.device_put" in done.stdout


def test_jax_is_not_imported_by_the_library():
    code = (
        "import sys, closedform as cf; cf.load('2r').mass_matrix([0.0, 1.0]); assert 'jax' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_jax_arrays_are_not_bound():
    with pytest.raises(cf.ArgumentError, match="JAX arrays never change; jit a function"):
        cf.load("2r").kernel("gravity_torque").bind(jnp.zeros(2), out=np.zeros(2))
