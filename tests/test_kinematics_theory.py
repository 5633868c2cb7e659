"""Poses, Jacobians and the centre of mass against their definitions."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from closedform.forms import Variant
from closedform.programs import evaluate, trace
from conftest import ROBOTS, make
from oracles.casadi_rates import Traced
from tolerances import DIFFERENCE, ROUNDING, worst

WITH_INERTIA = [name for name in ROBOTS if make(name).model.has_inertia]


def body_twist(T: ca.SX, Td: ca.SX) -> ca.SX:
    """Return (omega; v) of T^-1 T'."""
    W = T[:3, :3].T @ Td[:3, :3]
    return ca.vertcat(W[2, 1], W[0, 2], W[1, 0], T[:3, :3].T @ Td[:3, 3])


def frames(robot):
    names = robot.frame_names
    return sorted({names[0], names[len(names) // 2], names[-1]})


@pytest.mark.parametrize("name", ROBOTS)
def test_pose_is_rigid(name):
    robot = make(name)
    q = robot.random_state(0, batch=10)[0]
    for frame in frames(robot):
        T = robot.pose(q, frame)
        R = T[:, :3, :3]
        assert worst(R @ np.swapaxes(R, 1, 2), np.broadcast_to(np.eye(3), R.shape)) < ROUNDING
        assert np.array_equal(T[:, 3], np.broadcast_to([0.0, 0, 0, 1], (10, 4)))
        assert np.linalg.det(R).min() > 0.99


@pytest.mark.parametrize("name", ROBOTS)
def test_jacobian_maps_velocities_to_the_body_twist(name):
    robot = make(name)
    q, qd, _ = robot.random_state(1)
    T = Traced(robot)
    for frame in frames(robot):
        pose = T.form("pose", T.q, frame=frame)
        twist = T(body_twist(pose, T.rate(pose)), q, qd, np.zeros(robot.nv))[:, 0]
        assert worst(robot.jacobian(q, frame) @ qd, twist, scale=np.linalg.norm(qd)) < ROUNDING


@pytest.mark.parametrize("name", ROBOTS)
def test_jacobian_derivatives_are_time_derivatives(name):
    robot = make(name)
    q, qd, qdd = robot.random_state(2)
    T = Traced(robot)
    for frame in frames(robot):
        J = T.form("jacobian", T.q, frame=frame)
        Jd = T.rate(J)
        scale = np.abs(robot.jacobian(q, frame)).max() * np.abs(qd).sum() ** 2
        assert worst(robot.jacobian_dot(q, qd, frame), T(Jd, q, qd, qdd), scale) < ROUNDING
        assert worst(robot.jacobian_ddot(q, qd, qdd, frame), T(T.rate(Jd), q, qd, qdd), scale) < ROUNDING


@pytest.mark.parametrize("name", WITH_INERTIA)
def test_center_of_mass_is_the_weighted_mean_of_the_bodies(name):
    robot = make(name)
    q, qd, _ = robot.random_state(3)
    phi = robot.phi.reshape(-1, 10)
    moment = np.zeros(3)
    for body, row in zip(robot.body_names, phi, strict=True):
        T = evaluate(trace(robot.model, "pose", Variant(frame=body)), q)
        moment += T[:3, :3] @ row[6:9] + row[9] * T[:3, 3]
    assert worst(robot.center_of_mass(q), moment / phi[:, 9].sum(), scale=0.1) < ROUNDING
    T = Traced(robot)
    velocity = T(T.rate(T.form("center_of_mass", T.q)), q, qd, np.zeros(robot.nv))[:, 0]
    assert worst(robot.com_jacobian(q) @ qd, velocity, scale=1e-3) < ROUNDING


@pytest.mark.parametrize("name", ROBOTS)
def test_integrate_moves_frames_by_the_body_twist(name):
    """A small step along v moves every frame by J v, also through quaternions."""
    robot = make(name)
    q, v, _ = robot.random_state(4)
    h = 1e-5
    frame = robot.frame_names[-1]
    forward, back = (robot.pose(robot.integrate(q, s * h * v), frame) for s in (1, -1))
    T = robot.pose(q, frame)
    rate = (forward - back) / (2 * h)
    W = T[:3, :3].T @ rate[:3, :3]
    twist = np.concatenate([[W[2, 1], W[0, 2], W[1, 0]], T[:3, :3].T @ rate[:3, 3]])
    assert worst(robot.jacobian(q, frame) @ v, twist, scale=1.0) < DIFFERENCE


@pytest.mark.parametrize("name", ROBOTS)
def test_integrate_is_a_flow(name):
    """Two half steps of a constant velocity are one whole step, on every joint's manifold."""
    robot = make(name)
    q, v, _ = robot.random_state(5, batch=4)
    halves = robot.integrate(robot.integrate(q, 0.5 * v), 0.5 * v)
    assert worst(robot.pose(halves), robot.pose(robot.integrate(q, v))) < ROUNDING
