"""The plain pipeline, the peer of the identification bench: it recovers a simulated robot."""

import numpy as np

import closedform as cf
from bench.identification_plain import Terms, base_columns, low_pass, plain_model, predictions
from closedform.identification import base_parameters


def motion(joints, seconds, seed):
    """Return time, positions, speeds and accelerations of a motion of slow sines."""
    t = np.arange(0, seconds, 0.004)
    w = 2 * np.pi * np.array([0.1, 0.23, 0.41])
    a = np.random.default_rng(seed).normal(size=(3, joints))
    s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    return t, s @ a, (c * w) @ a, -(s * w**2) @ a


def relative_error(model, t, q, tau):
    _, measured, predicted = predictions(model.torque, t, q, tau, cutoff=8.0)
    return np.linalg.norm(measured - predicted) / np.linalg.norm(measured)


def test_plain_pipeline_predicts_a_simulated_arm_with_losses():
    arm = cf.load("puma560")
    D = np.array([0.5, 2.0, 1.0, 0.4, 0.3, 0.2])

    def torque(q, qd, qdd):
        losses = D * qd + 0.7 * np.tanh(qd / 0.01) + 0.2 * qdd + 0.3
        return arm.inverse_dynamics(q, qd, qdd) + losses

    t, q, qd, qdd = motion(6, 30, 0)
    model = plain_model(Terms(arm, np.zeros((0, 6))), t, q, torque(q, qd, qdd), cutoff=8.0)
    t, q, qd, qdd = motion(6, 15, 1)
    assert relative_error(model, t, q, torque(q, qd, qdd)) < 0.01


def test_coupled_motor_has_friction_of_its_own():
    arm = cf.load("2r")
    coupled = np.array([[1.0, 1.0]])
    t, q, qd, qdd = motion(2, 20, 2)
    tau = arm.inverse_dynamics(q, qd, qdd) + 1.5 * (qd @ coupled.T) @ coupled
    without, with_it = (
        relative_error(plain_model(Terms(arm, axes), t, q, tau, 8.0), t, q, tau)
        for axes in (np.zeros((0, 2)), coupled)
    )
    assert with_it < 1e-3 < without


def test_independent_columns_are_as_many_as_base_parameters():
    for name in ("2r", "puma560"):
        robot = cf.load(name)
        assert len(base_columns(robot)) == base_parameters(robot).count


def test_filter_keeps_slow_sines_without_delay():
    t = np.arange(0, 10, 0.001)
    x = np.sin(2 * np.pi * t)[:, None]
    hum = np.sin(2 * np.pi * 100 * t)[:, None]
    middle = slice(2000, 8000)
    np.testing.assert_allclose(low_pass(x + hum, 10.0, 1000.0)[middle], x[middle], atol=1e-3)
