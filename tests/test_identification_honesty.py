"""What an identification says about itself is true: errors, uncertainties, and what it could not tell."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import closedform as cf
from closedform.identification import (
    FrictionTerms,
    Identification,
    LogError,
    base_parameters,
    drive_gains,
    identify,
    identify_payload,
    read_log,
    reduced_factor,
)
from closedform.identification.regression.least_squares import solve, standard_errors
from closedform.identification.regression.moments import Moments
from closedform.identification.regression.rows import Rows
from closedform.identification.regression.split import FOLDS, HELD_OUT, UNUSED, Split
from closedform.identification.workflow.gains import check_gains
from closedform.report import IdentificationStudy, write_report
from identification_logs import fourier_motion, noisy
from oracles.random_trees import random_tree
from tolerances import worst

VISCOUS = FrictionTerms(coulomb=None)


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


@pytest.fixture(scope="module")
def log(arm):
    motion = fourier_motion(arm, 7, 20, 250)
    tau = noisy(arm.inverse_dynamics(motion.q, motion.qd, motion.qdd) + 0.5 * motion.qd, 0.01, 7)
    return {"t": motion.t, "q": motion.q, "tau": tau}


@pytest.fixture(scope="module")
def result(arm, log):
    return identify(arm, log, friction=VISCOUS)


def short(log):
    return {name: values[:60] for name, values in log.items()}


def test_correlated_noise_is_counted_where_blocks_are_held_out():
    """Residuals of rows between held-out blocks are as correlated as any: products divide by their pairs."""
    rng = np.random.default_rng(1)
    count = 4000
    label = np.where((np.arange(count) // 12) % 2, HELD_OUT, 0)
    W = np.column_stack([np.ones(count), np.sin(np.arange(count) / 60)])
    scores = []
    for _ in range(200):
        noise = np.convolve(rng.normal(size=count + 10), np.ones(9) / 9, mode="same")[:count]
        tau = (W @ [1.0, 2.0] + noise)[:, None]
        moments = Moments([np.arange(2)], 2)
        moments.add(Rows(np.arange(float(count)), (W,), tau, 0 * tau, label))
        fit = solve(moments.triangles([0]), moments.active, 2)
        scores.append((fit.values - [1, 2]) / standard_errors(fit, moments))
    spread = np.std(scores, axis=0)
    assert (spread > 0.8).all()
    assert (spread < 1.25).all()


def test_values_that_follow_the_prior_are_as_uncertain_as_it():
    """A column that the rows never see keeps its believed value, and nobody claims to know it better."""
    rng = np.random.default_rng(2)
    W = np.column_stack([rng.normal(size=500), np.zeros(500)])
    tau = W @ [[2.0], [5.0]] + 0.1 * rng.normal(size=(500, 1))
    moments = Moments([np.arange(2)], 2)
    moments.add(Rows(np.arange(500.0), (W,), tau, 0 * tau, np.zeros(500, dtype=int)))
    fit = solve(
        moments.triangles([0]), moments.active, 2, prior=(np.array([0.0, 3.0]), np.array([10.0, 0.7]))
    )
    errors = standard_errors(fit, moments)
    assert fit.values[1] == pytest.approx(3.0)
    assert errors[1] == pytest.approx(0.7, rel=0.01)
    assert errors[0] == pytest.approx(0.1 / np.linalg.norm(W[:, 0]), rel=0.2)


@pytest.mark.parametrize("hold_out", [None, "half", 0.5, 0.8, 3.0, 9.9])
def test_there_are_folds_whatever_is_held_out(hold_out):
    split = Split(0.0, 20.0, hold_out, 0.05, 1.0)
    labels = split.labels(np.arange(0, 20, 0.01))
    assert len(set(labels.tolist()) - {HELD_OUT, UNUSED}) >= FOLDS / 2
    assert (hold_out is None) == (HELD_OUT not in labels)


def test_fitted_rows_keep_away_from_those_held_out():
    time = np.arange(0, 20, 0.01)
    labels = Split(0.0, 20.0, 2.0, 0.25, 1.0).labels(time)
    fitted, held = time[labels >= 0], time[labels == HELD_OUT]
    assert np.abs(fitted[:, None] - held).min() > 0.25 - 0.011


def test_one_stretch_cannot_be_left_out_in_turn(arm, log, result, monkeypatch, tmp_path):
    """Where all fitted rows are one fold there is no cross validation, which is not an error of zero."""
    assert result.cross_validation.total == pytest.approx(result.fitted.total, rel=0.2)
    monkeypatch.setattr("closedform.identification.regression.split.FOLDS", 1)
    alone = identify(arm, log, friction=VISCOUS)
    assert alone.cross_validation is None
    assert "left out" not in str(alone)
    write_report(IdentificationStudy(alone), tmp_path / "page.html")
    assert "left out in turn</dt>" not in (tmp_path / "page.html").read_text()
    alone.save(tmp_path / "result.json")
    assert Identification.load(tmp_path / "result.json").cross_validation is None
    with pytest.raises(LogError, match="friction"):
        identify(arm, log)


def test_the_price_of_consistent_inertias_is_said(arm, log):
    """The errors are those of the robot that is returned; a note says what any numbers would reach."""
    tau = log["tau"] + [0.0, 3.0] * np.sin(5 * log["q"])  # no rigid body does that
    given = {"friction": VISCOUS, "plausible": False}
    any_, real = (identify(arm, log | {"tau": tau}, physical=p, **given) for p in (False, True))
    assert real.fitted.total > any_.fitted.total
    free, ours = any_.cross_validation.total, real.cross_validation.total
    price = f"torque error {100 * ours:.3g} % of rows left out in turn instead of {100 * free:.3g} %"
    assert any(note.endswith(f"{price} with any numbers") for note in real.notes)
    assert not any("made physically consistent" in note for note in any_.notes)
    predicted = real.predict(log | {"tau": tau})
    errors = np.sum((predicted.measured - predicted.predicted) ** 2) / np.sum(predicted.measured**2)
    assert np.sqrt(errors) == pytest.approx(real.fitted.total, rel=1e-6)


def test_no_rows_are_not_no_error(result, log):
    with pytest.raises(LogError, match="no rows are left"):
        result.validate(short(log))
    with pytest.raises(LogError, match="no rows are left"):
        identify_payload(result, short(log))


def test_gains_of_too_short_a_log_explain_nothing(arm, log):
    found = drive_gains(arm, short(log), cutoff=5.0)
    assert not found.explained.any()
    assert found.unknown == ("joint1", "joint2")  # rather than a number
    with pytest.raises(cf.ArgumentError, match="cutoff"):
        drive_gains(arm, log, cutoff=-1.0)


def test_payloads_are_weighed_over_a_pause(log):
    robot = cf.load("ur5")
    motion = fourier_motion(robot, 4, 20, 250)
    states = (motion.q, motion.qd, motion.qdd)
    load = np.array([0.012, 0.001, -0.002, 0.015, 0.0005, 0.01, 0.03, -0.02, 0.1, 1.7])
    phi = robot.phi + np.append(np.zeros(50), load)
    empty = noisy(robot.inverse_dynamics(*states), 0.005, 1)
    full = noisy(robot.with_phi(phi).inverse_dynamics(*states), 0.005, 2)
    t = motion.t + np.where(motion.t > 9, 1e7, 0)
    base = identify(robot, {"t": motion.t, "q": motion.q, "tau": empty}, friction=None, rotors=False)
    payload = identify_payload(base, {"t": t, "q": motion.q, "tau": full})
    assert payload.phi[9] == pytest.approx(1.7, rel=0.01)
    assert payload.errors.total < 0.02 < payload.unloaded.total


def test_a_planar_robot_says_that_it_cannot_feel_all_of_a_payload():
    robot = cf.load("2r")
    motion = fourier_motion(robot, 4, 8, 100)
    tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    log = {"t": motion.t, "q": motion.q, "tau": tau}
    base = identify(robot, log, friction=None, rotors=False)
    with pytest.raises(cf.ClosedFormError, match=r"MZ of the payload .* moves in a plane") as caught:
        identify_payload(base, log)
    assert "undetermined" not in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_rotors_of_coupled_joints_are_not_taken_for_inertia(tmp_path):
    """A mimic's rotor turns with its driver: it is known, and stays the mimic's own."""
    robot = random_tree(6, 5)
    mimic = robot.model.bodies[-1]
    assert mimic.coupling is not None
    assert mimic.armature > 0
    motion = fourier_motion(robot, 1, 20, 250)
    tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    found = identify(robot, {"t": motion.t, "q": motion.q, "tau": tau}, friction=None)
    assert worst(found.base_values, found.base.matrix @ robot.phi) < 1e-3
    states = robot.random_state(5, batch=20)
    assert worst(found.robot.inverse_dynamics(*states), robot.inverse_dynamics(*states)) < 1e-3


def test_saving_is_whole_or_not_at_all(result, tmp_path):
    for save in (result.save, result.save_robot):
        with pytest.raises(cf.ClosedFormError, match="cannot be written"):
            save(tmp_path / "absent" / "file.toml")
    assert not list(tmp_path.iterdir())
    result.save(tmp_path / "result.json")
    assert Identification.load(tmp_path / "result.json").names == result.names


def test_the_reduced_factor_takes_floating_bases_and_names_mistakes(arm):
    robot = cf.load("spherical_pendulum")
    base = base_parameters(robot)
    q, qd, qdd = robot.random_state(0, batch=300)
    R = reduced_factor(base, q, qd, qdd, block=64)
    Y = np.asarray(base.regressor(q, qd, qdd)).reshape(-1, base.count)
    assert np.allclose(R.T @ R, Y.T @ Y)
    base = base_parameters(arm)
    q, qd, qdd = arm.random_state(0, batch=300)
    assert reduced_factor(base, q.tolist(), qd, qdd).shape == (6, 6)
    bad = q.copy()
    bad[200, 1] = np.nan
    for arrays, options, words in (
        ((bad, qd, qdd), {"block": 64}, "q is not finite in row 201"),
        ((q[:5], qd, qdd), {}, r"qd has shape \(300, 2\)"),
        ((q, qd, qdd), {"block": 0}, "block is 0"),
    ):
        with pytest.raises(cf.ArgumentError, match=words):
            reduced_factor(base, *arrays, **options)
    with pytest.raises(cf.ArgumentError, match="base is"):
        reduced_factor(arm, q, qd, qdd)


class OnDisk:
    """Rows that can only be read a few at a time, as those of an HDF5 or Zarr data set."""

    def __init__(self, rows, most):
        self.rows, self.most, self.shape, self.dtype = rows, most, rows.shape, rows.dtype

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, part):
        assert len(self.rows[part]) <= self.most
        return self.rows[part]


def test_the_reduced_factor_reads_no_more_than_a_block(arm, monkeypatch, tmp_path):
    """Data sets on disk are read block by block, however large; so are arrays mapped from a file."""
    base = base_parameters(arm)
    states = arm.random_state(0, batch=300)
    expected = reduced_factor(base, *states, block=64)
    assert np.array_equal(reduced_factor(base, *(OnDisk(x, 64) for x in states), block=64), expected)
    monkeypatch.setattr("closedform.checks.MOST_ENTRIES", 128)
    mapped = []
    for k, x in enumerate(states):
        np.save(tmp_path / f"{k}.npy", x)
        mapped.append(np.load(tmp_path / f"{k}.npy", mmap_mode="r"))
    assert np.array_equal(reduced_factor(base, *mapped, block=64), expected)
    with pytest.raises(cf.ArgumentError, match="qd has dtype complex128"):
        reduced_factor(base, states[0], states[1] * 1j, states[2], block=64)
    masked = np.ma.masked_greater(states[0], 1.0)
    with pytest.raises(cf.ArgumentError, match="q has masked entries"):
        reduced_factor(base, masked, *states[1:], block=64)


def test_one_joint_that_contradicts_the_description_is_doubted_not_refused():
    """If most others agree, a tool, a sign or a unit of that joint is asked for; else all are wrong."""
    arm = cf.load("puma560")
    motion = fourier_motion(arm, 3, 20, 250)
    tau = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd) + 0.5 * motion.qd

    def doubts(factors):
        log = read_log({"t": motion.t, "q": motion.q, "tau": tau * factors}, arm)
        return check_gains(arm, log, 5.0, lambda: ())

    assert doubts(np.ones(6)) == ()
    (doubt,) = doubts([1, 1, 1, 1, 1, 20])
    assert "joint 'joint6' are 20 times" in doubt
    assert "a tool that is not described" in doubt
    for odd in ([1, 1, 1, 1, 1, 0.02], [1, 1, 1, 1, 1, -1], [1, 1, 1, 1, 1, 1000]):
        (doubt,) = doubts(odd)
        assert f"need {1 / odd[5]:.3g} times the logged effort of joint 'joint6'" in doubt
        assert "another sign or unit" in doubt
    for wrong in (np.full(6, 20), [20, -1, 20, 1, 1, 1]):
        with pytest.raises(LogError, match="motor currents"):
            doubts(wrong)
