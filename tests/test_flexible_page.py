"""The page of flexible links: its facts hold, and it is written whole."""

from __future__ import annotations

import numpy as np
import pytest
from lxml import html

import closedform as cf
from closedform.cli import main
from closedform.flexible import Damping, load_arm
from closedform.report import FlexibleStudy
from closedform.report.flexible import animation, control, frequencies, modes, motions, tip
from tolerances import PROMISED, ROUNDING, worst


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
    assert worst(facts.free[0, k], np.sqrt(np.sort(squares)[2:]) / (2 * np.pi)) < PROMISED
    assert set(frequencies.draw(facts)) == {"frequencies", "followed"}
    assert worst(facts.followed[0][0], [0.44098256, 1.98585193]) < 1e-8  # stretched
    assert facts.apart < 2e-6


def test_the_film_bends_by_its_magnification(study):
    film = animation.gather(study).films[1].bending
    run = study.motions[1]
    assert film.magnification > 1
    chord = film.bent[0, 14]  # the first link is along x at the start: its end is off by its deflection
    assert chord[1] == pytest.approx(film.magnification * run.deflection(0)[0], rel=PROMISED)
    assert worst(film.straight[0, 14], [0.5, 0.0]) < ROUNDING
    links = [tube for tube in film.scene().tubes if not tube.ghost]
    assert worst(links[0].curve[0, -1], [*chord, 0.0]) < ROUNDING


def test_the_tip_follows_and_the_shaped_turn_is_still(study):
    facts = control.gather(study)
    assert facts.errors[0] < 1e-4
    assert facts.errors[1] > 0.05
    assert facts.before > 0.005
    assert facts.left[1] < 0.02 * facts.left[0]
    assert set(control.draw(facts)) == {"tip", "shaped"}


def test_the_tip_of_two_links_follows_without_feedback(study):
    facts = tip.gather(study)
    assert facts.worst[0] < 1e-5
    assert facts.worst[1] > 1e3 * facts.worst[0]
    assert facts.before > 0.005
    assert set(tip.draw(facts)) == {"path", "torques", "begin", "errors"}


def test_an_arm_of_ones_own_has_a_path_that_it_can_follow():
    links = [cf.FlexibleLink(0.5, 0.8, 90.0, hub_mass=0.2, hub_inertia=0.02, modes=1)] * 2
    facts = tip.gather(FlexibleStudy(cf.FlexibleArm(links, gravity=(0, -9.81))))
    assert facts.damped
    assert facts.worst[0] < 1e-4
    assert tip.gather(FlexibleStudy(cf.FlexibleArm(links[:1]))) is None


def test_the_verb_writes_one_page_without_a_network(tmp_path, capsys):
    path = tmp_path / "page.html"
    with pytest.raises(SystemExit) as done:
        main(["flexible", "-o", str(path), "--duration", "0.4"])
    assert done.value.code in (0, None)
    assert capsys.readouterr().out.strip() == str(path)
    page = html.parse(str(path)).getroot()
    anchors = [section.get("id") for section in page.iter("section")]
    assert anchors == [
        f"flexible_{name}" for name in ("animation", "modes", "frequencies", "motions", "control", "tip")
    ]
    assert not page.xpath("//script[@src] | //link[@href] | //img[@src]")
    assert page.xpath("//input[@type='range']")


THREE = """
name = "crane"
payload = [0.2, 0.001]
gravity = [0.0, -9.81]
damping = { friction = [0.05, 0.05, 0.02], ratio = 0.01 }
""" + "".join(
    f"[[links]]\nlength = {length}\ndensity = 0.4\nrigidity = 40.0\nhub_mass = 0.3\nmodes = {modes}\n"
    for length, modes in ((0.6, 2), (0.5, 2), (0.4, 1))
)


@pytest.fixture
def crane(tmp_path):
    path = tmp_path / "crane.toml"
    path.write_text(THREE)
    return path


def test_an_arm_comes_from_a_file(crane):
    arm = load_arm(crane)
    links = [cf.FlexibleLink(length, 0.4, 40.0, 0.3, modes=m) for length, m in ((0.6, 2), (0.5, 2), (0.4, 1))]
    damping = Damping([0.05, 0.05, 0.02], 0.01)
    same = cf.FlexibleArm(links, (0.2, 0.001), (0.0, -9.81), damping, name="crane")
    q = np.linspace(-0.1, 0.1, 8)
    assert arm.name == "crane"
    assert np.array_equal(arm.forward_dynamics(q, q, np.ones(3)), same.forward_dynamics(q, q, np.ones(3)))


def test_a_wrong_file_is_refused_with_every_reason(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text('payload = [1]\ncolour = "red"\n[[links]]\nlength = -1\ndensity = 1\nrigidity = "x"\n')
    with pytest.raises(cf.DescriptionError) as error:
        load_arm(path)
    for word in ("payload", "colour", "links 1: rigidity", "links 1: link: length is -1"):
        assert word in str(error.value)
    path.write_text("")
    with pytest.raises(cf.DescriptionError, match=r"no links; give a \[\[links\]\] table"):
        load_arm(path)


def test_three_links_under_gravity_have_a_page_of_their_own(crane):
    study = FlexibleStudy(load_arm(crane), duration=0.3, step=2e-4)
    facts = modes.gather(study)
    assert (facts.count, facts.printed, len(facts.shapes[0])) == (25, False, 3)
    moving = motions.gather(study)
    assert [title for title, _ in moving.panels][2:] == [
        "modes of link 3 [m]",
        "change of joints [rad]",
        "change of tip [m]",
    ]
    assert moving.worst.drift < 1e-3
    assert np.abs(moving.motions[0].values[-1][0]).max() == 0.0
    assert frequencies.gather(study).free.shape == (2, 91, 5)
    assert len(animation.gather(study).films) == 2
    assert control.gather(study).errors[0] < 1e-4


def test_a_given_motion_of_one_link_is_the_only_one():
    arm = cf.FlexibleArm([cf.FlexibleLink(1.0, 0.3, 8.0, hub_inertia=0.2, modes=3)], (0.05, 0.0001))
    start = [0.2, 0.01, 0.0, 0.0]
    study = FlexibleStudy(arm, start, [0.1], duration=0.2)
    (motion,) = motions.gather(study).motions
    assert motion.values[1][0] == start[0]
    assert not motion.case.free
    assert motions.draw(motions.gather(study))["series"].choices == ()
    facts = frequencies.gather(study)
    assert frequencies.draw(facts) == {}
    assert (np.sort(facts.straight) > np.sort(facts.clamped)).all()  # a free hub stiffens the modes
    with pytest.raises(cf.ArgumentError, match="start has shape"):
        FlexibleStudy(arm, [0.0])


def test_the_verb_takes_an_arm_and_its_torques(crane, tmp_path, capsys):
    torque = tmp_path / "torque.csv"
    torque.write_text("time,a,b,c\n0,0.1,0,0\n0.1,0,0,0\n")
    page = tmp_path / "page.html"
    with pytest.raises(SystemExit) as done:
        main(["flexible", "--arm", str(crane), "--torque", str(torque), "--duration", "0.1", "-o", str(page)])
    assert done.value.code in (0, None), capsys.readouterr().err
    text = " ".join(section.text_content() for section in html.parse(str(page)).getroot().iter("section"))
    assert "the paper" not in text
