"""The page of flexible links: its facts hold, and it is written whole."""

from __future__ import annotations

import json

import numpy as np
import pytest
from lxml import html

from closedform.cli import main
from closedform.report import FlexibleStudy
from closedform.report.flexible import animation, control, frequencies, modes, motions
from tolerances import worst


@pytest.fixture(scope="module")
def study():
    return FlexibleStudy()


def test_every_printed_constant_is_reproduced(study):
    facts = modes.gather(study)
    assert facts.agree == facts.count == 20
    assert set(modes.draw(facts)) == {"shapes"}
    assert np.array(facts.shapes).shape == (3, 2, 101, 2)


def test_free_motions_keep_their_energy_and_figures_show_all_six(study):
    facts = motions.gather(study)
    assert [motion.case.figure for motion in facts.free] == ["Fig. 5", "Fig. 6"]
    assert facts.free[0].drift < 1e-6
    assert facts.free[1].drift < 1e-4
    figures = motions.draw(facts)
    assert len(figures["series"].choices) == 6
    assert all(motion.drift < 1e-3 for motion in facts.motions)


def test_frequencies_of_the_free_arm_come_from_its_pencil(study):
    facts = frequencies.gather(study)
    k = 30
    q = np.zeros(6)
    q[1] = facts.angle[k]
    A = study.subject.linearise(q).A  # by another route: the derivative of forward dynamics
    squares = np.linalg.eigvals(-A[6:, :6]).real
    assert worst(facts.free[0, k], np.sqrt(np.sort(squares)[2:]) / (2 * np.pi)) < 1e-9
    assert frequencies.draw(facts)["frequencies"].title


def test_the_film_bends_by_its_magnification(study):
    film = animation.gather(study).films[1]
    run = study.motions[1]
    assert film.magnification > 1
    chord = film.bent[0, 14]  # the first link is along x at the start: its end is off by its deflection
    assert chord[1] == pytest.approx(film.magnification * run.deflection(0)[0], rel=1e-9)
    assert worst(film.straight[0, 14], [0.5, 0.0]) < 1e-12
    figure = animation.draw(animation.gather(study))["film2"]
    assert len(figure.steps) == len(json.loads(str(figure.json))["frames"])


def test_the_tip_follows_and_the_shaped_turn_is_still(study):
    facts = control.gather(study)
    assert facts.errors[0] < 1e-4
    assert facts.errors[1] > 0.05
    assert facts.before > 0.005
    assert facts.left[1] < 0.02 * facts.left[0]
    assert set(control.draw(facts)) == {"tip", "shaped"}


def test_the_verb_writes_one_page_without_a_network(tmp_path, capsys):
    path = tmp_path / "page.html"
    with pytest.raises(SystemExit) as done:
        main(["flexible", "-o", str(path), "--duration", "0.4"])
    assert done.value.code in (0, None)
    assert capsys.readouterr().out.strip() == str(path)
    page = html.parse(str(path)).getroot()
    anchors = [section.get("id") for section in page.iter("section")]
    assert anchors == [
        f"flexible_{name}" for name in ("animation", "modes", "frequencies", "motions", "control")
    ]
    assert not page.xpath("//script[@src] | //link[@href] | //img[@src]")
    assert page.xpath("//input[@type='range']")
