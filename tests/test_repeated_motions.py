"""Motions that repeat: their period, and cross validation that does not see one repetition by another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import closedform as cf
from closedform.identification import FrictionTerms, identify
from closedform.identification.logs.repetition import SHORTEST, motions, repetition, sketch
from closedform.identification.logs.signals import Samples
from closedform.identification.regression.split import FOLDS, HELD_OUT, Split
from identification_logs import fourier_motion, noisy

QUICK = {"friction": FrictionTerms(), "physical": False}
PERIOD = 10.0
"""Seconds after which the motions of `fourier_motion` repeat."""


def moved(robot, seed, seconds=30, rate=100.0, noise=1e-3):
    motion = fourier_motion(robot, seed, seconds, rate)
    q = motion.q + noise * np.random.default_rng(seed).normal(size=motion.q.shape)
    return Samples(motion.t, q, q)


@pytest.mark.parametrize("name", ["2r", "puma560", "scara", "panda", "iiwa14"])
@pytest.mark.parametrize("rate", [20.0, 100.0, 1000.0])
def test_the_period_of_a_fourier_series_is_found(name, rate):
    samples = moved(cf.load(name), 1, rate=rate)
    assert repetition(samples, rate) == pytest.approx(PERIOD, abs=0.01)


@pytest.mark.parametrize("rate", [97.3, 250.0])
def test_gaps_and_jitter_do_not_hide_it(rate):
    samples = moved(cf.load("2r"), 2, rate=rate)
    rng = np.random.default_rng(0)
    keep = np.ones(len(samples.time), dtype=bool)
    keep[500:520] = keep[1200:1240] = False
    time = (samples.time + 0.2 / rate * rng.uniform(size=len(keep)))[keep]
    found = repetition(Samples(time, samples.position[keep], samples.effort[keep]), rate)
    assert found == pytest.approx(PERIOD, abs=0.02)


def test_a_joint_that_goes_on_is_no_repetition():
    """One joint that drifts, or repeats at another period, and the motion as a whole does not."""
    samples = moved(cf.load("2r"), 3)
    drifting = samples.position + [0.0, 0.3] * samples.time[:, None]
    assert repetition(replace(samples, position=drifting), 100.0) is None
    other = np.sin(2 * np.pi * samples.time / 7.3) + np.cos(2 * np.pi * samples.time / 23)
    assert repetition(replace(samples, position=np.stack([samples.position[:, 0], other], 1)), 100.0) is None


@pytest.mark.parametrize("noise", [0.0, 1e-5, 1e-3])
def test_a_joint_at_rest_does_not_hide_it(noise):
    """Noise is like nothing else, not even like itself some time later."""
    samples = moved(cf.load("2r"), 3)
    rest = 0.7 + noise * np.random.default_rng(1).normal(size=(len(samples.time), 1))
    resting = replace(samples, position=np.concatenate([samples.position, rest], axis=1))
    assert repetition(resting, 100.0) == pytest.approx(PERIOD, abs=0.01)
    again = replace(resting, position=resting.position + np.array([0.0, 0.0, 1e-4]))
    assert motions([sketch(resting), sketch(again)], [30.0, 30.0]) == [0, 0]
    elsewhere = replace(resting, position=resting.position + np.array([0.0, 0.0, 1.0]))
    assert motions([sketch(resting), sketch(elsewhere)], [30.0, 30.0]) == [0, 1]


def test_what_is_too_short_has_none():
    samples = moved(cf.load("2r"), 4)
    part = slice(0, 1200)  # 12 s show 2 s of a repetition
    short = Samples(samples.time[part], samples.position[part], samples.effort[part])
    assert repetition(short, 100.0) is None
    fast = np.sin(2 * np.pi * samples.time / (0.5 * SHORTEST))[:, None] * [1.0, 0.5]
    found = repetition(replace(samples, position=fast), 100.0)
    assert found is None or found >= SHORTEST
    still = replace(samples, position=np.zeros_like(samples.position))
    assert repetition(still, 100.0) is None
    sparse = Samples(np.array([0.0, 0.01, 1e6]), np.eye(3)[:, :2], np.eye(3)[:, :2])
    assert repetition(sparse, 100.0) is None


@pytest.mark.parametrize("period", [6.3, 10.0, 47.0])
@pytest.mark.parametrize("hold_out", [None, 0.5, "half"])
def test_a_fold_has_the_same_part_of_every_repetition(period, hold_out):
    split = Split(5.0, 5.0 + 4 * period, hold_out, 0.02, 1.0, None, period)
    first = 5.0 + np.linspace(0, period, 997)[:-1] + 1e-6
    labels = np.array([split.labels(first + k * period) for k in range(4)])
    pairs = [(a, b) for k, a in enumerate(labels) for b in labels[:k]]
    both = [(a >= 0) & (b >= 0) for a, b in pairs]
    assert sum(map(np.count_nonzero, both)) > 900
    assert all((a[here] == b[here]).all() for (a, b), here in zip(pairs, both, strict=True))
    assert set(np.unique(labels[labels >= 0])) == set(range(FOLDS))
    assert (labels == HELD_OUT).any() == (hold_out is not None)


@pytest.mark.parametrize(("name", "harmonics"), [("2r", 3), ("panda", 2)])
def test_a_repetition_does_not_flatter_a_model_that_lacks_something(name, harmonics):
    """A torque that no column has, of many ripples a turn: a log with repetitions knows no more of other
    postures than one period of it, and its cross validation says as much."""
    arm = cf.load(name)

    def validated(seconds):
        motion = fourier_motion(arm, 6, seconds, 100.0, harmonics)
        tau = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd)
        lacking = 0.1 * np.sqrt(np.mean(tau**2, axis=0)) * np.sin(9 * motion.q)
        time = 1.07 * motion.t  # a period of which folds of one second are no part
        log = {"t": time, "q": motion.q, "tau": tau + lacking}
        return identify(arm, log, cutoff=10.0, lag=0.0, plausible=False, **QUICK)

    many, one = validated(33.0), validated(11.0)
    assert any("the motion repeats every 10.7 s" in note for note in many.notes)
    assert not any("repeats" in note for note in one.notes)
    extrapolated = one.cross_validation.total - one.fitted.total
    assert many.cross_validation.total - many.fitted.total == pytest.approx(extrapolated, rel=0.2)


@pytest.mark.parametrize(
    ("hold_out", "period", "repeated"),
    [
        ("half", 10.0, 1.0),
        ("half", None, 0.0),
        (1.0, 10.0, 0.0),
        (1.0, 10.7, 0.9),
        (None, 10.0, 0.0),
        ("all", 10.0, 0.0),
    ],
)
def test_what_is_held_out_may_repeat_what_is_fitted(hold_out, period, repeated):
    """Blocks of a second alternate evenly in a period of 10 s, so that they always hold out the same part."""
    found = Split(0.0, 60.0, hold_out, 0.01, 1.0, None, period).repeated
    assert found == pytest.approx(repeated, abs=0.1)


def test_a_hold_out_in_vain_is_told():
    arm = cf.load("2r")
    motion = fourier_motion(arm, 9, 40, 100.0, 3)
    tau = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    log = {"t": motion.t, "q": motion.q, "tau": tau}
    told = identify(arm, log, hold_out="half", lag=0.0, **QUICK).notes
    assert any("100 % of what is held out repeats what is fitted" in note for note in told)
    fine = identify(arm, log, hold_out=1.0, lag=0.0, **QUICK).notes
    assert not any("held out repeats" in note for note in fine)


def several(arm, seeds, shift=0.0, seconds=25, harmonics=2):
    """Logs of motions by their seeds, with noise of their own; each begins later than the one before."""
    logs = []
    for k, seed in enumerate(seeds):
        motion = fourier_motion(arm, seed, seconds + 5, 100.0, harmonics)
        rows = slice(int(100 * shift * k), int(100 * (shift * k + seconds)))
        q, qd, qdd = motion.q[rows], motion.qd[rows], motion.qdd[rows]
        tau = arm.inverse_dynamics(q, qd, qdd)
        lacking = 0.1 * np.sqrt(np.mean(tau**2, axis=0)) * np.sin(9 * q)
        logs.append({"t": motion.t[rows] * 1.07, "q": q, "tau": noisy(tau + lacking, 0.01, k)})
    return logs


@pytest.mark.parametrize("name", ["2r", "puma560", "panda"])
def test_logs_of_one_motion_are_recognised(name):
    """Whatever their noise, their rates and where they begin; not those of mirrored or other motions."""
    arm, rng = cf.load(name), np.random.default_rng(0)
    found = []
    for seed, rate, later in ((1, 100.0, 0), (2, 100.0, 0), (1, 250.0, 30), (3, 100.0, 0), (2, 50.0, 15)):
        motion = fourier_motion(arm, seed, 27, rate)
        rows = slice(later, later + round(25 * rate))
        q = motion.q[rows] + 1e-3 * rng.normal(size=motion.q[rows].shape)
        found.append(sketch(Samples(motion.t[rows], q, q)))
    assert motions([*found, 2 * found[0].mean(axis=0) - found[0]], [25.0] * 6) == [0, 1, 0, 2, 1, 3]
    assert motions([found[0], found[2]], [25.0, 50.0]) == [0, 1]
    still = np.zeros_like(found[0])
    assert motions([still, still + 0.1, still], [25.0] * 3) == [0, 1, 0]


def test_logs_of_one_motion_are_left_out_together():
    """Ten logs of two motions tell no more of other postures than two: folds must not part them."""
    arm = cf.load("panda")
    options = {**QUICK, "cutoff": 10.0, "lag": 0.0, "plausible": False}
    ten = identify(arm, several(arm, [1, 2] * 5, shift=0.05), **options)
    two = identify(arm, several(arm, [1, 2]), **options)
    assert any("8 of 10 fitted logs repeat the motion of another one" in note for note in ten.notes)
    assert not any("fitted logs repeat" in note for note in two.notes)
    extrapolated = two.cross_validation.total - two.fitted.total
    assert ten.cross_validation.total - ten.fitted.total == pytest.approx(extrapolated, rel=0.3)


def test_folds_are_motions_and_held_out_repetitions_are_told():
    arm = cf.load("2r")
    logs = several(arm, [1, 2, 3, 4, 5, 6, 6, 5])
    result = identify(arm, logs, hold_out={"files": 1}, lag=0.0, cutoff=10.0, plausible=False, **QUICK)
    assert any("1 of 7 fitted logs repeat the motion of another one" in note for note in result.notes)
    assert any("1 of 1 logs held out repeat a motion that is fitted" in note for note in result.notes)
    others = identify(arm, logs[:6], hold_out={"files": 1}, lag=0.0, cutoff=10.0, plausible=False, **QUICK)
    assert not any("repeat" in note for note in others.notes if "motion repeats every" not in note)
