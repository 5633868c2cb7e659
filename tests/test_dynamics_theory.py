"""Claims of the theory, over every catalogue robot and random trees with every kind of joint."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from basic_forms import BASIC
from closedform.forms import Variant
from closedform.model.inertia import transform_phi
from closedform.programs import evaluate, trace
from closedform.rotations import adjoint, inverse
from conftest import ROBOTS, make
from oracles.casadi_rates import Traced
from oracles.random_trees import placement
from tolerances import ROUNDING, SOLVE, worst

WITH_INERTIA = [name for name in ROBOTS if make(name).model.has_inertia]
ONE_DOF = [
    name
    for name in WITH_INERTIA
    if make(name).nq == make(name).nv
    and "subspace" not in {body.joint.kind for body in make(name).model.bodies}
]
SMALL = [name for name in WITH_INERTIA if make(name).nv <= 12]


def state(robot, seed=1):
    return robot.random_state(seed)


@pytest.mark.parametrize("name", WITH_INERTIA)
def test_mass_matrix_is_hessian_of_kinetic_energy(name):
    robot = make(name)
    q, qd, _ = state(robot)
    T = Traced(robot)
    hessian = ca.hessian(T.form("kinetic_energy", T.q, T.v), T.v)[0]
    assert worst(robot.mass_matrix(q), T(hessian, q, qd)) < ROUNDING


@pytest.mark.parametrize("name", WITH_INERTIA)
def test_mass_matrix_is_symmetric_and_positive_definite(name):
    robot = make(name)
    M = robot.mass_matrix(robot.random_state(2, batch=20)[0])
    assert np.array_equal(M, np.swapaxes(M, -1, -2))
    assert np.linalg.eigvalsh(M).min() > 0


@pytest.mark.parametrize("name", WITH_INERTIA)
def test_mdot_minus_2c_is_skew(name):
    robot = make(name)
    q, qd, _ = state(robot)
    T = Traced(robot)
    Mdot = T(T.rate(T.form("mass_matrix", T.q)), q, qd, np.zeros(robot.nv))
    C = robot.coriolis_matrix(q, qd)
    assert worst(C + C.T, Mdot, scale=np.abs(C).max()) < ROUNDING


@pytest.mark.parametrize("name", ONE_DOF)
def test_coriolis_matrix_has_the_christoffel_symbols(name):
    robot = make(name)
    q, qd, _ = state(robot)
    T = Traced(robot)
    n = robot.nv
    dM = T(ca.jacobian(ca.vec(T.form("mass_matrix", T.q)), T.q), q).reshape(n, n, n, order="F")
    symbols = 0.5 * (dM + dM.transpose(0, 2, 1) - dM.transpose(2, 1, 0))
    assert worst(robot.coriolis_matrix(q, qd), symbols @ qd) < ROUNDING


@pytest.mark.parametrize("name", WITH_INERTIA)
def test_inverse_dynamics_is_m_qdd_plus_c_qd_plus_g(name):
    robot = make(name)
    q, qd, qdd = robot.random_state(3, batch=20)
    M, C, g = robot.mass_matrix(q), robot.coriolis_matrix(q, qd), robot.gravity_torque(q)
    expected = (M @ qdd[..., None] + C @ qd[..., None])[..., 0] + g
    assert worst(robot.inverse_dynamics(q, qd, qdd), expected) < ROUNDING


@pytest.mark.parametrize("name", WITH_INERTIA)
def test_inverse_dynamics_obeys_lagrange(name):
    """d/dt(dT/dv) - ad*-terms: checked as power balance, d/dt(T + U) = v . tau, for all v, a."""
    robot = make(name)
    T = Traced(robot)
    energy = T.form("kinetic_energy", T.q, T.v) + T.form("potential_energy", T.q)
    power = T.rate(energy)
    for seed in range(5):
        q, qd, qdd = state(robot, seed)
        tau = robot.inverse_dynamics(q, qd, qdd)
        scale = np.abs(qd) @ np.abs(tau)
        assert abs(float(T(power, q, qd, qdd).item()) - qd @ tau) < ROUNDING * scale


@pytest.mark.parametrize("name", ONE_DOF)
def test_inverse_dynamics_is_the_euler_lagrange_operator(name):
    robot = make(name)
    q, qd, qdd = state(robot)
    T = Traced(robot)
    L = T.form("kinetic_energy", T.q, T.v) - T.form("potential_energy", T.q)
    momentum = ca.gradient(L, T.v)
    tau = T.rate(momentum) - ca.gradient(L, T.q)
    assert worst(robot.inverse_dynamics(q, qd, qdd), T(tau, q, qd, qdd)[:, 0]) < ROUNDING


@pytest.mark.parametrize("name", WITH_INERTIA)
def test_gravity_torque_is_gradient_of_potential_energy(name):
    robot = make(name)
    q, _, _ = state(robot)
    T = Traced(robot)
    gradient = T(T.gradient(T.form("potential_energy", T.q)), q)[0]
    scale = robot.model.phi.reshape(-1, 10)[:, 9].sum() * np.linalg.norm(robot.gravity)
    assert np.abs(robot.gravity_torque(q) - gradient).max() <= ROUNDING * max(scale, 1e-30)


@pytest.mark.parametrize("name", WITH_INERTIA)
def test_forward_dynamics_inverts_inverse_dynamics(name):
    robot = make(name)
    q, qd, qdd = robot.random_state(4, batch=20)
    tau = robot.inverse_dynamics(q, qd, qdd)
    assert worst(robot.forward_dynamics(q, qd, tau), qdd) < SOLVE


@pytest.mark.parametrize("name", WITH_INERTIA)
def test_kinetic_energy_is_half_qd_m_qd(name):
    robot = make(name)
    q, qd, _ = robot.random_state(5, batch=20)
    expected = 0.5 * np.einsum("bi,bij,bj->b", qd, robot.mass_matrix(q), qd)
    assert worst(robot.kinetic_energy(q, qd), expected) < ROUNDING


@pytest.mark.parametrize("name", ROBOTS)
def test_external_torque_does_the_work_of_the_wrenches(name):
    robot = make(name)
    q, qd, _ = state(robot)
    W = np.random.default_rng(0).normal(size=(len(robot.body_names), 6))
    jacobians = (
        evaluate(trace(robot.model, "jacobian", Variant(frame=body)), q) for body in robot.body_names
    )
    work = sum(wrench @ J @ qd for wrench, J in zip(W, jacobians, strict=True))
    power = robot.external_torque(q, W) @ qd
    assert abs(power - work) < ROUNDING * (np.abs(W).sum() + abs(work))


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("form", [form.name for form in BASIC.values() if form.closed])
def test_block_matrices_equal_recursions_and_kernels_take_the_cheaper(name, form):
    robot = make(name)
    q, qd, qdd = state(robot)
    W = np.random.default_rng(0).normal(size=(len(robot.body_names), 6))
    inputs = {"q": q, "qd": qd, "qdd": qdd, "wrenches": W}
    recursive, closed = (trace(robot.model, form, closed=route) for route in (False, True))
    arguments = [inputs[n] for n in cf.FORMS[form].inputs]
    assert worst(evaluate(closed, *arguments), evaluate(recursive, *arguments)) < ROUNDING
    chosen = robot.kernel(form).counts.total
    assert chosen == min(recursive.counts.total, closed.counts.total)


@pytest.mark.parametrize("name", [n for n in WITH_INERTIA if n != "humanoid"])
def test_results_do_not_depend_on_where_body_frames_sit(name):
    """Re-rooting every body frame by a constant pose changes no generalised quantity."""
    robot = make(name)
    rotated = not any(body.joint.kind in ("ball", "free") for body in robot.model.bodies)
    rng = np.random.default_rng(7)
    moves = []
    for body in robot.model.bodies:
        T = placement(rng)
        if not rotated:
            T = np.eye(4)
            if body.joint.kind != "free":
                T[:3, 3] = rng.uniform(-0.5, 0.5, 3)
        moves.append(T)
    bodies = []
    for body, T in zip(robot.model.bodies, moves, strict=True):
        T_parent = moves[body.parent] if body.parent >= 0 else np.eye(4)
        bodies.append(
            replace(
                body,
                placement=inverse(T_parent) @ body.placement @ T,
                joint=replace(body.joint, X=adjoint(inverse(T)) @ body.joint.X),
                phi=transform_phi(body.phi, inverse(T)),
            )
        )
    moved = cf.Robot(replace(robot.model, bodies=tuple(bodies)))
    q, qd, qdd = state(robot)
    for form in ("inverse_dynamics", "mass_matrix", "coriolis_matrix", "gravity_torque"):
        arguments = [{"q": q, "qd": qd, "qdd": qdd}[n] for n in cf.FORMS[form].inputs]
        ours = getattr(robot, form)(*arguments)
        theirs = evaluate(trace(moved.model, form), *arguments)
        scale = max(np.abs(ours).max(), 1e-3)
        assert np.abs(ours - theirs).max() < ROUNDING * scale
