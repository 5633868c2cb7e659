"""Laws for elastic joints: the printed formula, the chain of integrators, gains."""

from __future__ import annotations

import runpy

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.elastic import ComputedTorque, Decoupling, Feedforward, StagedDecoupling, pole_gains
from closedform.elastic.plant import state_rate
from closedform.programs import evaluate, trace
from oracles.elastic_robots import LINK, MOTOR, derivatives_along_motion, random_motion, two_links
from tolerances import ROUNDING, SOLVE, worst


def random_state(robot, seed=0, batch=6):
    """Return states whose springs carry some tens of N m at the joints."""
    rng = np.random.default_rng(seed)
    q, qd = rng.uniform(-1.5, 1.5, (2, batch, robot.nv))
    N = robot.drives.gear_ratio
    return (
        q,
        qd,
        q / N + rng.uniform(-0.5, 0.5, (batch, robot.nv)),
        qd / N + rng.uniform(-3, 3, (batch, robot.nv)),
    )


def test_decoupling_is_the_printed_formula():
    """u = M_G K^-1 N (M s + n) + K dq + M_G N^-1 q'', every matrix a form of the rigid robot."""
    arm = cf.load("iiwa14")
    robot = cf.elastic.ElasticJointRobot(arm, 0.8, 2e-4, 0.01)
    q, qd, theta, thetad = random_state(robot)
    s = np.random.default_rng(5).uniform(-50, 50, q.shape)
    K, B, N = 0.8, 2e-4, 0.01
    dq, dqd = theta - q / N, thetad - qd / N

    def rigid(name, *state):
        return evaluate(trace(arm.model, name), *state)

    def elastic(name, *state):
        return evaluate(trace(robot.model, name), *state)

    def times(matrix, vector):
        return np.einsum("...ij,...j->...i", matrix, vector)

    M, C, g = rigid("mass_matrix", q), rigid("coriolis_matrix", q, qd), rigid("gravity_torque", q)
    qdd = np.linalg.solve(M, (K * dq / N - times(C, qd) - g)[..., None])[..., 0]
    C1 = rigid("coriolis_matrix_dot", q, qd, qdd)
    M1, M2 = rigid("mass_matrix_dot", q, qd), rigid("mass_matrix_ddot", q, qd, qdd)
    c1 = times(C1, qd) + times(C, qdd)
    rest = K * dqd / N - times(M1, qdd) - c1 - rigid("gravity_torque_dot", q, qd)
    qddd = np.linalg.solve(M, rest[..., None])[..., 0]
    C2 = rigid("coriolis_matrix_ddot", q, qd, qdd, qddd)
    c2 = times(C2, qd) + 2 * times(C1, qdd) + times(C, qddd)
    n = times(M2, qdd) + 2 * times(M1, qddd) + c2 + rigid("gravity_torque_ddot", q, qd, qdd)
    u = B * N / K * (times(M, s) + n) + K * dq + B / N * qdd
    assert worst(elastic("decoupling", q, qd, theta, thetad, s), u) < SOLVE
    inverse = np.linalg.inv(M)
    H, P, Psi = B * N / K * M, B / N * inverse, -times(inverse, n)
    h = -times(H, Psi) - times(P, times(C, qd) + g) + times(P / N + np.eye(7), K * dq)
    assert worst(elastic("decoupling_matrix", q), H) < ROUNDING
    assert worst(elastic("decoupling_bias", q, qd, theta, thetad), h) < SOLVE
    for found, wanted in zip(robot.link_derivatives(q, qd, theta, thetad), (qdd, qddd), strict=True):
        assert worst(found, wanted) < SOLVE


@pytest.mark.parametrize("friction", [False, True])
def test_decoupling_makes_the_fourth_derivative_the_command(friction):
    robot = two_links(**({"link_friction": LINK, "motor_friction": MOTOR} if friction else {}))
    state = random_state(robot)
    s = np.random.default_rng(6).uniform(-100, 100, (6, 2))
    found = derivatives_along_motion(robot, state, robot.decoupling(*state, s))
    assert worst(found[4], s) < SOLVE
    for value, wanted in zip(robot.link_derivatives(*state), found[2:4], strict=True):
        assert worst(value, wanted) < SOLVE


def test_decoupling_knows_how_the_stiffness_changes():
    robot = two_links(stiffness="variable")
    state = random_state(robot)
    rng = np.random.default_rng(7)
    spring = tuple(rng.uniform(low, high, (6, 2)) for low, high in ((0.2, 0.5), (-1, 1), (-10, 10)))
    s = rng.uniform(-100, 100, (6, 2))
    found = derivatives_along_motion(robot, state, robot.decoupling(*state, s, *spring), spring)
    assert worst(found[4], s) < SOLVE


def test_damped_springs_leave_chains_of_three():
    robot = two_links(damping=[2e-3, 1e-3], link_friction=LINK, motor_friction=MOTOR)
    assert robot.integrators == 3
    state = random_state(robot)
    s = np.random.default_rng(8).uniform(-100, 100, (6, 2))
    found = derivatives_along_motion(robot, state, robot.decoupling(*state, s), count=3)
    assert worst(found[3], s) < SOLVE


@pytest.mark.parametrize("damping", [0.0, [2e-3, 1e-3]])
def test_stages_have_their_own_poles(damping):
    """The spring torque misses what the outer loop asks for by an error that has the inner poles.

    By automatic differentiation of the loop along a motion whose reference is a state of its own.
    """
    robot = two_links(damping=damping, link_friction=LINK, motor_friction=MOTOR)
    order = robot.integrators
    law = StagedDecoupling(robot, [-11, -12], [-70, -80][: order - 2])
    plant, k = robot.plant(), law.gains
    state = [ca.SX.sym(name, 2) for name in ("q", "qd", "theta", "thetad")]
    wanted = [ca.SX.sym(f"w{j}", 2) for j in range(order + 1)]
    u = law.expression(state, ca.horzcat(*wanted).T, ca.SX(ca.DM(k)))
    x = ca.vertcat(*state, *wanted[:-1])
    rate = ca.vertcat(state_rate(plant, *state, u), *wanted[1:])
    q, qd, theta, thetad = state
    a = wanted[2] + k[1] * (wanted[1] - qd) + k[0] * (wanted[0] - q)
    error = [
        plant.N * plant.link_torques(q, qd, a)[0]
        - plant.spring_torque(theta - q / plant.N, thetad - qd / plant.N)
    ]
    for _ in range(order - 2):
        error.append(ca.jtimes(error[-1], x, rate))
    rest = error[-1] + sum(gain * each for gain, each in zip(k[2:], error[:-1], strict=True))
    f = ca.Function("f", [*state, *wanted], [rest, error[-1]])
    rng = np.random.default_rng(4)
    for row in zip(*random_state(robot), *rng.uniform(-1, 1, (order + 1, 6, 2)), strict=True):
        left, size = (np.array(each) for each in f(*row))
        assert np.abs(left).max() < SOLVE * np.abs(size).max()


def test_on_the_trajectory_every_elastic_law_gives_the_torque_of_inverse_dynamics():
    robot = two_links(link_friction=LINK, motor_friction=MOTOR)
    motion = random_motion(robot)
    theta, thetad, _ = robot.motor_motion(*motion)
    u, reference = robot.inverse_dynamics(*motion), np.stack(motion, axis=-2)
    staged = StagedDecoupling(robot, [-20, -20], [-60, -60])
    for law in (Decoupling(robot, [-20] * 4), staged, Feedforward(robot, [-20, -30])):
        assert worst(law(*motion[:2], theta, thetad, reference), u) < SOLVE


def test_computed_torque_is_the_rigid_robots():
    robot = two_links()
    rigid, N, B = robot.robot, robot.drives.gear_ratio, robot.drives.motor_inertia
    motion = random_motion(robot)
    law = ComputedTorque(robot, [-10, -20])
    q, qd = (each + 0.1 for each in motion[:2])
    a = motion[2] + 200.0 * (motion[0] - q) + 30.0 * (motion[1] - qd)
    wanted = N * rigid.inverse_dynamics(q, qd, a) + B / N * a
    found = law(np.zeros_like(q), np.zeros_like(q), q / N, qd / N, np.stack(motion[:3], axis=-2))
    assert worst(found, wanted) < ROUNDING


def test_feedforward_feeds_back_motor_errors():
    robot = two_links()
    motion = random_motion(robot)
    theta, thetad, _ = robot.motor_motion(*motion)
    law, reference = Feedforward(robot, [-20, -30]), np.stack(motion, axis=-2)
    off = law(*motion[:2], theta + 0.01, thetad - 0.2, reference) - robot.inverse_dynamics(*motion)
    assert worst(off, np.tile(robot.drives.motor_inertia * (-600 * 0.01 + 50 * 0.2), (6, 1))) < SOLVE


def test_bound_law_equals_the_call():
    robot = two_links()
    state = tuple(each[0].copy() for each in random_state(robot))
    law = Decoupling(robot, [-20, -25, -30, -35])
    reference, u = np.random.default_rng(9).uniform(-1, 1, (5, 2)), np.empty(2)
    law.bind(*state, reference, out=u)()
    assert np.array_equal(u, law(*state, reference))


def test_gains_place_the_poles():
    poles = np.array([-3.0, -5 + 7j, -5 - 7j, -11.0])
    gains = pole_gains(poles, 2)
    assert gains.shape == (4, 2)
    for column in gains.T:
        assert worst(np.sort_complex(np.roots([1.0, *column[::-1]])), np.sort_complex(poles)) < SOLVE
    rows = pole_gains([[-1, -2], [-3, -4]], 2)
    assert rows.tolist() == [[2.0, 12.0], [3.0, 7.0]]


@pytest.mark.parametrize(
    ("poles", "words"),
    [
        ([-1.0, 0.5], r"0.5.* is not stable"),
        ([-1.0, np.nan], r"nan.* is not stable"),
        ([-1 + 1j, -2 - 1j], r"not in conjugate pairs"),
        ([[-1.0, -2.0]] * 3, r"poles has 3 rows; expected one for each of 2 joints"),
        ("fast", r"expected \(r,\) or \(joints, r\)"),
        ([-1.0, -2.0, -3.0], r"Feedforward: 3 poles per joint; expected 2"),
    ],
)
def test_poles_that_do_not_fit_are_refused(poles, words):
    with pytest.raises(cf.ArgumentError, match=words):
        Feedforward(two_links(), poles)
    with pytest.raises(cf.ArgumentError, match="1 torque_poles per joint; expected 2"):
        StagedDecoupling(two_links(), [-1, -1], [-2])


def test_laws_that_damping_forbids_say_so():
    robot = two_links(damping=1e-3)
    with pytest.raises(cf.ClosedFormError, match=r"spring of joint 'joint1' is damped"):
        Feedforward(robot, [-20, -20])
    with pytest.raises(cf.ClosedFormError, match=r"changed\(damping=0\)"):
        robot.inverse_dynamics(*random_motion(robot))
    Feedforward(robot.changed(damping=0), [-20, -20])
    with pytest.raises(cf.ClosedFormError, match=r"Give every joint damping, or none"):
        two_links(damping=[0.0, 1e-3]).decoupling(*np.zeros((5, 2)))


def test_exported_decoupling_equals_the_law(tmp_path):
    arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 0.01)
    (path,) = arm.export("decoupling", "numpy", tmp_path)
    function = runpy.run_path(str(path))["elastic_2r_decoupling"]
    given = np.random.default_rng(0).normal(size=(5, 7, 2))
    assert worst(function(*given), arm.decoupling(*given)) < ROUNDING
    assert "motor angles" in path.read_text()
