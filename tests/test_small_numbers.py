"""Small tilts, tiny offsets, thin bodies and long quaternions: what a file says is what is computed."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import closedform as cf
from closedform.forms.algebra import Turn, constant_turns
from closedform.forms.tree import Tree
from closedform.model.inertia import inertia_from_second_moments, second_moments
from closedform.programs import evaluate, trace
from closedform.rotations import rotation_quaternion, rotation_rpy, snap_pose
from tolerances import EPS, LAST_DIGITS, ROUNDING, worst

BODY = (
    '<inertial><origin xyz="0.1 0.02 0.2"/><mass value="1.5"/>'
    '<inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.35" iyz="-0.01" izz="0.2"/></inertial>'
)


def arm(*joints: tuple[str, str], bodies: tuple[str, ...] = ()) -> str:
    """Return a chain of revolute joints, each an origin and an axis, as URDF."""
    bodies = bodies or (BODY,) * len(joints)
    text = "".join(
        f'<link name="l{k + 1}">{bodies[k]}</link><joint name="j{k + 1}" type="continuous">'
        f'<parent link="l{k}"/><child link="l{k + 1}"/><origin {origin}/><axis xyz="{axis}"/></joint>'
        for k, (origin, axis) in enumerate(joints)
    )
    return f'<robot name="small"><link name="l0"/>{text}</robot>'


@pytest.fixture
def load(tmp_path):
    def from_text(text: str, **options: bool) -> cf.Robot:
        (tmp_path / "small.urdf").write_text(text)
        return cf.load(tmp_path / "small.urdf", **options)

    return from_text


def differences(robot: cf.Robot, text: str) -> tuple[float, float]:
    """Return how far the last pose and the torques are from Pinocchio's, relative."""
    peer = pin.buildModelFromXML(text)
    data = peer.createData()
    state = robot.random_state(1)
    pose = evaluate(trace(robot.model, "pose"), state[0])
    tau = evaluate(trace(robot.model, "inverse_dynamics"), *state)
    theirs = pin.integrate(peer, pin.neutral(peer), state[0])
    reference = pin.rnea(peer, data, theirs, *state[1:])
    pin.framesForwardKinematics(peer, data, theirs)
    last = data.oMf[peer.getFrameId(f"l{robot.nv}")].homogeneous
    return worst(pose, last), worst(tau, reference)


TILTS = [
    ('rpy="2e-8 0 0.5"', "0 0 1"),
    ('rpy="0 1e-9 -0.7" xyz="0.1 0 0.2"', "0 0 1"),
    ('rpy="0.4 3e-8 0"', "1 0 0"),
    ('rpy="0 0 0.5"', "2e-8 0 1"),
    ('rpy="0 0 0.5"', "0 1 -1e-8"),
    ('rpy="1e-12 0 0.5"', "1 1e-12 0"),
]


@pytest.mark.parametrize(("origin", "axis"), TILTS)
def test_small_tilts_are_kept(load, origin, axis):
    text = arm((origin, axis), ('xyz="0 0.3 1"', "0 1 0"))
    assert max(differences(load(text), text)) < ROUNDING
    exact = arm((origin.replace("e-8", "e-99"), axis.replace("e-8", "e-99")), ('xyz="0 0.3 1"', "0 1 0"))
    if "e-8" in origin + axis:
        assert max(differences(load(exact), text)) > 1e-9, "the tilt is too small to be seen"


def test_a_small_tilt_of_a_planar_joint_is_kept():
    e = np.array([2e-8, 0, 1])
    screws = np.zeros((6, 3))
    screws[:3, 0], screws[3:, 1], screws[3:, 2] = e, [1, 0, -2e-8], [0, 1, 0]
    q = np.array([0.7, 0.2, 0.1])
    robot = cf.Robot.from_screws([np.eye(4)], [screws])
    pose = evaluate(trace(robot.model, "pose"), q)
    assert np.allclose(pose[:3, :3], pin.exp3(e * q[0]), rtol=0, atol=2 * EPS)


@pytest.mark.parametrize("quarter", [np.pi / 2, -np.pi / 2, np.pi, 5 * np.pi / 2])
@pytest.mark.parametrize("axis", range(3))
def test_rounded_quarter_turns_stay_cheap(quarter, axis):
    rpy = np.zeros(3)
    rpy[axis] = quarter
    assert set(np.unique(rotation_rpy(rpy))) <= {-1.0, 0.0, 1.0}
    rpy[axis] = 0.4
    (turn,) = constant_turns(rotation_rpy(rpy) @ rotation_rpy(np.full(3, 1e-16)))
    assert isinstance(turn, Turn)


def test_snapping_takes_no_tilt_beyond_its_tolerance():
    T = np.eye(4)
    T[:3, :3] = rotation_rpy((2e-8, 0, 0.5))
    assert np.array_equal(snap_pose(T, 1e-12), T)
    assert snap_pose(T, 1e-5)[2, 1] == 0


@pytest.mark.parametrize("tiny", ["5e-324", "1e-200", "1e-40", "3.6e-17", "1e-9"])
def test_a_residue_is_not_the_unit_of_length(load, tiny):
    residues = f'xyz="{tiny} 0.4 {tiny}"'
    text = arm((residues, "0 0 1"), (residues, "0 1 0"), (residues, "1 0 0"))
    robot = load(text)
    assert max(differences(robot, text)) < ROUNDING
    assert Tree.of(robot.model).nodes[0].unit == 0.4
    alone = arm(('xyz="0 0 0"', "0 0 1"), (f'xyz="{tiny} 0 0"', "0 1 0"))
    robot = load(alone)
    assert max(differences(robot, alone)) < ROUNDING


def test_a_residue_does_not_spoil_single_precision(load):
    robot = load(arm(('xyz="0 0 0"', "0 0 1"), ('xyz="1e-40 0.4 0"', "0 1 0"), ('xyz="1e-40 0 0"', "1 0 0")))
    state = [each.astype(np.float32) for each in robot.random_state(1)]
    single = robot.kernel("inverse_dynamics", dtype=np.float32)(*state)
    assert worst(single, evaluate(trace(robot.model, "inverse_dynamics"), *state)) < 1e-5


def test_a_tiny_pitch_and_a_far_axis_are_kept():
    """The axis stands 1 km off: its screw has no other moment than its pitch, in the tree too."""
    e, far = np.array([0.6, 0.0, 0.8]), np.array([1e3, 2e3, -1e3])
    for pitch in (0.0, 1e-9):
        screw = np.concatenate([e, np.cross(far, e) + pitch * e])
        (node,) = Tree.of(cf.Robot.from_screws([np.eye(4)], [screw]).model).nodes
        assert np.abs(node.X[3:, 0]).sum() == pytest.approx(pitch, rel=1e-3, abs=0.0)


def test_axes_printed_with_ten_digits_are_unit_vectors():
    e = np.array([0.5773502692, 0.5773502692, 0.5773502692])
    robot = cf.Robot.from_screws([np.eye(4)], [np.concatenate([e, np.zeros(3)])])
    pose = evaluate(trace(robot.model, "pose"), [2.0])
    assert np.allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), rtol=0, atol=4 * EPS)


LENGTHS = [1e-160, 1e-156, 1e-153, 1e-20, 1.0, 1e20, 1e153, 1e155, 1e160, 1e300]


@pytest.mark.parametrize("length", LENGTHS)
def test_quaternions_of_any_length_give_their_rotation_or_nan(length):
    robot = cf.load("2r", floating_base=True)
    q = robot.random_state(0)[0]
    scaled = q.copy()
    scaled[3:7] *= length
    with np.errstate(all="ignore"):
        found = robot.pose(scaled)
        moved = robot.integrate(scaled, np.full(8, 0.1))
    right = bool(np.abs(found - robot.pose(q)).max() < 1e-14)
    assert right == (1e-154 < length < 1e154)
    assert right or np.isnan(found).any()
    assert np.allclose(moved[:3], robot.integrate(q, np.full(8, 0.1))[:3], rtol=LAST_DIGITS)
    wxyz = np.array([0.3, -0.1, 0.7, 0.2])
    assert np.allclose(rotation_quaternion(wxyz * length), rotation_quaternion(wxyz), rtol=0, atol=1e-15)


@pytest.mark.parametrize("quaternion", [(0, 0, 0, 0), (np.nan, 0, 0, 1), (np.inf, 0, 0, 1), (1, 0, 0)])
def test_quaternions_without_a_rotation_are_refused(quaternion):
    with pytest.raises(cf.ArgumentError, match="quaternion"):
        rotation_quaternion(quaternion)


@pytest.mark.parametrize("thin", [1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("axis", range(3))
def test_second_moments_keep_the_smallest_inertia(thin, axis):
    principal = np.array([1.0, 1.0 - 0.5 * thin, 0.0])
    principal[2] = thin
    J = np.diag(np.roll(principal, axis))
    again = inertia_from_second_moments(second_moments(J))
    assert np.allclose(np.diag(again), np.diag(J), rtol=2 * EPS, atol=0)


def needle(thin: float, com: str = "0 0 0") -> str:
    return (
        f'<inertial><origin xyz="{com}"/><mass value="1"/>'
        f'<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="{thin}"/></inertial>'
    )


def test_torques_about_a_needle_keep_their_digits(load):
    """The torque of a joint along the needle is its inertia times the acceleration."""
    robot = load(arm(('xyz="0 0 0"', "0 0 1"), bodies=(needle(1e-9),)))
    tau = evaluate(trace(robot.model, "inverse_dynamics"), [0.7], [0.3], [1.0])
    assert abs(tau[0] / 1e-9 - 1) < ROUNDING


def test_lost_digits_are_said(load):
    """A centre of mass 1 km from its frame, turned about itself: the frame's inertias are huge."""
    e, far = np.array([0.0, 0.0, 1.0]), np.array([1e3, 0.0, 0.0])
    screw = np.concatenate([e, np.cross(far, e)])
    body = cf.Inertial.of(1.0, far, (0.01, 0, 0, 0.01, 0, 0.01))
    with pytest.warns(cf.ModelWarning, match="joint 'joint1' moves so little inertia.*wrong by up to 2e-08"):
        robot = cf.Robot.from_screws([np.eye(4)], [screw], inertials=[body])
    error = abs(robot.mass_matrix([0.0])[0, 0] / 0.01 - 1)
    assert error < 2e-8
