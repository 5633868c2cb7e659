"""The plant with elastic joints: Lagrange, energy, inverse dynamics, numbers that do not fit."""

from __future__ import annotations

import pickle

import casadi as ca
import numpy as np
import pytest
import sympy as sp

import closedform as cf
from closedform.elastic import ElasticJointRobot, Friction, natural_frequencies
from closedform.elastic.plant import state_rate
from oracles.elastic_robots import LINK, MOTOR, derivatives_along_motion, random_motion, two_links
from tolerances import DIFFERENCE, ROUNDING, SOLVE, worst


def test_accelerations_follow_from_the_lagrangian():
    """Euler and Lagrange on T - U of point masses, rotors and springs, by SymPy."""
    L1, L2, m1, m2, g = 1.0, 0.75, 2.0, 1.5, 9.81
    robot = two_links()
    K, B, N = robot.drives.stiffness, robot.drives.motor_inertia, robot.drives.gear_ratio
    t = sp.Symbol("t")
    x = [sp.Function(name)(t) for name in ("q1", "q2", "a1", "a2")]
    tip = [
        (L1 * sp.cos(x[0]), L1 * sp.sin(x[0])),
        (L1 * sp.cos(x[0]) + L2 * sp.cos(x[0] + x[1]), L1 * sp.sin(x[0]) + L2 * sp.sin(x[0] + x[1])),
    ]
    T = sum(m * (c.diff(t) ** 2 + s.diff(t) ** 2) / 2 for m, (c, s) in zip((m1, m2), tip, strict=True))
    T += sum(B[i] * x[2 + i].diff(t) ** 2 / 2 for i in range(2))
    U = g * (m1 * tip[0][1] + m2 * tip[1][1])
    U += sum(K[i] * (x[2 + i] - x[i] / N[i]) ** 2 / 2 for i in range(2))
    lagrangian = T - U
    forces = [0, 0, *sp.symbols("u1 u2")]
    equations = [
        sp.diff(lagrangian.diff(xi.diff(t)), t) - lagrangian.diff(xi) - f
        for xi, f in zip(x, forces, strict=True)
    ]
    accelerations = [xi.diff(t, 2) for xi in x]
    rng = np.random.default_rng(1)
    for _ in range(3):
        q, qd = rng.uniform(-1, 1, (2, 2))
        theta, thetad, u = q / N + rng.uniform(-1, 1, 2), rng.uniform(-30, 30, 2), rng.uniform(-1, 1, 2)
        values = {xi.diff(t): v for xi, v in zip(x, [*qd, *thetad], strict=True)}
        positions = dict(zip(x, [*q, *theta], strict=True))
        wanted = sp.symbols("w1:5")
        linear = [
            e.subs(dict(zip(accelerations, wanted, strict=True)))
            .subs(values)
            .subs(positions)
            .subs(dict(zip(forces[2:], u, strict=True)))
            for e in equations
        ]
        solution = np.array(next(iter(sp.linsolve(linear, wanted))), dtype=float)
        assert worst(np.concatenate(robot.forward_dynamics(q, qd, theta, thetad, u)), solution) < SOLVE


@pytest.mark.parametrize("damping", [0.0, 3e-3])
def test_energy_changes_by_what_motors_give_and_friction_takes(damping):
    robot = two_links(damping=damping, link_friction=LINK, motor_friction=MOTOR)
    rng = np.random.default_rng(2)
    q, qd = rng.uniform(-1, 1, (2, 5, 2))
    N = robot.drives.gear_ratio
    theta, thetad = q / N + rng.uniform(-1, 1, (5, 2)), rng.uniform(-30, 30, (5, 2))
    u = rng.uniform(-1, 1, (5, 2))
    qdd, thetadd = robot.forward_dynamics(q, qd, theta, thetad, u)
    h = 1e-5
    ahead, behind = (
        robot.energy(q + s * qd, qd + s * qdd, theta + s * thetad, thetad + s * thetadd) for s in (h, -h)
    )
    slip = thetad - qd / N
    power = thetad * (u - MOTOR.torque(thetad)) - qd * LINK.torque(qd) - robot.drives.damping * slip**2
    assert worst((ahead - behind) / (2 * h), power.sum(axis=-1)) < DIFFERENCE


@pytest.mark.parametrize(
    "options", [{}, {"link_friction": LINK, "motor_friction": MOTOR}, {"stiffness": "variable"}]
)
def test_inverse_dynamics_is_what_the_plant_needs(options):
    """The plant, driven so, has the wanted link derivatives up to the fourth."""
    robot = two_links(**options)
    motion = random_motion(robot)
    spring = ()
    if robot.variable:
        rng = np.random.default_rng(3)
        spring = tuple(0.3 * s + s * rng.uniform(-0.1, 0.1, (6, 2)) for s in (1.0, 2.0, 5.0))
    theta, thetad, thetadd = robot.motor_motion(*motion, *spring)
    u = robot.inverse_dynamics(*motion, *spring)
    assert worst(robot.forward_dynamics(*motion[:2], theta, thetad, u, *spring[:1])[1], thetadd) < SOLVE
    found = derivatives_along_motion(robot, (*motion[:2], theta, thetad), u, spring)
    for value, wanted in zip(found, motion, strict=True):
        assert worst(value, wanted) < SOLVE


def test_motor_motion_is_the_derivative_of_its_own_angle():
    robot = two_links(link_friction=LINK)
    q0, qd, qdd, qddd, q4 = random_motion(robot, batch=1)
    coefficients = np.stack([q0, qd, qdd / 2, qddd / 6, q4 / 24])[:, 0]

    def angle(t):
        powers = coefficients * t ** np.arange(5)[:, None]
        rates = [(coefficients[1:] * np.arange(1, 5)[:, None] * t ** np.arange(4)[:, None]).sum(axis=0)]
        rates.append(2 * coefficients[2] + 6 * coefficients[3] * t + 12 * coefficients[4] * t * t)
        tau = robot.robot.inverse_dynamics(powers.sum(axis=0), *rates) + LINK.torque(rates[0])
        N, K = robot.drives.gear_ratio, robot.drives.stiffness
        return powers.sum(axis=0) / N + N * tau / K

    theta, thetad, thetadd = (each[0] for each in robot.motor_motion(q0, qd, qdd, qddd, q4))
    h = 1e-3
    values = [angle(k * h) for k in range(-2, 3)]
    first = (values[0] - 8 * values[1] + 8 * values[3] - values[4]) / (12 * h)
    second = (-values[0] + 16 * values[1] - 30 * values[2] + 16 * values[3] - values[4]) / (12 * h * h)
    assert worst(values[2], theta) < ROUNDING
    assert worst(first, thetad) < DIFFERENCE
    assert worst(second, thetadd) < DIFFERENCE


def test_stiff_springs_make_a_rigid_robot():
    """Accelerations of links held to their motors approach those of the robot with its rotors."""
    rigid = cf.load("2r")
    N, B = 0.02, 2e-4
    q, qd, qdd, *_ = random_motion(two_links(), batch=1)
    M = rigid.mass_matrix(q) + np.eye(2) * B / N**2
    h = rigid.inverse_dynamics(q, qd, np.zeros((1, 2)))
    wanted = (M @ qdd[..., None])[..., 0] + h
    zero = np.zeros((1, 2))
    gaps = []
    for K in (1e2, 1e3):
        robot = ElasticJointRobot(rigid, K, B, N)
        gaps.append(worst(robot.inverse_dynamics(q, qd, qdd, zero, zero) / N, wanted))
    assert 9.5 < gaps[0] / gaps[1] < 10.5


def test_natural_frequencies_are_those_of_the_linearised_plant():
    robot = two_links()
    q = np.array([0.4, -0.8])
    unloaded = robot.changed(robot=robot.robot.with_gravity((0, 0, 0)))
    state = [ca.SX.sym(name, 2) for name in ("q", "qd", "theta", "thetad")]
    x = ca.vertcat(*state)
    A = ca.Function("A", [x], [ca.jacobian(state_rate(unloaded.plant(), *state, ca.SX.zeros(2)), x)])
    rest = np.concatenate([q, np.zeros(2), q / robot.drives.gear_ratio, np.zeros(2)])
    oscillating = sorted(abs(np.linalg.eigvals(np.array(A(rest))).imag))[-4::2]
    assert worst(natural_frequencies(robot, q), oscillating) < SOLVE


def test_springs_seen_at_the_joint_are_stiffer_by_the_gear_squared():
    at_joint = two_links(stiffness=[1000.0, 156.25], damping=[2.5, 0.625], spring_at="link")
    assert worst(at_joint.drives.stiffness, [0.4, 0.25]) < ROUNDING
    assert worst(at_joint.drives.damping, [1e-3, 1e-3]) < ROUNDING


def test_what_is_not_changed_stays_as_it_is_at_the_shaft():
    robot = two_links(damping=1e-3, link_friction=LINK)
    softer = robot.changed(stiffness=[500.0, 100.0], spring_at="link")
    assert worst(softer.drives.stiffness, [0.2, 0.16]) < ROUNDING
    assert worst(softer.drives.damping, [1e-3, 1e-3]) < ROUNDING
    geared = robot.changed(gear_ratio=0.1, spring_at="link")
    assert worst(geared.drives.stiffness, robot.drives.stiffness) < ROUNDING
    assert softer.drives.link_friction.viscous.tolist() == [0.7, 0.7]


def test_an_armature_is_not_counted_twice():
    puma = cf.load("puma560")
    assert puma.armature.any()
    robot = ElasticJointRobot(puma, 1e4, 0.3, 1.0)
    q, *_ = puma.random_state(0)
    assert worst(robot.links.mass_matrix(q) + np.diag(puma.armature), puma.mass_matrix(q)) < ROUNDING


def test_methods_broadcast_and_keep_a_bad_sample_to_itself():
    robot = two_links()
    motion = random_motion(robot, batch=12)
    u = robot.inverse_dynamics(*motion)
    shaped = [each.reshape(3, 4, 2) for each in motion]
    assert np.array_equal(robot.inverse_dynamics(*shaped), u.reshape(3, 4, 2))
    out = np.empty((12, 2))
    assert robot.inverse_dynamics(*motion, out=out) is out
    motion[2][5] = np.nan
    bad = np.isnan(robot.inverse_dynamics(*motion)).any(axis=-1)
    assert bad.tolist() == [k == 5 for k in range(12)]


def test_a_robot_survives_pickling():
    robot = two_links(link_friction=LINK)
    motion = random_motion(robot)
    again = pickle.loads(pickle.dumps(robot))
    assert np.array_equal(again.inverse_dynamics(*motion), robot.inverse_dynamics(*motion))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stiffness": 0.0}, r"stiffness of joint 'joint1' is 0; expected a number above zero"),
        ({"stiffness": [1.0, -2.0]}, r"stiffness of joint 'joint2' is -2"),
        ({"stiffness": [1.0, np.nan]}, r"stiffness of joint 'joint2' is nan"),
        ({"stiffness": [1.0, 2.0, 3.0]}, r"stiffness has shape \(3,\); expected a number, or 2"),
        ({"stiffness": "stiff"}, r"stiffness is 'stiff'; expected numbers or 'variable'"),
        ({"motor_inertia": 0.0}, r"motor_inertia of joint 'joint1' is 0"),
        ({"motor_inertia": [1.0, -1.0]}, r"motor_inertia of joint 'joint2' is -1"),
        ({"gear_ratio": 0}, r"gear_ratio of joint 'joint1' is 0"),
        ({"gear_ratio": -0.01}, r"gear_ratio of joint 'joint1' is -0.01"),
        ({"gear_ratio": 100}, r"at most 1: give 1/100 for a reduction of 100"),
        ({"damping": -1.0}, r"damping of joint 'joint1' is -1; expected a number zero or more"),
        ({"spring_at": "tool"}, r"spring_at is 'tool'; expected 'motor' or 'link'"),
        ({"link_friction": 0.3}, r"link_friction is 0.3; expected a Friction"),
        ({"motor_friction": Friction(width=0.0)}, r"motor_friction: width of joint 'joint1' is 0"),
    ],
)
def test_numbers_that_no_drive_has_are_refused(options, words):
    with pytest.raises(cf.ArgumentError, match=words):
        two_links(**options)


def test_robots_without_motors_at_every_joint_are_refused():
    with pytest.raises(cf.ArgumentError, match="is a free joint"):
        ElasticJointRobot(cf.load("2r", floating_base=True), 1.0, 1.0, 1.0)
    with pytest.raises(cf.ArgumentError, match="expected a Robot"):
        ElasticJointRobot("2r", 1.0, 1.0, 1.0)
    bare = cf.Robot.from_mdh([(0, 0, 0, 0, 0)])
    with pytest.raises(cf.ClosedFormError, match="no inertias"):
        ElasticJointRobot(bare, 1.0, 1.0, 1.0)
    with pytest.raises(cf.UnknownNameError, match="decoupling"):
        two_links().kernel("controller")


def test_changed_names_what_it_does_not_know():
    arm = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    with pytest.raises(cf.UnknownNameError, match=r"'stifness' \(did you mean 'stiffness'\?\); known"):
        arm.changed(stifness=800.0)
    with pytest.raises(cf.ArgumentError, match="gear_ratio"):
        arm.changed(gear_ratio="one")
    assert arm.changed(gear_ratio=0.5, spring_at="link").drives.stiffness.tolist() == [1e3, 1e3]


def test_changed_keeps_a_friction_that_is_not_given_and_removes_one_that_is_none():
    rubbing = cf.ElasticJointRobot(
        cf.load("2r"),
        1e3,
        0.1,
        1.0,
        link_friction=Friction(viscous=2.0),
        motor_friction=Friction(viscous=3.0),
    )
    qd = np.ones(2)
    state = (np.zeros(2), qd, np.zeros(2), qd, np.zeros(2))
    kept, smooth = rubbing.changed(damping=0.0), rubbing.changed(link_friction=None, motor_friction=None)
    frictionless = cf.ElasticJointRobot(cf.load("2r"), 1e3, 0.1, 1.0)
    for one, other in ((kept, rubbing), (smooth, frictionless)):
        assert np.array_equal(one.forward_dynamics(*state), other.forward_dynamics(*state))
    assert not np.array_equal(kept.forward_dynamics(*state), smooth.forward_dynamics(*state))


def test_a_precision_in_the_place_of_a_frame_is_refused_with_the_way_to_say_it():
    for owner in (two_links(), cf.FlexibleArm.deluca_siciliano(), cf.load("2r")):
        with pytest.raises(cf.ArgumentError, match=r"not a form of a frame; .*float32.* given; .*dtype="):
            owner.kernel("forward_dynamics", np.float32)
