"""Everything that drives torque is found in a log: friction of each kind is chosen if it is there."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.cli.drives import friction_terms, joints
from closedform.identification import FrictionTerms, Identification, TorqueColumn, identify
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


VISCOUS = FrictionTerms(coulomb=None)


def test_springs_and_columns_of_the_user_are_found(arm, motion, tmp_path):
    """Springs end up in the robot; a column has a factor, and its function is given again with a file."""
    cable = TorqueColumn("cable", "joint2", lambda q, qd, qdd: np.tanh(5 * q[:, 1]), unit="N m")
    true = arm.with_springs([30.0, 5.0], [0.2, -0.4]).with_damping(0.5)
    tau = true.inverse_dynamics(motion.q, motion.qd, motion.qdd, friction=True, springs=True)
    tau[:, 1] += 2 * np.tanh(5 * motion.q[:, 1])
    log = log_of(motion, tau)
    result = identify(arm, log, friction=VISCOUS, springs=True, extra=[cable])
    for name, value in {"k1": 30.0, "k2": 5.0, "cable": 2.0}.items():
        assert abs(result[name].value - value) < 3 * result[name].standard_error
    assert result["cable"].unit == "N m"
    assert any("no place for cable" in note for note in result.notes)
    robot = result.robot
    assert np.allclose(robot.stiffness, [30, 5], rtol=0.02)
    assert np.allclose(robot.spring_rest, [0.2, -0.4], atol=0.02)
    assert not robot.drive_offset.any()
    result.save(tmp_path / "found.json")
    with pytest.raises(cf.ClosedFormError, match="its extra columns are cable"):
        Identification.load(tmp_path / "found.json")
    again = Identification.load(tmp_path / "found.json", extra=[cable])
    assert np.array_equal(again.predict(log).predicted, result.predict(log).predicted)


def test_described_springs_are_taken_as_given(arm, motion):
    sprung = arm.with_springs(20.0, 0.3)
    tau = sprung.inverse_dynamics(motion.q, motion.qd, motion.qdd, springs=True)
    result = identify(sprung, log_of(motion, tau), friction=VISCOUS)
    assert result.cross_validation.total < 0.01
    assert result.robot.stiffness.tolist() == [20.0, 20.0]


def test_zero_offsets_of_joints_are_found_where_torques_show_them(arm, motion, tmp_path):
    """The last joint's is not shown. Coordinates of the identified robot are those of the log."""
    off = [0.05, 0.0]
    tau = arm.inverse_dynamics(motion.q + off, motion.qd, motion.qdd)
    log = log_of(motion, tau)
    result = identify(arm, log, friction=VISCOUS, zero_offsets=True)
    assert abs(result["dq1"].value - 0.05) < 3 * result["dq1"].standard_error < 0.01
    assert any("no torque shows the zero offset of joint2" in note for note in result.notes)
    other = fourier_motion(arm, 8, 5, 100)
    true = arm.inverse_dynamics(other.q + off, other.qd, other.qdd)
    found = result.robot.drive_torque(other.q, other.qd, other.qdd)
    assert np.linalg.norm(found - true) < 0.002 * np.linalg.norm(true)
    result.save(tmp_path / "found.json")
    again = Identification.load(tmp_path / "found.json")
    assert np.allclose(again.predict(log).predicted, result.predict(log).predicted)
    with pytest.raises(cf.ClosedFormError, match="no torque tells the zero offset of joint2 apart"):
        identify(arm, log, friction=VISCOUS, zero_offsets=["joint2"])


BAD = {
    "failed on arrays": lambda q, qd, qdd: q[:, 7],
    "returned float64 of shape": lambda q, qd, qdd: q,
    "not finite at q": lambda q, qd, qdd: np.full(len(q), np.nan),
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_function_of_a_column_is_named(arm, motion, message):
    log = {"t": motion.t, "q": motion.q, "tau": motion.q}
    with pytest.raises(cf.ClosedFormError, match=f"column 'cable': its function.*{message.split()[0]}"):
        identify(
            arm,
            log,
            friction=None,
            plausible=False,
            extra=[TorqueColumn("cable", "joint1", BAD[message])],
        )


def test_bad_columns_and_joints_are_named(arm, motion):
    log = {"t": motion.t, "q": motion.q, "tau": motion.q}
    cable = TorqueColumn("cable", "elbow", lambda q, qd, qdd: q[:, 0])
    with pytest.raises(cf.ClosedFormError, match="joint of column 'cable'"):
        identify(arm, log, extra=[cable], plausible=False)
    with pytest.raises(cf.ClosedFormError, match="'fv1' is that of a parameter"):
        TorqueColumn("fv1", "joint1", lambda q, qd, qdd: q[:, 0])
    with pytest.raises(cf.ClosedFormError, match="function of q, qd and qdd"):
        TorqueColumn("cable", "joint1", lambda q: q)
    with pytest.raises(cf.ClosedFormError, match="joint of identify: springs"):
        identify(arm, log, springs=["elbow"], plausible=False)


def test_the_command_line_takes_terms_and_joints():
    text = "viscous, coulomb=0.05, stribeck=0.2, load"
    assert friction_terms(text) == FrictionTerms(coulomb=0.05, stribeck=0.2, load=True, offset=False)
    assert friction_terms("classic") == FrictionTerms()
    for wrong in ("clasic", "coulomb", "load=2", "stribeck=fast"):
        with pytest.raises(cf.ClosedFormError, match="--friction"):
            friction_terms(wrong)
    assert joints("all") is True
    assert joints("") is False
    assert joints("a, b") == ["a", "b"]
