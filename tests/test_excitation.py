"""Exciting motions: within their limits, at rest at their ends, and better than chance."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from typer.testing import CliRunner

import closedform as cf
from closedform import ArgumentError, ClosedFormError, UnknownNameError
from closedform.cli import app, main
from closedform.identification import base_parameters, excitation
from closedform.identification.exciting.bounds import Bounds
from closedform.identification.exciting.cost import Cost
from closedform.identification.exciting.fourier import FourierSeries
from closedform.identification.exciting.motion import Excitation
from closedform.identification.logs.tables import read_table
from closedform.report import ExcitationStudy, write_report
from closedform.report.identification import exciting_motion, exciting_regressor
from oracles.random_trees import random_tree
from tolerances import LONG_CHAIN, PROMISED, ROUNDING, worst

BOX = ((-0.6, -0.5, 0.1), (0.7, 0.6, np.inf))


@pytest.fixture(scope="module")
def found() -> Excitation:
    robot = cf.load("panda")
    return excitation(robot, period=8.0, acceleration=12.0, workspace={"tool": BOX}, starts=2, iterations=250)


def stacked(robot, motion, kept, count=997):
    """Return the reduced regressor over a motion, from the robot's own regressor."""
    q, qd, qdd = motion.derivatives(np.linspace(0, motion.duration, count, endpoint=False), 2)
    return robot.regressor(q, qd, qdd)[..., list(kept)].reshape(-1, len(kept))


def test_condition_number_is_that_of_the_stacked_regressor(found):
    base = base_parameters(found.robot)
    s = np.linalg.svd(stacked(found.robot, found.trajectory, base.kept), compute_uv=False)
    assert found.count == len(s) == 43
    assert found.condition == pytest.approx(s[0] / s[-1], rel=1e-6)


def test_it_is_far_better_than_the_best_of_random_motions(found):
    base = base_parameters(found.robot)
    rng = np.random.default_rng(1)
    middle = (found.bounds.lower + found.bounds.upper) / 2
    conditions = []
    for _ in range(40):
        parts = rng.normal(size=(2, 5, 7)) / np.arange(1, 6)[:, None]
        motion = cf.trajectory.fourier(middle, *parts, period=8.0)
        t = np.linspace(0, 8, 500)
        factor = np.min(
            [
                ((found.bounds.upper - middle) / np.abs(motion(t) - middle).max(axis=0)),
                (found.bounds.velocity / np.abs(motion(t, order=1)).max(axis=0)),
            ],
            axis=0,
        )
        motion = cf.trajectory.fourier(middle, *(parts * factor), period=8.0)
        conditions.append(np.linalg.cond(stacked(found.robot, motion, base.kept, 200)))
    assert found.condition < 0.5 * min(conditions)
    assert found.condition < 15


def test_every_limit_holds_between_the_instants_too(found):
    t = np.linspace(0, found.trajectory.duration, 20_011)
    q, qd, qdd = found.trajectory.derivatives(t, 2)
    bounds, slack = found.bounds, 1e-4
    span = bounds.upper - bounds.lower
    assert (q >= bounds.lower - slack * span).all()
    assert (q <= bounds.upper + slack * span).all()
    assert (np.abs(qd) <= bounds.velocity * (1 + slack)).all()
    assert (np.abs(qdd) <= 12.0 * (1 + slack)).all()
    tau = found.robot.inverse_dynamics(q, qd, qdd)
    assert (np.abs(tau) <= found.robot.effort_limits * (1 + slack)).all()
    origin = found.robot.pose(q, "tool")[..., :3, 3]
    assert (origin >= np.array(BOX[0]) - slack).all()
    assert (origin <= np.array(BOX[1]) + slack).all()
    table = found.table()
    assert worst(table["velocity"][0], np.abs(qd).max(axis=0)) < 1e-4
    assert worst(table["torque"][0], np.abs(tau).max(axis=0)) < 1e-3
    # limits are there to be used
    assert (table["velocity"][0] / table["velocity"][1]).max() > 0.9


def test_it_starts_and_ends_at_rest_in_one_posture(found):
    q, qd, qdd = found.trajectory.derivatives([0.0, found.trajectory.duration], 2)
    assert worst(q[0], q[1]) < ROUNDING
    assert np.abs(qd).max() < ROUNDING
    assert np.abs(qdd).max() < LONG_CHAIN


def test_torque_limits_bind_where_they_are_tight():
    robot = cf.load("panda")
    torque = np.array([15.0, 45, 15, 20, 2, 2, 0.5])
    tight = excitation(robot, torque=torque, starts=1, iterations=120)
    state = tight.trajectory.derivatives(np.linspace(0, 10, 5003), 2)
    use = np.abs(robot.inverse_dynamics(*state)).max(axis=0) / torque
    assert use.max() <= 1 + 1e-4
    assert use.max() > 0.9


def test_a_margin_stays_free_of_every_limit():
    robot = cf.load("scara")
    box = {robot.frame_names[-1]: ((-0.4, -np.inf, -1.0), (0.6, np.inf, 1.0))}
    options = {"period": 4.0, "terms": 3, "workspace": box, "starts": 1, "iterations": 40}
    found = excitation(robot, acceleration=20.0, margin=0.2, **options)
    q, qd, qdd = found.trajectory.derivatives(np.linspace(0, 4, 4001), 2)
    bounds, part = found.bounds, 0.8 * (1 + 1e-4)
    middle, half = (bounds.lower + bounds.upper) / 2, (bounds.upper - bounds.lower) / 2
    assert (np.abs(q - middle) <= part * half).all()
    assert (np.abs(qd) <= part * bounds.velocity).all()
    assert (np.abs(qdd) <= part * 20.0).all()
    assert (np.abs(robot.pose(q, robot.frame_names[-1])[:, 0, 3] - 0.1) <= part * 0.5).all()
    assert bounds.acceleration.max() == 20.0  # the limits themselves are kept


def test_gradients_are_exact_where_every_limit_is_violated():
    robot = cf.load("scara")
    small = [np.full(4, size) for size in (-0.3, 0.2, 0.4, 0.5, 0.2)]
    bounds = Bounds(*small, {robot.frame_names[-1]: (np.full(3, -0.5), np.array([0.1, np.inf, 0.2]))})
    cost = Cost(base_parameters(robot), bounds, FourierSeries.of(3.0, 3, 40))
    rng = np.random.default_rng(0)
    x = rng.normal(size=4 + 4 * 4)
    state = cost.state(x)
    violations = list(cost.violations(state, cost.base.regressor(*state), 0.01))
    assert [each.quantity for each in violations] == [
        "position",
        "velocity",
        "acceleration",
        "torque",
        "workspace",
    ]
    assert all(each.excess.any() for each in violations)
    for weight in (0.0, 3.0):
        gradient = cost(x, weight, 0.01)[1]
        for k in range(0, x.size, 5):
            step = np.zeros(x.size)
            step[k] = 1e-6
            slope = (cost(x + step, weight, 0.01)[0] - cost(x - step, weight, 0.01)[0]) / 2e-6
            assert slope == pytest.approx(gradient[k], rel=1e-5, abs=1e-6 * np.abs(gradient).max())


def test_rotor_inertias_count_in_torque_limits():
    rows, inertials = [(0, 0, 0, 0, 0)], [cf.Inertial(1.0, [0.2, 0, 0], np.eye(3) * 0.1)]
    robot = cf.Robot.from_mdh(rows, inertials=inertials, armature=[5.0])
    motion = excitation(robot, period=2.0, terms=2, velocity=20.0, torque=8.0, starts=1, iterations=30)
    state = motion.trajectory.derivatives(np.linspace(0, 2, 2001), 2)
    assert np.abs(robot.inverse_dynamics(*state)).max() <= 8.0 * (1 + 1e-4)
    assert motion.torque.max() == pytest.approx(np.abs(robot.inverse_dynamics(*state)).max(), rel=1e-3)


def test_the_csv_holds_the_motion(found, tmp_path):
    path = found.write_csv(tmp_path / "motion.csv", rate=100.0)
    with path.open() as file:
        header, *rows = csv.reader(file)
    assert header[:3] == ["time [s]", "joint1_position [rad]", "joint2_position [rad]"]
    assert header[-1] == "joint7_acceleration [rad/s^2]"
    values = np.array(rows, dtype=float)
    assert values.shape == (801, 22)
    state = np.concatenate(found.trajectory.derivatives(values[:, 0], 2), axis=1)
    assert worst(values[:, 1:], state) < LONG_CHAIN
    with pytest.raises(ClosedFormError, match="cannot be written"):
        found.write_csv(tmp_path / "missing" / "motion.csv")
    assert [each.name for each in tmp_path.iterdir()] == ["motion.csv"]
    with pytest.raises(ArgumentError, match="samples per second"):
        found.csv(rate=0.0)


def test_sliding_joints_are_in_metres_and_a_robot_without_inertias_can_be_excited():
    robot = cf.load("scara")
    motion = excitation(robot, velocity=1.0, starts=1, iterations=10)
    assert "joint3_position [m]" in motion.csv(10.0).splitlines()[0]
    bare = cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 90, 0.3, 0, 0)])
    motion = excitation(bare, velocity=2.0, starts=1, iterations=10)
    assert np.isnan(motion.torque).all()
    assert np.isfinite(motion.condition)


def test_the_csv_names_joints_as_they_are_named(tmp_path):
    robot = cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 1.5, 0.3, 0, 0)], joint_names=["肩", "coude é"])
    motion = excitation(robot, velocity=2.0, starts=1, iterations=5)
    path = motion.write_csv(tmp_path / "motion.csv", rate=50.0)
    table = read_table(path)
    assert [name.partition("_")[0] for name in table][1:3] == ["肩", "coude é"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"period": 0}, "period is 0; expected 0.001 to 100000 s"),
        ({"period": -1.0}, "period is -1; expected 0.001 to 100000 s"),
        ({"terms": 1}, "terms is 1"),
        ({"velocity": 0.0}, "velocity limit 0"),
        ({"torque": 1e-3}, "torque limit 0.001 of joint 'joint1' cannot be met|holding still"),
        ({"lower": 1.0, "upper": 0.5}, "joint 'joint1' may move from 1 to 0.5"),
        ({"lower": [0.0, np.nan]}, "lower is .* one per joint"),
        ({"workspace": {"tool": ((0, 0, 5), (1, 1, 6))}}, "none of 2000 random postures has frame 'tool'"),
        ({"workspace": {"tool": ((0, 0, 1), (1, 1, 0))}}, "expected \\(lower, upper\\) corners"),
        ({"starts": 0}, "starts is 0"),
        ({"iterations": 1.5}, "iterations is 1.5"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_input_is_told(options, says):
    with pytest.raises(ArgumentError, match=says):
        excitation(cf.load("2r"), **options)


def test_robots_that_cannot_be_excited_are_told():
    with pytest.raises(ArgumentError, match="one-dof joints only"):
        excitation(cf.load("spherical_pendulum"))
    with pytest.raises(ArgumentError, match="one-dof joints only"):
        excitation(random_tree(1, 2, ("planar", "revolute")))
    with pytest.raises(ArgumentError, match="expected a Robot"):
        excitation("panda")
    with pytest.raises(UnknownNameError, match="nowhere"):
        excitation(cf.load("2r"), workspace={"nowhere": BOX})


def test_command_writes_the_motion_and_a_table(tmp_path):
    path = tmp_path / "motion.csv"
    done = CliRunner().invoke(
        app,
        [
            "excite",
            "scara",
            "-o",
            str(path),
            "--starts",
            "1",
            "--iterations",
            "20",
            "--rate",
            "50",
            "--floor",
            "-0.5",
        ],
    )
    assert done.exit_code == 0, done.output
    assert "of 8 base parameters" in done.output
    assert "joint4" in done.output
    assert len(path.read_text().splitlines()) == 502


def test_page_shows_what_the_motion_does_and_tells_apart(found, tmp_path):
    study = ExcitationStudy(found)
    motion, regressor = exciting_motion.gather(study), exciting_regressor.gather(study)
    assert regressor.condition == pytest.approx(found.condition, rel=PROMISED)
    # errors of least squares by another route: the inverse of the normal matrix
    W = found.stacked(found.trajectory)
    assert worst(regressor.errors, np.sqrt(np.diag(np.linalg.inv(W.T @ W)))) < PROMISED
    assert (regressor.errors < regressor.start_errors).mean() > 0.8
    assert all(0.5 < use.share <= 1 + 1e-6 for use in motion.uses)
    write_report(study, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert f"{found.condition:.1f}" in text
    assert all(name in text for name in (*found.robot.joint_names, "ZZR1", "tool"))


def test_command_tells_mistakes_in_one_line(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["excite", "humanoid"])
    assert stop.value.code == 2
    assert capsys.readouterr().err.startswith("error: excitation: robot 'humanoid'")
