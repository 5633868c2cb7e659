"""Paths, self-motion and the methods of resolved motion."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from closedform import redundancy
from oracles.redundant_arms import GUESS, PRINTED, VERTICES, null_space, planar, square, task_jacobian
from tolerances import ITERATED, LONG_CHAIN, PRINTED_DIGITS, PROMISED, ROUNDING, SHORT_CHAIN

XY = [3, 4]


@pytest.fixture(scope="module")
def chang():
    return cf.load("chang3r")


def test_path_meets_every_target_and_equals_single_solutions(chang):
    path = redundancy.follow(chang, square(), "xy", q0=GUESS)
    assert path.converged.all()
    assert path.jumps == ()
    assert np.abs(chang.pose(path.q)[:, :2, 3] - square()).max() < SHORT_CHAIN
    assert np.abs(np.rad2deg(path.q[:-1:100]) - PRINTED).max() < PRINTED_DIGITS
    alone = redundancy.solve(chang, square()[::37], "xy", q0=GUESS)
    assert np.abs(alone.q - path.q[::37]).max() < LONG_CHAIN
    assert path.largest_step < 0.005


def test_path_of_a_seven_axis_arm_is_continuous():
    robot = cf.load("panda")
    a = np.array([0.1, -0.3, 0.2, -1.9, 0.3, 1.9, 0.5])
    s = np.linspace(0, 1, 1000)[:, None]
    poses = robot.pose(a + s * np.array([0.5, 0.4, -0.3, 0.5, 0.4, -0.4, 0.3]))
    path = redundancy.follow(robot, poses, q0=a)
    assert path.converged.all()
    assert path.jumps == ()
    assert (path.kind == "maximum").all()
    assert np.abs(robot.pose(path.q) - poses).max() < ITERATED
    assert path.stationarity.max() < PROMISED
    assert path.largest_step < 0.01
    second = np.abs(np.diff(path.q, 2, axis=0)).max(axis=-1)
    assert np.sort(second)[-10] < 1e-4  # smooth but for the moments when limits are met and left


def test_path_survives_targets_that_cannot_be_met(chang):
    line = np.linspace([0.446, 0.09], [0.9, 0.2], 60)
    line[20] = np.nan
    line[40] = [3.0, 0.0]
    path = redundancy.follow(chang, line, "xy", q0=GUESS)
    assert np.flatnonzero(~path.converged).tolist() == [20, 40]
    assert path.jumps == ()
    assert np.isfinite(path.largest_step)
    assert path.algorithmic_singularities == ()
    assert np.isnan(path.curvature[[20, 40]]).all()
    assert np.abs(chang.pose(path.q[path.converged])[:, :2, 3] - line[path.converged]).max() < ROUNDING


def test_fold_of_the_optima_is_reported_as_an_algorithmic_singularity(chang):
    """Towards the base the maximum merges with a minimum: its curvature goes to zero like a root."""
    line = np.linspace([0.446, 0.09], [0.06, 0.0], 1000)
    path = redundancy.follow(chang, line, "xy", q0=GUESS)
    assert path.converged.all()
    (jump,) = path.jumps
    assert jump in path.algorithmic_singularities
    before = path.curvature[jump - 40 : jump]
    assert (np.diff(before) < 0).all()
    squares = before**2
    fit = np.polyfit(np.arange(40), squares, 1)
    assert np.abs(np.polyval(fit, np.arange(40)) - squares).max() < 0.1 * squares.max()
    assert path.regularity.min() > 0.05  # J itself is regular
    outwards = redundancy.follow(chang, np.linspace([0.446, 0.09], [1.6, 0.3], 500), "xy", q0=GUESS)
    assert outwards.jumps == ()
    assert outwards.algorithmic_singularities == ()


def test_long_steps_are_told_from_jumps(chang):
    """Twelve targets with joint steps beyond 0.2 rad: continuous, as targets in between show."""
    coarse = np.linspace([0.446, 0.09], [1.5, 0.3], 12)
    fine = np.linspace([0.446, 0.09], [1.5, 0.3], 1101)
    path = redundancy.follow(chang, coarse, "xy", q0=GUESS)
    assert path.largest_step > 0.2
    assert path.jumps == ()
    assert np.abs(path.q - redundancy.follow(chang, fine, "xy", q0=GUESS).q[::100]).max() < ITERATED


def test_self_motion_moves_nothing_but_the_joints(chang):
    curves = redundancy.self_motion(chang, VERTICES[0], task="xy", step=0.03)
    assert len(curves) == 2  # elbow to the left and to the right
    for curve in curves:
        assert curve.closed
        assert np.abs(chang.pose(curve.q)[:, :2, 3] - VERTICES[0]).max() < ROUNDING
        assert np.abs(np.diff(curve.length)).max() < 0.031
        N = null_space(task_jacobian(chang, curve.q, XY))[:, 0]
        step = np.diff(curve.q, axis=0)
        along = np.abs((step * N[:-1]).sum(-1)) / np.linalg.norm(step, axis=-1)
        assert along.min() > 0.99
    mirrored = [curve.value.max() for curve in curves]
    assert abs(mirrored[0] - mirrored[1]) < 1e-3


def test_self_motion_of_a_limited_arm_ends_at_limits():
    robot = cf.load("iiwa14")
    q = robot.random_state(7)[0]
    (curve, *_) = redundancy.self_motion(robot, robot.pose(q), q0=q)
    assert not curve.closed
    assert np.abs(robot.pose(curve.q) - robot.pose(q)).max() < ITERATED
    assert (curve.q >= robot.lower_limits - 1e-12).all()
    assert (curve.q <= robot.upper_limits + ROUNDING).all()
    for end, name in ((curve.q[0], curve.ends[0]), (curve.q[-1], curve.ends[1])):
        joint = robot.joint_names.index(name.removeprefix("limit of "))
        assert end[joint] in (robot.lower_limits[joint], robot.upper_limits[joint])


def test_resolved_motion_comes_to_rest_where_zh_vanishes(chang):
    """Table III: with the tip at rest, resolved motion ends at the proposed method's angles."""
    still = np.repeat(VERTICES[:1], 4000, axis=0)
    start = redundancy.solve(chang, VERTICES[0], "xy", criterion="joint_centering", q0=GUESS).q
    q = redundancy.resolved_motion(chang, still, start, "xy", gain=20.0)
    assert np.abs(np.rad2deg(q[-1]) - PRINTED[0]).max() < PRINTED_DIGITS
    assert np.abs(chang.pose(q)[:, :2, 3] - VERTICES[0]).max() < 1e-5


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ([-40.5006, 141.6408, 78.4169], [-14.0445, 135.3160, 101.2448]),  # Table I, rows 1 and 2
        ([-14.0476, 135.3249, 101.2557], [-25.4178, 134.3821, 101.2799]),  # Table II, rows 2 and 3
    ],
)
def test_printed_rows_of_resolved_motion_follow_through_their_tips(chang, start, end):
    """The manipulability in metres, a gain of 10/s, 10 mm/s: the next row within its digits and the start's.

    With the square of the criterion, as (29) has it, and no unit, it does not.
    """
    line = np.linspace(*(chang.pose(np.deg2rad(row))[:2, 3] for row in (start, end)), 1001)
    step = np.linalg.norm(line[-1] - line[0]) / 0.01 / 1000
    off = []
    for criterion in ("manipulability", redundancy.manipulability(squared=True, length=0.6)):
        q = redundancy.resolved_motion(chang, line, np.deg2rad(start), "xy", criterion, time_step=step)
        off.append(np.abs(np.rad2deg(q[-1]) - end).max())
    assert off[0] < 1.2e-4
    assert off[1] > 0.1


def test_pseudoinverse_rates_are_those_of_equation_19(chang):
    """One adaptive run over a short line against an explicit Euler sum of the formula."""
    line = np.linspace(VERTICES[0], VERTICES[0] + [0.0, -0.002], 3)
    q = redundancy.resolved_motion(chang, line, GUESS, "xy", integrator="DOP853", gain=3.0, time_step=0.01)
    x, steps = GUESS.copy(), 4000
    rate = np.array([0.0, -0.1])
    for _ in range(steps):
        J = task_jacobian(chang, x, XY)
        plus = np.linalg.pinv(J)
        h = np.zeros(3)
        for k in range(3):
            e = 1e-6 * np.eye(3)[k]
            near = (task_jacobian(chang, x + s * e, XY) for s in (1, -1))
            up, down = (np.sqrt(np.linalg.det(K @ K.T)) for K in near)
            h[k] = (up - down) / 2e-6
        x = x + 0.02 / steps * (plus @ rate + 3.0 * (np.eye(3) - plus @ J) @ h)
    assert np.abs(q[-1] - x).max() < 1e-5


@pytest.mark.parametrize("arm", ["chang3r", "planar 4R"])
def test_extended_jacobian_is_the_derivative_of_the_optimal_map(arm):
    robot = cf.load("chang3r") if arm == "chang3r" else planar(4)
    x = VERTICES[0] if arm == "chang3r" else np.array([0.6, 0.5])
    start = redundancy.solve(robot, x, "xy").q
    d = np.array([1e-5, 0.5e-5])
    line = np.stack([x, x + d])
    moved = redundancy.resolved_motion(robot, line, start, "xy", method="extended_jacobian")[-1] - start
    there = redundancy.solve(robot, x + d, "xy", q0=start).q - start
    back = redundancy.solve(robot, x - d, "xy", q0=start).q - start
    assert np.abs(moved - (there - back) / 2).max() < 1e-4 * np.abs(moved).max()
    assert (
        np.abs(moved - there).max() < PROMISED * np.abs(moved).max() + SHORT_CHAIN
    )  # fourth order in the step


def test_comparison_ranks_accuracy_and_repeatability(chang):
    table = redundancy.compare(chang, square(20), GUESS, "xy", cycles=3, time_step=0.05)
    rows = {each.title: each for each in table.contestants}
    methods = ("pseudoinverse", "damped", "extended_jacobian")
    assert set(rows) == {
        "proposed",
        "MINPACK hybrid",
        *methods,
        *(f"{name}, corrected" for name in methods),
    }
    assert abs(table.start_error - 5.24e-4) < 1e-6  # the printed start misses the first target
    assert np.abs(chang.pose(table.start)[:2, 3] - square(20)[0]).max() < SHORT_CHAIN
    exact = rows["proposed"]
    assert exact.task_error < SHORT_CHAIN
    assert exact.drift < ROUNDING
    assert exact.direction < ROUNDING
    assert exact.lag < ROUNDING
    for name in ("pseudoinverse", "damped"):
        assert rows[name].direction > 1e-2  # another posture each way,
        assert rows[name].lag > 1e-2  # behind the optimum,
        assert np.abs(chang.pose(rows[name].first[0])[:2, 3] - square(20)[0]).max() < SHORT_CHAIN
    assert rows["pseudoinverse"].task_error < 1e-7  # but on the path up to the integration
    assert rows["damped, corrected"].task_error < 0.2 * rows["damped"].task_error
    assert rows["extended_jacobian"].lag < 1e-9
    assert np.abs(exact.last - rows["MINPACK hybrid"].last).max() < ITERATED
    assert str(table).count("\n") == 8


def test_a_start_that_reaches_no_target_is_refused(chang):
    with pytest.raises(cf.ArgumentError, match="q0 does not lead to the first target"):
        redundancy.compare(chang, square(4) + 5.0, GUESS, "xy")


def test_time_rates_of_poses_are_twists():
    robot = cf.load("iiwa14")
    q, qd, _ = robot.random_state(3)
    q, qd = 0.5 * q, qd / 10
    poses = robot.pose(q + np.linspace(0, 0.02, 21)[:, None] * qd)
    path = redundancy.resolved_motion(robot, poses, q, gain=0.0, time_step=0.001)
    assert np.abs(robot.pose(path) - poses).max() < 1e-7
