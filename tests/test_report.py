"""The report: its facts hold, its page needs no network, and it appears whole or not at all."""

from __future__ import annotations

import json
import os
import re
import sys
import zlib
from base64 import b64decode
from dataclasses import replace
from xml.sax.saxutils import escape

import numpy as np
import pytest
from lxml import html

import closedform as cf
from basic_forms import EVERYWHERE
from closedform.cli.shared import default_name
from closedform.files import whole_file
from closedform.kernels import recipe
from closedform.report import SECTIONS, Study, numerals, render, write_report
from closedform.report.figure import PALETTE
from closedform.report.labels import coordinate_labels, joint_groups, velocity_labels
from closedform.report.motions import PACE, CosineMotion
from closedform.report.page import environment, parts
from closedform.report.robot import (
    base_parameters,
    coordinates,
    counts,
    energy,
    matrices,
    posture,
    speed,
    startup,
    torques,
)
from closedform.report.robot.pinocchio_model import FUNCTIONS, Peer, peer_of
from tolerances import DIFFERENCE, LONG_CHAIN, ROUNDING, SOLVE, worst

BALANCE = 1e-10
"""Power balance: eighth-order differences of an energy known to 1e-16, with steps of 0.005
radians of the fastest cosine, that is 1e-16 / 0.005 times a ratio of energies up to 1e3."""

KINDS = ("2r", "screw_lift", "off_axis")
"""Revolute; helical, prismatic and armature; every kind, about axes that miss the frame origins."""

NASTY = '</script><script>alert("x")</script> & "quoted" %{x}'

COUPLED = """<robot name='{name}'>
<link name="base"/>
<link name="arm"><inertial><origin xyz="0 0 .2"/><mass value="1"/>
<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="finger"><inertial><mass value="0.2"/>
<inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{joint}" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="2" velocity="0" effort="10"/></joint>
<joint name="slide" type="prismatic"><parent link="arm"/><child link="finger"/><axis xyz="0 0 1"/>
<limit lower="-.05" upper=".3" velocity="1" effort="10"/>
<mimic joint="{joint}" multiplier="-.1" offset=".02"/></joint>
</robot>"""


def study_of(robot: cf.Robot, **options: object) -> Study:
    return Study(robot, **{"samples": 40, "patience": 1e-4, "batch": 20, "pinocchio": False} | options)


def coupled(tmp_path, name: str = "gripper", joint: str = "hinge") -> cf.Robot:
    entities = {'"': "&quot;", "'": "&apos;"}
    path = tmp_path / "coupled.urdf"
    path.write_text(COUPLED.format(name=escape(name, entities), joint=escape(joint, entities)))
    return cf.load(path)


def off_axis_robot() -> cf.Robot:
    """Return joints of every kind Pinocchio shares, about axes that miss the frame origins."""
    point, axis = np.array([0.1, -0.2, 0.3]), np.array([0.0, 0.6, 0.8])
    placement = np.eye(4)
    placement[:3, 3] = 0.1, 0.2, 0.3
    screws = [
        np.eye(6),
        np.r_[axis, np.cross(point, axis)],
        np.vstack([np.eye(3), np.cross(np.eye(3), point)]),
        np.r_[axis, np.cross(point, axis) + 0.05 * axis],
        np.r_[0, 0, 0, axis],
        np.r_[0.0, 0.0, 1.0, 0.2, 0.0, 0.0],
    ]
    inertials = [cf.Inertial.of(1.0 + k, (0.1, 0.02, 0.05 * k), np.diag([0.3, 0.4, 0.5])) for k in range(6)]
    return cf.Robot.from_screws(
        [placement] * 6, screws, inertials=inertials, armature=[0, 0.3, 0, 0.2, 0.1, 0]
    )


def robot_of(name: str) -> cf.Robot:
    return off_axis_robot() if name == "off_axis" else cf.load(name)


@pytest.fixture(scope="module", params=KINDS)
def study(request) -> Study:
    return study_of(robot_of(request.param))


def test_motion_velocity_is_the_twist_of_the_moving_frame(study):
    robot, h = study.robot, 1e-5
    t = np.array([0.3, 1.1, 2.9])
    now, before, after = (study.motion.at(t + k * h) for k in (0, -1, 1))
    T = robot.pose(now.q)
    rate = np.linalg.inv(T) @ (robot.pose(after.q) - robot.pose(before.q)) / (2 * h)
    twist = np.stack([rate[:, 2, 1], rate[:, 0, 2], rate[:, 1, 0], *rate[:, :3, 3].T], axis=-1)
    assert worst(np.einsum("tij,tj->ti", robot.jacobian(now.q), now.qd), twist, 1.0) < DIFFERENCE
    assert worst(now.qdd, (after.qd - before.qd) / (2 * h), 1.0) < DIFFERENCE


def test_motion_stays_within_limits_and_starts_at_rest():
    robot = cf.load("iiwa14")
    states = study_of(robot, samples=500).states
    assert np.all((states.q >= robot.lower_limits) & (states.q <= robot.upper_limits))
    assert np.all(np.abs(states.qd) <= PACE * robot.velocity_limits * (1 + ROUNDING))
    assert not states.qd[0].any()
    assert np.all(np.ptp(states.q, axis=0) > 0.1)


def test_motion_respects_the_limits_of_coupled_joints(tmp_path):
    robot = coupled(tmp_path)
    slide = -0.1 * study_of(robot, samples=300).states.q[:, 0] + 0.02
    assert np.all((slide >= -0.05) & (slide <= 0.3))
    assert np.ptp(slide) > 0.05


@pytest.mark.parametrize(("lower", "upper"), [(-np.inf, -2.0), (3.0, np.inf), (0.5, 0.5), (1.0, -1.0)])
def test_motion_of_odd_limits_is_finite_and_inside(lower, upper):
    robot = cf.Robot.from_screws([np.eye(4)], [(0, 0, 1, 0, 0, 0)], limits=[cf.Limits(lower, upper)])
    q = CosineMotion(robot.model, 4.0).at(np.linspace(0, 4, 50)).q
    assert np.isfinite(q).all()
    assert lower > upper or np.all((q >= lower) & (q <= upper))


def test_a_trajectory_is_the_motion_of_the_report():
    motion = cf.trajectory.polynomial([0.0, 0.5], [1.0, -0.5], 2.0, degree=7)
    study = study_of(cf.load("2r"), trajectory=motion)
    assert study.duration == 2.0
    assert np.array_equal(study.states.qdd, motion(study.states.t, 2))
    assert energy.gather(study).relative_error < BALANCE
    (shown,) = parts(study, [coordinates.SECTION])
    assert "the given trajectory" in shown.html
    with pytest.raises(cf.ArgumentError, match="has 2 coordinates; 'iiwa14' has 7"):
        study_of(cf.load("iiwa14"), trajectory=motion)
    with pytest.raises(cf.ArgumentError, match="joints of one degree of freedom"):
        study_of(cf.load("quadruped"), trajectory=motion)


def test_only_a_study_has_a_page():
    with pytest.raises(cf.ArgumentError, match="expected one of Study, FlexibleStudy"):
        render(cf.load("2r"))


def test_torque_parts_add_up_to_inverse_dynamics(study):
    facts = torques.gather(study)
    assert facts.relative_difference < ROUNDING
    assert [e.peak for e in facts.efforts] == list(np.abs(facts.tau).max(axis=0))


def test_torque_rates_are_derivatives_of_the_torques(study):
    """tau, tau' and tau'' of the page against differences of tau along the motion."""
    facts, h = torques.gather(study), 1e-3
    behind, here, ahead = (study.motion.at(facts.t + k * h) for k in (-1, 0, 1))
    taus = [study.robot.inverse_dynamics(s.q, s.qd, s.qdd) for s in (behind, here, ahead)]
    differences = (taus[2] - taus[0]) / (2 * h), (taus[2] - 2 * taus[1] + taus[0]) / h**2
    for rate, near in zip(facts.rates, differences, strict=True):
        assert worst(rate, near) < 1e-3  # of the third derivative of a motion of some rad/s
    (shown,) = parts(study, [torques.SECTION])
    assert "peak of tau&#39;&#39;, per s²" in shown.html or "peak of tau'', per s²" in shown.html


def test_torque_rates_end_where_the_trajectory_does():
    cubic = cf.trajectory.polynomial([0.0, 0.5], [1.0, -0.5], 2.0, degree=3)
    spline = cf.trajectory.spline([0.0, 1.0, 2.0], [[0.0, 0.0], [1.0, 0.5], [0.5, 1.0]], degree=3)
    assert len(torques.gather(study_of(cf.load("2r"), trajectory=cubic)).rates) == 2
    assert len(torques.gather(study_of(cf.load("2r"), trajectory=spline)).rates) == 1


def test_power_balance_holds_and_notices_a_wrong_torque(study):
    facts = energy.gather(study)
    assert facts.relative_error < BALANCE
    wrong = replace(facts, power=facts.power * (1 + 1e-6))
    assert wrong.relative_error == pytest.approx(1e-6, rel=1e-2)


def test_matrix_facts(study):
    facts = matrices.gather(study)
    assert worst(np.diag(facts.coupling), np.ones(study.robot.nv)) < ROUNDING
    assert np.abs(facts.coupling).max() <= 1 + ROUNDING
    assert facts.smallest_eigenvalue > 0
    M = study.robot.mass_matrix(study.states.q)
    assert worst(facts.condition, np.linalg.cond(M)) < SOLVE
    s = study.motion.at(facts.instant)
    T = 0.5 * s.qd @ facts.M @ s.qd
    assert worst(T, energy.gather(study).kinetic.max()) < ROUNDING


def test_a_singular_mass_matrix_is_said_to_be_one():
    study = study_of(cf.load("pendulum", floating_base=True), pinocchio=True)
    facts = matrices.gather(study)
    assert not facts.definite
    assert np.abs(facts.coupling).max() <= 1 + ROUNDING
    assert "is singular along this motion" in render(study)


def test_the_scene_is_the_motion_and_its_torques_are_those_of_the_curves():
    study = study_of(cf.load("2r"))
    scene = posture.gather(study).scene
    facts = torques.gather(study)
    assert np.array_equal(scene.t, facts.t)
    for k, effort in enumerate(scene.marks.efforts):
        assert worst(effort.values, facts.tau[:, k]) < ROUNDING
    assert worst(scene.marks.path, study.robot.pose(study.states.q)[:, :3, 3]) < ROUNDING


def test_scenes_stay_small():
    facts = posture.gather(study_of(cf.load("quadruped"), samples=1000))
    assert len(facts.scene.html(whole=False)) < 1_000_000


def _refused(*args: object) -> None:
    raise cf.ArgumentError


def test_counts_are_those_of_the_programs_that_kernels_run(monkeypatch, tmp_path):
    monkeypatch.setenv("CLOSEDFORM_CACHE", str(tmp_path))
    robot = cf.load("2r")
    facts = counts.gather(study_of(robot))
    with monkeypatch.context() as patch:
        patch.setattr(recipe, "trace", _refused)  # the second time nothing is traced
        again = counts.gather(study_of(cf.load("2r")))
    assert [row.counts for row in again.rows] == [row.counts for row in facts.rows]
    assert {row.name: row.counts for row in facts.rows} == {
        name: robot.program(name).counts if name in EVERYWHERE else None
        for name, form in cf.FORMS.items()
        if form.group != "blocks"
    }


@pytest.mark.parametrize("name", KINDS)
def test_pinocchio_agrees(name):
    pytest.importorskip("pinocchio")
    facts = speed.gather(study_of(robot_of(name), pinocchio=True))
    assert facts.peer.startswith("Pinocchio")
    compared = {row.name: row.difference for row in facts.rows if row.function}
    assert set(compared) == set(FUNCTIONS)
    for form, difference in compared.items():
        assert difference < (SOLVE if form == "forward_dynamics" else LONG_CHAIN), form


def test_pinocchio_is_not_asked_for_coupled_joints(tmp_path):
    pytest.importorskip("pinocchio")
    reason = peer_of(coupled(tmp_path).model)
    assert not isinstance(reason, Peer)
    assert "'slide'" in reason


def test_startup_leaves_the_cache_alone(monkeypatch, tmp_path):
    monkeypatch.setenv("CLOSEDFORM_CACHE", str(tmp_path))
    facts = startup.gather(study_of(cf.load("2r")))
    assert 0 < facts.cached < facts.cold
    assert os.environ["CLOSEDFORM_CACHE"] == str(tmp_path)
    assert not list(tmp_path.iterdir())


def test_labels_name_every_entry():
    model = cf.load("quadruped").model
    assert len(coordinate_labels(model)) == model.nq
    assert len(velocity_labels(model)) == model.nv
    groups = joint_groups(coordinate_labels(model), 8)
    assert groups[0] == [model.bodies[0].joint_name]
    assert [joint for group in groups for joint in group] == list(cf.load("quadruped").joint_names)


def test_page_loads_nothing_and_its_links_lead_somewhere():
    page = html.document_fromstring(render(study_of(cf.load("2r"))))
    assert not page.xpath("//link | //iframe | //object | //embed | //img | //base")
    assert not page.xpath("//*[@src]")
    assert page.xpath("//meta[@http-equiv='Content-Security-Policy']")
    targets = page.xpath("//*/@href")
    assert all(
        target.startswith("#") and page.get_element_by_id(target[1:]) is not None for target in targets
    )
    assert [s.get("id") for s in page.xpath("//section")] == [section.anchor for section in SECTIONS]
    (library,) = page.xpath("//script[@id='plotly']")
    assert "plotly.js v" in zlib.decompress(b64decode(library.text)).decode()[:400]
    figures = page.xpath("//script[@class='figure']")
    assert len(figures) == len(page.xpath("//div[@class='canvas']")) >= 9
    for figure in figures:
        assert json.loads(figure.text)["data"]


def test_names_are_shown_and_never_run(tmp_path):
    robot = coupled(tmp_path, NASTY, NASTY)
    page = html.document_fromstring(render(study_of(robot, notes=(NASTY,))))
    assert page.xpath("string(//h1)") == NASTY
    assert page.xpath("string(//title)").startswith(NASTY)
    assert NASTY in [cell.text_content() for cell in page.xpath("//tbody//th")]
    assert not [script for script in page.xpath("//script") if (script.text or "").startswith("alert")]
    assert len(page.xpath("//section")) == len(SECTIONS)


def test_a_robot_without_inertias_gets_its_kinematics():
    robot = cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 0, 1.0, 0, 0)])
    page = html.document_fromstring(render(study_of(robot)))
    assert [s.get("id") for s in page.xpath("//section")] == [
        "posture",
        "robot",
        "motion",
        "base",
        "counts",
        "startup",
    ]
    assert "no inertias" in page.text_content()


def test_pinocchio_absent_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    facts = speed.gather(study_of(cf.load("2r"), pinocchio=True))
    assert "not installed" in facts.absence
    assert all(row.peer is None for row in facts.rows)


def test_an_unwritable_target_is_told_before_any_work(tmp_path):
    (tmp_path / "file").write_text("")
    begun = []
    for target in (tmp_path, tmp_path / "missing" / "page.html", tmp_path / "file" / "page.html"):
        with pytest.raises(cf.ClosedFormError, match="cannot be written"):
            write_report(study_of(cf.load("2r")), target, lambda *args: begun.append(args))
    assert not begun
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def _interrupted(target) -> None:
    with whole_file(target) as file:
        file.write("new")
        raise KeyboardInterrupt


def test_a_failure_keeps_the_old_page(tmp_path):
    target = tmp_path / "page.html"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        _interrupted(target)
    assert target.read_text() == "old"
    with whole_file(target) as file:
        file.write("new")
    assert target.read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.parametrize("options", [{"duration": 0.0}, {"duration": np.nan}, {"samples": 1}])
def test_a_study_says_what_it_expects(options):
    with pytest.raises(cf.ArgumentError, match="expected"):
        study_of(cf.load("2r"), **options)


def test_file_names_come_from_any_robot_name():
    assert default_name("iiwa14") == "iiwa14.html"
    assert default_name("../../etc/passwd") == "etc_passwd.html"
    assert default_name('<">') == "robot.html"


def test_numerals():
    assert numerals.fixed(-1234.5678, 1) == "−1\u202f234.6"
    assert numerals.fixed(np.inf) == numerals.fixed(None) == "–"
    assert "10<sup>−16</sup>" in numerals.scientific(3.2e-16)
    assert numerals.scientific(-3.5) == "−3.5"
    assert numerals.per_second(2.71e7) == "27.1\u202fM"


def test_base_parameters_explain_the_torques_and_their_saving_is_counted():
    study = study_of(cf.load("puma560"))
    facts = base_parameters.gather(study)
    q, qd, qdd = study.robot.random_state(0, batch=(5,))
    tau = facts.base.regressor(q, qd, qdd) @ (facts.base.matrix @ study.robot.phi)
    expected = study.robot.inverse_dynamics(q, qd, qdd) - study.robot.armature * qdd
    np.testing.assert_allclose(tau, expected, rtol=ROUNDING, atol=ROUNDING * np.abs(expected).max())
    assert (facts.base.count, facts.total) == (36, 60)
    assert facts.savings.after == study.robot.kernel("inverse_dynamics").counts
    assert [name for name, acts, _ in facts.reasons if acts == "0"] == list(facts.base.no_effect[:9])
    assert len(facts.reasons) == 24
    assert "Eq. (15)" in facts.reasons[-1][2]


def _contrast(a: str, b: str) -> float:
    """Return the contrast of two colours as #rrggbb, by the formula of WCAG 2.1."""
    light = []
    for colour in (a, b):
        c = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
        light.append(
            np.where(c <= 0.03928, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722)
        )
    return (max(light) + 0.05) / (min(light) + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_texts_and_lines_stand_out_from_the_page(theme):
    css = environment().get_template("page.css").render()
    colours = {
        name: pair.split(", ")[theme] for name, pair in re.findall(r"--(\w+): light-dark\((.*?)\);", css)
    }
    for ground in ("paper", "faint"):
        for text in ("ink", "muted", "accent"):
            assert _contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for colour in PALETTE:
        assert _contrast(colour, colours["paper"]) >= 3, colour
