"""What identification decides by itself: which losses may be negative, whom it trusts, which rotors show."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import closedform as cf
from closedform.identification import FrictionTerms, identify
from closedform.identification.logs.transmission import Transmission
from closedform.identification.regression.design import Design, independent
from closedform.identification.regression.friction import NO_FRICTION
from closedform.identification.regression.least_squares import DIGITS, solve
from closedform.identification.regression.selection import SURELY, Search
from closedform.identification.regression.triangle import Triangle
from closedform.identification.workflow.inertias import dissipating
from closedform.identification.workflow.trust import TRUSTS, best_trust
from identification_logs import fourier_motion, noisy

NAMES = ("ZZ1", "Ia1", "fv1", "fc1")


def factor(truth, noise, seed=0):
    """The triangular factor of rows [W tau] over their noise."""
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(400, len(truth)))
    tau = W @ truth + noise * rng.normal(size=400)
    return np.linalg.qr(np.column_stack([W, tau]) / noise, mode="r")


@pytest.mark.parametrize(
    ("truth", "held"),
    [
        ((1.0, 0.5, 0.5, 0.5), [False, True, True, True]),
        ((1.0, 0.5, -5.0, 0.5), [False, True, False, True]),  # friction that falls with speed
        ((1.0, 0.5, -0.05, 0.5), [False, True, True, True]),  # a standard error or so
        ((-5.0, -5.0, 0.5, 0.5), [False, True, True, True]),  # no rotor has a negative inertia
    ],
)
def test_only_clearly_negative_friction_is_believed(truth, held):
    assert dissipating(factor(np.array(truth), 1.0), NAMES).tolist() == held


def test_trust_is_as_great_as_rows_left_out_allow():
    folds = np.random.default_rng(0).normal(size=(10, 2)) ** 2 + 1
    assert best_trust(lambda trust: folds) == TRUSTS[0]
    assert best_trust(lambda trust: folds * (1 + trust)) == TRUSTS[-1]  # every fold is better with less
    assert best_trust(lambda trust: None) == TRUSTS[0]


def test_rounded_right_angles_show_no_rotors():
    """A file that says 1.5708 leaves the same rotors open as pi / 2 does."""

    def rotors(quarter):
        rows = [(0, 0, 0, 0, 0), (0, -quarter, 0, 0, 0), (0, quarter, 0, 0, 0.4), (0, -quarter, 0, 0, 0)]
        arm = cf.Robot.from_mdh(rows)
        return independent(arm, Transmission.of(4).axes)[1]

    assert rotors(1.5708) == rotors(np.pi / 2)


def test_two_motors_that_turn_two_joints_share_a_rotor_and_viscous_friction():
    """Of a differential wrist three of four are told apart: [[a + c + d, c - d], [c - d, b + c + d]]."""
    arm = cf.load("2r")
    axes = Transmission.of(2, reduction=[[1, 1], [-1, 1]]).axes
    base, dependent = independent(arm, axes)
    design = Design.of(arm, base, axes, FrictionTerms(), rotors=True, dependent=dependent)
    left = [term.name(axes) for term in design.drive]
    assert [name for name in left if name.startswith("fv")] == ["fv1", "fv2", "fvm1"]
    assert "Iam2" not in left
    assert {"fvm1"} <= design.shared <= {"fvm1", "Iam1"}
    one = Transmission.of(2, reduction=[[50, 0], [32, 32]]).axes  # a coupling of one motor shows its own
    coupled = Design.of(arm, base, one, FrictionTerms(), rotors=True, dependent=independent(arm, one)[1])
    assert {"fv1", "fv2", "fvm2"} <= {term.name(one) for term in coupled.drive}
    assert "fvm2" not in coupled.shared


def test_a_differential_wrist_is_identified():
    """Friction of the motors that turn both joints comes out though one of them is not told by itself."""
    arm = cf.load("2r")
    motion = fourier_motion(arm, 5, 15, 250)
    R = np.array([[1.0, 1.0], [-1.0, 1.0]])
    motors = motion.qd @ R.T
    losses = (np.array([0.3, 0.9]) * motors) @ R + np.array([0.2, 0.1]) * motion.qd
    tau = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd) + losses
    log = {"t": motion.t, "q": motion.q @ R.T, "tau": noisy(tau, 0.005, 0) @ np.linalg.inv(R)}
    result = identify(arm, log, reduction=R, friction=FrictionTerms(coulomb=None), physical=True)
    found = {name: result[name] for name in ("fv1", "fv2", "fvm1")}
    true = {"fv1": 0.2 + 2 * 0.9, "fv2": 0.1 + 2 * 0.9, "fvm1": 0.3 - 0.9}
    for name, each in found.items():
        assert abs(each.value - true[name]) < 4 * each.standard_error + 1e-3 * abs(true[name])
    assert not result.doubts


def test_rows_without_noise_count_no_more_than_seven_digits():
    """Exact rows would have a scatter of round-off, and no described inertia would count beside them."""
    rng = np.random.default_rng(0)
    W = rng.normal(size=(300, 3))
    tau = W @ [1.0, 2.0, 3.0]
    triangle = Triangle(4)
    triangle.add(np.column_stack([W, tau]))
    fit = solve([triangle], [np.arange(3)], 3, "weighted")
    assert np.abs(fit.values - [1, 2, 3]).max() < 1e-12
    assert fit.scatter[0] == pytest.approx(DIGITS * np.sqrt(np.sum(tau**2) / 297))


@pytest.mark.parametrize("name", ["2r", "scara", "puma560"])
@pytest.mark.parametrize("noise", [0.0, 0.03])
def test_a_log_without_friction_has_none(name, noise):
    """As simulators write them: terms that nothing in the log asks for only follow its noise."""
    arm = cf.load(name)
    motion = fourier_motion(arm, 7, 20, 250)
    tau = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    result = identify(arm, {"t": motion.t, "q": motion.q, "tau": noisy(tau, noise, 7)})
    assert result.friction == NO_FRICTION
    assert any("shows no friction" in note for note in result.notes)
    assert not np.any([result.robot.damping, result.robot.friction, result.robot.drive_offset])


@pytest.mark.parametrize("kind", ["fv", "fc", "of"])
def test_a_little_of_friction_or_offsets_is_seen(kind):
    """A tenth of the torques, under noise of three hundredths: one kind of them is enough."""
    arm = cf.load("2r")
    motion = fourier_motion(arm, 8, 20, 250)
    tau = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    shape = {"fv": motion.qd, "fc": np.sign(motion.qd), "of": np.ones_like(tau)}[kind]
    lost = 0.1 * np.sqrt(np.mean(tau**2, axis=0) / np.mean(shape**2, axis=0)) * shape
    result = identify(arm, {"t": motion.t, "q": motion.q, "tau": noisy(tau + lost, 0.03, 8)})
    assert result.friction != NO_FRICTION
    assert not any("shows no friction" in note for note in result.notes)


def test_friction_must_pay_by_two_standard_errors_and_what_is_added_to_it_by_one():
    """Ten folds, of which friction takes a twentieth of the errors off, more or less."""
    gains = 0.05 + 0.12 * np.array([1.0, -1.0] * 5)  # their sum is 1.25 of its standard errors
    squares = {NO_FRICTION: np.ones(10), FrictionTerms(): 1 - gains}
    search = SimpleNamespace(squares=lambda friction, free: squares[friction])
    assert Search.pays(search, NO_FRICTION, FrictionTerms())
    assert not Search.pays(search, NO_FRICTION, FrictionTerms(), SURELY)
    squares[FrictionTerms()] = 1 - (0.05 + 0.6 * (gains - 0.05))
    assert Search.pays(search, NO_FRICTION, FrictionTerms(), SURELY)
