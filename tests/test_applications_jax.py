"""Applications on JAX arrays: the library's numbers, in kind, within jit, grad and vmap or a sentence.

Needs JAX: `make test-jax` installs it.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.integration import System, simulate

jax = pytest.importorskip("jax", reason="JAX is not installed: make test-jax")

import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402


@pytest.fixture(autouse=True)
def double():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def test_runs_of_a_system():
    x, u, p = ca.SX.sym("x", 2), ca.SX.sym("u", 1), ca.SX.sym("p", 1)
    pendulum = System("pendulum", x, ca.vertcat(x[1], u - p * ca.sin(x[0])), u, p)
    x0, inputs, length = numbers(3, 2), numbers(3, 6, 1, seed=1), np.array([2.0])
    theirs = simulate(pendulum, x0, inputs, 0.05, 0.01, parameters=length)

    def run(x0, inputs, length):
        return simulate(pendulum, x0, inputs, 0.05, 0.01, parameters=length).x

    given = [jnp.asarray(each) for each in (x0, inputs, length)]
    for ours in (run(*given), jax.jit(run)(*given), jax.vmap(run, (0, 0, None))(*given)):
        assert isinstance(ours, jax.Array)
        np.testing.assert_allclose(ours, theirs.x, rtol=1e-14, atol=1e-15)
    check_grads(jax.jit(run), given, order=2, modes=("fwd", "rev"), rtol=1e-5, atol=1e-5)
    with pytest.raises(cf.ClosedFormError, match="cannot be traced by JAX"):
        jax.jit(lambda x: simulate(pendulum, x, None, 0.05, method="RK45", parameters=length.tolist()).x)(
            x0[0]
        )
    adaptive = simulate(pendulum, given[0][0], None, 0.05, method="RK45", parameters=length.tolist())
    assert isinstance(adaptive.x, jax.Array)


def drives(arm):
    law = cf.control.PDGravity(arm, 50.0, 5.0)
    return {
        "torques": {"law": numbers(3, 5, 2, seed=2)},
        "law": {"law": law, "reference": cf.trajectory.polynomial([0, 0], [1, 1.0], 5e-3)},
        "sampled law": {"law": law, "reference": [0.5, 0.5], "rate": 500.0},
        "function": {"law": lambda t, q, qd: -5 * qd - t, "rate": 500.0},
        "wrench": {"wrenches": {"tool": lambda t: [t, 0, 0, 0, 1, 0]}, "effort_limits": True},
        "phi": {"phi": arm.phi * (1 + 0.1 * numbers(3, 1, seed=3)), "friction": True},
    }


@pytest.mark.parametrize("name", sorted(drives(cf.load("2r"))))
def test_motions(name):
    arm = cf.load("2r").with_damping(0.1)
    options, q0, qd0 = drives(arm)[name], numbers(3, 2), numbers(3, 2, seed=1)
    theirs = arm.simulate(q0, qd0, duration=5e-3, method="rk4", **options)
    own = {k: jnp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}

    def run(q, qd):
        motion = arm.simulate(q, qd, duration=5e-3, method="rk4", **own)
        return motion.q, motion.qd, motion.tau, motion.energy

    for ours in (run(jnp.asarray(q0), jnp.asarray(qd0)), jax.jit(run)(q0, qd0)):
        for one, part in zip(ours, ("q", "qd", "tau", "energy"), strict=True):
            assert isinstance(one, jax.Array)
            np.testing.assert_allclose(one, getattr(theirs, part), rtol=1e-13, atol=1e-14)


def test_gradients_of_a_motion():
    arm = cf.load("2r")

    def cost(q, tau, phi):
        motion = arm.simulate(q, None, tau, 4e-3, phi=phi, method="rk4")
        return (motion.q[..., -1, :] ** 2).sum() + motion.energy.sum()

    given = [jnp.asarray(each) for each in (numbers(2), numbers(4, 2, seed=1), arm.phi)]
    check_grads(jax.jit(cost), given, order=1, modes=("fwd", "rev"), rtol=1e-6, atol=1e-6)


def test_contact_is_no_matter_of_tracing():
    arm = cf.load("2r").with_friction(0.3)
    motion = arm.simulate(jnp.array([0.1, 0.2]), duration=2e-3, friction=True)
    np.testing.assert_array_equal(motion.q, arm.simulate([0.1, 0.2], duration=2e-3, friction=True).q)
    with pytest.raises(cf.ClosedFormError, match=r"friction that holds joints.*cannot be traced"):
        jax.jit(lambda q: arm.simulate(q, duration=2e-3, friction=True).q)(jnp.array([0.1, 0.2]))


def test_trajectories():
    spline = cf.trajectory.spline([0, 1, 3], np.eye(3)[:, :2], degree=5)
    for motion in (
        spline,
        cf.trajectory.stretch(spline, 1.5),
        cf.trajectory.cosine([0, 1], [0.5, 0.2], [1.0, 0.5], duration=2.0),
        cf.trajectory.profile([0, 0], [1, -2], velocity=1, acceleration=[2, 3], jerk=10),
    ):
        T = motion.duration
        t = np.array([-0.1, 0.0, 0.3 * T, T, T + 1, np.nan])
        for order in range(3):
            ours = jax.jit(motion, static_argnums=1)(jnp.asarray(t), order)
            np.testing.assert_allclose(ours, motion(t, order), rtol=1e-12, atol=1e-12)
        rate = jax.vmap(jax.jacfwd(motion))(jnp.array([0.0, 0.2 * T, T]))
        np.testing.assert_allclose(rate, motion([0.0, 0.2 * T, T], 1), rtol=1e-12, atol=1e-12)


def test_laws_coordinates_and_searches_answer_in_kind():
    arm = cf.load("2r").with_joint_limits(-1.0, 2.0)
    q = jnp.asarray(numbers(3, 2))
    law = cf.control.PDGravity(arm, 50.0, 5.0)
    np.testing.assert_array_equal(jax.jit(law)(q, q, q), law(*[np.asarray(q)] * 3))
    for given in (
        *(arm.integrate(q, q), arm.difference(q, q), arm.interpolate(q, q, 0.3)),
        *(arm.limit_distance(q), arm.within_limits(q), arm.q(joint1=q[:, 0])),
    ):
        assert isinstance(given, jax.Array)
    np.testing.assert_array_equal(jax.jit(arm.limit_distance)(q), arm.limit_distance(np.asarray(q)))
    planar = cf.load("chang3r")
    found = cf.redundancy.solve(planar, jnp.array([0.446, 0.0915]), task="xy")
    assert isinstance(found.q, jax.Array)
    assert isinstance(found.converged, jax.Array)
    with pytest.raises(cf.ClosedFormError, match="solve cannot be traced by JAX"):
        jax.grad(lambda x: cf.redundancy.solve(planar, x, task="xy").q.sum())(jnp.array([0.446, 0.0915]))
    puma = cf.load("puma560")
    solutions = puma.inverse_kinematics(jnp.asarray(puma.pose(np.full(6, 0.3))))
    assert isinstance(solutions.q, jax.Array)
    assert str(solutions).startswith("found")


def test_single_precision_stays_single():
    jax.config.update("jax_enable_x64", False)
    arm = cf.load("2r")
    q0 = jnp.array([0.1, 0.2])
    motion = jax.jit(lambda q: arm.simulate(q, duration=5e-3).q)(q0)
    assert motion.dtype == jnp.float32
    np.testing.assert_allclose(motion, arm.simulate(np.asarray(q0), duration=5e-3).q, rtol=1e-5, atol=1e-6)
    assert arm.simulate(q0, duration=5e-3).q.dtype == jnp.float32


def test_mixed_kinds_are_refused():
    with pytest.raises(cf.ClosedFormError, match="a NumPy array of shape"):
        cf.load("2r").simulate(jnp.zeros(2), np.zeros(2), duration=1e-3)
    with pytest.raises(cf.ClosedFormError, match="expected float32 or float64"):
        cf.load("2r").simulate(jnp.zeros(2, dtype=jnp.float16), duration=1e-3)
