"""States by joint names, where joints are in q and qd, and distances to joint limits."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform.model.inertia import phi_from_inertial
from closedform.programs import evaluate
from conftest import ROBOTS, make
from urdf_texts import joint, link, urdf

LIMITED = '<axis xyz="0 0 1"/><limit lower="{}" upper="{}" effort="1" velocity="1"/>'
FOLLOWER = LIMITED.format(-0.1, 0.5) + '<mimic joint="hinge" multiplier="-2" offset="0.3"/>'
GRIPPER = urdf(
    link("base", ""),
    link("arm"),
    link("finger"),
    joint("hinge", "base", "arm", more=LIMITED.format(-1, 2)),
    joint("slide", "arm", "finger", "prismatic", FOLLOWER),
)


@pytest.mark.parametrize("name", ROBOTS)
def test_values_by_name_give_the_state_back(name):
    robot = make(name)
    q, qd = robot.random_state(0, batch=(3,), order=1)
    for state, array, make_state in ((q, "q", robot.q), (qd, "qd", robot.qd)):
        values = robot.joint_values(state, array)
        assert tuple(values) == robot.joint_names
        assert np.array_equal(make_state(values), state)
        for joint_name, value in values.items():
            assert np.array_equal(state[..., robot.joint_index(joint_name, array)], value)
    assert np.array_equal(robot.q(), robot.neutral())
    assert not robot.qd().any()
    assert robot.within_limits(q).all()
    assert robot.limit_distance(q).shape == (3, robot.nv)


def test_values_broadcast_over_the_others():
    arm = cf.load("iiwa14")
    base = np.arange(7.0)
    q = arm.q({"joint2": [[0.1], [0.2]]}, joint4=[1.0, 2.0, 3.0], q0=base)
    assert q.shape == (2, 3, 7)
    assert np.array_equal(q[1, 2], [0, 0.2, 2, 3.0, 4, 5, 6])
    assert np.array_equal(base, np.arange(7.0))
    moving = arm.qd(joint1=1.0, qd0=np.ones((4, 7)))
    assert np.array_equal(moving, np.ones((4, 7)))
    floating = cf.load("quadruped")
    root = floating.joint_names[0]
    pose = [[0, 0, 0.5, 0, 0, 0, 1], [0, 0, 0.6, 0, 0, 0, 1]]
    assert np.array_equal(floating.q({root: pose})[:, floating.joint_index(root, "q")], pose)
    assert floating.joint_values(floating.neutral())[root].tolist() == [0, 0, 0, 0, 0, 0, 1]


def test_names_that_are_words_of_the_call_are_joints_too():
    names = ["self", "values", "q0", "name"]
    arm = cf.Robot.from_mdh(np.zeros((4, 5)), joint_names=names)
    assert arm.q({"q0": [1.0, 2.0]}, self=3.0, values=4.0, name=[5.0, 6.0]).tolist() == [
        [3, 4, 1, 5],
        [3, 4, 2, 6],
    ]


def test_limits_of_joints_that_follow_count_for_their_driver():
    robot = cf.load(GRIPPER)  # slide = 0.3 - 2 hinge in [-0.1, 0.5]: hinge in [-0.1, 0.2]
    q = np.array([[0.0], [0.15], [0.3], [-0.2], [1.0]])
    assert np.allclose(robot.limit_distance(q)[:, 0], [0.1, 0.05, -0.1, -0.1, -0.8])
    assert robot.within_limits(q).tolist() == [True, True, False, False, False]
    assert robot.within_limits(q, margin=0.08).tolist() == [True, False, False, False, False]
    assert not robot.within_limits([np.nan])


def test_joints_without_limits_are_far():
    robot = cf.load("quadruped")
    distance = robot.limit_distance(robot.neutral())
    assert np.isinf(distance[:6]).all()
    assert cf.load("pendulum").with_joint_limits(-np.inf, 1.0).limit_distance([0.25]).tolist() == [0.75]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda robot: robot.q(slide=0.1), "'slide' follows 'hinge'; give 'hinge' instead"),
        (lambda robot: robot.joint_index("slide"), "'slide' follows 'hinge'"),
        (lambda robot: robot.q(hing=0.1), "did you mean 'hinge'"),
        (lambda robot: robot.qd({"hing": 0.1}), "did you mean 'hinge'"),
        (lambda robot: robot.joint_index("hing"), "did you mean 'hinge'"),
        (lambda robot: robot.joint_index("hinge", "tau"), "expected 'q' or 'qd'"),
        (lambda robot: robot.q({"hinge": 0.1}, hinge=0.2), "'hinge' is given twice"),
        (lambda robot: robot.q([0.1]), "expected a mapping"),
        (lambda robot: robot.q(hinge="up"), "joint 'hinge' has dtype"),
        (lambda robot: robot.q(hinge=[0.1, 0.2], q0=np.zeros((3, 1))), "do not broadcast"),
        (lambda robot: robot.q(hinge=0.1, q0=[0.0, 0.0]), r"q0 has shape \(2,\); expected \(..., 1\)"),
        (lambda robot: robot.joint_values([0.1, 0.2]), r"expected \(..., 1\)"),
        (lambda robot: robot.limit_distance([0.1, 0.2]), r"expected \(..., 1\)"),
        (lambda robot: robot.within_limits([0.1], -1.0), "margin"),
    ],
)
def test_wrong_states_are_refused_by_name(call, message):
    with pytest.raises(cf.ClosedFormError, match=message):
        call(cf.load(GRIPPER))


def test_a_robot_prints_where_its_joints_are():
    lines = str(cf.load(GRIPPER)).splitlines()
    assert lines[2].split() == ["hinge", "revolute", "0", "0", "-1", "2"]
    assert lines[3].split() == ["slide", "follows", "hinge"]
    assert lines[-1] == "frames: base, arm, finger"
    floating = str(cf.load("quadruped")).splitlines()
    assert floating[2].split() == ["floating_base", "free", "0:7", "0:6"]
    long = cf.Robot.from_mdh(np.zeros((90, 5)), joint_names=["x" * 900 + str(k) for k in range(90)])
    assert "and 30 more" in str(long)
    assert len(str(long)) < 15_000


def test_a_free_joint_takes_seven_coordinates():
    robot = cf.load("quadruped")
    with pytest.raises(cf.ArgumentError, match=r"expected \(..., 7\)"):
        robot.q({robot.joint_names[0]: 0.3})


def test_parameters_of_no_rigid_body_are_refused_or_named():
    arm = cf.load("2r")
    with pytest.raises(cf.ArgumentError, match="mass of link 'link1' is -2, negative"):
        arm.with_phi(-arm.phi)
    solid = phi_from_inertial(cf.Inertial.of(2.0, (0.1, 0, 0.3), (0.03, 0, 0, 0.03, 0, 0.03)))
    assert np.array_equal(arm.with_phi(np.tile(solid, 2)).phi[:10], solid)
    for wrong in ([1, 0, 0, 1, 0, 3, 0, 0, 0, 1], [-1, 0, 0, 1, 0, 1, 0, 0, 0, 1], [0] * 6 + [1, 0, 0, 0]):
        with pytest.warns(cf.ModelWarning, match="no rigid body has the inertia of link 'link2': about"):
            changed = arm.with_phi([*solid, *wrong])
        changed.with_phi(changed.phi)  # what is known is not said again


@pytest.mark.parametrize("name", ["humanoid", "spherical_pendulum", "panda", "screw_lift"])
def test_the_difference_leads_to_the_target(name):
    robot = make(name)
    q, target = robot.random_state(0, batch=(2, 3), order=0)[0]
    step = robot.difference(q, target)
    poses = [evaluate(robot.program("frame_poses"), each) for each in (robot.integrate(q, step), target)]
    assert np.allclose(*poses, rtol=0, atol=1e-13)
    whole = robot.interpolate(q, target, 1.0)
    assert np.array_equal(whole, robot.integrate(q, step))
    assert np.array_equal(robot.interpolate(q, target, 0.0), q)
    shares = robot.interpolate(q, target, [[0.25], [0.75]])
    assert shares.shape == (2, 3, robot.nq)
    assert np.allclose(robot.difference(shares[0], shares[1]), 0.5 * step, rtol=0, atol=1e-13)


def test_rotations_turn_the_shorter_way():
    ball = cf.load("spherical_pendulum")
    q = ball.from_euler_angles([0.0, 0.0, 3.0])
    target = ball.from_euler_angles([0.0, 0.0, -3.0])
    for sign in (1, -1):  # both are one rotation
        assert np.allclose(ball.difference(q, sign * target), [0, 0, 2 * np.pi - 6], rtol=0, atol=1e-14)
    assert np.allclose(ball.difference(q, -3 * q), 0, rtol=0, atol=1e-15)
    with pytest.raises(cf.ArgumentError, match="do not broadcast: share"):
        ball.interpolate(np.tile(q, (4, 1)), target, [0.1, 0.2])
    with pytest.raises(cf.ArgumentError, match="target has shape"):
        ball.difference(q, np.zeros(3))
