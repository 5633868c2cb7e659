"""The page of elastic joints: its facts hold, and it is written whole."""

from __future__ import annotations

import json

import numpy as np
import pytest
from lxml import html

import closedform as cf
from closedform.cli import main
from closedform.report import ElasticStudy
from closedform.report.elastic import chain, laws, motor_sensors, rates, robustness, tracking
from closedform.report.elastic.elastic_study import ENCODERS, FEEDFORWARD, RIGID, SENSORS, STATIC
from tolerances import HALF_DIGITS, PROMISED, worst


@pytest.fixture(scope="module")
def study():
    """The planar arm, with few runs."""
    return ElasticStudy(cf.load("2r"), stiffness=2e4, runs=8, patience=0.002)


def test_differences_come_closest_between_rounding_and_truncation(study):
    facts = rates.gather(study)
    assert (facts.best < [1e-9, 1e-6]).all()
    assert (facts.errors[:, -1] > 1e4 * facts.best).all()
    slope = np.diff(np.log(facts.errors[:, -3:])) / np.diff(np.log(facts.steps[-3:]))
    assert (np.abs(slope - 2) < 0.1).all()
    inside = np.isfinite(facts.differences[1])
    assert worst(facts.differences[1][inside], facts.rates[1][inside]) < 1e-2
    assert set(rates.draw(facts)) == {"motion", "rates", "errors"}


def test_the_chain_is_met_with_order_four(study):
    facts = chain.gather(study)
    assert facts.distance < PROMISED
    assert abs(facts.order - 4) < 0.3
    assert np.abs(facts.errors[0]).max() > 0.01
    assert np.abs(facts.errors[-1]).max() < 1e-6


def test_laws_that_know_the_springs_track_and_the_rigid_one_does_not(study):
    facts = tracking.gather(study)
    assert facts.ratio > 1000
    for stiffness in facts.stiffnesses:
        assert facts.worst(FEEDFORWARD, stiffness) < HALF_DIGITS
        assert facts.worst("decoupling", stiffness) < HALF_DIGITS
        assert facts.worst(RIGID, stiffness) > 1e-4
        assert (
            facts.worst(FEEDFORWARD, stiffness)
            < facts.worst(STATIC, stiffness)
            < facts.worst(RIGID, stiffness)
        )


def test_a_load_that_motors_tell_is_compensated(study):
    facts = motor_sensors.gather(study)
    assert facts.bounded
    assert facts.last[1] < facts.last[0] / 2
    assert abs(facts.found[-100:].mean() - facts.wanted[-1]) < 0.2 * facts.wanted[-1]
    assert set(motor_sensors.draw(facts)) == {"load"}


def test_bands_and_table_come_from_the_same_runs(study):
    facts = robustness.gather(study)
    for law in (SENSORS, ENCODERS, FEEDFORWARD, RIGID):
        low, middle, high = facts.bands[law]
        assert (low <= middle).all()
        # of eight runs the 95 % quantile is the largest
        assert high.max() == facts.cells[facts.causes[-1], law].high
    assert facts.cells["none", FEEDFORWARD].median == facts.cells["none", FEEDFORWARD].high
    assert facts.decoupled == (SENSORS, ENCODERS)
    assert facts.conditions["none", ENCODERS].holds == facts.checked == 8
    assert all(each.holds <= each.stable for each in facts.conditions.values())
    assert facts.conditions["stiffness ±20 %", ENCODERS].margin > facts.conditions["none", ENCODERS].margin
    assert facts.cells["stiffness ±20 %", SENSORS].median < facts.cells["stiffness ±20 %", RIGID].median


def test_laws_are_counted_and_timed(study):
    facts = laws.gather(study)
    assert [law.order for law in facts.laws] == [4, 4, 4, 2, 2]
    assert all(0 < law.bound < 1e-3 for law in facts.laws)
    assert facts.laws[0].counts.total > facts.laws[-1].counts.total


def test_the_command_writes_the_page(tmp_path, capsys):
    target = tmp_path / "page.html"
    with pytest.raises(SystemExit) as stop:
        main(["elastic", "2r", "--stiffness", "20000", "--runs", "3", "-o", str(target)])
    assert int(stop.value.code or 0) == 0
    assert capsys.readouterr().out.strip() == str(target)
    page = html.document_fromstring(target.read_text())
    assert page.xpath("string(//h1)") == "2r"
    titles = [each.text_content() for each in page.xpath("//h2")]
    assert titles == [
        "Torque rates",
        "Laws",
        "Four integrators",
        "Tracking",
        "Motor sensors only",
        "Robustness",
    ]
    figures = [json.loads(each.text) for each in page.xpath('//script[@class="figure"]')]
    assert len(figures) == 8
    assert not page.xpath("//script[@src] | //link | //img[starts-with(@src, 'http')]")


def test_a_motion_and_springs_of_ones_own():
    motion = cf.trajectory.polynomial([0.0, 0.5], [0.4, 0.0], 0.5, degree=9)
    study = ElasticStudy(cf.load("2r"), [2e4, 1e4], [1.0, 0.5], runs=2, patience=1e-3, trajectory=motion)
    assert study.elastic.drives.stiffness == pytest.approx([2.0, 1.0])
    facts = tracking.gather(study)
    assert facts.stiffnesses == ("0.5 times", "1 times", "2 times")
    assert facts.t[-1] == motion.duration
    assert laws.gather(study).stiffness == "10000 to 20000"
    jerky = cf.trajectory.spline([0, 1, 2], [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]], degree=3)
    with pytest.raises(cf.ArgumentError, match="not smooth enough"):
        ElasticStudy(cf.load("2r"), trajectory=jerky)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["2r", "--stiffness", "0"], "--stiffness of joint 'joint1' is 0"),
        (["2r", "--gear-ratio", "100"], "give 1/100"),
        (["2r", "--motor-inertia", "-1"], "--motor-inertia of joint 'joint1' is"),
        (["2r", "--tool", "-1"], "tool is -1"),
        (["humanoid"], "is a free joint"),
    ],
)
def test_the_command_says_what_is_wrong(arguments, words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["elastic", *arguments])
    assert stop.value.code == 2
    assert words in capsys.readouterr().err
