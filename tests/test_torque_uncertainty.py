"""How uncertain torques are: by repeated logs, by another route to the torques, and in postures not seen."""

from __future__ import annotations

import re

import numpy as np
import pytest

import closedform as cf
from closedform.errors import ArgumentError
from closedform.identification import FrictionTerms, Identification, identify, read_log
from closedform.identification.logs.transmission import Transmission
from closedform.identification.regression.design import Design, independent
from closedform.identification.workflow.inertias import Inertias, identified_robot
from closedform.identification.workflow.uncertainty import state_columns
from identification_logs import fourier_motion, noisy

QUICK = {"physical": False, "cutoff": 10.0, "lag": 0.0, "plausible": False}
VISCOUS = FrictionTerms(coulomb=None)


def recorded(arm, seed, noise=0.05, seconds=12, motion_seed=1):
    motion = fourier_motion(arm, motion_seed, seconds, 200.0)
    tau = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd) + 0.5 * motion.qd
    return {"t": motion.t, "q": motion.q, "tau": noisy(tau, noise, seed)}


def test_torques_scatter_as_their_standard_errors_say():
    """Thirty logs of one motion, with noise of their own; states of quite another motion."""
    arm = cf.load("2r")
    results = [identify(arm, recorded(arm, seed), friction=VISCOUS, **QUICK) for seed in range(30)]
    q, qd, qdd = arm.random_state(3, batch=200)
    said = np.array([result.uncertainty(q, qd, qdd) for result in results])
    found = np.array([result.robot.drive_torque(q, qd, qdd) for result in results])
    ratio = found.std(axis=0, ddof=1) / np.sqrt(np.mean(said**2, axis=0))
    assert 0.7 < np.sqrt(np.mean(ratio**2)) < 1.3
    along = results[0].predict(read_log(recorded(arm, 99, motion_seed=2), arm)).uncertainty
    assert (along > 0).all()
    assert along.max() < 0.1 * np.abs(found).max()


@pytest.mark.parametrize("name", ["2r", "puma560", "scara", "panda"])
@pytest.mark.parametrize(
    "friction",
    [
        FrictionTerms(coulomb=0.2),
        FrictionTerms(coulomb=1e-9, presliding=1e-4, load=True),
        FrictionTerms(coulomb=0.1, stribeck=0.3, asymmetric=True),
    ],
    ids=["coulomb", "presliding and load", "stribeck"],
)
def test_columns_of_states_give_the_torques_of_the_robot(name, friction):
    """The robot that was identified computes them by its own friction, springs and offsets."""
    arm = cf.load(name)
    axes = Transmission.of(arm.nv).axes
    base, dependent = independent(arm, axes)
    design = Design.of(arm, base, axes, friction, True, dependent, springs=(0, arm.nv - 1))
    rng = np.random.default_rng(4)
    values = np.concatenate([base.values, rng.uniform(0.05, 0.4, design.width - base.count)])
    robot = identified_robot(arm, design, Inertias(values, arm.phi))
    q, qd, qdd = arm.random_state(5, batch=50)
    W = state_columns(design, values, q, qd, qdd)
    torques = robot.drive_torque(q, qd, qdd)
    found = W @ values + qdd * design.known
    assert np.allclose(found, torques, rtol=0, atol=1e-12 * np.abs(torques).max())
    assert (np.abs(W).max(axis=(0, 1)) > 0).all()


def test_zero_offsets_are_counted_from_the_log():
    """The robot has the coordinates of the log; columns of offsets are slopes about those that were found."""
    arm = cf.load("puma560")
    axes = Transmission.of(arm.nv).axes
    base, dependent = independent(arm, axes)
    design = Design.of(arm, base, axes, FrictionTerms(coulomb=0.2), True, dependent, zeros=(1, 3))
    rng = np.random.default_rng(5)
    drives = rng.uniform(0.05, 0.4, design.width - base.count - 2)
    values = np.concatenate([base.values, drives, [0.3, -0.2]])
    robot = identified_robot(arm, design, Inertias(values, arm.phi))
    q, qd, qdd = arm.random_state(6, batch=20)
    W = state_columns(design, values, q, qd, qdd)
    torques = robot.drive_torque(q, qd, qdd)
    found = W[..., :-2] @ values[:-2] + qdd * design.known
    assert np.allclose(found, torques, rtol=0, atol=1e-12 * np.abs(torques).max())
    further = values.copy()
    further[-1] += 1e-5
    turned = identified_robot(arm, design, Inertias(further, arm.phi))
    slope = (turned.drive_torque(q, qd, qdd) - torques) / 1e-5
    assert np.allclose(W[..., -1], slope, rtol=0, atol=1e-3 * np.abs(slope).max())


def test_uncertainty_takes_any_batch_and_names_what_is_wrong():
    arm = cf.load("2r")
    result = identify(arm, recorded(arm, 0), friction=VISCOUS, **QUICK)
    q, qd, qdd = arm.random_state(6, batch=(3, 4))
    found = result.uncertainty(q, qd=qd, qdd=qdd)
    assert found.shape == (3, 4, 2)
    assert np.array_equal(found[1, 2], result.uncertainty(q[1, 2], qd[1, 2], qdd[1, 2]))
    still = result.uncertainty(q, np.zeros(2), np.zeros(2))
    assert np.array_equal(still, result.uncertainty(q, 0 * q, 0 * q))
    assert result.uncertainty(np.zeros((0, 2)), np.zeros(2), np.zeros(2)).shape == (0, 2)
    spoilt = q.copy()
    spoilt[0, 0, 0] = np.nan
    bad = np.isnan(result.uncertainty(spoilt, qd, qdd))
    assert bad[0, 0].any()
    assert bad.sum() == bad[0, 0].sum()
    with pytest.raises(ArgumentError, match=r"uncertainty: qd has shape \(3,\)"):
        result.uncertainty(q, np.zeros(3), qdd)
    with pytest.raises(ArgumentError, match="uncertainty"):
        result.uncertainty(q, qd[:2], qdd)


def test_covariance_is_saved(tmp_path):
    arm = cf.load("2r")
    result = identify(arm, recorded(arm, 0), friction=VISCOUS, **(QUICK | {"physical": True}))
    result.save(tmp_path / "result.json")
    again = Identification.load(tmp_path / "result.json")
    assert np.array_equal(again.covariance, result.covariance)
    assert np.array_equal(again.standard_errors, np.sqrt(np.diag(result.covariance)))


@pytest.mark.parametrize("method", ["weighted", "iv"])
def test_covariance_has_no_negative_variances(method):
    arm = cf.load("puma560")
    log = recorded(arm, 2, seconds=20)
    log["q"] = log["q"] + 1e-5 * np.random.default_rng(0).normal(size=log["q"].shape)
    result = identify(arm, log, friction=VISCOUS, method=method, **QUICK)
    assert np.allclose(result.covariance, result.covariance.T, rtol=1e-9, atol=0)
    q, qd, qdd = arm.random_state(7, batch=100)
    assert (result.uncertainty(q, qd, qdd) > 0).all()


def part_of_the_ranges(arm, part, middle=0.0, noise=0.02):
    motion = fourier_motion(arm, 8, 20, 200.0)
    q = middle + part * (motion.q - motion.q.mean(axis=0))
    qd, qdd = part * motion.qd, part * motion.qdd
    tau = arm.inverse_dynamics(q, qd, qdd) + 0.3 * qd + 0.1
    return {"t": motion.t, "q": q, "tau": noisy(tau, noise, 8)}


def test_postures_that_a_log_does_not_show_are_told():
    """With small motions weight and offset are hard to tell apart: elsewhere the weight is another."""
    arm = cf.load("2r")
    options = {"friction": VISCOUS, "lag": 0.0, "plausible": False}

    wide = identify(arm, part_of_the_ranges(arm, 1.0), **options)
    assert not any("does not show" in note for note in wide.notes)
    log = part_of_the_ranges(arm, 0.1, middle=0.5, noise=0.05)
    narrow = identify(arm, log, **options)
    (note,) = (note for note in narrow.notes if "does not show" in note)
    q = np.random.default_rng(9).uniform(-np.pi, np.pi, (5000, 2))  # the joints have no limits
    still = np.zeros(2)
    errors = np.sqrt(np.mean(narrow.uncertainty(q, still, still) ** 2, axis=0))
    weights = narrow.robot.drive_torque(q, still, still)
    torques = max(np.linalg.norm(np.sqrt(np.mean(x**2, axis=0))) for x in (weights, log["tau"]))
    told = re.search(r"uncertain by (\d+) % \(([\d.]+) N m of joint1\)", note)
    assert float(told[1]) == pytest.approx(100 * np.linalg.norm(errors) / torques, rel=0.1)
    assert float(told[2]) == pytest.approx(errors[0], rel=0.1)
    assert 10 < float(told[1]) < 30


@pytest.mark.parametrize("limits", [(4.0, np.inf), (-np.inf, np.inf), (-1e300, 1e300), (0.0, 1e9)])
def test_joints_may_turn_as_far_as_they_like(limits):
    """Postures of a joint that is limited on one side, or hardly, are those of a whole turn."""
    lower, upper = ({"joint1": limit} for limit in limits)
    arm = cf.load("2r").with_joint_limits(lower=lower, upper=upper)
    log = part_of_the_ranges(cf.load("2r"), 0.1, middle=0.5, noise=0.05)
    notes = identify(arm, log, friction=VISCOUS, lag=0.0, plausible=False).notes
    assert any("uncertain by 23 % " in note for note in notes)


def test_axes_along_gravity_have_no_such_postures():
    arm = cf.load("scara")
    log = part_of_the_ranges(arm, 0.1)
    result = identify(arm, log, friction=VISCOUS, lag=0.0, plausible=False)
    assert not any("does not show" in note for note in result.notes)


def test_robots_with_loops_have_it_along_a_log():
    bars = cf.load("five_bar")
    t = np.arange(0, 20, 0.01)
    u = bars.neutral() + 0.05 * np.sin(np.outer(t, [6.0, 9.0])) + 0.03 * np.sin(np.outer(t, [17.0, 13.0]))
    ud, udd = np.gradient(u, t, axis=0), np.gradient(np.gradient(u, t, axis=0), t, axis=0)
    log = {"t": t, "q": u, "tau": bars.inverse_dynamics(u, ud, udd) + 1e-3 * ud}
    result = identify(bars, log, friction=VISCOUS, lag=0.0, plausible=False, undetermined="prior")
    assert (result.predict(log).uncertainty > 0).any()
    with pytest.raises(ArgumentError, match="predict"):
        result.uncertainty(u, ud, udd)
