"""Inverse kinematics: all branches of six-joint arms in closed form, and a search for any other robot."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import closedform as cf
from closedform.inverse_kinematics.closed import closed_form
from closedform.kernels import traced
from closedform.programs import evaluate
from oracles.redundant_arms import planar
from oracles.six_joints import FAMILIES, SixJoints, every_solution, six_joints, wrapped
from tolerances import HALF_DIGITS, ITERATED, PROMISED, ROUNDING

SAME = 1e-6
"""Difference of joint angles below which they are one solution: near a singularity, round-off of 1e-16 of the
pose moves them that far."""


@pytest.fixture(scope="module")
def ur5():
    return cf.load("ur5")


@pytest.fixture(scope="module")
def puma():
    return cf.load("puma560")


@pytest.fixture(scope="module")
def panda():
    return cf.load("panda")


def holds(branches, q, turns=True):
    """Return for each pose whether q is among its branches, full turns apart or not."""
    away = np.abs(np.where(turns, wrapped(branches - q[:, None]), branches - q[:, None])).max(axis=-1)
    return (np.nan_to_num(away, nan=9.0) < SAME).any(axis=-1)


def branches_of(robot, poses, reference):
    """Return what the closed form of a robot's last frame gives, evaluated without machine code."""
    closed = closed_form(robot.model, robot.frame_names[-1])
    return evaluate(traced("branches", *closed.expressions()), poses, reference)


def largest_error(robot, found, poses):
    """Return the largest difference between the poses of all branches and those asked for."""
    some = np.isfinite(found.branches).all(axis=-1)
    assert (some.sum(axis=-1) == found.count).all()
    assert (some[..., 0] == found.found).all()
    return np.abs(robot.pose(np.nan_to_num(found.branches)) - poses[..., None, :, :])[some].max()


# ------------------------------------------------------------------ closed forms


@pytest.mark.parametrize("family", [each for each in FAMILIES if each != "any three axes"])
def test_every_family_has_all_branches(family):
    """The coordinates that a pose was made of are among the branches, and these meet it."""
    for seed in (1, 2):
        arm, robot = six_joints(family, seed)
        q = np.random.default_rng(seed).uniform(-np.pi, np.pi, (1000, 6))
        poses = arm.pose(q)
        branches = branches_of(robot, poses, np.zeros(6))
        error = np.abs(arm.pose(branches) - poses[:, None]).max(axis=(-1, -2))
        good = error < PROMISED  # the others are as near as they come
        assert error[good].max() < ITERATED
        assert holds(np.where(good[..., None], branches, np.nan), q, arm.turns).all()
        assert set(good.sum(axis=-1)) <= {2, 4, 6, 8}


@pytest.mark.parametrize(
    ("axes", "points"),
    [
        (["z", "z", "z"], [(0, 0, 0), (0.3, 0, 0), (0.6, 0, 0)]),
        (["z", "y", "x"], [(0, 0, 0), (0, 0, 0), (0, 0, 0)]),
    ],
    ids=["three parallel axes", "three axes through a point"],
)
def test_three_joints_that_move_no_point_in_space_have_no_closed_form(axes, points):
    wrist = [(1, 0.2, 0.3)] * 3
    h = np.array([np.eye(3)["xyz".index(each)] for each in (*axes, "x", "y", "x")])
    arm = SixJoints(h, np.array([*points, *wrist], dtype=float), np.ones(6, dtype=bool), np.eye(4))
    assert closed_form(arm.robot(np.random.default_rng(0)).model, "pen") is None


@pytest.mark.parametrize("name", ["ur5", "ur10", "puma560"])
def test_all_branches_of_a_thousand_poses(name):
    robot = cf.load(name)
    q = robot.random_state(7, batch=1000)[0]
    poses = robot.pose(q)
    found = robot.inverse_kinematics(poses)
    assert found.closed_form
    assert found.found.all()
    assert holds(found.branches, q).all()
    assert largest_error(robot, found, poses) < ROUNDING
    assert max(found.position_error.max(), found.rotation_error.max()) < ROUNDING
    for k in (1, 2):
        assert len(every_solution(robot, poses[k], 600)) == found.count[k]


def test_an_arm_of_any_three_axes_and_a_wrist():
    """The quartic: four places of the arm, two of the wrist; two solutions may be close together."""
    arm, robot = six_joints("any three axes", 1)
    q = np.random.default_rng(3).uniform(-np.pi, np.pi, (1000, 6))
    poses = arm.pose(q)
    found = robot.inverse_kinematics(poses)
    assert found.found.all()
    assert holds(found.branches, q).all()
    assert largest_error(robot, found, poses) < ROUNDING
    assert np.abs(arm.pose(np.nan_to_num(found.q)) - poses).max() < ROUNDING
    assert len(every_solution(robot, poses[1], 2000)) == found.count[1]
    poses[:, 0, 3] = np.geomspace(1, 1e49, 1000)
    assert not robot.inverse_kinematics(poses[100:]).found.any()


def test_axes_that_printed_figures_let_miss_each_other(ur5):
    """1.5708 is 4e-6 off a quarter turn: Newton's method goes from the closed form to the robot as it is."""
    placements = [body.placement.copy() for body in ur5.model.bodies]
    for T, turn in zip(placements, np.random.default_rng(0).normal(size=(6, 3)), strict=True):
        T[:3, :3] = T[:3, :3] @ Rotation.from_rotvec(2e-6 * turn).as_matrix()
    rough = cf.Robot.from_screws(placements, [body.joint.X[:, 0] for body in ur5.model.bodies])
    q = rough.random_state(0, batch=1000)[0]
    poses = rough.pose(q)
    found = rough.inverse_kinematics(poses)
    assert found.closed_form
    assert found.found.all()
    assert largest_error(rough, found, poses) < ROUNDING
    assert holds(found.branches, q).mean() > 0.995  # two that are about to merge may be lost


def straight(name, zeros, size=1.0):
    """Return a robot without limits and poses in which some joints are singular, or nearly so."""
    robot = cf.load(name).with_joint_limits(lower=-10, upper=10)
    q = np.random.default_rng(5).uniform(-3, 3, (60, 6))
    q[:, zeros] = size * np.repeat([0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6], 10)[:, None]
    return robot, q


@pytest.mark.parametrize("zeros", [[4], [2], [2, 4]], ids=["wrist", "elbow", "both"])
@pytest.mark.parametrize("name", ["ur5", "puma560"])
def test_singular_poses_have_solutions(name, zeros):
    """A straight wrist leaves two joints free, a stretched elbow makes two branches one."""
    robot, q = straight(name, zeros)
    poses = robot.pose(q)
    found = robot.inverse_kinematics(poses)
    assert found.found.all()
    assert largest_error(robot, found, poses) < ROUNDING
    away = np.abs(wrapped(found.branches[:, :, None] - found.branches[:, None])).max(axis=-1)
    assert not (away < SAME / 2)[:, ~np.eye(8, dtype=bool)].any()  # none is there twice


@pytest.mark.parametrize("name", ["ur5", "puma560"])
def test_joints_that_a_singular_pose_leaves_free_stay_at_q0(name):
    robot, q = straight(name, [4], size=0.0)
    assert np.abs(robot.inverse_kinematics(robot.pose(q), q0=q).q - q).max() < HALF_DIGITS


def test_a_wrist_over_the_base_axis_leaves_the_first_joint_free():
    """An arm without offsets, its wrist on axis 1: q1 stays at q0, and the others are found."""
    up, out = np.array([0.0, 0, 1]), np.array([0.0, 1, 0])
    h = np.array([up, out, out, up, out, up])
    o = np.array([[0, 0, 0], [0, 0, 0.3], [0.4, 0, 0.3], [0.7, 0, 0.3], [0.7, 0, 0.3], [0.7, 0, 0.3]])
    arm = SixJoints(h, o, np.ones(6, dtype=bool), np.eye(4))
    robot = arm.robot(np.random.default_rng(0))
    bend = 2.0
    lift = np.pi - np.arctan2(0.3 * np.sin(bend), 0.4 + 0.3 * np.cos(bend)) - np.pi / 2
    q = np.array([0.4, lift - np.pi, bend, 0.3, 0.8, -0.2])
    T = arm.pose(q)
    wrist = T[:3, 3] + T[:3, :3] @ [0.7, 0, 0.3]
    assert np.abs(wrist[:2]).max() < ROUNDING
    branches = branches_of(robot, T, q)
    assert np.abs(arm.pose(branches) - T).max(axis=(-1, -2)).min() < ROUNDING
    assert holds(branches[None], q[None]).all()


def test_unreachable_poses_are_reported_with_what_is_left(ur5):
    q = ur5.random_state(1, batch=50)[0]
    poses = ur5.pose(q)
    poses[::2, :3, 3] *= 2.0 / np.linalg.norm(poses[::2, :3, 3], axis=-1, keepdims=True)
    found = ur5.inverse_kinematics(poses)
    assert found.found.tolist() == [False, True] * 25
    assert np.isnan(found.q[::2]).all()
    assert (found.count[::2] == 0).all()
    assert (found.status[::2] == "out of reach").all()
    near = ur5.pose(found.closest[::2])
    gap = np.linalg.norm(near[:, :3, 3] - poses[::2, :3, 3], axis=-1)
    turn = Rotation.from_matrix(near[:, :3, :3] @ poses[::2, :3, :3].swapaxes(-1, -2)).magnitude()
    assert np.abs(gap - found.position_error[::2]).max() < ROUNDING
    assert np.abs(turn - found.rotation_error[::2]).max() < HALF_DIGITS
    assert (gap > 0.9).all()  # the arm reaches 1 m
    assert repr(found).startswith("<Solutions: 25 of 50 NOT FOUND: 25 out of reach;")
    assert repr(ur5.inverse_kinematics(poses[0])).startswith("<Solutions: NOT FOUND: out of reach")


def test_branches_are_within_the_limits_and_nearest_first(ur5):
    q = ur5.random_state(2, batch=200)[0]
    poses = ur5.pose(q)
    found = ur5.inverse_kinematics(poses, q0=q)
    assert np.abs(found.q - q).max() < SAME  # with its full turns
    away = np.linalg.norm(np.nan_to_num(found.branches, nan=99.0) - q[:, None], axis=-1)
    assert (np.diff(away, axis=-1) >= 0).all()
    inside = np.isnan(found.branches) | (
        (found.branches >= ur5.lower_limits) & (found.branches <= ur5.upper_limits)
    )
    assert inside.all()
    every = ur5.inverse_kinematics(poses, limits=False)
    half = ur5.inverse_kinematics(poses, limits=([-7, -7, 0, -7, -7, -7], [7, 7, np.pi, 7, 7, 7]))
    assert (half.branches[..., 2] >= 0)[np.isfinite(half.branches[..., 2])].all()
    assert (2 * half.count == every.count).all()  # the elbow bends either way
    for start in (0.1, 6.2):  # full turns bring every branch into a range of one turn
        turned = ur5.inverse_kinematics(poses, q0=np.full(6, start), limits=(0, 2 * np.pi))
        assert np.array_equal(turned.count, every.count)
    tight = ur5.inverse_kinematics(poses, limits=(-1e-3, 1e-3))
    assert set(tight.status) == {"excluded by limits"}
    assert (np.abs(tight.closest) <= 1e-3).all()


def test_batches_and_single_poses_agree(puma):
    poses = puma.pose(puma.random_state(3, batch=6)[0])
    flat, shaped = puma.inverse_kinematics(poses), puma.inverse_kinematics(poses.reshape(2, 3, 4, 4))
    assert shaped.branches.shape == (2, 3, 8, 6)
    assert shaped.found.shape == shaped.status.shape == shaped.count.shape == (2, 3)
    assert np.array_equal(shaped.branches.reshape(6, 8, 6), flat.branches, equal_nan=True)
    single = puma.inverse_kinematics(poses[0])
    assert single.q.shape == (6,)
    assert np.abs(single.branches - flat.branches[0]).max() < ROUNDING
    assert np.array_equal(np.asarray(single), single.q)
    assert (single.shape, len(single), single[2]) == ((6,), 6, single.q[2])
    assert np.array_equal([*flat], flat.q)
    assert np.array_equal(puma.pose(flat), puma.pose(flat.q))
    starts = np.zeros((5, 1, 6))
    assert puma.inverse_kinematics(poses, q0=starts).q.shape == (5, 6, 6)
    assert puma.inverse_kinematics(poses[:0]).branches.shape == (0, 8, 6)


def test_nan_stays_in_its_own_pose(puma):
    poses = puma.pose(puma.random_state(4, batch=3)[0])
    clean = puma.inverse_kinematics(poses)
    poses[1, 0, 3] = np.nan
    found = puma.inverse_kinematics(poses)
    assert found.status.tolist() == ["solved", "not a number", "solved"]
    assert np.isnan(found.branches[1]).all()
    assert str(found) == "1 of 3 NOT FOUND: 1 not a number"
    assert np.array_equal(found.branches[[0, 2]], clean.branches[[0, 2]])


def test_rotations_of_single_precision_are_taken_as_meant():
    """Also with a straight wrist, where only an orthonormal rotation has a closed form near enough."""
    puma, q = straight("puma560", [4])
    rough = puma.pose(q).astype(np.float32)
    found = puma.inverse_kinematics(rough)
    assert found.found.all()
    assert (found.count >= 7).all()
    assert np.abs(puma.pose(found.q) - rough).max() < 1e-6


def test_starts_beyond_reason_do_not_cost_digits(puma):
    q = puma.random_state(6, batch=3)[0]
    poses = puma.pose(q)
    for far in (1e3, 1e9, 1e40):
        found = puma.inverse_kinematics(poses, q0=np.full(6, far))
        assert np.abs(puma.pose(found.q) - poses).max() < ITERATED
    lost = puma.inverse_kinematics(poses, limits=(1e9, 1e9 + 7))  # where a double has seven decimals left
    assert not lost.found.any()


def test_one_frame_by_name_is_that_frame(puma):
    T = puma.pose(puma.random_state(7)[0], "link6")
    named, plain = puma.inverse_kinematics({"link6": T}), puma.inverse_kinematics(T, "link6")
    assert named.closed_form
    assert np.array_equal(named.branches, plain.branches)


def test_joints_beside_the_chain_stay_at_q0(puma):
    """An arm with a hand: the six joints that carry the frame are solved, the fingers stay."""
    both = puma.attached(cf.load("2r"), prefix="hand_")
    q0 = np.array([0.3, -0.5, 0.4, 0.2, 0.9, -0.1, 0.7, -0.6])
    found = both.inverse_kinematics(both.pose(q0, "link6"), "link6", q0=q0)
    assert found.closed_form
    assert found.branches.shape == (8, 8)
    assert (found.branches[:, 6:] == q0[6:]).all()
    assert np.abs(found.q - q0).max() < SAME
    narrow = both.inverse_kinematics(both.pose(q0, "link6"), "link6", q0=q0, limits=(-9, [9] * 6 + [0.5] * 2))
    assert (narrow.branches[:, 6:] == [0.5, -0.6]).all()


# ------------------------------------------------------------------ the search


def test_a_redundant_arm_meets_its_poses_within_the_limits(panda):
    q = panda.random_state(0, batch=100)[0]
    poses = panda.pose(q)
    found = panda.inverse_kinematics(poses)
    assert not found.closed_form
    assert found.found.all()
    assert np.abs(panda.pose(found.q) - poses).max() < ITERATED
    assert (found.q >= panda.lower_limits).all()
    assert (found.q <= panda.upper_limits).all()
    assert found.branches.shape == (100, 1, 7)
    again = panda.inverse_kinematics(poses[17])
    assert np.abs(again.q - found.q[17]).max() < ROUNDING  # whatever else is solved with it
    middle = 0.5 * (panda.lower_limits + panda.upper_limits)
    here = panda.pose(middle + 0.1)
    near = panda.inverse_kinematics(here, q0=middle)
    assert np.abs(near.q - middle).max() < 0.3


def test_a_criterion_makes_the_redundant_joints_optimal(panda):
    poses = panda.pose(panda.random_state(0, batch=5)[0])
    best = panda.inverse_kinematics(poses, criterion="manipulability")
    same = cf.redundancy.solve(panda, poses)
    assert np.array_equal(best.q, same.q)
    assert best.found.all()


def test_parts_of_a_pose(panda):
    q = panda.random_state(0, batch=20)[0]
    places = panda.pose(q)[:, :3, 3]
    by_name = panda.inverse_kinematics(places, task="position", q0=q + 0.2)
    by_mask = panda.inverse_kinematics(panda.pose(q), task=[False] * 3 + [True] * 3, q0=q + 0.2)
    assert by_name.found.all()
    assert np.abs(panda.pose(by_name.q)[:, :3, 3] - places).max() < ITERATED
    assert np.array_equal(by_name.q, by_mask.q)
    assert (by_name.rotation_error == 0).all()


def test_a_planar_arm_takes_whole_poses_of_its_plane():
    arm = planar(4)
    q = arm.random_state(0, batch=20)[0]
    found = arm.inverse_kinematics(arm.pose(q))
    assert found.found.all()
    lifted = arm.pose(q)
    lifted[:, 2, 3] += 0.1
    assert not arm.inverse_kinematics(lifted[:2]).found.any()


@pytest.fixture(scope="module")
def two_arms():
    """Two planar arms on one that turns: a tree of seven joints with two hands."""
    rows = [(0, 0, 0, 0, 0)] + [(0, 0, 0.3, 0, 0)] * 6
    robot = cf.Robot.from_mdh(rows, parents=[-1, 0, 1, 2, 0, 4, 5], name="two arms")
    return robot.with_frame("pen", "link7", (0.2, 0, 0))


def test_several_frames_at_once(two_arms):
    q = two_arms.random_state(0, batch=10)[0]
    goal = {name: two_arms.pose(q, name) for name in ("link4", "link7")}
    found = two_arms.inverse_kinematics(goal, q0=q + 0.3)
    assert found.found.all()
    for name, poses in goal.items():
        assert np.abs(two_arms.pose(found.q, name) - poses).max() < ITERATED


def test_weights_share_out_what_cannot_be_met(two_arms):
    """Two points of one body, 0.2 m apart, shall be 0.5 m apart: w^2 e is the same for both."""
    goal = {"link7": [0.1, 0.3], "pen": [0.6, 0.3]}
    for weight in (1.0, 2.0):
        found = two_arms.inverse_kinematics(goal, q0=np.full(7, 0.3), task="xy", weights={"pen": weight})
        assert not found.found
        assert found.status == "out of reach"
        gap = {name: np.linalg.norm(two_arms.pose(found.closest, name)[:2, 3] - goal[name]) for name in goal}
        share = weight**2 / (1 + weight**2)
        assert abs(gap["link7"] - 0.3 * share) < 1e-6  # the search stops when the error no longer falls
        assert abs(gap["pen"] - 0.3 * (1 - share)) < 1e-6
        assert abs(max(gap.values()) - found.position_error) < ROUNDING


def test_a_floating_base_is_part_of_the_solution():
    robot = cf.load("quadruped")
    q = robot.random_state(0, batch=4)[0]
    feet = [name for name in robot.frame_names if "foot" in name.lower()][:2]
    goal = {name: robot.pose(q, name)[..., :3, 3] for name in feet}
    found = robot.inverse_kinematics(goal, q0=q, task="position")
    moved = {name: place + np.array([1.0, 0.5, 0.2]) for name, place in goal.items()}
    away = robot.inverse_kinematics(moved, q0=q, task="position")
    assert np.abs(found.q - q).max() < ITERATED
    assert away.found.all()
    assert np.abs(np.linalg.norm(away.q[:, 3:7], axis=-1) - 1).max() < ITERATED
    for name, place in moved.items():
        assert np.abs(robot.pose(away.q, name)[:, :3, 3] - place).max() < ITERATED


# ------------------------------------------------------------------ wrong arguments


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pose": np.zeros(3)}, r"pose has shape \(3,\).* for places give task='position'"),
        ({"pose": np.eye(3)}, r"pose has shape \(3, 3\)"),
        ({"pose": [np.eye(4), np.diag([1, 1, 1.1, 1])]}, r"pose \[1\] is not a pose: .* off by 0.21"),
        ({"pose": np.diag([1, 1, -1, 1])}, "is mirrored"),
        ({"pose": np.ones((4, 4))}, "pose is not a pose"),
        ({"pose": 2 * np.eye(4) - np.diag([1, 1, 1, 0])}, "last row is not 0 0 0 1"),
        ({"q0": np.zeros(5)}, r"q0 has shape \(5,\); expected \(..., 6\)"),
        (
            {"pose": [np.eye(4)] * 2, "q0": np.zeros((3, 6))},
            r"batches do not broadcast: pose \(2,\), q0 \(3,\)",
        ),
        ({"frame": "base"}, "frame 'base' is fixed to the base: no joint moves it"),
        ({"limits": 3}, "limits is 3"),
        ({"weights": {"link6": 1}}, "weights is given; expected several frames"),
        ({"pose": {}}, "empty mapping"),
        ({"pose": {"link6": np.eye(4)}, "frame": "link6"}, "beside a mapping"),
        ({"pose": {"link6": np.eye(4)}, "weights": 3}, "weights is 3"),
        ({"pose": {"link6": np.eye(4)}, "weights": {"link6": -1}}, "weights: 'link6' is -1"),
        ({"pose": {"link6": np.eye(4)}, "weights": {"link6": (1, 2, 3)}}, "a number or .rad, m."),
        ({"pose": {"link5": np.eye(4), "link6": np.eye(3)}}, r"pose of 'link6' has shape \(3, 3\)"),
        ({"pose": {"link6": np.eye(4)}, "criterion": "manipulability"}, "criterion is 'manipulability'"),
        ({"task": []}, "task is"),
        ({"task": [True] * 5}, "unknown task row|task is"),
    ],
)
def test_wrong_arguments_are_named(puma, arguments, words):
    with pytest.raises(cf.ClosedFormError, match=words):
        puma.inverse_kinematics(**{"pose": np.eye(4), **arguments})


def test_unknown_frames_are_named_with_those_that_exist(puma):
    for arguments in (
        {"pose": np.eye(4), "frame": "nowhere"},
        {"pose": {"nowhere": np.eye(4)}},
        {"pose": {"link6": np.eye(4)}, "weights": {"nowhere": 1.0}},
        {"pose": {"link6": np.eye(4)}, "task": {"nowhere": "xy"}},
    ):
        with pytest.raises(cf.UnknownNameError, match=r"'nowhere'.*link6"):
            puma.inverse_kinematics(**arguments)


def test_a_robot_that_cannot_move_has_no_inverse_kinematics(puma):
    still = puma.locked(dict.fromkeys(puma.joint_names, 0.0))
    with pytest.raises(cf.ClosedFormError, match=r"no joint of .* moves"):
        still.inverse_kinematics(np.eye(4))
