"""The band in which efforts follow positions: judged by rows left out, and kept by predictions."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.errors import ArgumentError
from closedform.identification import FrictionTerms, Identification, base_parameters, identify, read_log
from closedform.identification.logs.signals import Filters, between, condition_signals
from closedform.identification.regression.band import LEAST, best_band
from closedform.identification.regression.design import Design, independent
from closedform.identification.regression.split import Split
from closedform.identification.regression.trials import Trials
from identification_logs import Losses, fourier_motion, noisy

SHARP = FrictionTerms(coulomb=0.01)
QUICK = {"friction": SHARP, "physical": False}
RATE, SECONDS = 250.0, 16


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


def recorded(arm, seed, ripple=0.0, noise=0.01):
    """A log of friction and noisy efforts; the sensors err by fifty ripples a turn."""
    motion = fourier_motion(arm, seed, SECONDS, RATE)
    torque = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd) + Losses.random(2, 3).torque(motion.qd)
    return {"t": motion.t, "q": motion.q + ripple * np.sin(50 * motion.q), "tau": noisy(torque, noise, seed)}


@pytest.fixture(scope="module")
def rippled(arm):
    return recorded(arm, 3, ripple=2e-3)


@pytest.fixture(scope="module")
def narrowed(arm, rippled):
    return identify(arm, rippled, **QUICK)


def test_a_ripple_that_efforts_do_not_follow_is_left_out(arm, rippled, narrowed):
    """Least squares take the accelerations of a ripple for noise and make inertias too small."""
    wide = identify(arm, rippled, cutoff=15.0, **QUICK)
    truth = base_parameters(arm).matrix @ arm.phi
    scale = np.abs(truth).max()
    assert LEAST <= narrowed.band == narrowed.filters.cutoff <= 6
    assert wide.band is None
    assert np.abs(narrowed.base_values - truth).max() < 0.02 * scale
    assert np.abs(wide.base_values - truth).max() > 0.1 * scale
    assert any(f"{narrowed.band:.3g} Hz instead of 15 Hz" in note for note in narrowed.notes)
    assert not narrowed.doubts
    assert wide.doubts


@pytest.mark.parametrize("hold_out", [1.0, 2.0, "half"])
def test_a_band_is_found_between_what_is_held_out(arm, rippled, hold_out):
    result = identify(arm, rippled, hold_out=hold_out, **QUICK)
    assert LEAST <= result.band <= 6
    assert result.held_out.total < 0.05


def test_predictions_stay_in_the_band_and_are_judged_in_any(arm, rippled, narrowed):
    """Another log with the same ripple: up to 15 Hz, torques are predicted by what the lower band tells."""
    other = recorded(arm, 4, ripple=2e-3)
    wide = identify(arm, rippled, cutoff=15.0, **QUICK)
    assert narrowed.validate(other, cutoff=15.0).total < 0.3 * wide.validate(other).total
    trace, own = narrowed.predict(other, cutoff=15.0), wide.predict(other)
    at = np.isin(own.time, trace.time)
    assert np.array_equal(own.measured[at], trace.measured)
    assert np.count_nonzero(at) > 0.8 * len(at)
    low = narrowed.predict(other)
    assert len(low.time) < len(trace.time)
    both = np.isin(trace.time.round(6), low.time.round(6))
    assert np.count_nonzero(both) > 20
    chosen = low.predicted[np.isin(low.time.round(6), trace.time.round(6))]
    assert np.allclose(trace.predicted[both], chosen, rtol=0, atol=1e-9 * np.abs(chosen).max())


def test_a_band_is_saved(tmp_path, arm, rippled):
    narrowed = identify(arm, rippled, friction=SHARP, physical=True)
    narrowed.save(tmp_path / "result.json")
    again = Identification.load(tmp_path / "result.json")
    assert again.band == narrowed.band
    other = recorded(arm, 4, ripple=2e-3)
    assert again.validate(other, cutoff=15.0).total == pytest.approx(
        narrowed.validate(other, cutoff=15.0).total
    )


@pytest.mark.parametrize("cutoff", [0.0, -1.0, np.nan, 125.0, "wide"])
def test_a_prediction_needs_a_cutoff_that_the_log_allows(arm, narrowed, cutoff):
    with pytest.raises(ArgumentError, match="predict: cutoff"):
        narrowed.predict(recorded(arm, 4), cutoff=cutoff)


@pytest.mark.parametrize("noise", [0.01, 0.4])
def test_noise_of_efforts_leaves_the_cutoff(arm, noise):
    """Efforts that nobody can predict are no reason to look at fewer of them."""
    result = identify(arm, recorded(arm, 5, noise=noise), **QUICK)
    assert result.band is None
    assert result.filters.cutoff == 15.0


def test_a_log_of_the_lowest_cutoff_and_a_given_one_are_left_alone(arm, rippled):
    assert identify(arm, rippled, cutoff=10.0, **QUICK).band is None
    blocks = identify(arm, rippled, hold_out=0.1, **QUICK)  # too short for filters of 15 Hz and less
    assert blocks.band is None


@pytest.mark.parametrize("count", [2, 6])
def test_several_logs_have_one_band_and_one_lag(arm, count):
    """From five logs on, folds are whole logs; the main log is judged by stretches of it all the same."""
    logs = [recorded(arm, seed, ripple=2e-3) for seed in range(count)]
    result = identify(arm, logs, **QUICK)
    assert LEAST <= result.band <= 6
    assert result.cross_validation.total < 0.1
    late = [log | {"tau": np.roll(log["tau"], 5, axis=0)} for log in logs]
    assert identify(arm, late, **QUICK).lag == pytest.approx(5 / RATE, abs=0.002)


def test_trials_are_fits_to_all_folds_but_one(arm, rippled):
    """By brute force: least squares with the weights of the trials, a fold left out."""
    log = read_log(rippled, arm)
    base, dependent = independent(arm, log.transmission.axes)
    design = Design.of(arm, base, log.transmission.axes, SHARP, True, dependent)
    filters, split = Filters(RATE, 10.0), Split(0.0, SECONDS, None, 0.05, 1.6)
    trials = Trials.of(design, log.samples(), filters, split)
    rows = design.rows(condition_signals(log.samples(), filters), filters)
    label = np.where(rows.label < 0, rows.label, split.labels(rows.time))
    W = np.zeros((len(rows.time), 2, design.width))
    for j, (w, a) in enumerate(zip(rows.W, design.active, strict=True)):
        W[:, j, a] = w
    squares = trials.squares(trials.rows.tau)
    folds = np.unique(label[label >= 0])
    assert len(folds) == len(squares) == 10
    root = np.sqrt(trials.weights)
    for fold, own in zip(folds, squares, strict=True):
        fitted, left = (label >= 0) & (label != fold), label == fold
        A = (W[fitted] * root[:, None]).reshape(-1, design.width)
        x = np.linalg.lstsq(A, ((rows.tau - rows.given)[fitted] * root).ravel(), rcond=None)[0]
        error = rows.tau[left] - rows.given[left] - W[left] @ x
        assert np.sum(error**2, axis=0) == pytest.approx(own, rel=1e-5)


def test_a_short_log_has_no_other_band(arm, rippled):
    log = read_log(rippled, arm)
    base, dependent = independent(arm, log.transmission.axes)
    design = Design.of(arm, base, log.transmission.axes, SHARP, True, dependent)
    short = log.samples(0, 150)
    assert best_band(design, short, Filters(RATE, 15.0), Split(0.0, 0.6, None, 0.1), 6.0) is None


def test_moments_in_gaps_lie_between_no_rows():
    rows = np.array([0.0, 0.1, 0.2, 0.5, 0.6])
    at = np.array([-0.01, 0.0, 0.15, 0.2, 0.3, 0.5, 0.55, 0.6, 0.61])
    assert between(rows, at).tolist() == [False, True, True, True, False, True, True, True, False]
    assert not between(rows[:1], at).any()


def test_a_prediction_of_few_rows_is_what_they_tell(arm, narrowed):
    """A log just long enough for the wide filter has no rows after the narrow one; longer, it has some."""
    log = recorded(arm, 4)
    settling = int(8 / narrowed.band * RATE)
    short = {name: values[: settling - 50] for name, values in log.items()}
    with pytest.raises(cf.identification.LogError, match="settle"):
        narrowed.predict(short, cutoff=15.0)
    longer = {name: values[: settling + 50] for name, values in log.items()}
    trace = narrowed.predict(longer, cutoff=15.0)
    assert 0 < len(trace.time) < 12
    assert np.isfinite(trace.predicted).all()
