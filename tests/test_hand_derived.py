"""Robots small enough to derive by hand, and the conventions they fix."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

import closedform as cf
from closedform.model.inertia import PINOCCHIO_ORDER, inertial_from_phi, phi_from_inertial
from tolerances import ROUNDING, worst

G = 9.81


def pendulum(m=2.0, length=0.7, inertia=0.3):
    """A body on a hinge about y, its centre of mass `length` below it."""
    body = cf.Inertial.of(m, (0, 0, -length), np.diag([inertia, inertia, inertia]))
    return cf.Robot.from_screws([np.eye(4)], [(0, 1, 0, 0, 0, 0)], inertials=[body])


def test_pendulum():
    m, length, inertia = 2.0, 0.7, 0.3
    robot = pendulum(m, length, inertia)
    q, qd, qdd = np.array([0.4]), np.array([-1.3]), np.array([0.8])
    J = inertia + m * length**2
    assert worst(robot.mass_matrix(q), [[J]]) < ROUNDING
    assert worst(robot.gravity_torque(q), [m * G * length * np.sin(0.4)]) < ROUNDING
    assert worst(robot.inverse_dynamics(q, qd, qdd), [J * 0.8 + m * G * length * np.sin(0.4)]) < ROUNDING
    assert worst(robot.kinetic_energy(q, qd), 0.5 * J * 1.3**2) < ROUNDING
    assert worst(robot.potential_energy(q), -m * G * length * np.cos(0.4)) < ROUNDING


def planar_2r(l1=0.5, l2=0.4, m1=1.5, m2=0.8):
    """Two point masses at the ends of two links, in the vertical x-z plane."""
    second = np.eye(4)
    second[0, 3] = l1
    bodies = [cf.Inertial.of(m1, (l1, 0, 0)), cf.Inertial.of(m2, (l2, 0, 0))]
    return cf.Robot.from_screws([np.eye(4), second], [(0, -1, 0, 0, 0, 0)] * 2, inertials=bodies)


def test_planar_2r_as_in_textbooks():
    l1, l2, m1, m2 = 0.5, 0.4, 1.5, 0.8
    robot = planar_2r(l1, l2, m1, m2)
    (a, b), (u, v) = q, qd = np.array([0.3, 1.1]), np.array([0.7, -0.9])
    c2, s2 = np.cos(b), np.sin(b)
    M = np.array(
        [
            [m1 * l1**2 + m2 * (l1**2 + l2**2 + 2 * l1 * l2 * c2), m2 * (l2**2 + l1 * l2 * c2)],
            [m2 * (l2**2 + l1 * l2 * c2), m2 * l2**2],
        ]
    )
    h = m2 * l1 * l2 * s2
    C = np.array([[-h * v, -h * (u + v)], [h * u, 0.0]])
    g = np.array(
        [
            (m1 + m2) * G * l1 * np.cos(a) + m2 * G * l2 * np.cos(a + b),
            m2 * G * l2 * np.cos(a + b),
        ]
    )
    assert worst(robot.mass_matrix(q), M) < ROUNDING
    assert worst(robot.coriolis_matrix(q, qd), C) < ROUNDING
    assert worst(robot.gravity_torque(q), g) < ROUNDING


def free_body(m=3.0):
    body = cf.Inertial.of(m, (0, 0, 0), np.diag([1.0, 2.0, 2.5]))
    return cf.Robot.from_screws([np.eye(4)], [np.eye(6)], inertials=[body], gravity=(0, 0, 0))


def test_free_body_obeys_euler_in_body_coordinates():
    """Angular part first, body-fixed twist, quaternion (x, y, z, w)."""
    robot = free_body()
    w, v, dw, dv = np.random.default_rng(0).normal(size=(4, 3))
    s = np.sin(np.pi / 4)
    q = np.array([1.0, 2, 3, 0, 0, s, s])
    J = np.diag([1.0, 2.0, 2.5])
    expected = np.concatenate([J @ dw + np.cross(w, J @ w), 3.0 * (dv + np.cross(w, v))])
    tau = robot.inverse_dynamics(q, np.concatenate([w, v]), np.concatenate([dw, dv]))
    assert worst(tau, expected) < ROUNDING
    quarter_turn_about_z = [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]
    assert worst(robot.pose(q), quarter_turn_about_z) < ROUNDING


def test_quaternions_of_any_length_mean_their_direction():
    robot = free_body()
    q = np.array([0.1, 0.2, 0.3, 0.5, -0.4, 0.3, 0.2])
    longer = q.copy()
    longer[3:] *= 17.0
    assert worst(robot.pose(longer), robot.pose(q)) < ROUNDING


def test_external_wrench_on_a_pendulum_has_the_sign_of_the_environment():
    """A force along body x at the origin of a frame 1 m below the hinge, which turns about y."""
    below = np.eye(4)
    below[2, 3] = -1.0
    body = cf.Inertial.of(1.0, (0, 0, 0), np.eye(3))
    robot = cf.Robot.from_screws([below], [(0, 1, 0, 0, 0, 0)], spatial=True, inertials=[body])
    wrench = np.array([[0, 0, 0, 5.0, 0, 0]])
    tau_ext = robot.external_torque(np.zeros(1), wrench)
    assert worst(tau_ext, [-5.0]) < ROUNDING
    qdd = robot.forward_dynamics(np.zeros(1), np.zeros(1), tau_ext)
    assert qdd[0] < 0


def test_inertial_parameters_are_about_the_origin_in_gautier_khalil_order():
    body = cf.Inertial.of(2.0, (1.0, 0, 0), np.diag([0.1, 0.2, 0.3]))
    assert worst(phi_from_inertial(body), [0.1, 0, 0, 2.2, 0, 2.3, 2.0, 0, 0, 2.0]) < ROUNDING
    back = inertial_from_phi(phi_from_inertial(body))
    assert worst(back.inertia, body.inertia) < ROUNDING


def test_pinocchio_order_is_pinocchios():
    body = cf.Inertial.of(2.0, (0.1, 0.2, 0.3), [1.0, 0.1, 0.2, 1.1, 0.3, 1.2])
    theirs = pin.Inertia(body.mass, body.com, body.inertia).toDynamicParameters()
    assert worst(phi_from_inertial(body)[list(PINOCCHIO_ORDER)], theirs) < ROUNDING
