"""Exciting motions for practice: clear of obstacles, from a given start, as tables, with expected errors."""

from __future__ import annotations

import itertools
import json
import re

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

import closedform as cf
from closedform import ArgumentError, ClosedFormError
from closedform.cli import app, main
from closedform.identification import ExpectedErrors, FrictionTerms, base_parameters, excitation, identify
from closedform.identification.exciting.bounds import Bounds
from closedform.identification.exciting.clearances import box_distance, checked_clearances, covering
from closedform.identification.exciting.cost import Cost
from closedform.identification.exciting.fourier import FourierSeries
from closedform.identification.exciting.motion import Excitation
from closedform.report import ExcitationStudy, write_report
from closedform.report.identification import exciting_motion, exciting_regressor
from tolerances import LONG_CHAIN, PROMISED, ROUNDING, worst

BOX = ((0.45, -0.25, -0.1), (0.9, 0.3, 0.35))
BALLS = [
    ("shoulder_link", (0, 0, 0.0), 0.07),
    ("upper_arm_link", (0, 0, 0.2), 0.06),
    ("forearm_link", (0, 0, 0.0), 0.06),
    ("forearm_link", (0, 0, 0.2), 0.05),
    ("wrist_1_link", (0, 0, 0.0), 0.05),
    ("wrist_3_link", (0, 0, 0.0), 0.06),
]


@pytest.fixture(scope="module")
def found() -> Excitation:
    return excitation(
        cf.load("ur5"),
        period=6.0,
        terms=4,
        velocity=2.0,
        acceleration=8.0,
        spheres=BALLS,
        floor=0.02,
        obstacles=[BOX],
        clearance=0.03,
        starts=1,
        iterations=60,
    )


def densely(motion, count=6007):
    return motion.trajectory.derivatives(np.linspace(0, motion.trajectory.duration, count), 2)


def test_spheres_keep_clear_of_floor_box_and_each_other(found):
    """Sampled densely, by poses of frames and distances that share nothing with the search."""
    q, _, _ = densely(found)
    robot = found.robot
    centres, least = [], 0.03 - 1e-4
    for frame, offset, _ in BALLS:
        T = robot.pose(q, frame)
        centres.append(np.einsum("nij,j->ni", T[:, :3, :3], offset) + T[:, :3, 3])
    radii = [radius for *_, radius in BALLS]
    lower, upper = np.array(BOX)
    gaps = []
    for k, (x, radius) in enumerate(zip(centres, radii, strict=True)):
        if BALLS[k][0] != "shoulder_link":  # no joint moves its centre
            assert (x[:, 2] - radius - 0.02).min() > least
            apart = np.linalg.norm(np.maximum(0, np.maximum(lower - x, x - upper)), axis=1) - radius
            assert apart.min() > least
            gaps += [(x[:, 2] - radius - 0.02).min(), apart.min()]
    bodies = [frame for frame, *_ in BALLS]
    order = [
        "shoulder_link",
        "upper_arm_link",
        "forearm_link",
        "wrist_1_link",
        "wrist_2_link",
        "wrist_3_link",
    ]
    for i in range(len(BALLS)):
        for j in range(i + 1, len(BALLS)):
            if abs(order.index(bodies[i]) - order.index(bodies[j])) > 1:
                gap = np.linalg.norm(centres[i] - centres[j], axis=1) - radii[i] - radii[j]
                said = f"spheres of {bodies[i]} and {bodies[j]}"
                assert gap.min() > least or any(said in note for note in found.notes)
                if gap.min() > least:
                    gaps.append(gap.min())
    assert min(found.gaps().values()) == pytest.approx(min(gaps), abs=1e-4)


def test_limits_keep_their_margin_and_ends_are_at_rest(found):
    q, qd, qdd = densely(found)
    bounds, part = found.bounds, 0.95 * (1 + 1e-4)
    middle, half = (bounds.upper + bounds.lower) / 2, (bounds.upper - bounds.lower) / 2
    assert (np.abs(q - middle) <= part * half).all()
    assert (np.abs(qd) <= part * 2.0).all()
    assert (np.abs(qdd) <= part * 8.0).all()
    tau = found.robot.inverse_dynamics(q, qd, qdd)
    assert (np.abs(tau) <= part * found.robot.effort_limits).all()
    assert np.abs([qd[0], qd[-1], qdd[0], qdd[-1]]).max() < LONG_CHAIN
    used = found.used()
    assert used["velocity"].max() <= part
    assert worst(used["velocity"], np.abs(qd).max(axis=0) / 2.0) < 1e-4
    assert used["range"].max() <= part


def test_a_given_start_is_where_it_starts_and_ends():
    robot, home = cf.load("scara"), [0.3, -0.4, 0.05, 0.2]
    motion = excitation(robot, period=4.0, terms=3, start=home, acceleration=20.0, starts=1, iterations=40)
    assert worst(motion.trajectory([0.0, 4.0]), np.tile(home, (2, 1))) < ROUNDING
    assert motion.condition < motion.start_condition


def test_gradients_are_exact_where_gaps_are_too_small_and_the_start_is_given():
    robot = cf.load("ur5")
    rng = np.random.default_rng(0)
    clearances = checked_clearances(robot, BALLS, [BOX], 0.3, 0.2, rng.uniform(-2, 2, (300, 6)))
    wide = [np.full(6, size) for size in (-9.0, 9.0, np.inf, np.inf, np.inf)]
    bounds = Bounds(*wide, {}, clearances)
    base, series = base_parameters(robot), FourierSeries.of(3.0, 3, 30)
    for start in (None, np.array([0.1, -1.0, 1.0, 0.2, 0.3, -0.2])):
        cost = Cost(base, bounds, series, start)
        x = 0.5 * rng.normal(size=6 + 4 * 6)
        weight = 50.0
        assert cost.state(x)[0].shape == (30, 6)
        gradient = cost(x, weight, 0.01)[1]
        for k in range(0, x.size, 3):
            step = np.zeros(x.size)
            step[k] = 1e-6
            slope = (cost(x + step, weight, 0.01)[0] - cost(x - step, weight, 0.01)[0]) / 2e-6
            assert slope == pytest.approx(gradient[k], rel=1e-4, abs=1e-5 * np.abs(gradient).max())


def test_distance_from_a_box_is_that_to_its_nearest_point():
    rng = np.random.default_rng(1)
    lower, upper = np.array([-0.5, 0.0, 0.2]), np.array([0.3, 1.0, 0.6])
    x = rng.uniform(-1.5, 1.5, (200, 3))
    gap, normal = box_distance(x, lower, upper)
    # many points of the surface, and the sign by whether it is within
    faces = rng.uniform(lower, upper, (60_000, 3))
    axis = rng.integers(0, 3, len(faces))
    faces[np.arange(len(faces)), axis] = np.where(rng.random(len(faces)) < 0.5, lower[axis], upper[axis])
    nearest = np.array([np.linalg.norm(faces - p, axis=1).min() for p in x])
    within = ((x > lower) & (x < upper)).all(axis=1)
    assert np.abs(gap - np.where(within, -nearest, nearest)).max() < 0.02
    moved, _ = box_distance(x + 1e-6 * normal, lower, upper)
    assert np.abs((moved - gap) / 1e-6 - 1).max() < 1e-4


def test_sticks_are_covered_by_spheres():
    robot = cf.load("ur5")
    balls = robot.spheres(covering(robot, 0.05))
    q = robot.random_state(0)[0]
    centres = balls.centers(q)
    places = np.stack([robot.pose(q, name)[:3, 3] for name in robot.body_names])
    for a, b in itertools.pairwise(places):
        for part in np.linspace(0, 1, 21):
            assert np.linalg.norm(centres - (a + part * (b - a)), axis=1).min() < 0.05


def test_expected_errors_are_those_of_an_identification(found):
    """Against `identify` on a simulated log of one period with that noise."""
    robot = cf.load("2r")
    motion = excitation(robot, period=8.0, terms=4, velocity=3.0, acceleration=15.0, starts=1, iterations=40)
    friction = FrictionTerms(coulomb=0.05)
    expected = motion.expected_errors([0.2, 0.1], 500.0, friction=friction)
    t = np.arange(-2, 10, 1 / 500.0)  # filters need some time around the period
    q, qd, qdd = motion.trajectory.derivatives(t % 8.0, 2)
    noise = np.random.default_rng(0).normal(size=q.shape) * [0.2, 0.1]
    tau = robot.inverse_dynamics(q, qd, qdd) + 0.3 * qd + 0.2 * np.tanh(qd / 0.05) + noise
    result = identify(robot, {"t": t, "q": q, "tau": tau}, friction=friction, cutoff=20.0, physical=False)
    assert expected.names == result.names
    ratio = result.standard_errors / expected.errors
    assert np.median(ratio) == pytest.approx(1.0, abs=0.25)
    assert ((ratio > 0.5) & (ratio < 2)).all()
    assert expected["fv1"] == expected.errors[expected.names.index("fv1")]
    double = motion.expected_errors([0.4, 0.2], 500.0, friction=friction)
    assert worst(double.errors, 2 * expected.errors) < PROMISED
    fewer = motion.expected_errors([0.2, 0.1], 500.0, friction=None, rotors=False)
    assert len(fewer.names) == motion.count
    assert (fewer.errors <= expected.errors[: motion.count] * (1 + PROMISED)).all()


def test_ros_trajectory_reads_back(found, tmp_path):
    path = found.write_ros_trajectory(tmp_path / "motion.yaml", rate=50.0)
    message = yaml.safe_load(path.read_text())
    assert message == json.loads(path.read_text())
    assert set(message) == {"header", "joint_names", "points"}
    assert message["joint_names"] == list(found.robot.joint_names)
    points = message["points"]
    assert set(points[0]) == {"positions", "velocities", "accelerations", "effort", "time_from_start"}
    t = np.array([p["time_from_start"]["sec"] + 1e-9 * p["time_from_start"]["nanosec"] for p in points])
    assert worst(t, np.arange(301) / 50.0) < ROUNDING
    assert all(0 <= p["time_from_start"]["nanosec"] < 10**9 for p in points)
    for name, values in zip(
        ("positions", "velocities", "accelerations"), found.trajectory.derivatives(t, 2), strict=True
    ):
        assert np.abs(np.array([p[name] for p in points]) - values).max() < 1e-9


def test_urscript_reads_back(found, tmp_path):
    text = found.write_urscript(tmp_path / "motion.script", rate=125.0).read_text()
    lines = text.splitlines()
    assert lines[0] == "def excitation():"
    assert lines[-1] == "end"
    row = r"\[((?:-?\d+\.\d+(?:, )?){6})\]"
    first = re.fullmatch(rf"  movej\({row}, a=0\.5, v=0\.3\)", lines[2])
    servo = [re.fullmatch(rf"  servoj\({row}, 0, 0, 0\.008, 0\.1, 300\)", line) for line in lines[4:-2]]
    assert first is not None
    assert all(servo)
    q = np.array([[float(x) for x in match[1].split(", ")] for match in [first, *servo]])
    assert worst(q, found.trajectory(np.arange(751) / 125.0)) < 1e-9
    with pytest.raises(ArgumentError, match="six that turn"):
        excitation(cf.load("2r"), velocity=1.0, starts=1, iterations=2).urscript()
    with pytest.raises(ArgumentError, match=r"lookahead is 0\.3; expected 0\.03 to 0\.2"):
        found.urscript(125.0, lookahead=0.3)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"floor": 5.0}, "none of 2000 random postures keeps the clearance"),
        ({"obstacles": [((-9, -9, -9), (9, 9, 9))]}, "none of 2000 random postures keeps the clearance"),
        ({"obstacles": [((0, 0, 0), (1, 1))]}, "obstacles"),
        ({"obstacles": [((1, 0, 0), (0, 1, 1))]}, r"obstacles\[0\] is .* lower < upper"),
        ({"obstacles": "box"}, "expected up to 100 boxes"),
        ({"spheres": [("nowhere", (0, 0, 0), 0.1)]}, "nowhere"),
        ({"spheres": -0.1}, "spheres"),
        ({"spheres": 1e-5}, "at most 1000"),
        ({"clearance": -1.0}, "clearance is -1"),
        ({"start": [9.0, 0.0, 0.0, 0.0]}, "start violates the limits: joint 'joint1' is at 9"),
        ({"start": [0.0, 0.0]}, "start has shape"),
        (
            {"start": [0, 0, 0.1, 0], "workspace": {"link4": ((0, 0, 0), (0.1, 0.1, 0.1))}},
            "frame 'link4' is at",
        ),
        ({"start": [0, 0, 0.1, 0], "spheres": [("link4", (0, 0, 0), 0.5)], "floor": 0.2}, "the gap between"),
        ({"start": [0, 0, 0.1, 0], "torque": 0.5}, "to hold still; its limit with the margin"),
    ],
)
def test_bad_input_is_told(options, says):
    with pytest.raises(ClosedFormError, match=says):
        excitation(cf.load("scara"), starts=1, iterations=2, **options)


def test_noise_that_is_none_is_told(found):
    for noise in (0.0, -1.0, [1.0, 2.0], np.nan):
        with pytest.raises(ArgumentError, match="torque_noise"):
            found.expected_errors(noise)


def test_page_shows_gaps_and_expected_errors(found, tmp_path):
    study = ExcitationStudy(found, found.expected_errors(0.37))
    motion, regressor = exciting_motion.gather(study), exciting_regressor.gather(study)
    assert motion.gaps[0][1] == min(found.gaps().values())
    assert isinstance(regressor.expected, ExpectedErrors)
    assert {name for name, *_ in regressor.rows} >= {"ZZR1", "fv1", "fc6"}
    write_report(study, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "0.37 N m" in text
    assert "least gap" in text
    assert all(note in text for note in found.notes)


def test_command_takes_it_all(tmp_path):
    spheres = tmp_path / "spheres.csv"
    spheres.write_text(
        "frame,x,y,z,radius\n" + "".join(f"{f},{x},{y},{z},{r}\n" for f, (x, y, z), r in BALLS)
    )
    words = ["excite", "ur5", "--velocity", "2", "--acceleration", "8", "--floor", "0.02", "--terms", "3"]
    words += ["--period", "5", "--spheres", str(spheres), "--keep-out", "0.5,-0.2,0,0.9,0.2,0.3"]
    words += [
        "--box",
        "tool0=-1,-1,0,1,1,2",
        "--clearance",
        "0.02",
        "--torque-noise",
        "0.5,0.5,0.5,0.1,0.1,0.1",
    ]
    words += ["--starts", "1", "--iterations", "10", "--rate", "50", "-o", str(tmp_path / "m.csv")]
    words += ["--ros", str(tmp_path / "m.yaml"), "--urscript", str(tmp_path / "m.script"), "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert min(facts["gaps"].values()) > 0.02 - 1e-4
    assert facts["expected_errors"]["ZZR1"] > 0
    assert "% start 1 of 1: condition" in done.stderr  # progress without a terminal
    assert len((tmp_path / "m.csv").read_text().splitlines()) == 252
    assert len(yaml.safe_load((tmp_path / "m.yaml").read_text())["points"]) == 501
    assert (tmp_path / "m.script").read_text().endswith("end\n")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--box", "tool"], "--box is 'tool'; expected name=x,y,z,x,y,z"),
        (["--keep-out", "1,2,3"], "--keep-out is '1,2,3'; expected x,y,z,x,y,z"),
        (["--velocity", "fast"], "--velocity is 'fast'"),
        (["--start", "0,0"], "--start has shape (2,)"),
        (["--torque-noise", "x"], "--torque-noise"),
        (["--radius", "0.1", "--spheres", "x.csv"], "expected one of them"),
        (["--spheres", "missing.csv"], "missing.csv"),
    ],
)
def test_command_tells_mistakes(capsys, words, says):
    with pytest.raises(SystemExit) as stop:
        main(["excite", "scara", "--quiet", "--starts", "1", "--iterations", "1", *words])
    assert stop.value.code == 2
    assert says in capsys.readouterr().err
