"""Masks and weights of `identify`: what does not count leaves no trace, the rest counts as it should."""

from functools import cache

import numpy as np
import pytest

import closedform as cf
from closedform.identification import FrictionTerms, read_log
from closedform.identification.logs.importance import Importance
from closedform.identification.regression.split import Split

LINEAR = FrictionTerms(coulomb=None)
BAD = slice(4000, 5500)


@cache
def arm():
    return cf.load("2r")


@cache
def recorded(seed=0):
    t = np.arange(0, 20, 0.002)
    q = np.stack([np.sin(t) + np.sin(2.7 * t), np.cos(1.3 * t) - np.sin(3.1 * t)], axis=1)
    qd, qdd = np.gradient(q, t, axis=0), np.gradient(np.gradient(q, t, axis=0), t, axis=0)
    tau = arm().inverse_dynamics(q, qd, qdd) + 0.5 * qd
    return {"t": t, "q": q, "tau": tau + np.random.default_rng(seed).normal(size=q.shape)}


@cache
def spoilt():
    """A stretch of the first joint's efforts is noise that a sensor makes, larger than all torques."""
    log = recorded()
    tau = log["tau"].copy()
    wrong = np.random.default_rng(1).normal(size=BAD.stop - BAD.start)
    tau[BAD, 0] = 20 * np.abs(tau).max() * np.convolve(wrong, np.ones(100) / 10, "same")
    return {**log, "tau": tau}


def identified(log, **options):
    return cf.identify(
        arm(), log, **{"friction": LINEAR, "lag": 0.0, "cutoff": 10.0, "physical": False, **options}
    )


@cache
def clean():
    return identified(recorded())


def mask():
    counts = np.ones((len(recorded()["t"]), 2), dtype=bool)
    counts[BAD, 0] = False
    return counts


@cache
def masked():
    return identified(spoilt(), mask=mask())


def rows_of(result, log, **importance):
    """Return the rows of a result's design, made apart from its fit."""
    log = Importance(**importance).applied(read_log(log, arm()))
    (rows,) = result.design.segments(log, result.filters, Split(log.time[0], log.time[-1], None, 0.0))
    return rows.part(rows.label >= 0)


def least_squares(result, rows, counts):
    """Return the weighted least squares solution of all joints' rows by NumPy."""
    A, b = [], []
    for j, active in enumerate(result.design.active):
        wide = np.zeros((len(rows.tau), result.design.width))
        wide[:, active] = rows.W[j]
        A.append(wide * np.sqrt(counts[:, j, None]))
        b.append((rows.tau - rows.given)[:, j] * np.sqrt(counts[:, j]))
    return np.linalg.lstsq(np.concatenate(A), np.concatenate(b), rcond=None)[0]


def test_masked_garbage_of_one_joint_leaves_the_values_within_their_errors():
    worse = identified(spoilt(), plausible=False)
    apart = np.abs(masked().values - clean().values) / clean().standard_errors
    assert apart.max() < 2
    assert (np.abs(worse.values - clean().values) / clean().standard_errors).max() > 5
    assert masked().fitted.total < 1.1 * clean().fitted.total
    assert masked().cross_validation.total < 1.1 * clean().cross_validation.total
    assert np.all(masked().standard_errors < 1.5 * clean().standard_errors)
    assert f"joint1 ({BAD.stop - BAD.start})" in "".join(masked().notes)


def test_rows_of_the_other_joint_still_count():
    rows = rows_of(masked(), spoilt(), mask=mask())
    counted = np.count_nonzero(rows.importance, axis=0)
    seconds, period = (BAD.stop - BAD.start) / 500, 1 / masked().filters.cutoff
    lost = (seconds + 2 * period) * masked().filters.rate / masked().filters.step
    assert counted[1] == len(rows.tau) == clean().fitted.rows
    assert abs(counted[1] - counted[0] - lost) <= 2
    assert masked().fitted.rows == clean().fitted.rows


def test_a_stuck_sensor_that_is_masked_does_not_take_rows_from_the_other_joint():
    log = recorded()
    tau = log["tau"].copy()
    tau[4000:4200, 0] = 2 * np.abs(tau).max()
    counts = {"joint1": np.ones(len(tau), dtype=bool)}
    counts["joint1"][4000:4200] = False
    result = identified({**log, "tau": tau}, mask=counts)
    assert result.fitted.rows == clean().fitted.rows > identified({**log, "tau": tau}).fitted.rows


def test_weights_of_zero_equal_a_mask():
    counts = mask()
    for given in (counts.astype(float), {"joint1": counts[:, 0] * 1.0}):
        np.testing.assert_array_equal(identified(spoilt(), weights=given).values, masked().values)
    both = identified(spoilt(), mask={"joint1": counts[:, 0]}, weights=np.ones(len(counts)))
    np.testing.assert_array_equal(both.values, masked().values)
    np.testing.assert_array_equal(both.standard_errors, masked().standard_errors)


def test_held_out_errors_are_of_the_rows_that_count():
    result = identified(spoilt(), mask=mask(), hold_out="half")
    assert result.held_out.total < 1.2 * clean().fitted.total


def test_weights_are_those_of_least_squares():
    t = recorded()["t"]
    weights = np.stack([1 + 3 * (t < 9), 0.5 + 0.1 * t], axis=1)
    result = identified(recorded(), method="ordinary", weights=weights)
    rows = rows_of(result, recorded())
    step = result.filters.step
    mean = np.stack([np.convolve(w, np.ones(step) / step, "same") for w in weights.T], axis=1)
    counts = mean[np.round(rows.time * 500).astype(int)]
    found = least_squares(result, rows, counts)
    np.testing.assert_allclose(result.values, found, rtol=2e-5)
    assert np.abs(found / clean().values - 1).max() > 1e-3
    residual = rows.tau - result.design.predicted(rows, found)
    rms = np.sqrt(np.sum(counts * residual**2, axis=0) / counts.sum(axis=0))
    np.testing.assert_allclose(result.fitted.rms, rms, rtol=1e-3)


def test_a_weight_of_four_equals_rows_that_are_there_four_times():
    result = identified(recorded(), method="ordinary", weights={"joint1": 4})
    rows = rows_of(result, recorded())
    found = least_squares(result, rows, np.ones(rows.tau.shape) * [4, 1])
    np.testing.assert_allclose(result.values, found, rtol=1e-9)


@pytest.mark.parametrize("method", ["ordinary", "weighted", "reweighted", "iv"])
def test_only_ratios_of_weights_matter(method):
    one, other = (identified(recorded(), method=method, weights=w) for w in (None, np.full((10000, 2), 7.0)))
    np.testing.assert_allclose(other.values, one.values, rtol=1e-8)
    np.testing.assert_allclose(other.standard_errors, one.standard_errors, rtol=1e-6)
    np.testing.assert_allclose(other.fitted.rms, one.fitted.rms, rtol=1e-8)


def test_the_weight_of_a_joint_counts_with_every_method():
    for method in ("weighted", "reweighted"):
        plain, heavy = (identified(recorded(), method=method, weights=w) for w in (None, {"joint2": 100.0}))
        assert np.abs(heavy.values / plain.values - 1).max() > 1e-4
        np.testing.assert_allclose(heavy.scatter, plain.scatter, rtol=0.05)


def test_several_logs_have_a_list_of_masks():
    logs = [spoilt(), recorded(2)]
    result = identified(logs, mask=[mask(), None])
    assert (np.abs(result.values - clean().values) / clean().standard_errors).max() < 4
    with pytest.raises(cf.ClosedFormError, match="mask has one entry for 2 logs"):
        identified(logs, mask=mask())
    with pytest.raises(cf.ClosedFormError, match="weights has 3 entries for 2 logs"):
        identified(logs, weights=[None] * 3)


ROWS = 10000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mask": np.ones(99, dtype=bool)}, "mask has 99 rows, but log has 10000"),
        ({"weights": np.ones((ROWS, 3))}, r"weights has shape \(10000, 3\); expected .*\(10000, 2\)"),
        ({"mask": {"joint1": True}}, r"mask of joint 'joint1' has shape \(\)"),
        ({"mask": {"elbow": np.ones(ROWS)}}, "elbow"),
        ({"mask": np.full(ROWS, 0.5)}, r"mask\[0\] is 0.5; expected booleans"),
        ({"weights": {"joint2": -1.0}}, "weights of joint 'joint2' is -1"),
        ({"weights": np.full(ROWS, np.nan)}, r"weights\[0\] is nan"),
        ({"weights": "heavy"}, "weights has dtype"),
        ({"weights": {"joint2": 0.0}}, r"no rows of joint\(s\) joint2"),
        ({"mask": np.zeros(ROWS, dtype=bool)}, "leave no effort of log"),
    ],
)
def test_bad_masks_and_weights_are_refused_by_name(options, message):
    with pytest.raises(cf.ClosedFormError, match=message):
        identified(recorded(), **options)


def test_a_mask_follows_efforts_of_an_uneven_clock_that_lag():
    log, lag = spoilt(), 0.05
    t = log["t"] + 0.0004 * np.random.default_rng(3).uniform(-1, 1, len(log["t"]))
    late = np.stack([np.interp(t - lag, log["t"], column) for column in log["tau"].T], axis=1)
    q = np.stack([np.interp(t, log["t"], column) for column in log["q"].T], axis=1)
    counts = {"joint1": (t < BAD.start / 500 + lag - 0.002) | (t > BAD.stop / 500 + lag + 0.002)}
    result = identified({"t": t, "q": q, "tau": late}, lag=lag, mask=counts)
    assert result.fitted.total < 1.2 * clean().fitted.total
    assert (np.abs(result.values - clean().values) / clean().standard_errors).max() < 4
