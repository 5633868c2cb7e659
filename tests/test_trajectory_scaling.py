"""Time scaling: torque and torque-rate limits hold, and the motion is as fast as theory says."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform import ArgumentError
from closedform import trajectory as tr
from tolerances import ROUNDING, worst

SLACK = 1e-4
"""Excess allowed between the instants at which limits are made to hold."""


def weightless(inertia: float = 2.0) -> cf.Robot:
    """Return one revolute joint without gravity."""
    inertial = cf.Inertial(1.0, np.zeros(3), np.diag([inertia, inertia, inertia]))
    return cf.Robot.from_mdh([(0, 0, 0, 0, 0)], inertials=[inertial], gravity=(0, 0, 0))


def arm(name: str):
    """Return a robot, a septic motion between random postures, and torque limits above gravity's."""
    robot = cf.load(name)
    start, end = robot.random_state(1, batch=2)[0]
    motion = tr.polynomial(start, end, 1.0, degree=7)
    heaviest = np.abs(robot.gravity_torque(motion(np.linspace(0, 1, 300)))).max(axis=0)
    limits = np.where(np.isfinite(robot.effort_limits), robot.effort_limits, 40.0)
    return robot, motion, np.maximum(limits, 1.5 * heaviest)


def usage(robot, motion, torque, rate):
    t = np.linspace(0, motion.duration, 7919)
    q, qd, qdd, qddd = motion.derivatives(t, 3)
    tau, taud = robot.inverse_dynamics_rates(q, qd, qdd, qddd)
    with np.errstate(invalid="ignore"):
        return (
            (np.abs(tau).max(axis=0) / torque).max(),
            (np.abs(taud).max(axis=0) / rate).max(),
            (np.abs(qd).max(axis=0) / robot.velocity_limits).max(),
        )


@pytest.mark.parametrize("name", ["2r", "puma560", "panda"])
@pytest.mark.parametrize("rated", [False, True])
def test_scaled_motions_use_their_limits_and_no_more(name, rated):
    robot, motion, torque = arm(name)
    rate = 15 * torque if rated else np.full(robot.nv, np.inf)
    uniform = tr.time_scaled(robot, motion, torque=torque, torque_rate=rate, uniform=True)
    paced = tr.time_scaled(robot, motion, torque=torque, torque_rate=rate)
    for scaled in (uniform, paced):
        assert max(usage(robot, scaled, torque, rate)) <= 1 + SLACK
        assert max(usage(robot, scaled, torque, rate)) >= 1 - 1e-2
        assert worst(scaled(scaled.duration), motion(1.0)) < ROUNDING
    assert paced.duration < 0.95 * uniform.duration
    assert paced.smoothness == 5
    # the geometry of the path stays: wherever the scaled motion is, the given one has been
    s = paced.progress(np.linspace(0, paced.duration, 50))
    assert (np.diff(s) > 0).all()
    assert worst(paced(np.linspace(0, paced.duration, 50)), motion(s)) < ROUNDING


def test_uniform_scaling_is_the_fastest_that_fits():
    robot, motion, torque = arm("panda")
    rate = 5 * torque
    scaled = tr.time_scaled(robot, motion, velocity=np.inf, torque=torque, torque_rate=rate, uniform=True)

    def fits(factor):
        tau, taud, _ = usage(robot, tr.stretch(motion, factor), torque, rate)
        return tau <= 1 + SLACK and taud <= 1 + SLACK

    assert fits(scaled.factor)
    assert not any(fits(scaled.factor * share) for share in np.linspace(0.2, 0.995, 60))


@pytest.mark.parametrize("distance", [0.3, 2.0])
def test_paced_motion_nears_the_bang_bang_time_of_a_free_joint(distance):
    robot = weightless(2.0)
    motion = tr.polynomial(0.0, distance, 1.0, degree=5)
    fastest = 2 * np.sqrt(distance * 2.0 / 8.0)
    uniform = tr.time_scaled(robot, motion, torque=8.0, uniform=True)
    # the quintic's largest acceleration is 10/sqrt(3) d/T^2, bang-bang's 4 d/T^2
    assert uniform.duration == pytest.approx(fastest * np.sqrt(10 / np.sqrt(3) / 4), rel=1e-4)
    paced = tr.time_scaled(robot, motion, torque=8.0)
    assert fastest * (1 - SLACK) < paced.duration < 1.08 * fastest


def test_paced_motion_nears_the_jerk_limited_time_of_a_free_joint():
    """For a free joint a torque rate is a jerk: the seven-segment profile is the optimum."""
    robot = weightless(2.0)
    best = tr.profile(0.0, 1.0, velocity=1.5, acceleration=4.0, jerk=20.0)
    motion = tr.polynomial(0.0, 1.0, 1.0, degree=7)
    paced = tr.time_scaled(robot, motion, velocity=1.5, torque=8.0, torque_rate=40.0)
    assert best.duration * (1 - SLACK) < paced.duration < 1.05 * best.duration


def test_acceleration_limits_hold():
    robot, motion, torque = arm("puma560")
    paced = tr.time_scaled(robot, motion, velocity=2.0, acceleration=3.0, torque=torque)
    t = np.linspace(0, paced.duration, 5000)
    assert np.abs(paced(t, order=1)).max() <= 2.0 * (1 + SLACK)
    assert np.abs(paced(t, order=2)).max() <= 3.0 * (1 + SLACK)


def test_what_cannot_be_scaled_is_told():
    robot, motion, torque = arm("2r")
    with pytest.raises(
        ArgumentError, match=r"joint 'joint1' cannot be met at any speed: holding still takes"
    ):
        tr.time_scaled(robot, motion, torque=[1e-3, 100.0])
    with pytest.raises(ArgumentError, match="expected the same number"):
        tr.time_scaled(cf.load("panda"), motion)
    with pytest.raises(ArgumentError, match="one-dof joints only"):
        tr.time_scaled(cf.load("spherical_pendulum"), tr.polynomial([0] * 4, [1] * 4, 1.0))
    with pytest.raises(ArgumentError, match="torque limit 0 "):
        tr.time_scaled(robot, motion, torque=0.0)
    with pytest.raises(ArgumentError, match="no limit bounds the pace"):
        tr.time_scaled(robot, motion, velocity=np.inf, torque=np.inf)
    still = tr.polynomial([0, 0], [0, 0], 1.0)
    with pytest.raises(ArgumentError, match="no limit bounds the pace"):
        tr.time_scaled(robot, still, torque=[100.0, 100.0], torque_rate=100.0)
    with pytest.raises(ArgumentError, match="robot is 3"):
        tr.time_scaled(3, motion)
    trapezoid = tr.profile([0, 0], [1, 1], velocity=1, acceleration=5)
    with pytest.raises(ArgumentError, match=r"derivative 2 \(acceleration\) of coordinate .* jumps"):
        tr.time_scaled(robot, trapezoid, torque=torque, torque_rate=100.0)
    with pytest.raises(ArgumentError, match="nothing to scale"):
        tr.time_scaled(robot, tr.profile([0, 0], [0, 0], velocity=1, acceleration=5), torque=torque)


def test_a_motion_with_jumping_acceleration_can_meet_torque_limits():
    robot, _, torque = arm("2r")
    trapezoid = tr.profile([0, 0], [1, 1], velocity=1, acceleration=5)
    scaled = tr.time_scaled(robot, trapezoid, torque=torque, uniform=True)
    t = np.linspace(0, scaled.duration, 4001)
    tau = robot.inverse_dynamics(*scaled.derivatives(t, 2))
    assert 0.99 < (np.abs(tau) / torque).max() < 1 + SLACK
