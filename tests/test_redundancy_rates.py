"""Joint velocities and accelerations of the path of optima, against differences and fifty digits."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
import sympy as sp

import closedform as cf
from closedform import redundancy
from oracles import chang_printed as printed
from oracles.redundant_arms import GUESS, planar, spatial
from tolerances import ROUNDING, SHORT_CHAIN

FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
"""Central differences of eighth order."""

OF_VELOCITY, OF_ACCELERATION = 1e-10, 1e-7
"""Errors of these differences over steps of 0.01 s: truncation 1e-16 times ninth derivatives, and the
round-off 1e-14 of Newton's method over 0.01 and over its square."""

T = np.linspace(0.0, 1.0, 101)


def differences(q, weights, power):
    """Return derivatives at all but the first and last four of the times T."""
    windows = np.lib.stride_tricks.sliding_window_view(q, 9, axis=0)
    return windows @ weights / T[1] ** power


def curve(t):
    """Return places, velocities and accelerations of a curve within reach of the arms of about one metre."""
    x = np.stack([0.45 + 0.05 * np.sin(3 * t), 0.05 + 0.06 * np.cos(2 * t)], axis=-1)
    xd = np.stack([0.15 * np.cos(3 * t), -0.12 * np.sin(2 * t)], axis=-1)
    return x, xd, np.stack([-0.45 * np.sin(3 * t), -0.24 * np.cos(2 * t)], axis=-1)


def test_rates_are_those_of_the_printed_equations_to_fifty_digits():
    """q(t) solves (30) and (32); its derivatives by differences in fifty digits."""
    robot = cf.load("chang3r")
    x, xd, xdd = curve(T)
    criterion = redundancy.manipulability(squared=True, length=0.6)
    path = redundancy.follow(robot, x, "xy", criterion, GUESS, velocity=xd, acceleration=xdd)
    assert path.converged.all()
    k = 37
    with mp.workdps(50):
        values = {printed.U: sp.Rational(17, 12), printed.V: sp.Rational(1, 3)}
        zh = sp.lambdify([printed.Q2, printed.Q3], printed.ZH.subs(values), "mpmath")

        def angles(t):
            goal_x = mp.mpf("0.45") + mp.mpf("0.05") * mp.sin(3 * t)
            goal_y = mp.mpf("0.05") + mp.mpf("0.06") * mp.cos(2 * t)

            def conditions(a, b, c):
                links = list(
                    zip((mp.mpf("0.6"), mp.mpf("0.85"), mp.mpf("0.2")), (a, a + b, a + b + c), strict=True)
                )
                east = sum(length * mp.sin(angle) for length, angle in links)
                north = sum(length * mp.cos(angle) for length, angle in links)
                return east - goal_x, north - goal_y, zh(b, c)

            return mp.findroot(conditions, [mp.mpf(float(angle)) for angle in path.q[k]])

        h, now = mp.mpf(10) ** -4, mp.mpf(float(T[k]))
        around = [angles(now + j * h) for j in range(-4, 5)]
        first = ("1/280", "-4/105", "1/5", "-4/5", "0", "4/5", "-1/5", "4/105", "-1/280")
        second = ("-1/560", "8/315", "-1/5", "8/5", "-205/72", "8/5", "-1/5", "8/315", "-1/560")
        for joint in range(3):
            column = [row[joint] for row in around]
            for weights, power, ours in ((first, 1, path.qd), (second, 2, path.qdd)):
                exact = sum(
                    mp.mpf(sp.Rational(w).p) / sp.Rational(w).q * v
                    for w, v in zip(weights, column, strict=True)
                )
                assert abs(exact / h**power - mp.mpf(float(ours[k, joint]))) < ROUNDING


def test_rates_keep_the_task_and_are_those_of_the_extended_jacobian():
    robot = planar(4)
    x, xd, xdd = curve(T)
    path = redundancy.follow(robot, x, "xy", "manipulability", velocity=xd, acceleration=xdd)
    along = redundancy.joint_rates(robot, path.q, xd, "xy", method="extended_jacobian")
    assert np.abs(path.qd - along).max() < SHORT_CHAIN
    J = robot.jacobian(path.q, reference="world_aligned")[:, 3:5]
    Jd = robot.jacobian_dot(path.q, path.qd, reference="world_aligned")[:, 3:5]
    there = np.einsum("tij,tj->ti", J, path.qdd) + np.einsum("tij,tj->ti", Jd, path.qd)
    assert np.abs(np.einsum("tij,tj->ti", J, path.qd) - xd).max() < SHORT_CHAIN
    assert np.abs(there - xdd).max() < SHORT_CHAIN
    assert np.abs(differences(path.q, FIRST, 1) - path.qd[4:-4]).max() < OF_VELOCITY
    assert np.abs(differences(path.q, SECOND, 2) - path.qdd[4:-4]).max() < OF_ACCELERATION
    assert redundancy.follow(robot, x, "xy", q0=path.q[0]).qd is None
    assert redundancy.follow(robot, x, "xy", q0=path.q[0], velocity=xd).qdd is None


def test_rates_of_poses_with_free_rotations():
    """A task of one rotation and two places, whose targets turn about all axes."""
    robot = spatial(4)
    middle, size = np.array([0.2, 0.5, -0.3, 0.7]), np.array([0.3, 0.2, -0.2, 0.3])
    q, qd, qdd = middle + np.sin(T)[:, None] * size, np.cos(T)[:, None] * size, -np.sin(T)[:, None] * size
    twist = robot.frame_velocity(q, qd, reference="world_aligned")
    J = robot.jacobian(q, reference="world_aligned")
    Jd = robot.jacobian_dot(q, qd, reference="world_aligned")
    rate = np.einsum("tij,tj->ti", J, qdd) + np.einsum("tij,tj->ti", Jd, qd)
    path = redundancy.follow(
        robot, robot.pose(q), ["x", "z", "rx"], q0=middle, velocity=twist, acceleration=rate
    )
    assert path.converged.all()
    assert np.abs(differences(path.q, FIRST, 1) - path.qd[4:-4]).max() < OF_VELOCITY
    assert np.abs(differences(path.q, SECOND, 2) - path.qdd[4:-4]).max() < OF_ACCELERATION


def test_held_joints_rest_and_lost_poses_are_nan():
    robot = planar(4)
    x, xd, xdd = curve(T)
    x[50] = 9.0
    free = redundancy.follow(robot, x, "xy", velocity=xd)
    limits = (-10.0, [10.0, float(np.nanmin(free.q[:, 1])) - 0.05, 10.0, 10.0])
    path = redundancy.follow(robot, x, "xy", q0=free.q[0], limits=limits, velocity=xd, acceleration=xdd)
    assert np.isnan(path.qd[50]).all()
    assert np.isnan(path.qdd[50]).all()
    held = path.held[:45, 1]
    assert held.all()
    assert np.abs(path.qd[:45, 1]).max() == 0 == np.abs(path.qdd[:45, 1]).max()
    whole = path.q[:45]
    windows = np.lib.stride_tricks.sliding_window_view(whole, 9, axis=0)
    assert np.abs(windows @ FIRST / T[1] - path.qd[4:41]).max() < OF_VELOCITY


def test_rates_of_a_wrong_shape_are_refused():
    robot = planar(4)
    x, xd, xdd = curve(T)
    for given, words in (
        ({"velocity": xd[:-1]}, r"velocity has shape \(100, 2\); expected \(101, 2\): the rows x, y"),
        ({"acceleration": xdd}, "acceleration is given without velocity"),
    ):
        with pytest.raises(cf.ArgumentError, match=words):
            redundancy.follow(robot, x, "xy", **given)
    poses = robot.pose(np.zeros((2, 4)))
    with pytest.raises(cf.ArgumentError, match=r"\(2, 6\): a twist \(omega; v\) in base axes"):
        redundancy.follow(robot, poses, "planar", velocity=np.zeros((2, 3)))
