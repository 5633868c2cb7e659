"""One grammar for all verbs: common options, JSON, exit codes, and how commands end."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import typer

import closedform as cf
from closedform.cli import EXAMPLES, app, ending, main, tables
from closedform.cli.ending import EXIT_CODES
from closedform.files import made_folder
from closedform.report.page import Page
from command_line import run
from identification_logs import fourier_motion, noisy
from oracles.legged_motion import quadruped_motion

GUIDE = (Path(__file__).parents[1] / "docs" / "command-line.md").read_text(encoding="utf-8")
VERBS = typer.main.get_command(app).commands
PAGES = {"report", "base-parameters", "excite", "identify", "elastic", "flexible", "ik", "papers"}
OTHER = {"view"}
"""Verbs that serve until they are stopped, and are tested elsewhere."""

CHEAPER = {
    "report": ["--samples", "20", "--no-pinocchio"],
    "excite": ["--starts", "1", "--iterations", "3"],
    "elastic": ["--runs", "2"],
    "flexible": ["--duration", "0.05"],
    "identify": ["--friction", "classic", "--no-plausible"],
    "payload": ["--friction", "none", "--cutoff", "6"],
    "identify-floating": ["--friction", "none"],
}
"""Options that make an example quick, after its own."""


def command(*words: str, **options) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run([sys.executable, "-m", "closedform", *words], text=True, check=False, **options)


def options(verb: str) -> dict[str, tuple[str, ...]]:
    """Return the parameters of a verb: their names and how they are written."""
    return {each.name: tuple(each.opts) for each in VERBS[verb].params}


@pytest.mark.parametrize("verb", sorted(set(VERBS) - OTHER))
def test_every_verb_has_the_common_options(verb):
    has = {word for words in options(verb).values() for word in words}
    assert {"--json", "--quiet", "--debug"} <= has
    assert ("--open" in has) is (verb in PAGES)
    assert verb not in PAGES or {"--output", "--page"} & has


def test_an_option_is_written_the_same_in_every_verb():
    written: dict[str, set[tuple[str, ...]]] = {}
    for verb in VERBS:
        for name, words in options(verb).items():
            written.setdefault(name, set()).add(words)
    robot = written.pop("robot")
    assert {name: ways for name, ways in written.items() if len(ways) > 1} == {}
    assert robot == {("robot",), ("--robot", "-r")}  # of `identify`, whose argument is the log
    shorts = [word for ways in written.values() for words in ways for word in words if len(word) == 2]
    assert sorted(shorts) == ["-o", "-q"]


# ------------------------------------------------------------------ JSON


@pytest.fixture(name="folder", scope="module")
def fixture_folder(tmp_path_factory):
    """Return a folder with the files that the examples read: an arm, a log of it, and logs of a payload."""
    folder = tmp_path_factory.mktemp("examples")
    arm = cf.load("2r")
    arm.to_urdf(folder / "arm.urdf")
    t = np.linspace(0.0, 4.0, 801)
    motion = cf.trajectory.fourier([0.1, 0.2], [[0.9, 0.3], [0.4, 0.8]], [[0.2, 0.7], [0.6, 0.1]], period=4.0)
    q, qd, qdd = motion.derivatives(t, 2)
    rows = np.column_stack([t, q, arm.inverse_dynamics(q, qd, qdd)])
    names = [f"{joint}_{what}" for what in ("position [rad]", "effort [Nm]") for joint in arm.joint_names]
    np.savetxt(folder / "log.csv", rows, delimiter=",", header=",".join(["time [s]", *names]), comments="")
    puma = cf.load("puma560")
    motion = fourier_motion(puma, 0, 10, 100)
    for name, robot in (("empty", puma), ("loaded", puma.with_payload(2.8))):
        tau = noisy(robot.inverse_dynamics(motion.q, motion.qd, motion.qdd), 0.01, len(name))
        rows = np.column_stack([motion.t, motion.q, tau])
        words = ["t", *(f"q{j}" for j in range(1, 7)), *(f"tau{j}" for j in range(1, 7))]
        np.savetxt(folder / f"{name}.csv", rows, delimiter=",", header=",".join(words), comments="")
    np.savez(folder / "walk.npz", **quadruped_motion(duration=12.0).log(0.02, 0, False, 0.02))
    return folder


@pytest.fixture(name="unrendered")
def fixture_unrendered(monkeypatch):
    """Leave the sections of pages out, which have tests of their own."""
    monkeypatch.setattr(Page, "render", lambda *_: "a page")


@pytest.mark.parametrize(
    "verb", [each for each in EXAMPLES if each.__name__ not in OTHER], ids=lambda v: v.__name__
)
def test_the_example_runs_and_prints_the_documented_json(verb, folder, unrendered, monkeypatch, capsys):
    _, name, *words = shlex.split(EXAMPLES[verb])
    monkeypatch.chdir(folder)
    if name == "cache":
        monkeypatch.setenv("CLOSEDFORM_CACHE", str(folder / "cache"))
    words = [word for word in words if word != "--json"]
    code, out, err = run(capsys, name, *words, *CHEAPER.get(name, ()), "--json", "--quiet")
    assert (code, err) == (0, "")

    def refused(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    facts = json.loads(out, parse_constant=refused)
    keys = re.search(rf"^\| `{name}` \| (.*) \|$", GUIDE.split("## JSON")[1], re.M)[1]
    assert set(facts) <= set(re.findall(r"`(\w+)`", keys))
    for key in ("page", "motion", "saved"):
        assert facts.get(key) is None or (folder / facts[key]).stat().st_size > 0


def test_numbers_that_are_not_finite_are_null(capsys):
    code, out, _ = run(capsys, "check", "pendulum", "--json")
    assert (code, json.loads(out)["effort_limits"]) == (0, [None])


# ------------------------------------------------------------------ pages in the browser


def test_open_opens_the_page_or_says_where_it_is(tmp_path, unrendered, monkeypatch, capsys):
    target = tmp_path / "a page.html"
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or len(opened) == 1)
    words = ("base-parameters", "pendulum", "--page", str(target), "--open")
    code, _, err = run(capsys, *words)
    assert (code, err, opened) == (0, "", [target.as_uri()])
    code, _, err = run(capsys, *words)
    assert (code, err) == (0, f"no browser was found; the page is {target}\n")
    code, out, err = run(capsys, "base-parameters", "pendulum", "--open")
    assert (code, out) == (2, "")
    assert "add --page" in err


# ------------------------------------------------------------------ errors


def test_exit_codes_are_documented():
    told = dict(re.findall(r"^\| (\d+) \| (.*) \|$", GUIDE, re.M))
    assert {int(code): words for code, words in told.items()} == EXIT_CODES


def test_an_unexpected_error_is_one_sentence_and_a_traceback_only_with_debug(monkeypatch, capsys):
    def fail() -> None:
        raise RuntimeError("out of\nluck")

    monkeypatch.setattr("closedform.description.catalogue.catalogue", fail)
    code, out, err = run(capsys, "robots")
    assert (code, out) == (1, "")
    assert err == "error: unexpected RuntimeError: out of luck; --debug shows where, please report it\n"
    code, _, err = run(capsys, "robots", "--debug")
    assert code == 1
    assert "Traceback" in err
    assert err.endswith("please report it\n")


def test_debug_shows_where_a_mistake_was_noticed(capsys):
    code, _, err = run(capsys, "check", "nope", "--debug")
    assert code == 2
    assert "Traceback" in err


def test_quiet_leaves_warnings_out(capsys):
    words = ("equations", "2r", "mass_matrix", "--seconds", "0")
    assert run(capsys, *words)[2].startswith("warning: ")
    assert run(capsys, *words, "--quiet")[2] == ""
    assert run(capsys, *words)[2].startswith("warning: ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_results_that_cannot_be_written_are_one_sentence():
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = command("--version", stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr == (
        "error: the results cannot be written (No space left on device); make room, or write them elsewhere\n"
    )


def test_a_closed_stdout_is_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(SystemExit) as end:
        main(["robots"])
    assert end.value.code == 1
    assert capsys.readouterr().err.startswith("error: the results cannot be written (stdout is closed)")


@pytest.mark.parametrize("words", [("--help",), ("cache",)], ids=" ".join)
def test_a_closed_pipe_is_silent(words):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = command(*words, stdout=writer, stderr=subprocess.PIPE)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_characters_that_a_terminal_lacks_are_escaped(tmp_path, monkeypatch):
    arm = tmp_path / "arm.toml"
    cf.load("pendulum").save(arm)
    arm.write_text(arm.read_text(encoding="utf-8").replace("rod", "rodé"), encoding="utf-8")
    poor = io.TextIOWrapper(io.BytesIO(), "cp1251")
    monkeypatch.setattr(sys, "stdout", poor)
    with pytest.raises(SystemExit) as end:
        main(["check", str(arm)])
    assert end.value.code == 0
    assert b"frames: base, rod\\xe9, tip" in poor.buffer.getvalue()


def test_an_interrupt_leaves_nothing_half_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(Page, "render", lambda *_: os.kill(os.getpid(), signal.SIGINT))
    code, out, err = run(capsys, "report", "2r", "-o", str(tmp_path / "page.html"))
    assert (code, out, err) == (130, "", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer that interrupts")
@pytest.mark.parametrize("way", ["swallowed", "another", "swallowed to the end", "and a good end"])
def test_an_interrupt_that_is_swallowed_is_repeated(monkeypatch, way):
    monkeypatch.setattr(ending, "AGAIN", 0.05)
    reached = []

    def work():
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        except KeyboardInterrupt:
            if way == "another":
                raise NotImplementedError("wrong number or type of arguments") from None
        if way == "and a good end":
            sys.exit(0)
        if way == "swallowed":
            time.sleep(5)
            reached.append("the end")

    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)
    assert ending.exit_code(work) == 130
    assert not reached
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)) == before
    time.sleep(0.1)  # nothing comes later


def test_an_interrupt_takes_made_folders_back(tmp_path):
    with pytest.raises(KeyboardInterrupt), made_folder(tmp_path / "a" / "b"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path, capsys):
    target = tmp_path / "none" / "move.csv"
    for words in (
        ("simulate", "2r"),
        ("trajectory", "2r", "--to", "1,1", "--velocity", "1"),
        ("excite", "2r"),
        ("report", "2r"),
    ):
        code, out, err = run(capsys, *words, "-o", str(target))
        assert (code, out) == (2, "")
        assert err.startswith(f"error: {target}: cannot be written (no folder to write in)"), words


# ------------------------------------------------------------------ names of users

MARKED = "[red]j[/red]<b>&"


def marked(folder: Path) -> str:
    """Return the file of an arm whose names hold markup."""
    arm = folder / "arm.urdf"
    cf.load("2r").to_urdf(arm)
    escaped = MARKED.replace("&", "&amp;").replace("<", "&lt;")
    arm.write_text(arm.read_text(encoding="utf-8").replace("joint1", escaped), encoding="utf-8")
    return str(arm)


def test_names_with_markup_are_shown_verbatim(tmp_path, capsys):
    arm = marked(tmp_path)
    words = ("--starts", "1", "--iterations", "2", "--terms", "2")
    for verb in (("check", arm), ("excite", arm, *words)):
        code, out, _ = run(capsys, *verb)
        assert code == 0
        assert MARKED in out, verb
    code, _, err = run(capsys, "equations", arm, "pose", "--frame", "[red]x[/red]")
    assert code == 2
    assert "[red]x[/red]" in err


# ------------------------------------------------------------------ motions


def test_a_planned_motion_is_followed_and_read_again(tmp_path, capsys):
    plan, swing = tmp_path / "plan.csv", tmp_path / "swing.csv"
    code, out, _ = run(
        capsys, "trajectory", "2r", "--to", "1,-0.5", "--velocity", "2", "-o", str(plan), "--json"
    )
    assert code == 0
    move = json.loads(out)
    expected = cf.trajectory.profile([0, 0], [1, -0.5], velocity=2, acceleration=10, jerk=200)
    assert move["duration"] == pytest.approx(expected.duration, rel=1e-12)
    words = ("--law", "computed-torque", "--motion", str(plan), "-o", str(swing), "--json")
    code, out, _ = run(capsys, "simulate", "2r", *words)
    assert code == 0
    assert np.allclose(json.loads(out)["q"], [1, -0.5], atol=1e-6)
    rows = np.genfromtxt(swing, delimiter=",", names=True)
    assert len(rows) == json.loads(out)["steps"] + 1
    assert rows.dtype.names[:3] == ("time_s", "joint1_position_rad", "joint2_position_rad")


@pytest.mark.parametrize("name", ["arm [left]", "arm, right [2]", "arm_position"])
def test_motions_of_joints_with_any_name_are_read_again(tmp_path, name):
    arm = tmp_path / "arm.urdf"
    cf.load("2r").to_urdf(arm)
    arm.write_text(arm.read_text(encoding="utf-8").replace("joint1", name), encoding="utf-8")
    robot, t = cf.load(arm), np.linspace(0, 1, 5)
    q = np.stack([t, -t], axis=1)
    file = tmp_path / "motion.csv"
    file.write_text(tables.written_table(robot, t, velocity=0 * q, position=q), encoding="utf-8")
    read = tables.motion(file, robot)
    np.testing.assert_allclose(read(0.5), [0.5, -0.5], atol=1e-12)


def test_meshes_that_are_missing_are_told(tmp_path, unrendered, capsys):
    arm = tmp_path / "arm.urdf"
    cf.load("2r").to_urdf(arm)
    look = '<visual><geometry><mesh filename="gone.stl"/></geometry></visual>'
    text = arm.read_text(encoding="utf-8")
    arm.write_text(text.replace("</link>", f"{look}</link>"), encoding="utf-8")
    for verb in (("check", str(arm)), ("report", str(arm), "-o", str(tmp_path / "arm.html"))):
        _, out, _ = run(capsys, *verb, "--json")
        assert any("gone.stl" in each for each in json.loads(out)["warnings"]), verb
    assert "gone.stl" in run(capsys, *verb)[2]


def test_a_free_motion_keeps_its_energy(capsys):
    code, out, _ = run(capsys, "simulate", "2r", "--start", "0.5,0", "--duration", "1", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["energy"][1] == pytest.approx(facts["energy"][0], rel=1e-9)
    run2r = cf.load("2r").simulate([0.5, 0.0], duration=1.0)
    assert facts["q"] == run2r.q[-1].tolist()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("trajectory", "2r", "--to", "nan,1"), "--to is 'nan,1'; expected numbers, and nan is none"),
        (("trajectory", "2r", "--to", "1"), "--to has 1 number(s); expected 2"),
        (("trajectory", "2r", "--to", "1,2"), "robot '2r' has no velocity limits; give --velocity"),
        (("trajectory", "scara", "--to", "9,0,0,0"), "--to is beyond the limits of joint 'joint1'"),
        (("trajectory", "quadruped", "--to", "1"), "has joints of several dofs"),
        (("simulate", "2r", "--law", "gravty"), "did you mean 'gravity'"),
        (("simulate", "2r", "--law", "computed-torque"), "give both or none"),
        (("simulate", "2r", "--duration", "0"), "--duration is 0"),
    ],
)
def test_mistakes_in_motions_are_told(words, told, capsys):
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert told in err
