"""Observers of elastic joints: their poles, their estimates from motor signals, a loop closed over them."""

from __future__ import annotations

import runpy

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.elastic import (
    Decoupling,
    Feedforward,
    MomentumObserver,
    MotorObserver,
    PlantObserver,
    pole_gains,
    state_on,
    track,
    track_observed,
)
from closedform.elastic.observer_forms import motor_observer_rate, plant_observer_rate
from closedform.elastic.plant import forward_dynamics
from closedform.integration import simulate
from closedform.trajectory import polynomial
from oracles.elastic_robots import LINK, MOTOR, two_links
from tolerances import HALF_DIGITS, PROMISED, SOLVE, worst

MOVE = polynomial([0.3, -0.4], [1.1, 0.5], 1.0, degree=7)
POLES = [-160, -170, -180, -190, -200]


@pytest.mark.parametrize("name", ["2r", "ur5", "iiwa14"])
def test_errors_of_estimates_have_the_poles_in_every_posture(name):
    """At rest and without gravity nothing is left out: the linearised errors have exactly the poles."""
    robot = cf.ElasticJointRobot(cf.load(name).with_gravity((0, 0, 0)), 1e4, 1e-4, 0.01, spring_at="link")
    n, poles = robot.nv, np.array([-40.0, -80.0, -120.0, -170.0, -230.0])
    x, theta_m = ca.SX.sym("x", 5 * n), ca.SX.sym("theta_m", n)
    rate = plant_observer_rate(
        robot.plant(), *ca.vertsplit(x, n), theta_m, ca.SX.zeros(n), ca.DM(pole_gains(poles, n))
    )
    A = ca.Function("A", [x, theta_m], [ca.jacobian(rate, x)])
    q = np.random.default_rng(0).uniform(-1, 1, n)
    theta, zero = q / robot.drives.gear_ratio, np.zeros(n)
    found = np.linalg.eigvals(np.array(A(np.concatenate([q, zero, theta, zero, zero]), theta)))
    # n equal poles of a matrix of 5 n rows: eigenvalues lose digits, so compare the polynomial's values
    for s in (30j, 100j, 300j):
        assert abs(np.prod((s - found) / np.tile(s - poles, n)) - 1) < 1e-6


def test_errors_of_a_motors_estimates_have_the_poles():
    """A linear observer per joint: its matrix does not depend on the state, and has the poles."""
    robot, poles = two_links(), np.array([-40.0, -80.0, -120.0, -170.0, -230.0])
    x, theta_m = ca.SX.sym("x", 10), ca.SX.sym("theta_m", 2)
    rate = motor_observer_rate(
        robot.plant(), *ca.vertsplit(x, 2), theta_m, ca.SX.zeros(2), ca.DM(pole_gains(poles, 2))
    )
    A = np.array(ca.DM(ca.jacobian(rate, x)))
    assert worst(np.sort(np.linalg.eigvals(A).real), np.sort(np.repeat(poles, 2))) < 1e-6


@pytest.mark.parametrize(
    ("observer", "size"),
    [
        (lambda robot: PlantObserver(robot, POLES, rate=2000.0), 1e-4),
        (lambda robot: MotorObserver(robot, [-400] * 5, [-30], rate=2000.0), 2e-3),
    ],
)
def test_estimates_stay_with_the_true_state_and_find_a_constant_load(observer, size):
    """On a moving arm with friction, under a load that the observer is not told of."""
    robot = two_links(link_friction=LINK, motor_friction=MOTOR)
    load = np.array([3.0, -1.5])
    law = Feedforward(robot, [-30, -30])
    run = track_observed(law, observer(robot), MOVE, external=lambda t: load, step=5e-4, compensate=False)
    late = run.t > 0.4
    assert np.abs(run.estimates[0, 8:]).max() == 0
    assert np.abs(run.state_errors[late][:, :2]).max() < size
    assert np.abs(run.external_errors[late]).max() < 0.5
    assert np.abs(run.error[-1]).max() > 0.01


def test_a_compensated_load_moves_the_arm_less():
    """On an arm with an industrial gear, with noise, and springs softer than those of the model."""
    model = cf.ElasticJointRobot(cf.load("2r"), 1e4, 1e-4, 0.01, spring_at="link")
    law, observer = Feedforward(model, [-40 + 40j, -40 - 40j]), MotorObserver(model, [-200] * 5, [-20])
    plant = model.changed(stiffness=0.8 * model.drives.stiffness)
    ends = []
    for compensate in (False, True):
        run = track_observed(
            law,
            observer,
            MOVE,
            plant=plant,
            external=lambda t: [8.0 * (t > 0.3), 0.0],
            noise=1e-4,
            compensate=compensate,
        )
        ends.append(np.abs(run.error[-200:]).max())
    assert ends[1] < ends[0] / 2.5


def test_a_constant_load_is_a_shift_of_the_motors():
    """The plant under d moves as the plant without it, whose motors are ahead by K^-1 N d."""
    robot = two_links(link_friction=LINK)
    names = ("q", "qd", "theta", "thetad", "u", "d")
    symbols = [ca.SX.sym(name, 2) for name in names]
    f = ca.Function("f", symbols, forward_dynamics(robot.plant(), *symbols))
    rng = np.random.default_rng(1)
    q, qd, d, u = rng.uniform(-1, 1, (4, 2))
    N, K = robot.drives.gear_ratio, robot.drives.stiffness
    theta, thetad = q / N + 0.2, qd / N - 0.5
    wanted = [np.array(each)[:, 0] for each in f(q, qd, theta, thetad, u, d)]
    shifted = robot.forward_dynamics(q, qd, theta + N * d / K, thetad, u + N * d)
    assert worst(np.concatenate(shifted), np.concatenate(wanted)) < SOLVE
    qdd, _ = robot.loaded_link_derivatives(q, qd, theta, thetad, d)
    assert worst(qdd, wanted[0]) < SOLVE


def test_decoupling_closes_over_the_estimates():
    """On the exact model motor sensors alone track as well as sensors of everything."""
    robot = two_links(stiffness=[4.0, 2.5])
    law, observer = Decoupling(robot, [-40] * 4), PlantObserver(robot, [-400] * 5, rate=4000.0)
    run = track_observed(law, observer, MOVE, step=2.5e-4)
    known = track(law, MOVE, rate=4000.0, step=2.5e-4)
    assert run.worst < 2 * known.worst + 1e-5
    loaded = track_observed(law, observer, MOVE, step=2.5e-4, external=lambda t: [2.0 * (t > 0.3), 0.0])
    assert np.abs(loaded.error[-1]).max() < 2e-3
    assert np.abs(loaded.external_errors[-1]).max() < 0.02


def test_noise_passes_and_errors_of_the_model_bias():
    """Faster poles pass more noise; a softer spring shifts the link by that part of its wind-up."""
    robot = two_links()
    law = Feedforward(robot, [-30, -30])
    still = polynomial([0.5, 0.3], [0.5, 0.3], 0.5, degree=7)
    quiet, hasty = (
        np.std(
            track_observed(
                law, MotorObserver(robot, poles, rate=2000.0), still, noise=1e-3, step=5e-4, compensate=False
            ).state_errors[300:, 3]
        )
        for poles in (POLES, [2 * each for each in POLES])
    )
    assert 1.5 < hasty / quiet < 30
    soft = robot.changed(stiffness=0.8 * robot.drives.stiffness)
    run = track_observed(
        law, MotorObserver(robot, POLES, rate=2000.0), still, plant=soft, step=5e-4, compensate=False
    )
    q, _, theta, _ = np.split(run.x[-1], 4)
    wind_up = theta - q / robot.drives.gear_ratio
    bias = robot.drives.gear_ratio * wind_up * 0.2  # the torque is known, the stiffness is not
    assert worst(run.state_errors[-1, :2], bias) < 0.05


def test_the_residual_of_momentum_follows_the_load_by_a_lag():
    """r' = k (d - r) whatever the motion: a step gives 1 - exp(-k t)."""
    robot = two_links(link_friction=LINK, motor_friction=MOTOR, damping=[2e-3, 1e-3])
    rate, k, load = 4000.0, 60.0, np.array([2.0, -1.0])
    inputs = np.concatenate([np.zeros(2), load])
    run = simulate(robot.system(external=True), state_on(robot, MOVE), lambda t: inputs, 0.3, 1 / rate)
    observer = MomentumObserver(robot, [-k], rate=rate)
    states = np.split(run.x, 4, axis=-1)
    memory = observer.begin(*(each[0] for each in states))
    found = []
    for row in zip(*(each[1:] for each in states), strict=True):
        r, memory = observer.step(memory, *row)
        found.append(r)
    wanted = load * (1 - np.exp(-k * run.t[1:, None]))
    assert np.abs(np.array(found) - wanted).max() < 1e-4 * np.abs(load).max()
    assert np.ptp(run.x[:, 0]) > 0.05  # the arm did move


def test_the_rate_of_momentum_is_that_of_the_plant():
    robot = two_links(damping=[2e-3, 1e-3], link_friction=LINK)
    rng = np.random.default_rng(2)
    q, qd = rng.uniform(-1, 1, (2, 5, 2))
    theta, thetad = q / robot.drives.gear_ratio + 0.3, qd / robot.drives.gear_ratio - 1.0
    _, pd = robot.momentum_balance(q, qd, theta, thetad)
    qdd, _ = robot.forward_dynamics(q, qd, theta, thetad, np.zeros((5, 2)))
    M, M1 = robot.links.mass_matrix(q), robot.links.mass_matrix_dot(q, qd)
    assert worst(pd, np.einsum("kij,kj->ki", M, qdd) + np.einsum("kij,kj->ki", M1, qd)) < SOLVE


@pytest.mark.parametrize("kind", [MotorObserver, PlantObserver])
def test_a_step_bound_or_written_is_the_step(kind, tmp_path):
    observer = kind(two_links(), POLES)
    memory, u, out = observer.at_rest([20.0, -10.0]), np.array([0.3, -0.1]), np.empty(10)
    before, theta = np.array([20.0, -10.0]), np.array([20.001, -10.002])
    wanted = observer.step(memory, before, theta, u)
    onward = np.empty_like(memory)
    observer.bind(memory, before, theta, u, out=(out, onward))()
    assert np.array_equal(out, wanted[0])
    assert np.array_equal(onward, wanted[1])
    (path,) = observer.export("numpy", tmp_path)
    written = runpy.run_path(str(path))[path.stem](memory, before, theta, u)
    for found, right in zip(written, wanted, strict=True):
        assert worst(found, right) < SOLVE


@pytest.mark.parametrize("kind", [MotorObserver, PlantObserver])
def test_a_robot_at_rest_is_where_its_springs_carry_it(kind):
    robot = two_links()
    observer, theta = kind(robot, POLES), np.array([[20.0, -10.0], [5.0, 3.0]])
    memory = observer.at_rest(theta)
    assert memory.shape == (2, observer.rows, 2)
    N, K = robot.drives.gear_ratio, robot.drives.stiffness
    q = memory[:, 0] if kind is PlantObserver else N * (theta - memory[:, 2] / K)
    u = robot.spring_torque(q, 0 * q, theta, 0 * theta)
    assert np.abs(robot.forward_dynamics(q, 0 * q, theta, 0 * theta, u)).max() < PROMISED
    estimate, _ = observer.step(memory, theta, theta, u)
    rest = np.concatenate([q, 0 * q, theta, 0 * q, 0 * q], axis=-1)
    assert np.abs(estimate - rest).max() < HALF_DIGITS


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda r: MotorObserver(r, [-1] * 4), "4 poles per joint; expected 5"),
        (lambda r: MotorObserver(r, [-2000] * 5), "too fast for 1000 samples per second"),
        (lambda r: MotorObserver(r, POLES, rate=0), "rate is 0"),
        (lambda r: MotorObserver(two_links(stiffness="variable"), POLES), "stiffness is variable"),
        (lambda r: MotorObserver(two_links(damping=1e-3), POLES), "is damped"),
        (
            lambda r: MotorObserver(r, POLES).step(np.zeros((5, 2)), *[[0, 0]] * 3),
            r"expected \(..., 8, 2\)",
        ),
        (lambda r: MotorObserver(r, POLES, [-1, -2]), "2 external_poles per joint; expected 1"),
        (lambda r: MotorObserver(r.changed(stiffness=1e-4), POLES).at_rest([30.0, 0.0]), "too soft"),
        (lambda r: MomentumObserver(r, [-1, -2]), "2 poles per joint; expected 1"),
        (
            lambda r: track_observed(
                Feedforward(r, [-9, -9]), MotorObserver(r, POLES), MOVE, external=lambda t: [1.0]
            ),
            r"external gives \[1.0\]; expected 2 finite torques",
        ),
        (
            lambda r: track_observed(Feedforward(r, [-9, -9]), MotorObserver(r, POLES), MOVE, noise=-1.0),
            "noise is -1",
        ),
    ],
)
def test_what_no_observer_can_do_is_refused(act, words):
    with pytest.raises(cf.ClosedFormError, match=words):
        act(two_links())
