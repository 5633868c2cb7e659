"""Payloads and drive gains: masses weighed with honest errors, by known masses."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from bench.identification_payload import CARRIED, simulated
from closedform.identification import (
    DriveGains,
    FrictionTerms,
    Identification,
    LogError,
    identify,
    identify_payload,
    known_mass_gains,
)
from identification_logs import Losses, fourier_motion, noisy

VISCOUS = FrictionTerms(coulomb=None)
OPTIONS = {"friction": VISCOUS, "cutoff": 5.0}
GAINS = np.array([12.0, -9.0, 10.0, 11.0, 7.0, 8.0])
LOAD = (5.0, (0.05, -0.03, 0.1))


@pytest.fixture(scope="module")
def arm():
    return cf.load("ur5")


@pytest.fixture(scope="module")
def logs(arm):
    """Currents without and with a load, in motions and with friction of their own."""

    def log(robot, seed):
        motion = fourier_motion(arm, seed, 15, 100)
        tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd)
        tau += 0.7 * motion.qd * (1 + 0.1 * seed) + 0.1 * seed
        return {"t": motion.t, "q": motion.q, "current": noisy(tau, 0.01, seed) / GAINS}

    return log(arm, 1), log(arm.with_payload(*LOAD, 0.05 * np.eye(3), frame=arm.body_names[-1]), 2)


@pytest.fixture(scope="module")
def gains(arm, logs):
    return known_mass_gains(arm, *logs, LOAD[0], **OPTIONS)


@pytest.fixture(scope="module")
def empty(arm, logs, gains):
    return identify(arm, logs[0], gain=gains.values, physical=False, plausible=False, **OPTIONS)


def test_a_known_mass_gives_gains_their_scale_and_sign(arm, logs, gains):
    assert (np.abs(gains.values - GAINS) < 4 * gains.standard_errors).all()
    assert gains.values == pytest.approx(GAINS, rel=0.02)
    assert "std. error" in str(gains)
    centred = known_mass_gains(arm, *logs, LOAD[0], com=LOAD[1], **OPTIONS)
    assert centred.values == pytest.approx(GAINS, rel=0.02)
    assert (centred.standard_errors < 1.02 * gains.standard_errors).all()  # more is known


def test_a_payload_is_weighed_as_well_as_gains_and_the_empty_robot_are_known(empty, logs, gains):
    payload = identify_payload(empty, logs[1], gains=gains)
    exact = identify_payload(empty, logs[1], gain=gains.values)
    assert payload.mass == pytest.approx(LOAD[0], rel=0.01)
    assert payload.com == pytest.approx(LOAD[1], abs=0.01)
    assert (np.abs(payload.com - LOAD[1]) < 4 * payload.com_errors).all()
    assert payload.mass_error > 1.2 * exact.mass_error
    assert "taken as exact" in exact.notes[0]
    assert not payload.doubts
    body = identify_payload(empty, logs[1], gains=gains, physical=True)
    assert body.physical
    assert body.mass == pytest.approx(payload.mass, abs=2 * payload.mass_error)


def test_a_simulated_payload_lies_within_its_standard_errors():
    """One of the cases of `python -m bench payload`, shorter."""
    found = simulated(1, duration=15.0)
    assert abs(found.score) < 3
    assert found.mass == pytest.approx(CARRIED, rel=0.02)
    assert found.error < 0.02 * CARRIED


def test_saved_identifications_and_gains_weigh_the_same(empty, logs, gains, tmp_path):
    empty.save(tmp_path / "empty.json")
    gains.save(tmp_path / "gains.json")
    again = Identification.load(tmp_path / "empty.json"), DriveGains.load(tmp_path / "gains.json")
    one, other = (identify_payload(e, logs[1], gains=g) for e, g in ((empty, gains), again))
    assert one.mass == pytest.approx(other.mass, rel=1e-9)
    assert one.mass_error == pytest.approx(other.mass_error, rel=1e-6)
    with pytest.raises(cf.ClosedFormError, match="not saved drive gains"):
        DriveGains.load(tmp_path / "empty.json")


def test_what_cannot_be_a_payload_is_said(arm, empty, logs, gains):
    swapped = identify(arm, logs[1], gain=gains.values, physical=False, plausible=False, **OPTIONS)
    assert "comes out negative" in identify_payload(swapped, logs[0], gains=gains).doubts[0]
    same = identify_payload(empty, logs[0], gains=gains)
    assert "not distinguished from zero" in same.doubts[0]
    broken = logs[1] | {"current": np.roll(logs[1]["current"], 300, axis=0)}
    assert "another robot, body or gain" in identify_payload(empty, broken, gains=gains).doubts[0]
    with pytest.raises(cf.ClosedFormError, match="'gripper'"):
        identify_payload(empty, logs[1], gains=gains, body="gripper")
    with pytest.raises(cf.ArgumentError, match="read with other gains"):
        identify_payload(empty, logs[1], gains=gains, gain=2 * gains.values)
    other = {"t": logs[1]["t"], "q": logs[1]["q"][:, :2], "tau": logs[1]["current"][:, :2]}
    with pytest.raises(LogError):
        identify_payload(empty, other)
    with pytest.raises(cf.ArgumentError, match="mass"):
        known_mass_gains(arm, *logs, 0.0)
    with pytest.raises(cf.ArgumentError, match="com"):
        known_mass_gains(arm, *logs, 5.0, com=[1, 2])


def test_friction_that_changed_is_not_weighed(arm):
    """Friction of the second log is twice that of the first."""
    losses = Losses.random(arm.nv, 1)
    load = arm.with_payload(1.0, (0, 0, 0.1))
    rows = []
    for seed, (robot, factor) in enumerate([(arm, 1.0), (load, 2.0)]):
        motion = fourier_motion(arm, seed + 5, 15, 100)
        tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd) + factor * losses.torque(motion.qd)
        rows.append({"t": motion.t, "q": motion.q, "tau": noisy(tau, 0.01, seed)})
    base = identify(arm, rows[0], friction=FrictionTerms(coulomb=1e-3), cutoff=5.0, physical=False)
    payload = identify_payload(base, rows[1])
    assert payload.mass == pytest.approx(1.0, abs=3 * payload.mass_error)
    assert payload.mass_error < 0.05


def test_gears_that_lose_by_load_feel_the_payload_too():
    """tau = tau_link + 0.15 |tau_link| sign(v), the load's torque within tau_link."""
    arm = cf.load("ur5")
    loaded = arm.with_payload(2.8, (0.05, 0.02, 0.1), 0.02 * np.eye(3), frame=arm.body_names[-1])
    rows = []
    for seed, robot in enumerate((arm, loaded)):
        motion = fourier_motion(arm, seed + 1, 15, 100)
        link = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd)
        tau = noisy(link + 0.15 * np.abs(link) * np.sign(motion.qd), 0.005, seed)
        rows.append({"t": motion.t, "q": motion.q, "tau": tau})
    by_load = FrictionTerms(coulomb=1e-3, load=True)
    empty = identify(arm, rows[0], friction=by_load, cutoff=5.0, physical=False)
    payload = identify_payload(empty, rows[1])
    assert abs(payload.mass - 2.8) < 4 * payload.mass_error < 0.1
    assert payload.errors.total < 1.2 * empty.fitted.total
