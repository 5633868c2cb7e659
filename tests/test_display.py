"""What a notebook shows of an object is what the object holds, in plain HTML, whatever its names are."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from lxml import etree

import closedform as cf
from closedform.chart import chart
from closedform.display import card, html_table
from closedform.errors import SHOWN
from closedform.identification import Payload, identify
from closedform.pictures import TURNED
from closedform.programs import evaluate
from closedform.redundancy.compare import Comparison, Contestant
from closedform.report.formulas import mathml
from conftest import ROBOTS, make
from identification_logs import fourier_motion

LARGEST = 100_000
"""Characters of what is shown."""

NASTY = "<script>alert('1 & \"2\"')</script>"


def parsed(thing: object) -> etree._Element:
    """Return what a notebook shows, which is well-formed, small and still."""
    text = thing._repr_html_()
    assert len(text) < LARGEST
    root = etree.fromstring(text)
    assert {each.tag.rpartition("}")[2] for each in root.iter()} <= {
        *("div", "p", "b", "table", "thead", "tbody", "tr", "th", "td", "pre"),
        *("figure", "figcaption", "svg", "path", "circle", "title", "text", "span"),
    }
    names = {name for each in root.iter() for name in each.attrib}
    assert not {name for name in names if name.startswith("on") or name in ("href", "src")}
    return root


def cells(table: etree._Element) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of a table."""
    header = ["".join(each.itertext()) for each in table.find("thead/tr")]
    return header, [["".join(each.itertext()) for each in row] for row in table.find("tbody")]


def tables(thing: object) -> list[tuple[list[str], list[list[str]]]]:
    return [cells(each) for each in parsed(thing).iter("table")]


def column(thing: object, name: str, table: int = 0) -> list[str]:
    header, rows = tables(thing)[table]
    return [row[header.index(name)] for row in rows]


def digits(values: object) -> list[str]:
    return [f"{value:.6g}" for value in np.ravel(values)]


def elements(root: etree._Element, name: str) -> list[etree._Element]:
    return [each for each in root.iter() if each.tag.rpartition("}")[2] == name]


def shown_posture(robot: cf.Robot, root: etree._Element) -> np.ndarray:
    """Return the configuration of the picture, as its caption says."""
    q = robot.neutral()
    if elements(root, "figcaption")[0].text == "at home":
        return q
    for body in robot.model.independent:
        if body.joint.kind == "revolute":
            q[body.iq] = np.clip(TURNED, body.limits.lower, body.limits.upper)
    return q


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_shows_its_joints_bodies_and_places(name):
    robot = make(name)
    root = parsed(robot)
    assert column(robot, "joint") == [body.joint_name for body in robot.model.bodies]
    assert column(robot, "body") == list(robot.body_names)
    assert column(robot, "mass [kg]") == digits(robot.phi[9::10])
    q = shown_posture(robot, root)
    places = dict(each[0].text.rpartition(": ")[::2] for each in elements(root, "circle"))
    drawn = [body for body in robot.body_names if body in places]
    assert drawn
    for body in drawn[::4] + drawn[-1:]:
        shown = np.array(places[body].removesuffix(" m").split(", "), dtype=float)
        assert np.allclose(shown, evaluate(robot.program("pose", body), q)[:3, 3], atol=0.00051)


def joints(robot: cf.Robot) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of the joints, in space and in the picture."""
    circles = elements(parsed(robot), "circle")
    texts = [each[0].text.rpartition(": ")[2].removesuffix(" m").split(", ") for each in circles]
    return np.array(texts, dtype=float), np.array([[float(c.get(k)) for k in ("cx", "cy")] for c in circles])


@pytest.mark.parametrize("name", ["humanoid", "quadruped"])
def test_the_picture_is_a_parallel_projection_with_up_upwards(name):
    P, p = joints(make(name))
    P = np.c_[P, np.ones(len(P))]
    A, *_ = np.linalg.lstsq(P, p, rcond=None)
    assert np.abs(P @ A - p).max() < 0.5  # pixels; places are written to a millimetre
    right, down = A[:3].T
    assert abs(right @ down) < 0.01 * (right @ right)
    assert np.isclose(right @ right, down @ down, rtol=0.01)
    assert abs(right[2]) < 0.01 * np.linalg.norm(right)  # gravity is along z
    assert down[2] < 0


def test_a_planar_robot_is_drawn_to_scale():
    P, p = joints(make("2r"))
    lengths, drawn = (np.linalg.norm(np.diff(each, axis=0), axis=1) for each in (P, p))
    ratio = drawn[lengths > 0] / lengths[lengths > 0]
    assert len(ratio) == 2
    assert np.allclose(ratio, ratio[0], rtol=0.01)


@pytest.fixture(scope="module")
def log():
    """An identification of a small robot."""
    robot = make("2r")
    motion = fourier_motion(robot, 3, 10, 200)
    tau = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    return identify(robot, {"t": motion.t, "q": motion.q, "tau": tau})


def test_names_are_shown_as_they_are(log):
    model = make("2r").model
    bodies = [
        replace(body, name=NASTY + body.name, joint_name=NASTY + body.joint_name) for body in model.bodies
    ]
    frames = [replace(frame, name=NASTY + frame.name) for frame in model.frames]
    robot = cf.Robot(replace(model, name=NASTY, bodies=tuple(bodies), frames=tuple(frames)))
    for thing in (
        robot,
        cf.ElasticJointRobot(robot, 1e3, 0.1, 1.0),
        cf.base_parameters(robot),
        robot.simulate([1.0, 0.0], duration=0.01),
        cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)], name=NASTY),
        replace(log, robot=robot, doubts=(NASTY,)),
    ):
        assert NASTY in "".join(parsed(thing).itertext())
    assert column(robot, "joint") == [f"{NASTY}joint1", f"{NASTY}joint2"]
    assert f"{NASTY}link2: " in "".join(each.text for each in elements(parsed(robot), "title"))
    assert "<script" not in html_table([NASTY], [[NASTY]]) + card(NASTY, NASTY, notes=[NASTY])


def test_drives_and_links_show_their_numbers():
    arm = cf.ElasticJointRobot(make("2r"), [1e3, 2e3], 0.1, 0.5, [0.0, 3.0])
    assert column(arm, "stiffness [N m/rad]") == digits(arm.drives.stiffness)
    assert column(arm, "damping") == digits(arm.drives.damping)
    assert (
        column(cf.ElasticJointRobot(make("2r"), "variable", 0.1, 1.0), "stiffness [N m/rad]")
        == ["variable"] * 2
    )
    flexible = cf.FlexibleArm.deluca_siciliano()
    assert column(flexible, "mass [kg]") == digits([link.mass for link in flexible.links])
    shown = [[float(each) for each in text.split(", ")] for text in column(flexible, "frequencies [Hz]")]
    assert np.allclose(shown, flexible.frequencies, rtol=1e-3)


def test_inverse_kinematics_shows_branches_or_poses():
    robot = make("puma560")
    poses = evaluate(robot.program("pose"), robot.random_state(0, batch=3, order=0)[0])
    one = robot.inverse_kinematics(poses[0])
    (header, rows), *_ = tables(one)
    assert header[1:] == [f"q{k}" for k in range(1, 7)]
    assert [row[1:] for row in rows] == [digits(q) for q in one.branches[: one.count]]
    poses[1, :3, 3] += 9.0
    several = robot.inverse_kinematics(poses)
    assert column(several, "status") == several.status.tolist()
    assert column(several, "error [m]") == digits(several.position_error)
    assert column(several, "q3") == digits(several.closest[:, 2])


def test_redundancy_shows_targets():
    robot = make("chang3r")
    targets = evaluate(robot.program("pose"), robot.random_state(0, batch=3, order=0)[0])[:, :2, 3]
    found = cf.redundancy.solve(robot, targets, "xy")
    assert column(found, "status") == found.status.tolist()
    assert column(found, "criterion") == digits(found.value)
    assert column(found, "q2") == digits(found.q[:, 1])


def test_a_comparison_shows_its_contestants():
    numbers = (1e-9, 2e-9, 0.1, 0.2, 0.3, 4e-6)
    contestants = tuple(Contestant(name, True, np.zeros(3), np.zeros(3), *numbers) for name in "ab")
    compared = Comparison(np.zeros((3, 2)), np.zeros(3), 0.0, contestants)
    (header, rows), *_ = tables(compared)
    assert [row[0] for row in rows] == ["a, corrected", "b, corrected"]
    assert rows[0][header.index("direction")] == "0.3"
    assert rows[0][header.index("us/pose")] == "4"


def test_base_parameters_and_identification_show_values(log):
    base = cf.base_parameters(make("2r"))
    assert column(base, "parameter") == list(base.names)
    assert column(base, "value") == digits(base.values)
    (header, rows), (_, errors) = tables(log)
    assert [row[0] for row in rows] == list(log.names)
    assert [row[header.index("value")] for row in rows] == [f"{value:.4g}" for value in log.values]
    assert [row[0] for row in errors] == [*log.robot.joint_names, "total"]


def test_motions_show_their_range():
    robot = make("2r")
    run = robot.simulate([1.0, 0.0], duration=0.5)
    (header, rows), *_ = tables(run)
    assert header == ["", "start", "end", "lowest", "highest"]
    every = (run.q[0], run.q[-1], run.q.min(axis=0), run.q.max(axis=0))
    assert [row[1:] for row in rows] == [digits(row) for row in np.transpose(every)]
    batch = robot.simulate([[1.0, 0.0], [0.5, 0.1]], duration=0.5)
    assert column(batch, "highest") == digits(batch.q.max(axis=(0, 1)))
    planned = cf.trajectory.polynomial([0.0, 1.0], [1.0, -1.0], duration=2.0)
    assert column(planned, "end") == ["1", "-1"]
    arm = cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)])
    swung = arm.simulate([0.0, 0.1], duration=0.1)
    assert column(swung, "") == list(arm.coordinate_names)
    assert column(swung, "lowest") == digits(swung.q.min(axis=0))


def test_long_robots_stay_small():
    names = [f"{k}" + '"&<' * 100 for k in range(150)]
    drawn = cf.Robot.from_mdh([(0, 0, 0.1, 0, 0)] * 150, joint_names=names)
    assert elements(parsed(drawn), "svg")
    longer = cf.Robot.from_mdh([(0, 0, 0.1, 0, 0)] * 200)
    assert not elements(parsed(longer), "svg")
    assert tables(longer)[0][1][-1] == [f"and {200 - SHOWN} more"]


def test_what_cannot_be_drawn_has_its_table():
    lettered = cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 0, "L", 0, 0)])
    still = make("2r").locked(["joint1", "joint2"])
    for robot in (lettered, still):
        assert not elements(parsed(robot), "svg")
    assert column(lettered, "joint") == list(lettered.joint_names)


def test_equations_show_as_latex():
    robot = make("2r")
    M = robot.equations("mass_matrix")
    assert M._repr_latex_() == f"$\\displaystyle {M.latex()}$"
    every = robot.equations("dynamic_matrices")
    assert len(every) == 3
    assert all(each.latex() in every._repr_latex_() for each in every)
    assert str(every) == "\n".join(map(str, every))
    conditions = cf.redundancy.equations(make("chang3r"), "xy", cf.redundancy.manipulability(squared=True))
    assert conditions.Zh.latex() in conditions._repr_latex_()


def test_lines_of_a_formula_are_rows_on_pages():
    tau = make("2r").equations("inverse_dynamics", symbolic=True)
    shown = etree.fromstring(mathml(tau.latex(), display=True))
    (table,) = elements(shown, "mtable")
    assert table.get("displaystyle") == "true"
    assert [len(elements(row, "mtd")) for row in elements(table, "mtr")] == [2, 2]
    assert [each.get("style") for each in elements(table, "mtd")] == [
        "text-align:right",
        "text-align:left",
    ] * 2


def test_letters_of_two_signs_have_an_index():
    arm = cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)], payload=(0.1, 0.01))
    tex = arm.equations("mass_matrix", symbolic=True).latex()
    assert "J_{p} {\\phi'}_{11}^{2} + m_{p} \\phi_{11}^{2} + z_{111}" in tex


def drawn(thing: object) -> list[list[np.ndarray]]:
    """Return the curves of each chart that is shown, as points in pixels."""
    found = []
    for figure in elements(parsed(thing), "figure"):
        lines = [each.get("d") for each in elements(figure, "path") if each.get("stroke") != "currentColor"]
        found.append([np.array(re.findall(r"-?[\d.]+", each), dtype=float).reshape(-1, 2) for each in lines])
    return found


def assert_drawn(curves: list[np.ndarray], x: np.ndarray, values: np.ndarray) -> None:
    """Assert that curves in pixels are values (points, curves) over x, shifted and scaled, upwards."""
    seen = np.concatenate([np.c_[pixels, line] for pixels, line in zip(curves, values.T, strict=True)])
    A = np.c_[np.tile(x, values.shape[1]), seen[:, 2], np.ones(len(seen))]
    (along, _), (_, up), _ = scales = np.linalg.lstsq(A, seen[:, :2], rcond=None)[0]
    assert along > 0 > up
    assert np.abs(A @ scales - seen[:, :2]).max() < 0.11  # pixels are written to a tenth


def test_charts_are_the_motion():
    planned = cf.trajectory.polynomial([0.0, 1.0, 2.0], [1.0, -1.0, 0.5], duration=2.0)
    assert repr(planned) == "<PiecewisePolynomial: 2 s, 3 coordinate(s), all derivatives continuous>"
    t = np.linspace(0.0, 2.0, 121)
    for curves, values in zip(drawn(planned), planned.derivatives(t, 1), strict=True):
        assert_drawn(curves, t, values)
    robot = make("2r")
    run = robot.simulate([1.0, 0.0], duration=0.1)
    assert_drawn(drawn(run)[0], run.t, run.q)
    assert not drawn(robot.simulate([[1.0, 0.0]] * 2, duration=0.1))
    arm = cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)])
    swung = arm.simulate([0.0, 0.1], duration=0.1)
    for curves, values in zip(drawn(swung), np.split(swung.q, 2, axis=1), strict=True):
        assert_drawn(curves, swung.t, values)
    assert repr(swung) == "<motion of 'flexible_arm': 0 to 0.1 s in 100 steps>"


def test_paths_and_self_motions_are_drawn():
    robot = make("chang3r")
    path = cf.redundancy.follow(robot, np.linspace([0.45, 0.09], [0.5, 0.09], 20), "xy")
    for curves, values in zip(drawn(path), (path.q, path.value[:, None]), strict=True):
        assert_drawn(curves, np.arange(20), values)
    assert repr(path) == "<Path: 20 of 20 poses solved>"
    curve = cf.redundancy.self_motion(robot, [0.446, 0.09], "xy", q0=path.q[0])[0]
    assert_drawn(drawn(curve)[0], curve.length, curve.q)
    assert repr(curve).endswith("closed>")


def test_tracking_is_drawn():
    arm = cf.ElasticJointRobot(make("2r"), 300.0, 0.1, 1.0)
    law = cf.elastic.Feedforward(arm, [-20, -20], torque_rates=False)
    assert repr(law) == "<law static_feedforward_law(q, qd, theta, thetad, reference) of elastic '2r'>"
    move = cf.trajectory.polynomial([0.0, 0.0], [0.1, 0.0], duration=0.1, degree=7)
    run = cf.elastic.track(law, move, step=1e-3)
    assert_drawn(drawn(run)[1], run.t, run.u)
    assert column(run, "largest error") == digits(np.abs(run.error).max(axis=0))
    assert f"largest error {run.worst:.2g}" in repr(run)


def test_tables_of_forms_and_joints_are_shown():
    shown = tables(cf.FORMS)
    assert sorted(row[0] for _, rows in shown for row in rows) == sorted(cf.FORMS)
    assert repr(cf.FORMS["mass_matrix"]) == "<form mass_matrix(q) -> mass_matrix>"
    assert len(repr(cf.FORMS)) < 300
    table = make("scara").to_mdh()
    assert column(table, "joint") == table.joint_names
    assert column(table, "d") == digits(table.rows[:, 2])


def test_an_exciting_motion_and_a_payload_are_shown(log):
    robot = make("2r").with_joint_limits(-2, 2, velocity=3, effort=80)
    found = cf.excitation(robot, period=8.0, starts=1, iterations=2)
    t = np.linspace(0, 8, 121)
    assert_drawn(drawn(found)[0], t, found.trajectory(t))
    assert column(found, "velocity") == digits(found.table()["velocity"][0])
    errors = replace(log.fitted, total=0.01)
    load = Payload("link2", np.arange(10.0), np.eye(10), errors, errors, 0.01)
    assert column(load, "value") == [f"{each:.4g}" for each in (load.mass, *load.com)]
    assert repr(load) == "<Payload of 'link2': 9 kg, torque error 1.00 %>"


def test_charts_have_gaps_and_limits():
    x, y = np.arange(6.0), np.array([0.0, 1.0, np.nan, 3.0, np.inf, 5.0])
    picture = chart(x, y[:, None], ["a"], "x", "y")
    path = re.findall(r'd="(.*?)"', picture)[-1]
    assert re.sub(r"[\d.,]+", "", path) == "MLMM"
    for flat in (np.zeros(6), np.full(6, np.nan), np.full(6, 1e300), np.full(6, -3.0)):
        etree.fromstring(chart(x, flat[:, None], [NASTY], NASTY, "y", NASTY))
    many = chart(np.linspace(0, 1, 10_000), np.zeros((10_000, 40)), [str(k) for k in range(40)], "x", "y")
    assert len(many) < LARGEST / 2
    assert "and 24 more" in many


def test_a_flexible_arm_is_drawn_with_its_modes():
    long, short = (cf.FlexibleLink(length, 0.5, 2.0, modes=2) for length in (1.0, 0.5))
    root = parsed(cf.FlexibleArm([long, short]))
    assert len(elements(root, "path")) == 2 * 3
    places = np.array([[float(each.get(k)) for k in ("cx", "cy")] for each in elements(root, "circle")])
    upper, lower = np.diff(places, axis=0)
    assert np.isclose(np.linalg.norm(upper), 2 * np.linalg.norm(lower), rtol=0.01)
    assert not elements(parsed(cf.FlexibleArm([cf.FlexibleLink(1.0, 0.5, 2.0, modes=1)] * 13)), "svg")
