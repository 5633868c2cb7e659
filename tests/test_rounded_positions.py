"""Rounded positions: the steps they come in, and friction that does not follow their flicker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import closedform as cf
from closedform.identification import FrictionTerms, identify, read_log
from closedform.identification.logs.rounding import least_motion, rounding_steps
from closedform.identification.regression.friction import presliding
from identification_logs import fourier_motion, noisy


def rounded(q, step):
    return np.round(q / step) * step


@pytest.mark.parametrize("rate", [200.0, 1000.0])
@pytest.mark.parametrize("step", [2 * np.pi / 2**16, 25 / 65535, 1e-4, 2e-3])
def test_the_step_of_rounded_positions_is_found(rate, step):
    motion = fourier_motion(cf.load("panda"), 1, 20, rate)
    assert rounding_steps(rounded(motion.q, step)) == pytest.approx(np.full(7, step), rel=1e-3)


@pytest.mark.parametrize("digits", [5, 6])
def test_files_that_round_once_more_do_not_hide_it(digits):
    """Steps of a sensor, written with some decimals: those of the coarser rounding are found."""
    motion = fourier_motion(cf.load("2r"), 2, 20, 500.0)
    step = 2 * np.pi / 2**14
    assert rounding_steps(rounded(motion.q, step).round(digits)) == pytest.approx(np.full(2, step), rel=1e-2)


@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_positions_that_were_not_rounded_have_no_step(noise):
    motion = fourier_motion(cf.load("panda"), 3, 20, 250.0)
    q = motion.q + noise * np.random.default_rng(0).normal(size=motion.q.shape)
    assert (rounding_steps(q) == 0).all()
    assert (rounding_steps(np.float32(q).astype(float)) < 1e-6).all()  # those of single precision


def test_what_hardly_changes_tells_no_step():
    x = np.zeros((1000, 3))
    x[500:, 1] = 1e-3
    x[:, 2] = np.nan
    assert (rounding_steps(x) == 0).all()
    assert (rounding_steps(x[:1]) == 0).all()


def test_least_motion_is_play():
    """One clamp after the other, sample by sample."""
    rng = np.random.default_rng(4)
    for n in (1, 2, 3, 64, 1001):
        x, half = rng.normal(size=(n, 3)).cumsum(axis=0), np.array([0.0, 0.5, 3.0])
        y = [x[0]]
        for row in x[1:]:
            y.append(np.clip(y[-1], row - half, row + half))
        assert np.array_equal(least_motion(x, half), np.array(y))


def test_steps_reach_the_joints_through_scales_and_gears():
    arm, step = cf.load("2r"), 0.01
    motion = fourier_motion(arm, 5, 20, 250.0)
    degrees = rounded(np.rad2deg(motion.q), step)
    log = {"t": motion.t, "q": degrees, "tau": motion.q}
    read = read_log(log, arm, units={"position": "deg"})
    assert read.samples().steps == pytest.approx(np.full(2, np.deg2rad(step)), rel=1e-3)
    assert replace(read, rounding=np.array([0.0, 1.0])).samples().steps.tolist() == [0.0, 1.0]
    R = np.array([[100.0, 0.0], [25.0, 50.0]])
    motors = rounded(motion.q @ R.T, step)
    read = read_log({"t": motion.t, "q": motors, "tau": motion.q}, arm, reduction=R)
    inverse = np.abs(np.linalg.inv(R))
    assert read.samples().steps == pytest.approx(inverse @ np.full(2, step), rel=1e-3)


def resting(arm, step, seed=6, rate=200.0):
    """A log of moves of 2 s and rests of 2 s, at which friction keeps its value.

    A joint that rests between two steps of its sensor seems to move to and fro.
    """
    rng = np.random.default_rng(seed)
    t = np.arange(int(80 * rate)) / rate
    u = np.clip(t % 4 / 2, 0, 1)
    s = 2 * (t // 4) + 2 * (10 * u**3 - 15 * u**4 + 6 * u**5)
    sd, sdd = 30 * u**2 * (1 - u) ** 2, 30 * u * (1 - u) * (1 - 2 * u)
    w = 2 * np.pi * 0.05 * np.arange(1, 6)
    a, b = rng.normal(size=(2, len(w), arm.nv)) / 3
    sine, cosine = np.sin(np.outer(s, w)), np.cos(np.outer(s, w))
    q, q_s = sine @ a + cosine @ b, (cosine * w) @ a - (sine * w) @ b
    q_ss = -(sine * w**2) @ a - (cosine * w**2) @ b
    qd, qdd = q_s * sd[:, None], q_ss * sd[:, None] ** 2 + q_s * sdd[:, None]
    tau = arm.inverse_dynamics(q, qd, qdd)
    dry = 0.2 * np.sqrt(np.mean(tau**2, axis=0))
    tau = noisy(tau + 0.5 * qd + dry * presliding(q, 1e-5), 0.005, seed)
    return {"t": t, "q": rounded(q + 0.15 * step * rng.normal(size=q.shape), step), "tau": tau}


def test_friction_at_rest_does_not_follow_the_flicker_of_rounded_angles():
    arm = cf.load("2r")
    friction = FrictionTerms(coulomb=None, presliding=1e-5)
    options = {"friction": friction, "physical": False, "cutoff": 10.0, "lag": 0.0, "hold_out": "half"}
    log = read_log(resting(arm, 3e-4), arm)
    steady = identify(arm, log, **options).held_out.total
    followed = identify(arm, replace(log, rounding=np.zeros(2)), **options).held_out.total
    assert steady < 0.6 * followed
