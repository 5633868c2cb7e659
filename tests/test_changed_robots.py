"""Robots made from others against Pinocchio's own changes of the same model."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pinocchio as pin
import pytest

import closedform as cf
from closedform.programs import Program, evaluate
from closedform.rotations import pose, rotation_rpy
from conftest import ROBOTS, make
from oracles.pinocchio_peer import Peer, robot_data
from tolerances import LAST_DIGITS, ROUNDING, worst

STATES = 5
MODELS = {
    "panda_description/urdf/panda.urdf": False,
    "ur_description/urdf/ur5_robot.urdf": False,
    "xarm_description/urdf/xarm7.urdf": False,
    "tiago_description/robots/tiago_no_hand.urdf": False,
    "anymal_b_simple_description/robots/anymal-kinova.urdf": True,
    "talos_data/robots/talos_reduced.urdf": True,
}
TOOL = pose(rotation_rpy((0.3, -0.4, 1.1)), (0.05, -0.02, 0.1))
INERTIA = np.array([[0.03, 0.002, -0.001], [0.002, 0.025, 0.004], [-0.001, 0.004, 0.02]])


def loaded(path: str) -> tuple[cf.Robot, Peer]:
    robot = cf.load(robot_data() / path, floating_base=MODELS[path])
    return robot, Peer(robot_data() / path, robot, MODELS[path])


@lru_cache(8)
def program(robot: cf.Robot, name: str, frame: str | None) -> Program:
    """Return the program of a form, traced once for the states of a test."""
    return robot.program(name, frame)


def value(robot: cf.Robot, name: str, *arrays: np.ndarray, frame: str | None = None) -> np.ndarray:
    """Return a form by its program: no compiler needed."""
    return np.asarray(evaluate(program(robot, name, frame), *arrays))


@pytest.mark.parametrize("path", MODELS)
def test_a_payload_is_one_more_inertia_of_its_body(path):
    robot, peer = loaded(path)
    frame = [each.name for each in robot.model.frames if each.body >= 0][-1]
    loaded_robot = robot.with_payload(2.5, (0.02, -0.03, 0.1), INERTIA, frame)
    place = peer.model.frames[peer.model.getFrameId(frame)]
    body = pin.Inertia(2.5, np.array([0.02, -0.03, 0.1]), INERTIA)
    peer.model.inertias[place.parentJoint] += place.placement.act(body)
    peer.data = peer.model.createData()
    for q, qd, qdd in zip(*robot.random_state(1, batch=STATES), strict=True):
        tau = value(loaded_robot, "inverse_dynamics", q, qd, qdd)
        assert worst(tau, peer.inverse_dynamics(q, qd, qdd)) < ROUNDING


@pytest.mark.parametrize("path", MODELS)
def test_locked_joints_give_the_reduced_model(path):
    robot, peer = loaded(path)
    rng = np.random.default_rng(2)
    (q0, *_) = robot.random_state(rng, order=0)
    own = [body for body in robot.model.bodies if body.coupling is None and body.joint.nv == 1]
    held = {body.joint_name: float(q0[body.iq]) for body in own[1::3]}
    less = robot.locked(held)
    assert less.nv == robot.nv - len(held)
    for _ in range(STATES):
        q, qd, qdd = less.random_state(rng)
        full_q, full_qd, full_qdd = q0.copy(), np.zeros(robot.nv), np.zeros(robot.nv)
        for body in less.model.bodies:
            old = next(each for each in robot.model.bodies if each.name == body.name)
            full_q[old.iq : old.iq + old.joint.nq] = q[body.iq : body.iq + body.joint.nq]
            for full, new in ((full_qd, qd), (full_qdd, qdd)):
                full[old.iv : old.iv + old.joint.nv] = new[body.iv : body.iv + body.joint.nv]
        tau = peer.inverse_dynamics(full_q, full_qd, full_qdd)
        moving = np.concatenate(
            [
                np.arange(old.iv, old.iv + old.joint.nv)
                for old in robot.model.bodies
                if old.coupling is None and old.joint_name not in held
            ]
        )
        assert worst(value(less, "inverse_dynamics", q, qd, qdd), tau[moving]) < ROUNDING
        for frame in robot.frame_names[-2:]:
            ours = value(less, "pose", q, frame=frame)
            assert worst(ours, value(robot, "pose", full_q, frame=frame)) < ROUNDING


def test_one_robot_on_another_is_the_appended_model():
    arm, peer = loaded("xarm_description/urdf/xarm7.urdf")
    hand, hand_peer = loaded("ur_description/urdf/ur5_robot.urdf")
    frame = "link_eef"
    both = arm.attached(hand, frame, TOOL, prefix="hand_")
    at = peer.model.getFrameId(frame)
    for each in hand_peer.model.frames:
        each.name = f"hand_{each.name}"
    for k, name in enumerate(hand_peer.model.names):
        hand_peer.model.names[k] = f"hand_{name}" if k else name
    whole = pin.appendModel(peer.model, hand_peer.model, at, pin.SE3(TOOL))
    data = whole.createData()
    for q, qd, qdd in zip(*both.random_state(3, batch=STATES), strict=True):
        order = [whole.joints[whole.getJointId(name)].idx_v for name in both.joint_names]
        parts = [np.empty(whole.nv) for _ in range(3)]
        for part, ours in zip(parts, (q, qd, qdd), strict=True):
            part[order] = ours
        assert (
            worst(value(both, "inverse_dynamics", q, qd, qdd), pin.rnea(whole, data, *parts)[order])
            < ROUNDING
        )
    assert both.mass == pytest.approx(arm.mass + hand.mass + hand.base_phi[9], rel=LAST_DIGITS)


def test_a_base_turned_over_feels_gravity_the_other_way():
    robot, peer = loaded("panda_description/urdf/panda.urdf")
    mounted = robot.with_base(TOOL)
    peer.model.gravity.linear = TOOL[:3, :3].T @ robot.gravity
    for q, qd, qdd in zip(*robot.random_state(4, batch=STATES), strict=True):
        tau = value(mounted, "inverse_dynamics", q, qd, qdd)
        assert worst(tau, peer.inverse_dynamics(q, qd, qdd)) < ROUNDING
        tip = robot.frame_names[-1]
        expected = TOOL @ value(robot, "pose", q, frame=tip)
        assert worst(value(mounted, "pose", q, frame=tip), expected) < ROUNDING


@pytest.mark.parametrize("name", [each for each in ROBOTS if make(each).nv])
def test_a_new_frame_moves_with_its_parent(name):
    robot = make(name)
    framed = robot.with_frame("new frame", robot.frame_names[-1], TOOL)
    (q, *_) = robot.random_state(5, order=0)
    expected = value(robot, "pose", q, frame=robot.frame_names[-1]) @ TOOL
    assert worst(value(framed, "pose", q, frame="new frame"), expected) < ROUNDING
    assert framed.model.digest == robot.model.digest  # no kernel without a frame is compiled again


@pytest.mark.parametrize("name", [each for each in ROBOTS if make(each).nv > 1])
def test_locking_every_joint_leaves_an_object_of_the_same_mass(name):
    robot = make(name)
    (q, *_) = robot.random_state(6, order=0)
    own = [body for body in robot.model.bodies if body.coupling is None]
    held = {body.joint_name: q[body.iq : body.iq + body.joint.nq] for body in own}
    thing = robot.locked(held)
    assert thing.nv == 0
    if robot.model.has_inertia:
        whole = robot.mass + robot.base_phi[9]
        assert thing.mass == pytest.approx(whole, rel=ROUNDING)
        moved = value(robot, "center_of_mass", q) * robot.mass + robot.base_phi[6:9]
        assert worst(thing.center_of_mass(np.zeros(0)) * whole, moved, 1e-3 * whole) < ROUNDING
    tip = robot.frame_names[-1]
    assert worst(thing.pose(np.zeros(0), tip), value(robot, "pose", q, frame=tip)) < ROUNDING


def test_a_subtree_moves_as_it_does_on_a_robot_at_rest():
    robot = make("iiwa14")
    part = robot.subtree(robot.body_names[2])
    q, qd, qdd = robot.random_state(7)
    still = [np.concatenate([np.zeros(3), each[3:]]) for each in (qd, qdd)]
    base = value(robot, "pose", q, frame=robot.body_names[2])
    turned = part.with_gravity(base[:3, :3].T @ robot.gravity)
    tau = value(turned, "inverse_dynamics", q[3:], qd[3:], qdd[3:])
    assert worst(tau, value(robot, "inverse_dynamics", q, *still)[3:]) < ROUNDING


def test_changed_robots_are_saved_and_loaded(tmp_path):
    arm = cf.load("iiwa14").with_payload(2.0, (0, 0, 0.1)).with_frame("pen", pose=(0, 0, 0.2))
    arm = arm.locked({arm.joint_names[2]: 0.4}).with_base(TOOL).with_damping(0.5)
    again = cf.load(arm.save(tmp_path / "arm.toml"))
    q, qd, qdd = arm.random_state(8)
    tau = value(arm, "inverse_dynamics", q, qd, qdd)
    assert worst(value(again, "inverse_dynamics", q, qd, qdd), tau) < ROUNDING
    assert again.frame_names == arm.frame_names
    assert again.damping.tolist() == arm.damping.tolist()


def test_joint_properties_come_as_one_number_an_array_or_by_name():
    arm = cf.load("2r")
    assert arm.with_friction(0.3).friction.tolist() == [0.3, 0.3]
    assert arm.with_friction([0.1, 0.2]).friction.tolist() == [0.1, 0.2]
    assert arm.with_damping({"joint2": 0.2}).damping.tolist() == [0.0, 0.2]
    limited = arm.with_joint_limits(-1.0, [1.0, np.inf], velocity=2.0, effort={"joint1": 9.0})
    assert limited.lower_limits.tolist() == [-1.0, -1.0]
    assert limited.upper_limits.tolist() == [1.0, np.inf]
    assert limited.effort_limits.tolist() == [9.0, np.inf]


def test_one_number_is_that_of_joints_that_follow_too():
    robot, peer = loaded("panda_description/urdf/panda.urdf")
    geared = robot.with_armature(0.3)
    (q,) = robot.random_state(9, order=0)
    expected = peer.mass_matrix(q) + 0.3 * peer.G.T @ peer.G
    assert worst(value(geared, "mass_matrix", q), expected) < ROUNDING
    bare = geared.with_armature(0.0)
    assert worst(value(bare, "mass_matrix", q), peer.mass_matrix(q)) < ROUNDING


def test_the_default_frame_moves_although_the_file_ends_with_one_of_the_base():
    robot, _ = loaded("ur_description/urdf/ur5_robot.urdf")
    assert robot.frame_names[-1] == "base"
    assert robot.model.default_frame.name == "tool0"
    held = dict.fromkeys(robot.joint_names, 0.0)
    assert robot.locked(held).model.default_frame.name == "base"
    loads = [robot.with_payload(2.0, (0, 0, 0.1), frame=frame).phi for frame in (None, "tool0")]
    assert np.array_equal(*loads)


def test_the_other_robots_name_keeps_names_apart_where_that_is_needed():
    arm = cf.load("2r")
    assert arm.attached(arm).joint_names == ("joint1", "joint2", "2r_joint1", "2r_joint2")
    assert arm.attached(cf.load("ur5")).joint_names[2:] == cf.load("ur5").joint_names


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda arm: arm.with_payload(-1.0), "mass"),
        (lambda arm: arm.with_payload(1.0, inertia=(1, 0, 0, 1, 0, 3)), "triangle"),
        (lambda arm: arm.with_payload(1.0, inertia=(-1, 0, 0, 1, 0, 1)), "not positive"),
        (lambda arm: arm.with_payload(1.0, frame="base"), "fixed to the base"),
        (lambda arm: arm.with_payload(1.0, frame="tip"), "tip"),
        (lambda arm: arm.with_frame("link1", "link2"), "exists already"),
        (lambda arm: arm.with_frame("x", "link2", 2 * np.eye(4)), "not a rotation"),
        (lambda arm: arm.with_base(np.ones((4, 4))), r"not a rotation, R R\^T - I is up to 3"),
        (lambda arm: arm.with_base(np.diag([1.0, 1, -1, 1])), "mirrors"),
        (lambda arm: arm.with_frame("x", "link2", np.eye(4) + np.eye(4, k=-3)), "last row.*transposed"),
        (lambda arm: arm.with_frame("x", "link2", np.eye(3)), r"expected a 4x4 pose, or a position \(3,\)"),
        (lambda arm: arm.with_payload(1.0, inertia=(1, 1, 1)), r"with_payload: inertia .* or \(6,\)"),
        (lambda arm: arm.with_payload(1.0, com=(0, 1)), "with_payload: com"),
        (lambda arm: arm.with_base(np.eye(4), ""), "name has 0 characters; expected 1 to"),
        (lambda arm: arm.with_base(np.eye(4), "link2"), "exists already"),
        (lambda arm: arm.locked({"joint9": 0.0}), "joint9"),
        (lambda arm: arm.locked({"joint1": np.nan}), "joint1.*finite"),
        (lambda arm: arm.locked([0.0]), "mapping"),
        (lambda arm: arm.attached(arm, prefix=""), "frame 'base'; give another prefix="),
        (lambda arm: arm.attached(arm).attached(arm), "frame '2r_base'; give another prefix="),
        (lambda arm: arm.attached(arm, prefix=3), "expected a text"),
        (lambda arm: arm.attached("2r"), "expected a Robot"),
        (lambda arm: arm.subtree("joint1"), "link1"),
        (lambda arm: arm.with_joint_limits(1.0, -1.0), "above the upper"),
        (lambda arm: arm.with_armature(-0.1), "joint1"),
        (lambda arm: arm.with_friction([1.0]), r"\(2,\)"),
    ],
)
def test_what_cannot_be_is_refused_by_name(change, message):
    with pytest.raises(cf.ClosedFormError, match=message):
        change(cf.load("2r"))


def test_joints_that_follow_are_locked_with_their_driver():
    name = next(each for each in ROBOTS if make(each).model.coupled)
    robot = make(name)
    body = next(each for each in robot.model.bodies if each.coupling is not None)
    driver = robot.model.bodies[body.coupling.body].joint_name
    with pytest.raises(cf.ArgumentError, match=f"follows {driver!r}"):
        robot.locked({body.joint_name: 0.1})
    less = robot.locked({driver: 0.1})
    assert body.joint_name not in [each.joint_name for each in less.model.bodies]
