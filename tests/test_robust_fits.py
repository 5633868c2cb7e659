"""Claims about fits that noise of positions does not bias, and that single bad stretches do not spoil."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.identification import FrictionTerms, identify
from closedform.identification.regression.best_method import best_method, noise_free_squares
from closedform.identification.regression.least_squares import ROUNDS, corrected, fit_folds, solve
from closedform.identification.regression.moments import Moments
from closedform.identification.regression.rows import Rows
from closedform.identification.workflow import fitting as workflow
from identification_logs import fourier_motion, noisy
from tolerances import ROUNDING

VISCOUS = FrictionTerms(coulomb=None)
QUICK = {"lag": 0.0, "friction": VISCOUS, "rotors": False, "physical": False}


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


def simulated(arm, seed, noise, duration=15):
    """A log at 500 Hz with viscous friction, 1 % torque noise and white noise on positions."""
    motion = fourier_motion(arm, 7, duration, 500.0)
    rng = np.random.default_rng(seed)
    tau = noisy(arm.inverse_dynamics(motion.q, motion.qd, motion.qdd) + 0.5 * motion.qd, 0.01, seed)
    return {"t": motion.t, "q": motion.q + noise * rng.normal(size=motion.q.shape), "tau": tau}


def distances(arm, method, seeds):
    """Errors of the values over their standard errors, log by log."""
    found = []
    for seed in seeds:
        result = identify(arm, simulated(arm, seed, 1e-3), cutoff=20.0, method=method, **QUICK)
        true = np.concatenate([result.base.values, [0.5, 0.5, 0.0, 0.0]])
        found.append((result.values - true) / result.standard_errors)
    return np.array(found), result


def test_noise_of_positions_biases_least_squares_and_not_instrumental_variables(arm):
    """Inertias shrink by many standard errors with one method; the errors of the other are as promised."""
    biased, plain = distances(arm, "reweighted", range(2))
    assert biased.mean(axis=0)[plain.names.index("ZZR1")] < -4
    assert any('method="iv"' in note for note in plain.notes)
    fair, result = distances(arm, "iv", range(6))
    assert np.abs(fair.mean(axis=0)).max() < 1.5
    assert np.abs(fair).max() < 4
    assert 0.2 < np.sqrt(np.mean(fair**2)) < 1.5
    assert "instrumental variables" in str(result)


def test_without_noise_both_methods_agree(arm):
    log = simulated(arm, 0, 0.0)
    plain, other = (
        identify(arm, log, cutoff=10.0, method=method, **QUICK) for method in ("reweighted", "iv")
    )
    assert np.abs((plain.values - other.values) / plain.standard_errors).max() < 0.1


def test_the_corrected_equations_are_those_of_two_way_instruments():
    """(W^T W - N) x = W^T tau is the same as W1^T (tau - W2 x) + W2^T (tau - W1 x) = 0."""
    rng = np.random.default_rng(0)
    clean = rng.normal(size=(400, 3))
    one, two = (clean + 0.3 * rng.normal(size=clean.shape) for _ in range(2))
    tau = clean @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=400)
    moments = Moments([np.arange(3)], 3, lags=0)
    moments.add(
        Rows(
            np.arange(400.0),
            ((one + two) / 2,),
            tau[:, None],
            np.zeros((400, 1)),
            np.zeros(400, dtype=int),
            noise=((one - two) / 2,),
        )
    )
    fit = solve(moments.triangles([0]), moments.active, 3, "iv", noises=moments.noises([0]))
    x = np.linalg.solve(one.T @ two + two.T @ one, (one + two).T @ tau)
    assert np.abs(fit.values - x).max() < 1e3 * ROUNDING
    assert np.abs(x - [1.0, -2.0, 0.5]).max() < 0.05
    with pytest.raises(cf.ClosedFormError, match="hides some parameters"):
        corrected(np.eye(4), moments.active, [2 * np.eye(3)], np.ones(1))
    assert set(ROUNDS) == {"ordinary", "weighted", "reweighted", "iv"}


def test_the_method_is_chosen_by_rows_left_out(arm):
    """Noise that biases least squares is seen though it hides in the columns; without it nothing is tried."""
    result = identify(arm, simulated(arm, 0, 1e-3), cutoff=20.0, **QUICK)
    assert result.method == "iv"
    assert any("and are taken" in note for note in result.notes)
    clean = identify(arm, simulated(arm, 0, 0.0), cutoff=20.0, **QUICK)
    assert clean.method == "weighted"
    assert not any("instrumental" in note for note in clean.notes)


def test_squares_are_counted_as_if_columns_had_no_noise():
    """The noise of two halves drops out on average: what is left is the error of clean columns."""
    rng = np.random.default_rng(1)
    count, folds = 20000, 4
    clean = rng.normal(size=(count, 2))
    halves = [clean + 0.5 * rng.normal(size=clean.shape) for _ in range(2)]
    tau = clean @ [1.0, -2.0] + 0.3 * rng.normal(size=count)
    label = np.arange(count) * folds // count
    moments = Moments([np.arange(2)], 2, lags=0)
    noise = ((halves[0] - halves[1]) / 2,)
    rows = (np.arange(count * 1.0), ((halves[0] + halves[1]) / 2,), tau[:, None], np.zeros((count, 1)), label)
    moments.add(Rows(*rows, noise=noise))
    scatter = fit_folds(moments, range(folds), "weighted").scatter[0]
    for method in ("weighted", "iv"):
        for fold, found in enumerate(noise_free_squares(moments, method)):
            x = fit_folds(moments, [k for k in range(folds) if k != fold], method).values
            here = label == fold
            true = np.sum((tau[here] - clean[here] @ x) ** 2)
            spread = np.sqrt(count / folds) * (0.3**2 + 0.5**2 * x @ x)  # of the products of two residuals
            assert abs(found * scatter**2 - true) < 4 * spread < 0.5 * count / folds * 0.5**2 / 2 * (x @ x)
    assert best_method(moments)[0] == "iv"
    quiet = Moments([np.arange(2)], 2, lags=0)
    quiet.add(Rows(rows[0], (clean,), *rows[2:], noise=(np.zeros_like(clean),)))
    assert best_method(quiet)[0] == "weighted"


def test_a_contact_in_the_log_counts_less(arm, monkeypatch):
    """Somebody pushes for 0.3 s: rows there are named and counted, and the values stay what they were."""
    log = simulated(arm, 1, 0.0)
    clean = identify(arm, log, **QUICK)
    assert not any("count less" in note for note in clean.notes)
    pushed = log["tau"].copy()
    pushed[3000:3150, 1] += 30.0
    pushed = log | {"tau": pushed}
    robust = identify(arm, pushed, **QUICK)
    (note,) = (note for note in robust.notes if "count less" in note)
    assert "joint2 (" in note
    monkeypatch.setattr(workflow, "OUTLIER_ROUNDS", 0)
    plain = identify(arm, pushed, **QUICK)

    def apart(result):
        return np.abs((result.values - clean.values) / clean.standard_errors).max()

    assert apart(robust) < 5
    assert apart(plain) > 10 * apart(robust)
    assert robust.fitted.total > 2 * clean.fitted.total  # errors are those of all rows


def test_a_model_that_is_wrong_everywhere_has_no_outliers(arm):
    """If more than a twentieth of the rows are far off, they are no outliers."""
    log = simulated(arm, 1, 0.0)
    tau = log["tau"].copy()
    tau[1500:4000, 0] += 40.0
    result = identify(arm, log | {"tau": tau}, **QUICK)
    notes = [note for note in result.notes if "count less" in note]
    assert not any("joint1" in note for note in notes)
