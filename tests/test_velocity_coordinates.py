"""Velocities as rates of Euler angles or quaternions, or as other libraries have them; equations in them."""

from __future__ import annotations

from functools import cache

import casadi as ca
import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import closedform as cf
from closedform.euler import EULER
from closedform.forms import Variant, form
from closedform.forms.tree import Tree
from closedform.forms.velocity_coordinates import VELOCITY_COORDINATES
from closedform.programs import evaluate, trace
from closedform.rotations import rotation_rpy
from oracles.mujoco_peer import MujocoPeer
from oracles.pinocchio_peer import Peer, robot_data
from oracles.random_trees import KINDS, random_tree
from tolerances import DIFFERENCE, LAST_DIGITS, ROUNDING, worst

STEP = 1e-5
TREE = random_tree(5, bodies=len(KINDS), kinds=KINDS)
"""Every kind of joint."""

Q, QD, QDD = TREE.random_state(3)
AHEAD, BEHIND = TREE.integrate(Q, STEP * QD), TREE.integrate(Q, -STEP * QD)
TURNING = [body for body in TREE.model.independent if body.joint.quaternion is not None]

every = pytest.mark.parametrize("coordinates", VELOCITY_COORDINATES)
every_sequence = pytest.mark.parametrize("coordinates", EULER)


def value(robot, name, *state, **choices):
    return evaluate(trace(robot.model, name, Variant(**choices), closed=False), *state)


def scipy_name(coordinates):
    """Return what SciPy calls a sequence: capitals for turns about axes of the body, else of space."""
    return "xyz" if coordinates == "euler_rpy" else coordinates.removeprefix("euler_").upper()


def differences(body):
    """Return position rate, angular velocity in home axes and in the body, and Euler rates of a joint."""
    ahead, behind = (each[body.iq : body.iq + body.joint.nq] for each in (AHEAD, BEHIND))
    R, R_ahead, R_behind = (
        Rotation.from_quat(each[-4:]) for each in (Q[body.iq : body.iq + body.joint.nq], ahead, behind)
    )
    turn = (R_ahead * R_behind.inv()).as_rotvec() / (2 * STEP)
    return (ahead - behind)[:-4] / (2 * STEP), turn, R.inv().apply(turn), (R_ahead, R_behind)


def expected(coordinates, body):
    shift, in_space, in_body, (ahead, behind) = differences(body)
    if coordinates in EULER:
        angles = [each.as_euler(scipy_name(coordinates)) for each in (ahead, behind)]
        return np.concatenate([shift, (angles[0] - angles[1]) / (2 * STEP)])
    if coordinates == "pinocchio":
        return np.concatenate([QD[body.velocities][3:], in_body])
    return np.concatenate({"world_aligned": [in_space, shift], "mujoco": [shift, in_body]}[coordinates])


@pytest.mark.parametrize("coordinates", [each for each in VELOCITY_COORDINATES if each != "quaternion_rates"])
def test_they_are_what_their_names_say(coordinates):
    u = value(TREE, "velocity_map_inverse", Q, coordinates=coordinates) @ QD
    for body in TURNING:
        assert worst(u[body.velocities], expected(coordinates, body)) < DIFFERENCE
    if coordinates != "pinocchio":
        for body in TREE.model.independent:
            if body not in TURNING:
                own = slice(body.iq, body.iq + body.joint.nq)
                assert worst(u[body.velocities], (AHEAD - BEHIND)[own] / (2 * STEP), scale=1.0) < DIFFERENCE


FREE_AND_BALL = """<mujoco><worldbody><body><freejoint/>
<inertial pos="0.1 0 0" mass="1" diaginertia="1 1.1 1.2"/><body pos="0 0 0.3"><joint type="ball"/>
<inertial pos="0 0 0.1" mass="1" diaginertia="1 1 1"/></body></body></worldbody></mujoco>"""


def test_mujoco_and_pinocchio_have_these_velocities():
    """The maps of the oracles, which agree in M and in torques with each library."""
    robot = cf.load(FREE_AND_BALL)
    q, _, _ = robot.random_state(2)
    S = MujocoPeer(mujoco.MjModel.from_xml_string(FREE_AND_BALL), robot).move(q)
    assert worst(value(robot, "velocity_map_inverse", q, coordinates="mujoco"), S) < ROUNDING
    path = robot_data() / "solo_description/robots/solo12.urdf"
    robot = cf.load(path, floating_base=True)
    q, _, _ = robot.random_state(2)
    G = Peer(path, robot, floating_base=True).G
    assert worst(value(robot, "velocity_map_inverse", q, coordinates="pinocchio"), G) < ROUNDING


def test_quaternion_rates_are_the_rates_of_q():
    u = value(TREE, "velocity_map_inverse", Q) @ QD
    assert worst(u, (AHEAD - BEHIND) / (2 * STEP)) < DIFFERENCE
    longer = Q.copy()
    for body in TURNING:
        longer[body.iq : body.iq + body.joint.nq][-4:] *= 3.0
    Gamma, E = (value(TREE, f"velocity_map{each}", longer) for each in ("", "_inverse"))
    assert worst(Gamma @ E, np.eye(TREE.nv)) < ROUNDING, "a quaternion may have any length"


@every
def test_the_inverse_is_one(coordinates):
    Gamma = value(TREE, "velocity_map", Q, coordinates=coordinates)
    E = value(TREE, "velocity_map_inverse", Q, coordinates=coordinates)
    assert worst(Gamma @ E, np.eye(TREE.nv)) < ROUNDING
    if Gamma.shape[0] == Gamma.shape[1]:
        assert worst(E @ Gamma, np.eye(TREE.nv)) < ROUNDING


@every
def test_the_rate_of_the_map(coordinates):
    given = value(TREE, "velocity_map_dot", Q, QD, coordinates=coordinates)
    sides = [value(TREE, "velocity_map", each, coordinates=coordinates) for each in (AHEAD, BEHIND)]
    assert worst(given, (sides[0] - sides[1]) / (2 * STEP), scale=1.0) < DIFFERENCE


@cache
def matrices():
    """Return M, M' and C of the tree."""
    return tuple(
        value(TREE, name, *state)
        for name, *state in (("mass_matrix", Q), ("mass_matrix_dot", Q, QD), ("coriolis_matrix", Q, QD))
    )


@every
def test_power_and_passivity_are_kept(coordinates):
    """tau* u = tau qd, u^T M* u = qd^T M qd, and M*' = C* + C*^T."""
    Gamma = value(TREE, "velocity_map", Q, coordinates=coordinates)
    rate = value(TREE, "velocity_map_dot", Q, QD, coordinates=coordinates)
    u = value(TREE, "velocity_map_inverse", Q, coordinates=coordinates) @ QD
    M, Md, C = matrices()
    tau = np.arange(1.0, TREE.nv + 1)
    assert worst((Gamma.T @ tau) @ u, tau @ QD) < ROUNDING
    assert worst(u @ (Gamma.T @ M @ Gamma) @ u, QD @ M @ QD) < ROUNDING
    starred = Gamma.T @ (C @ Gamma + M @ rate)
    rates = Gamma.T @ Md @ Gamma + rate.T @ M @ Gamma + Gamma.T @ M @ rate
    assert worst(starred + starred.T, rates) < ROUNDING


def quaternion(angles, sequence):
    """Return the quaternion of turns about axes of the body, in CasADi."""
    found = ca.SX([0, 0, 0, 1])
    for k, letter in enumerate(sequence):
        axis = ca.SX(np.eye(3)["xyz".index(letter)])
        v, s, w = found[:3], found[3], ca.sin(angles[k] / 2) * axis
        c = ca.cos(angles[k] / 2)
        found = ca.vertcat(s * w + c * v + ca.cross(v, w), s * c - ca.dot(v, w))
    return found


@pytest.mark.parametrize("coordinates", ["euler_zyz", "euler_zyx"])
def test_lagrange_in_euler_angles(coordinates):
    """d/dt dT/dx' - dT/dx + dU/dx in angles x are M* x'' + C* x' + g*, from T and U alone."""
    robot = random_tree(1, bodies=2, kinds=("free", "revolute"))
    x, xd, xdd = (ca.SX.sym(name, robot.nv) for name in ("x", "xd", "xdd"))
    q = ca.vertcat(x[:3], quaternion(x[3:6], coordinates.removeprefix("euler_")), x[6:])
    tree = Tree.of(robot.model)
    qd = form("velocity_map").build(tree, q, coordinates) @ xd
    T, U = form("kinetic_energy").build(tree, q, qd), form("potential_energy").build(tree, q)
    momentum = ca.gradient(T, xd)
    force = ca.jtimes(momentum, x, xd) + ca.jtimes(momentum, xd, xdd) - ca.gradient(T - U, x)
    rng = np.random.default_rng(0)
    motion = rng.uniform(0.2, 1.2, robot.nv), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    lagrange = np.array(ca.Function("f", [x, xd, xdd], [force])(*motion))[:, 0]
    q = robot.from_euler_angles(motion[0], coordinates)
    Gamma = value(robot, "velocity_map", q, coordinates=coordinates)
    qd = Gamma @ motion[1]
    rate = value(robot, "velocity_map_dot", q, qd, coordinates=coordinates)
    M, C = value(robot, "mass_matrix", q), value(robot, "coriolis_matrix", q, qd)
    starred = Gamma.T @ M @ Gamma, Gamma.T @ (C @ Gamma + M @ rate)
    given = starred[0] @ motion[2] + starred[1] @ motion[1] + Gamma.T @ value(robot, "gravity_torque", q)
    assert worst(given, lagrange) < ROUNDING


@pytest.mark.parametrize("coordinates", ["euler_rpy", "euler_xzx"])
def test_derivatives_by_euler_angles_are_those_by_q_times_gamma(coordinates):
    """[Garofalo2013, Eq. (33)]."""
    x = TREE.euler_angles(Q, coordinates)
    Gamma = value(TREE, "velocity_map", Q, coordinates=coordinates)
    given = value(TREE, "jacobian_dq", Q) @ Gamma
    program = trace(TREE.model, "jacobian", Variant(), closed=False)
    steps = STEP * np.eye(TREE.nv)
    ahead, behind = (
        evaluate(program, TREE.from_euler_angles(each, coordinates)) for each in (x + steps, x - steps)
    )
    assert worst(given, np.moveaxis((ahead - behind) / (2 * STEP), 0, -1)) < DIFFERENCE


@every_sequence
def test_angles_are_those_of_scipy(coordinates):
    robot = cf.load("spherical_pendulum")
    q = np.random.default_rng(1).normal(size=(2, 20, 4))
    angles = robot.euler_angles(q, coordinates)
    assert angles.shape == (2, 20, 3)
    theirs = Rotation.from_quat(q.reshape(-1, 4)).as_euler(scipy_name(coordinates))
    assert worst(angles.reshape(-1, 3), theirs) < LAST_DIGITS * 10
    back = robot.from_euler_angles(angles, coordinates)
    assert worst(abs((back * q).sum(-1)), np.linalg.norm(q, axis=-1)) < ROUNDING, "q and -q are one rotation"


def test_roll_pitch_and_yaw_are_those_of_urdf():
    x, y, z, w = cf.load("spherical_pendulum").from_euler_angles([0.4, -0.3, 1.1])
    assert worst(Rotation.from_quat([x, y, z, w]).as_matrix(), rotation_rpy([0.4, -0.3, 1.1])) < LAST_DIGITS


def test_the_map_of_roll_pitch_and_yaw_is_that_of_the_textbooks():
    roll, pitch, yaw = 0.4, -0.3, 1.1
    robot = cf.load("spherical_pendulum")
    s, c = np.sin, np.cos
    expected = [
        [1, 0, -s(pitch)],
        [0, c(roll), s(roll) * c(pitch)],
        [0, -s(roll), c(roll) * c(pitch)],
    ]
    q = robot.from_euler_angles([roll, pitch, yaw])
    assert worst(value(robot, "velocity_map", q, coordinates="euler_rpy"), expected) < ROUNDING


def test_singular_angles_are_refused_by_name_and_nan_in_their_sample_only():
    robot = cf.load("spherical_pendulum")
    q = robot.from_euler_angles([[0.1, 0.2, 0.3], [0.1, np.pi / 2, 0.3]])
    with pytest.raises(cf.ArgumentError, match=r"joint 'socket' at \(1,\).*axis of rpy.*such as euler_zyz"):
        robot.euler_angles(q)
    with pytest.raises(cf.ArgumentError, match=r"axis of zyz.*such as euler_rpy"):
        robot.euler_angles([0, 0, 0, 1], "euler_zyz")
    with np.errstate(invalid="ignore"):
        inverse = value(robot, "velocity_map_inverse", q, coordinates="euler_rpy")
    assert np.isfinite(inverse[0]).all()
    assert np.isnan(inverse[1]).any()
    assert np.isfinite(value(robot, "velocity_map", q)).all()


def test_other_names_are_refused_with_the_list():
    robot = cf.load("spherical_pendulum")
    with pytest.raises(cf.ClosedFormError, match=r"unknown coordinates 'euler_rpx'.*euler_rpy.*pinocchio"):
        robot.velocity_map(robot.neutral(), coordinates="euler_rpx")
    with pytest.raises(cf.ClosedFormError, match="unknown Euler coordinates 'mujoco'"):
        robot.euler_angles(robot.neutral(), "mujoco")
    with pytest.raises(cf.ClosedFormError, match="mass_matrix does not take coordinates"):
        robot.kernel("mass_matrix", coordinates="euler_rpy")
