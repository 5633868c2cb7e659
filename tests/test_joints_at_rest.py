"""Joints at rest: friction holds them anywhere between two torques, so that their efforts count little."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import closedform as cf
from closedform.identification import FrictionTerms, identify, identify_payload, read_log
from closedform.identification.logs.rest import COUNTS, MOST, at_rest, without_rest
from closedform.identification.workflow import opening
from identification_logs import fourier_motion, noisy

RATE, REST = 100.0, 4.0
QUICK = {"friction": FrictionTerms(coulomb=1e-3), "cutoff": 5.0, "physical": False}


def stopping(arm, seed, robot=None, held=0.0):
    """A motion between two rests of four seconds, where drives hold joints by a torque less."""
    motion = fourier_motion(arm, seed, 20, RATE)
    rows = round(REST * RATE)
    slow = np.concatenate([np.zeros(rows), np.linspace(0, 1, 200), np.ones(len(motion.t) - 400)])
    slow = np.concatenate([slow, np.linspace(1, 0, 200), np.zeros(rows)])
    phase = np.cumsum(slow) / RATE  # the motion is run through faster and slower
    q, qd, qdd = (
        np.stack([np.interp(phase, motion.t, x[:, j]) for j in range(arm.nv)], axis=1)
        for x in (motion.q, motion.qd, motion.qdd)
    )
    rate = np.gradient(slow) * RATE
    qd, qdd = qd * slow[:, None], qdd * slow[:, None] ** 2 + qd * rate[:, None]
    tau = (robot or arm).inverse_dynamics(q, qd, qdd) + 2.0 * np.sign(qd) - held * (slow == 0)[:, None]
    return {"t": np.arange(len(q)) / RATE, "q": q, "qd": qd, "tau": noisy(tau, 0.01, seed)}


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


def test_rests_are_found_and_reversals_are_not(arm):
    log = stopping(arm, 1)
    found = at_rest(log["q"], RATE)
    standing = (log["qd"] == 0).all(axis=1)
    assert found[standing].all()
    assert np.count_nonzero(found[~standing]) < 0.05 * found.size  # the slow start and end
    moving = fourier_motion(arm, 2, 20, RATE)
    assert not at_rest(moving.q, RATE).any()
    assert not at_rest(moving.q[:20], RATE).any()  # shorter than a rest


def test_poses_that_are_held_stay(arm):
    """A log of poses has hardly anything else: it is fitted as it is."""
    rng = np.random.default_rng(1)
    q = np.repeat(rng.uniform(-1, 1, (30, 2)), 100, axis=0)
    assert not at_rest(q, RATE).any()
    mixed = np.column_stack([q[:, 0], fourier_motion(arm, 2, 30, RATE).q[:, 1]])
    assert not at_rest(mixed, RATE)[:, 0].any()
    assert 0 < MOST < 1


def test_torques_of_rests_bias_little(arm, monkeypatch):
    """Joints are held by 1.5 N m less than they weigh, within the Coulomb torque of 2 N m."""
    log = stopping(arm, 1, held=1.5)
    result = identify(arm, log, **QUICK)
    truth = result.base.values
    apart = result.values[: len(truth)] - truth
    assert np.abs(apart / result.standard_errors[: len(truth)]).max() < 4
    (note,) = (note for note in result.notes if "stands still" in note)
    assert "joint1 (" in note
    monkeypatch.setattr(opening, "without_rest", lambda log, held_out=None: log)
    biased = identify(arm, log, **QUICK).values[: len(truth)] - truth
    assert np.abs(apart).max() < 0.6 * np.abs(biased).max()


def test_rests_that_are_held_out_are_judged(arm):
    """To fit a rest little is fair; to count it little in the errors would flatter."""
    log = read_log(stopping(arm, 1, held=1.5), arm)
    held = log.time > log.time[-1] / 2
    some = without_rest(log, held)
    assert (some.importance[:300] < 0.5).all()  # the rest at the start
    assert (some.importance[held] == 1).all()  # the rest at the end
    moving = identify(arm, log, hold_out="half", mask=without_rest(log).importance == 1, **QUICK)
    assert identify(arm, log, hold_out="half", **QUICK).held_out.total > 2 * moving.held_out.total


def test_a_rest_counts_as_one_second_however_long(arm):
    log = read_log(stopping(arm, 1), arm)
    weights = without_rest(log).importance
    starts = weights[: len(weights) // 2]
    assert np.allclose(np.where(starts < 1, starts, 0).sum(axis=0) / RATE, COUNTS)


def test_rests_come_on_top_of_what_the_user_masks(arm):
    log = read_log(stopping(arm, 1), arm)
    mask = np.ones((len(log), 2))
    mask[1000:1100, 0] = 0
    both = without_rest(replace(log, importance=mask))
    assert not both.importance[1000:1100, 0].any()
    assert (both.importance[:300] < 0.5).all()
    assert both.importance[1000:1100, 1].all()


def test_a_payload_is_weighed_while_joints_move():
    arm = cf.load("ur5")
    rows = [stopping(arm, 3), stopping(arm, 4, arm.with_payload(2.8, (0, 0, 0.1)), held=1.5)]
    empty = identify(arm, rows[0], **QUICK)
    payload = identify_payload(empty, rows[1])
    assert abs(payload.mass - 2.8) < 3 * payload.mass_error < 0.1
    assert any("stands still" in note for note in payload.notes)
