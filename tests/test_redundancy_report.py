"""The page of redundant inverse kinematics and its command."""

from __future__ import annotations

import re

import numpy as np
import pytest

import closedform as cf
from closedform.cli import main
from closedform.report import RedundancyStudy
from closedform.report.page import parts
from closedform.report.redundancy import REDUNDANCY_PAGE
from command_line import run
from oracles.redundant_arms import PRINTED, planar
from tolerances import LONG_CHAIN, PRINTED_DIGITS, ROUNDING


@pytest.fixture(scope="module")
def facts():
    return {part.section.anchor: part.facts for part in parts(RedundancyStudy(), REDUNDANCY_PAGE.sections)}


def test_page_shows_the_papers_figures(facts):
    assert list(facts) == ["ik_joints", "ik_tip", "ik_self_motion", "ik_postures", "ik_comparison"]
    assert facts["ik_joints"].difference < PRINTED_DIGITS
    assert np.abs(facts["ik_joints"].exact[:400:100] - PRINTED).max() < PRINTED_DIGITS
    assert facts["ik_tip"].exact_error.max() < LONG_CHAIN
    assert facts["ik_tip"].resolved_error.max() < 1e-4  # from a start on the path, with the paper's step
    assert facts["ik_joints"].criterion == ("squared manipulability", "large")
    compared = facts["ik_comparison"]
    assert len(compared.rows) == 8
    assert abs(compared.start_error - 5.24e-4) < 1e-6
    assert [theirs for _, theirs, _ in compared.effort.rows][:2] == [110, 42]
    optima = facts["ik_self_motion"].optima
    assert sorted({each.kind for each in optima}) == ["maximum", "minimum"]
    wrapped = [(np.array(each.angles) + 180) % 360 - 180 for each in optima if each.kind == "maximum"]
    assert min(np.abs(angles - PRINTED[0]).max() for angles in wrapped) < PRINTED_DIGITS


def test_postures_are_chains_of_the_links(facts):
    scene = facts["ik_postures"].self_motion
    moving = np.concatenate([scene.poses[..., :3, 3], scene.marks.path[:, None]], axis=1)
    for arms in (facts["ik_postures"].marks[:, 1:], moving):
        lengths = np.linalg.norm(np.diff(arms, axis=1), axis=-1)
        assert np.allclose(lengths, [0.6, 0.85, 0.2], atol=ROUNDING)
    assert np.allclose(moving[:, -1, :2], [0.446004, 0.0915136], atol=ROUNDING)


def test_command_writes_a_page_that_needs_no_network(tmp_path, capsys):
    page = tmp_path / "page.html"
    code, out, _ = run(capsys, "ik", "--output", str(page))
    assert code == 0
    assert "proposed" in out
    text = page.read_text()
    assert (text.count('class="plot"'), text.count('class="scene"')) == (6, 1)
    body = re.sub(r"<script>.*?</script>", "", text, flags=re.S)
    assert not re.search(r"(src|href)=\"https?:", body)
    assert "100.8165" in text


def test_other_arms_get_a_square_of_their_own():
    study = RedundancyStudy(planar(3, 0.5))
    assert study.route.task == "xy"
    assert study.self_motions == 1
    assert study.path.converged.all()
    assert study.route.printed is None


def test_planar_arms_of_many_joints_get_a_task_they_can_move():
    study = RedundancyStudy(planar(4))
    assert study.route.task == "xy"
    assert study.self_motions == 2
    assert study.path.converged.all()


LINE = np.linspace([0.446, 0.0915], [0.446, 0.05], 20)


def page_facts(study):
    return {part.section.anchor: part.facts for part in parts(study, REDUNDANCY_PAGE.sections)}


def test_a_given_path_need_not_close():
    facts = page_facts(RedundancyStudy(planar(3, 0.5), LINE, "xy", "joint_centering"))
    assert facts["ik_joints"].criterion == ("joint centering", "small")
    assert [mark.name for mark in facts["ik_joints"].marks][::4] == ["target 1", "target 20"]
    assert facts["ik_tip"].exact_error.max() < LONG_CHAIN
    assert facts["ik_comparison"].rows == ()


def test_a_single_target_has_its_postures_and_self_motion():
    facts = page_facts(RedundancyStudy(planar(3, 0.5), LINE[0], "xy"))
    assert list(facts) == ["ik_joints", "ik_self_motion", "ik_postures"]
    assert np.allclose(facts["ik_postures"].marks[0, -1, :2], LINE[0], atol=ROUNDING)


def test_what_cannot_be_met_is_refused():
    with pytest.raises(cf.ClosedFormError, match=r"target 2 of 2 is not met \(out of reach"):
        _ = RedundancyStudy(planar(3, 0.5), [[0.4, 0.1], [9.0, 0.0]], "xy").path
    with pytest.raises(cf.ArgumentError, match="expected one target, or one path"):
        RedundancyStudy(planar(3, 0.5), np.zeros((2, 2, 2)), "xy")
    with pytest.raises(cf.ArgumentError, match="give the robot too"):
        RedundancyStudy(targets=LINE)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--target", "0.4,0.1", "--path", "x.csv"], "expected one of them"),
        (["--target", "1,2,3,4,5"], "--target: a target of 5 numbers"),
        (["--target", "1,x"], "--target is '1,x'"),
        (["--path", "missing.csv"], "--path: missing.csv: No such file"),
        (["--target", "0.4,0.1", "--criterion", "speed"], "unknown criterion"),
        (["--target", "9,9"], "target 1 of 1 is not met"),
    ],
)
def test_the_command_says_what_is_wrong_with_targets(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(["ik", "chang3r", *words])
    assert stop.value.code == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
