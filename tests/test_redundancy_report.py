"""The page of redundant inverse kinematics and its command."""

from __future__ import annotations

import re

import numpy as np
import pytest
from typer.testing import CliRunner

from closedform.report.page import parts
from closedform.report.redundancy import SECTIONS, paper_study, study_of
from oracles.redundant_arms import PRINTED, planar
from tolerances import LONG_CHAIN, PRINTED_DIGITS, ROUNDING


@pytest.fixture(scope="module")
def facts():
    return {part.section.anchor: part.facts for part in parts(paper_study(), SECTIONS)}


def test_page_shows_the_papers_figures(facts):
    assert list(facts) == ["ik_joints", "ik_tip", "ik_self_motion", "ik_postures", "ik_comparison"]
    assert facts["ik_joints"].difference < PRINTED_DIGITS
    assert np.abs(facts["ik_joints"].exact[:400:100] - PRINTED).max() < PRINTED_DIGITS
    assert facts["ik_tip"].exact_error.max() < LONG_CHAIN
    assert facts["ik_tip"].resolved_error.max() > 0.1
    optima = facts["ik_self_motion"].optima
    assert sorted({each.kind for each in optima}) == ["maximum", "minimum"]
    wrapped = [(np.array(each.angles) + 180) % 360 - 180 for each in optima if each.kind == "maximum"]
    assert min(np.abs(angles - PRINTED[0]).max() for angles in wrapped) < PRINTED_DIGITS


def test_postures_are_chains_of_the_links(facts):
    arms = np.concatenate([facts["ik_postures"].vertices, facts["ik_postures"].self_motion])
    lengths = np.linalg.norm(np.diff(arms, axis=1), axis=-1)
    assert np.allclose(lengths, [0.0, 0.6, 0.85, 0.2], atol=ROUNDING)
    assert np.allclose(facts["ik_postures"].self_motion[:, -1, :2], [0.446004, 0.0915136], atol=ROUNDING)


def test_command_writes_a_page_that_needs_no_network(tmp_path):
    import typer  # noqa: PLC0415 (as the command line does)

    from closedform.cli.ik import ik  # noqa: PLC0415

    app = typer.Typer()
    app.command()(ik)
    page = tmp_path / "page.html"
    done = CliRunner().invoke(app, ["--output", str(page)])
    assert done.exit_code == 0, done.output
    assert "proposed" in done.output
    text = page.read_text()
    assert text.count('class="plot"') == 7
    body = re.sub(r"<script>.*?</script>", "", text, flags=re.S)
    assert not re.search(r"(src|href)=\"https?:", body)
    assert "100.8165" in text


def test_other_arms_get_a_square_of_their_own():
    study = study_of(planar(3, 0.5))
    assert study.task == "xy"
    assert study.self_motions == 1
    assert study.path.converged.all()
    assert study.printed is None


def test_planar_arms_of_many_joints_get_a_task_they_can_move():
    study = study_of(planar(4))
    assert study.task == "xy"
    assert study.self_motions == 2
    assert study.path.converged.all()
