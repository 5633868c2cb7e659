"""Targets, criteria, limits and arguments that cannot work: each says so, in its own sample."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform import redundancy
from oracles.redundant_arms import GUESS, VERTICES, planar
from tolerances import HALF_DIGITS, PROMISED, ROUNDING


@pytest.fixture(scope="module")
def chang():
    return cf.load("chang3r")


def test_unreachable_targets_give_the_closest_point(chang):
    far = np.array([[1.7, 0.0], [0.0, -2.0], [1.2, 1.3], [0.03, 0.0]])
    found = redundancy.solve(chang, far, task="xy")
    assert (found.status == "out of reach").all()
    assert not found.converged.any()
    distance = np.linalg.norm(far, axis=-1)
    expected = np.maximum(distance - 1.65, 0.05 - distance)  # reach is a ring: 0.85 - 0.6 - 0.2 to the sum
    assert np.abs(found.task_error - expected).max() < HALF_DIGITS
    tip = chang.pose(found.q)[:, :2, 3]
    assert np.abs(np.linalg.norm(tip - far, axis=-1) - expected).max() < HALF_DIGITS
    assert "out of reach" in str(found)


def test_nan_stays_in_its_own_sample(chang):
    targets = VERTICES.copy()
    targets[1, 0] = np.nan
    found = redundancy.solve(chang, targets, task="xy", q0=GUESS)
    assert found.status.tolist() == ["solved", "not a number", "solved", "solved"]
    assert np.isnan(found.q[1]).all()
    assert np.isnan(found.task_error[1])
    clean = redundancy.solve(chang, VERTICES[[0, 2, 3]], task="xy", q0=GUESS)
    assert np.abs(found.q[[0, 2, 3]] - clean.q).max() < ROUNDING


def test_limits_that_exclude_every_solution(chang):
    lower, upper = np.array([-0.1, 0.0, -0.2]), np.array([0.1, 0.2, 0.2])
    found = redundancy.solve(chang, VERTICES[0], task="xy", limits=(lower, upper))
    assert found.status == "excluded by limits"
    assert not found.converged
    assert (found.q >= lower).all()
    assert (found.q <= upper).all()
    grid = np.stack(np.meshgrid(*(np.linspace(a, b, 21) for a, b in zip(lower, upper, strict=True))), axis=-1)
    scanned = np.linalg.norm(chang.pose(grid.reshape(-1, 3))[:, :2, 3] - VERTICES[0], axis=-1).min()
    assert found.task_error <= scanned + PROMISED


def test_not_redundant_falls_back_and_says_so():
    robot = cf.load("ur5")
    poses = robot.pose(robot.random_state(0, batch=50)[0])
    found = redundancy.solve(robot, poses)
    assert found.redundancy == 0
    assert found.converged.all()
    assert (found.kind == "isolated").all()
    assert np.abs(robot.pose(found.q) - poses).max() < PROMISED
    assert "not redundant" in str(found)
    over = redundancy.solve(cf.load("2r"), cf.load("2r").pose([0.4, 0.9]))
    assert over.converged
    with pytest.raises(cf.ArgumentError, match="not redundant"):
        redundancy.follow(robot, poses)
    with pytest.raises(cf.ArgumentError, match="expected one path"):
        redundancy.follow(cf.load("chang3r"), np.zeros((0, 2)), "xy")
    with pytest.raises(cf.ArgumentError, match="degrees of self-motion"):
        redundancy.self_motion(robot, poses[0])


def test_flat_criterion_is_called_flat(chang):
    found = redundancy.solve(chang, VERTICES, task="xy", criterion=lambda q: ca.SX(2.5))
    assert (found.kind == "flat").all()
    assert found.task_error.max() < ROUNDING
    assert (found.value == 2.5).all()


def test_criterion_that_is_not_a_number_is_not_differentiable(chang):
    """log of a negative number: its derivative is finite, the criterion is not."""
    found = redundancy.solve(chang, VERTICES[0], task="xy", criterion=lambda q: ca.log(q[1] - 50))
    assert found.status == "not differentiable"


def test_numbers_beyond_all_measure_stay_in_their_sample(chang):
    found = redundancy.solve(chang, [[1e200, 0.0], [0.5, 0.1]], task="xy")
    assert found.status.tolist() == ["not a number", "solved"]


def test_optimum_at_a_kink_is_not_differentiable(chang):
    """Along both curves of this target w passes 0.3 without turning there, so |w - 0.3| has only kinks."""

    def off(q):
        angles = (q[0], q[0] + q[1], q[0] + q[1] + q[2])
        tip = ca.vertcat(
            *(f(angles[0]) * 0.6 + f(angles[1]) * 0.85 + f(angles[2]) * 0.2 for f in (ca.sin, ca.cos))
        )
        J = ca.jacobian(tip, q)
        return ca.fabs(ca.sqrt(ca.det(J @ J.T)) - 0.3)

    for start in (GUESS, None):
        found = redundancy.solve(chang, VERTICES[0], task="xy", criterion=off, kind="minimum", q0=start)
        assert found.status == "not differentiable"
        assert not found.converged
        assert found.task_error < 1e-6


def test_edge_of_reach_is_not_differentiable(chang):
    """Only the stretched arm gets there, where sqrt(det(J J^T)) has a kink."""
    found = redundancy.solve(chang, [1.65, 0.0], task="xy")
    assert found.status == "not differentiable"
    assert not found.converged
    assert found.task_error < 1e-6


def test_start_at_a_singularity_is_no_obstacle(chang):
    for start in (np.zeros(3), np.array([0.3, 0.0, np.pi])):
        found = redundancy.solve(chang, VERTICES[0], task="xy", q0=start)
        assert found.kind == "maximum"
        assert found.converged


def test_obstacle_that_contains_the_target(chang):
    block = redundancy.Obstacle((*VERTICES[0], 0.0), (0.05, 0.05, 0.05))
    found = redundancy.solve(chang, VERTICES, task="xy", criterion=redundancy.obstacles(block))
    assert found.status[0] == "inside an obstacle"
    assert not found.converged[0]
    assert found.converged[2:].all()
    assert not block.contains(chang.pose(found.q[2:])[:, :3, 3]).any()


def test_obstacles_are_kept_clear():
    """A ball put where the arm would have its elbow otherwise."""
    robot = planar(4)
    plain = redundancy.solve(robot, [0.7, 0.3], task="xy", criterion="joint_centering", starts=16)
    elbow = robot.pose(plain.q, robot.body_names[2])[:3, 3]
    ball = redundancy.Obstacle(tuple(elbow), (0.08, 0.08, 0.08))
    found = redundancy.solve(robot, [0.7, 0.3], task="xy", criterion=redundancy.obstacles(ball), starts=16)
    assert found.kind == "minimum"
    joints = np.array([robot.pose(found.q, name)[:3, 3] for name in robot.frame_names])
    assert not ball.contains(joints).any()
    assert np.linalg.norm(joints[-1, :2] - [0.7, 0.3]) < ROUNDING


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"target": [0.1, 0.2, 0.3]}, r"shape \(3,\); the task \(x, y\) expects \(..., 2\)"),
        ({"target": "here"}, "target has dtype"),
        ({"q0": [0.0, 1.0]}, r"q0 has shape \(2,\); expected \(..., 3\)"),
        ({"q0": np.zeros((3, 3)), "target": np.zeros((2, 2))}, "do not broadcast"),
        ({"kind": "best"}, "kind is 'best'"),
        ({"kind": ["maximum"]}, "kind is"),
        ({"task": "pose"}, "for places give task='xy'"),
        ({"criterion": 3}, "criterion is 3"),
        ({"limits": 4}, "limits is 4"),
        ({"limits": (np.ones(3), np.zeros(3))}, "exceeds upper"),
        ({"limits": (np.ones(2), np.zeros(3))}, "lower has shape .* or 3 of them"),
        ({"task": ()}, "task is"),
        ({"task": ("x", "x")}, "twice"),
        ({"starts": 0}, "starts is 0"),
        ({"criterion": lambda q: q}, "expected one expression"),
        ({"criterion": lambda q: q[9]}, "failed on 3 CasADi symbols"),
        ({"criterion": lambda q: q.beauty()}, "failed on 3 CasADi symbols .AttributeError"),
        ({"criterion": lambda q: q[0] * ca.SX.sym("z")}, "expected symbols of q only"),
    ],
)
def test_wrong_arguments_are_named(chang, arguments, words):
    with pytest.raises(cf.ArgumentError, match=words):
        redundancy.solve(chang, **{"target": VERTICES[0], "task": "xy", **arguments})


def test_unknown_names_list_the_known(chang):
    with pytest.raises(cf.UnknownNameError, match="manipulability"):
        redundancy.solve(chang, VERTICES[0], "xy", criterion="beauty")
    with pytest.raises(cf.UnknownNameError, match="pose"):
        redundancy.solve(chang, VERTICES[0], "everything")
    with pytest.raises(cf.UnknownNameError, match="frame"):
        redundancy.solve(chang, VERTICES[0], ("xy", "nowhere"))
    with pytest.raises(cf.ClosedFormError, match="no joint limits"):
        redundancy.solve(chang, VERTICES[0], "xy", criterion="joint_limits")
    with pytest.raises(cf.ClosedFormError, match="only 3 of its 6 rows"):
        redundancy.solve(planar(8), np.eye(4))
    with pytest.raises(cf.ArgumentError, match="not a pose"):
        redundancy.solve(cf.load("panda"), 2 * np.eye(4))
    with pytest.raises(cf.ArgumentError, match="expected 2, 4, 6"):
        redundancy.Obstacle((0, 0, 0), (1, 1, 1), 3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda arm: redundancy.follow(arm, VERTICES, "xy", starts=0), "starts is 0"),
        (lambda arm: redundancy.self_motion(arm, VERTICES[0], "xy", step=0.0), "step is 0"),
        (lambda arm: redundancy.self_motion(arm, VERTICES, "xy", q0=[GUESS] * 4), "expected one target"),
        (lambda arm: redundancy.self_motion(arm, VERTICES[0], "xy", q0=[1.0]), "q0 has shape"),
        (lambda arm: redundancy.orthogonality(arm, np.zeros(3), "xy"), "singular at this q"),
        (lambda arm: redundancy.orthogonality(arm, np.zeros(3)), "not redundant"),
        (lambda arm: redundancy.hybrid(arm, VERTICES[0], "xy", q0=GUESS * np.nan), "not finite"),
        (lambda arm: redundancy.resolved_motion(arm, VERTICES, GUESS, "xy", time_step=0.0), "time_step is 0"),
        (lambda arm: redundancy.resolved_motion(arm, VERTICES, GUESS, "xy", gain="much"), "gain is 'much'"),
        (lambda arm: redundancy.compare(arm, VERTICES, GUESS, "xy", cycles=2), "cycles is 2"),
        (lambda arm: redundancy.compare(arm, VERTICES, GUESS, "xy"), "ends where it begins"),
        (lambda arm: redundancy.joint_centering("middle"), "middle has dtype"),
        (lambda arm: redundancy.own(3), "function is 3"),
        (lambda arm: redundancy.obstacles(redundancy.Obstacle((0, 0, 0), (1, 1, 1)), points=[]), "are empty"),
        (lambda arm: redundancy.Task(("x", "x"), "tool"), "none of them twice"),
    ],
)
def test_the_other_calls_name_wrong_arguments_too(chang, call, words):
    with pytest.raises(cf.ArgumentError, match=words):
        call(chang)


def test_more_starts_than_the_table_holds_are_all_of_it(chang):
    assert redundancy.follow(chang, VERTICES, "xy", starts=500).converged.all()
    assert redundancy.solve(chang, VERTICES, "xy", starts=500).converged.all()
