"""Everything that drives torque is found in a log: friction of each kind is chosen if it is there."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.identification import FrictionTerms, Identification, identify
from closedform.identification.regression.friction import stribeck_curve
from identification_logs import fourier_motion, noisy

TERMS = {
    "nothing": lambda v, link: 0.0,
    "load": lambda v, link: np.abs(link) * np.sign(v) * [0.1, 0.08],
    "stribeck": lambda v, link: stribeck_curve(v / 0.2) * [1.2, 0.8],
    "asymmetric": lambda v, link: np.abs(v) * [0.2, -0.1],
}
"""Friction beyond viscous and Coulomb, from speeds and the torques of the links."""

TRUTH = {"load": {"fl1": 0.1, "fl2": 0.08}, "asymmetric": {"fa1": 0.2, "fa2": -0.1}}


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


@pytest.fixture(scope="module")
def motion(arm):
    return fourier_motion(arm, 3, 30, 250)


def log_of(motion, tau):
    """Return a log of a motion with 1 % of noise on the torques."""
    return {"t": motion.t, "q": motion.q, "tau": noisy(tau, 0.01, 2)}


def rubbing(arm, motion, kind):
    """Return the torques of an arm with viscous and Coulomb friction and one more term."""
    link = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    return link + 0.5 * motion.qd + np.tanh(motion.qd / 0.05) * [1.0, 0.6] + TERMS[kind](motion.qd, link)


@pytest.mark.parametrize("kind", TERMS)
def test_a_friction_term_is_chosen_if_and_only_if_it_is_there(arm, motion, kind):
    result = identify(arm, log_of(motion, rubbing(arm, motion, kind)))
    chosen = {name for name in ("load", "stribeck", "asymmetric") if getattr(result.friction, name)}
    assert chosen == ({kind} if kind != "nothing" else set())
    for name, true in TRUTH.get(kind, {}).items():
        assert abs(result[name].value - true) < 3 * result[name].standard_error
    assert result.cross_validation.total < 0.01
    other = fourier_motion(arm, 8, 5, 100)
    true = rubbing(arm, other, kind)
    found = result.robot.drive_torque(other.q, other.qd, other.qdd)  # what was fitted is in the robot
    assert np.linalg.norm(found - true) < 0.002 * np.linalg.norm(true)


def test_friction_by_load_is_that_of_the_torques_found(arm, motion, tmp_path):
    """Given without a search, it settles at the load of the fit itself; also after it was saved."""
    log = log_of(motion, rubbing(arm, motion, "load"))
    friction = FrictionTerms(coulomb=0.01, load=True)
    result = identify(arm, log, friction=friction)
    for name, true in TRUTH["load"].items():
        assert abs(result[name].value - true) < 3 * result[name].standard_error
    result.save(tmp_path / "found.json")
    again = Identification.load(tmp_path / "found.json")
    assert again.friction == friction
    assert np.array_equal(again.predict(log).predicted, result.predict(log).predicted)


def test_stribeck_friction_peaks_at_its_parameter():
    r = np.linspace(-3, 3, 60_001)
    curve = stribeck_curve(r)
    assert abs(curve.max() - 1) < 1e-8
    assert abs(r[curve.argmax()] - 0.5**0.5) < 1e-4
    assert np.allclose(curve, -curve[::-1])


@pytest.mark.parametrize("wrong", [{"stribeck": 0.0}, {"load": 2}, {"asymmetric": "yes"}])
def test_a_bad_friction_term_is_named(wrong):
    with pytest.raises(cf.ClosedFormError, match=f"friction: {next(iter(wrong))}"):
        FrictionTerms(**wrong)
