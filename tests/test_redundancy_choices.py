"""Criteria, tasks and limits: what may be asked for, each by a route that shares no code with the solver."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform import redundancy
from closedform.redundancy.problem import prepared
from oracles.redundant_arms import GUESS, VERTICES, gradient, planar, spatial, task_jacobian
from tolerances import ITERATED, LONG_CHAIN, PROMISED, ROUNDING


def test_criteria_have_the_values_of_their_formulas():
    robot = cf.load("ur5")
    q = robot.random_state(8, batch=30)[0]
    lower, upper = robot.lower_limits, robot.upper_limits
    q = 0.5 * (lower + upper) + 0.9 * (q - 0.5 * (lower + upper))
    J = task_jacobian(robot, q, [3, 4, 5])
    sigma = np.linalg.svd(J, compute_uv=False)
    half, middle = (upper - lower) / 2, (upper + lower) / 2
    box = redundancy.Obstacle((0.9, 0.9, 0.9), (0.2, 0.3, 0.1), 4)
    reach = [(robot.frame_names[-4], (0.0, 0.0, 0.1)), (robot.frame_names[-1], (0.0, 0.0, 0.0))]
    points = [robot.pose(q, name)[:, :3] @ np.array([*x, 1.0]) for name, x in reach]
    away = [((p - box.center) / np.array(box.radii)) ** 4 for p in points]
    expected = {
        "manipulability": sigma.prod(axis=-1),
        "condition_number": np.sqrt((sigma**2).sum(-1) * (sigma**-2).sum(-1)) / 3,
        "joint_limits": (half**2 / ((upper - q) * (q - lower))).sum(-1),
        "joint_centering": (((q - middle) / half) ** 2).mean(-1),
        "gravity_load": ((robot.gravity_torque(q) / robot.effort_limits) ** 2).sum(-1),
        redundancy.obstacles(box, points=reach): sum(1 / (each.sum(-1) - 1) for each in away),
        2.0 * redundancy.manipulability() - 0.1 * redundancy.joint_centering(): 2 * sigma.prod(-1)
        - 0.1 * (((q - middle) / half) ** 2).mean(-1),
        redundancy.own(lambda a: ca.sin(a[0]) * a[2] ** 2): np.sin(q[:, 0]) * q[:, 2] ** 2,
    }
    for criterion, values in expected.items():
        conditions = prepared(robot, "position", criterion, None, True).conditions
        assert np.allclose(conditions.value(q)[0], values, rtol=ITERATED), conditions.criterion.name
        slope = gradient(lambda angles, c=conditions: c.value(angles)[0], q)
        assert np.allclose(conditions.value(q)[1], slope, rtol=1e-6, atol=1e-7), conditions.criterion.name


@pytest.mark.parametrize("criterion", ["condition_number", "joint_centering", "gravity_load", "own"])
def test_every_criterion_reaches_its_extremum_on_the_curve(criterion):
    """The best along a traced self-motion, refined, is what the solver finds from there."""
    robot = cf.load("chang3r", gravity=(0, -9.81, 0))
    chosen = redundancy.own(lambda q: ca.cos(q[1] - 0.3) + ca.sin(q[2])) if criterion == "own" else criterion
    (curve, *_) = redundancy.self_motion(robot, VERTICES[3], "xy", chosen, q0=GUESS, step=0.01)
    sense = -1 if criterion == "own" else 1
    k = (sense * curve.value).argmin()
    found = redundancy.solve(robot, VERTICES[3], "xy", chosen, q0=curve.q[k])
    assert found.converged
    assert np.abs(found.q - curve.q[k]).max() < 0.02
    assert sense * found.value <= sense * curve.value[k] + ROUNDING


def test_rows_and_frames_of_tasks():
    robot = spatial(5)
    q = robot.random_state(5, batch=20)[0]
    wrist = robot.body_names[3]
    there = redundancy.solve(robot, robot.pose(q, wrist)[:, :3, 3], task=("position", wrist))
    assert there.converged.all()
    assert there.redundancy == 2
    assert np.abs(robot.pose(there.q, wrist) - robot.pose(q, wrist))[:, :3, 3].max() < ITERATED
    by_name = redundancy.solve(robot, robot.pose(q), task=("x", "z", "ry"))
    by_number = redundancy.solve(robot, robot.pose(q), task=((3, 5, 1), None))
    assert np.array_equal(by_name.q, by_number.q)
    assert np.abs(robot.pose(by_name.q) - robot.pose(q))[:, [0, 2], 3].max() < ITERATED
    turned = redundancy.solve(robot, robot.pose(q), task=("rx", "ry", "rz", "x"))
    assert turned.converged.all()
    assert np.abs(robot.pose(turned.q) - robot.pose(q))[:, :3, :3].max() < ITERATED
    assert np.abs(robot.pose(turned.q) - robot.pose(q))[:, 0, 3].max() < ITERATED


def test_floating_bases_and_quaternions_are_coordinates_too():
    robot = cf.load("quadruped")
    q = robot.random_state(1, batch=5)[0]
    foot = robot.pose(q)[:, :3, 3]
    found = redundancy.solve(robot, foot, task="position", criterion="joint_centering")
    assert found.converged.all()
    assert np.abs(robot.pose(found.q)[:, :3, 3] - foot).max() < ITERATED
    assert np.abs(np.linalg.norm(found.q[:, 3:7], axis=-1) - 1).max() < ITERATED


def test_locked_joints_stay_and_the_rest_is_optimal():
    """A planar 4R with its third joint locked is a 3R arm with a bent link, solved as such."""
    robot, angle, limit = planar(4), 0.4, 2.8
    lower, upper = np.full(4, -limit), np.full(4, limit)
    lower[2] = upper[2] = angle
    targets = np.random.default_rng(0).uniform(-0.6, 0.6, size=(40, 2))
    found = redundancy.solve(robot, targets, "xy", limits=(lower, upper))
    assert found.converged.all()
    assert (found.kind == "maximum").all()
    assert found.redundancy == 1
    assert (found.q[:, 2] == angle).all()
    assert found.held[:, 2].all()
    J = task_jacobian(robot, found.q, [3, 4])
    h = gradient(lambda q: np.linalg.svd(task_jacobian(robot, q, [3, 4]), compute_uv=False).prod(-1), found.q)
    inner = found.held.sum(axis=-1) == 1
    assert inner.sum() > 20
    free = [0, 1, 3]
    N = np.cross(J[inner, 0][:, free], J[inner, 1][:, free])
    assert np.abs((N * h[inner][:, free]).sum(-1)).max() < PROMISED


def test_locked_joints_may_leave_nothing_to_choose():
    robot = cf.load("chang3r")
    found = redundancy.solve(robot, VERTICES, "xy", limits=([-9, -9, 1.5], [9, 9, 1.5]))
    assert found.converged.all()
    assert (found.kind == "isolated").all()
    assert found.redundancy == 0
    assert np.isnan(found.value).all()
    assert "not redundant" in str(found)
    assert np.abs(robot.pose(found.q)[:, :2, 3] - VERTICES).max() < ITERATED


def test_joints_that_nothing_depends_on_stay_where_they_are():
    """The last joint of an arm whose tip lies on its axis: no drift, no false algorithmic singularity."""
    rows = [(0, 0, 0.3 if k else 0, 0, 0) for k in range(4)]
    robot = cf.Robot.from_mdh(rows, name="idle4")
    angle = np.linspace(0, 2 * np.pi, 101)[:, None]
    once = [0.5, 0.2] + 0.1 * np.concatenate([np.cos(angle), np.sin(angle)], axis=-1)
    path = redundancy.follow(robot, np.concatenate([once, *[once[1:]] * 9]), "xy", q0=[0.3, 0.9, 0.8, 0.7])
    assert path.converged.all()
    assert np.abs(path.q[:, 3] - 0.7).max() < LONG_CHAIN
    assert path.algorithmic_singularities == ()
    assert path.curvature.min() > 1e-3


def test_poses_at_the_limits_are_not_called_out_of_reach():
    """Poses of a Panda with many joints at limits: few starts lead there, and the whole table is tried."""
    robot, rng = cf.load("panda"), np.random.default_rng(5)
    lower, upper = robot.lower_limits, robot.upper_limits
    q = robot.random_state(7, batch=1000)[0]
    edge = np.where(rng.random(q.shape) < 0.5, lower, upper)
    q = np.where(rng.random(q.shape) < 0.4, edge, q)
    found = redundancy.solve(robot, robot.pose(q))
    assert found.converged.mean() >= 0.998
    assert (found.status != "out of reach").all()
