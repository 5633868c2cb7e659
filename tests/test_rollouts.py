"""Rollouts of identified robots: near the logged motion as far as noise allows, and far from it if wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import closedform as cf
from closedform.identification import FrictionTerms, LogError, TorqueColumn, identify
from identification_logs import Losses, fourier_motion, noisy

LOSSES = Losses.random(2, 1)


@pytest.fixture(scope="module")
def arm():
    return cf.load("2r")


def recorded(arm, seed, duration, rate, part=0.0, more=lambda motion, link: 0.0):
    """Return a log by inverse dynamics, with friction, offsets and noise of the torques and positions."""
    motion = fourier_motion(arm, seed, duration, rate)
    link = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    tau = link + LOSSES.torque(motion.qd) + more(motion, link)
    q = motion.q + 0.01 * part * np.random.default_rng(seed).normal(size=motion.q.shape)
    return {"t": motion.t, "q": q, "tau": noisy(tau, part, seed)}


@pytest.fixture(scope="module")
def result(arm):
    return identify(arm, recorded(arm, 3, 20, 250, 0.01))


def true_robot(arm):
    return arm.with_damping(LOSSES.viscous).with_friction(LOSSES.coulomb).with_drive_offset(LOSSES.offset)


def of_robot(result, robot):
    """Return the result as if it had found another robot."""
    return replace(result, robot=robot)


def test_errors_are_near_those_of_the_true_robot_and_far_from_those_of_a_wrong_one(arm, result):
    log = recorded(arm, 8, 10, 250, 0.01)
    found = result.rollout(log)
    floor = of_robot(result, true_robot(arm)).rollout(log)
    wrong = of_robot(result, result.robot.with_phi(2 * result.robot.phi)).rollout(log)
    assert (found.diverged, floor.diverged, wrong.diverged) == (0, 0, 0)
    assert (found.position < 1.5 * floor.position).all()
    assert (found.velocity < 1.5 * floor.velocity).all()
    assert (found.position < 0.02 * found.moved).all()
    assert (wrong.position > 20 * found.position).all()
    assert (wrong.velocity > 20 * found.velocity).all()


def test_friction_and_offsets_take_part(arm, result):
    log = recorded(arm, 8, 5, 250)
    floor = of_robot(result, true_robot(arm)).rollout(log)
    for part in ("damping", "friction", "drive_offset"):
        less = of_robot(result, getattr(true_robot(arm), f"with_{part}")(0.0)).rollout(log)
        assert (less.position > 3 * floor.position).all(), part


@pytest.mark.parametrize("rate", [60, 2500])
def test_a_true_robot_reproduces_a_log_of_any_rate(arm, result, rate):
    log = recorded(arm, 8, 4, rate)
    found = of_robot(result, true_robot(arm)).rollout(log, horizon=0.4, starts=7)
    assert (found.position < 0.01 * found.moved).all()
    assert len(found.starts) == 7
    assert found.times[-1] == pytest.approx(0.4, abs=1 / rate)
    assert not found.position_errors[0].any()
    assert found.position_errors.shape == found.velocity_errors.shape == (len(found.times), 2)


def test_friction_by_load_takes_part_in_the_simulation(arm, result):
    log = recorded(arm, 8, 5, 250, more=lambda motion, link: 0.1 * np.abs(link) * np.sign(motion.qd))
    lossy = true_robot(arm).with_friction_curve(load_friction=0.1)
    floor, less = (of_robot(result, robot).rollout(log) for robot in (lossy, true_robot(arm)))
    assert (floor.position < 0.01 * floor.moved).all()
    assert (less.position > 3 * floor.position).all()


def test_friction_by_load_and_extra_torques_take_part(arm):
    def more(motion, link):
        cable = np.stack([np.zeros(len(motion.t)), 4 * np.cos(motion.q[:, 1])], axis=1)
        return cable + 0.1 * np.abs(link + cable) * np.sign(motion.qd)

    log = recorded(arm, 3, 20, 250, more=more)
    cable = TorqueColumn("cable", "joint2", lambda q, qd, qdd: np.cos(q[:, 1]))
    result = identify(arm, log, extra=[cable], friction=FrictionTerms(coulomb=0.01, load=True))
    found = result.rollout(log, starts=10)
    assert (found.position < 0.02 * found.moved).all()
    assert (replace(result, extra=()).rollout(log, starts=10).position > 10 * found.position).any()


def test_starts_keep_clear_of_gaps(arm, result):
    log = recorded(arm, 8, 10, 250)
    keep = (log["t"] < 4) | (log["t"] > 4.7)
    found = result.rollout({name: values[keep] for name, values in log.items()}, starts=50)
    assert len(found.starts) == 50
    assert not ((found.starts > 3.5) & (found.starts < 4.7)).any()
    assert (found.position < 0.02 * found.moved).all()


def test_starts_that_diverge_are_counted_and_said_first(arm, result):
    light = of_robot(result, result.robot.with_phi(1e-9 * result.robot.phi).with_armature(1e-9))
    found = light.rollout(recorded(arm, 8, 5, 100), starts=4)
    assert found.diverged == 4
    assert np.isinf(found.position).all()
    assert str(found).startswith("doubt: 4 of 4 starts diverged")
    assert "4 of 4 starts diverged" in repr(found)


def test_a_table_has_a_line_for_each_joint(arm, result):
    found = result.rollout(recorded(arm, 8, 5, 100), starts=4)
    first, _, *lines = str(found).splitlines()
    assert first == "0.5 s from 4 starts"
    assert [line.split()[0] for line in lines] == ["rollout", "joint1", "joint2"]
    assert f"{found.position[1]:.2g}" in lines[2]
    assert "rollout error" in found._repr_html_()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"horizon": 4.9}, r"no stretch is as long as the horizon of 4\.9 s.*Give a shorter horizon"),
        ({"horizon": 1e30}, "no stretch is as long as the horizon"),
        ({"horizon": 1e-9}, "give a longer one"),
        ({"horizon": -1.0}, "rollout: horizon"),
        ({"starts": 0}, "rollout: starts is 0; expected a whole number"),
    ],
)
def test_a_horizon_that_does_not_fit_is_named(arm, result, options, message):
    with pytest.raises(cf.ClosedFormError, match=message):
        result.rollout(recorded(arm, 8, 5, 100), **options)


def test_a_log_of_another_robot_is_refused(result):
    puma = cf.load("puma560")
    motion = fourier_motion(puma, 1, 5, 100)
    with pytest.raises(LogError, match="6 columns of position for 2 joints: a log of another robot"):
        result.rollout({"t": motion.t, "q": motion.q, "tau": motion.q})
    log = cf.identification.read_log({"t": motion.t, "q": motion.q, "tau": motion.q}, puma)
    with pytest.raises(LogError, match=r"a log of joints .*; expected one of '2r', joint1"):
        result.rollout(log)
