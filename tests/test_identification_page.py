"""The command and the page of an identification."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import closedform as cf
from closedform.cli import main
from closedform.identification import Identification
from identification_logs import Losses, fourier_motion, noisy


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """A CSV log of the 2R arm with friction and noise."""
    robot = cf.load("2r")
    motion = fourier_motion(robot, 1, 20, 200)
    tau = noisy(
        robot.inverse_dynamics(motion.q, motion.qd, motion.qdd) + Losses.random(2, 1).torque(motion.qd),
        0.01,
        1,
    )
    path = tmp_path_factory.mktemp("log") / "log.csv"
    rows = np.column_stack([motion.t, motion.q, tau])
    np.savetxt(path, rows, delimiter=",", header="time,q1,q2,tau1,tau2", comments="")
    return path


def run(*arguments):
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as end:
        return end.code
    return 0


def test_the_command_prints_tables_and_writes_everything(log, tmp_path, capsys):
    files = {name: tmp_path / name for name in ("page.html", "robot.toml", "result.json")}
    code = run(
        *("identify", log, "--robot", "2r", "--hold-out", "2", "-o", files["page.html"]),
        *("--save", files["robot.toml"], "--result", files["result.json"]),
    )
    out = capsys.readouterr().out
    assert code == 0, out
    assert "held out" in out
    assert "fv1" in out
    result = Identification.load(files["result.json"])
    assert result.held_out.total < 0.02
    assert cf.load(files["robot.toml"]).damping == pytest.approx(result.robot.damping)
    page = files["page.html"].read_text()
    figures = [json.loads(text) for text in re.findall(r'class="figure">(.*?)</script>', page, re.S)]
    assert len(figures) == 4
    assert all(trace["x"] for figure in figures for trace in figure["data"])
    bars = [trace for figure in figures for trace in figure["data"] if "error_y" in trace]
    shown = dict(zip(bars[0]["x"], bars[0]["error_y"]["array"], strict=True))
    for name, size in shown.items():
        assert size == pytest.approx(2 * result[name].standard_error)
    for name in result.names:
        assert f">{name} <" in page
    assert "http" not in re.sub(r"<script>.*?</script>", "", page, flags=re.S).replace("http-equiv", "")


def test_mistakes_on_the_command_line_are_one_line(log, tmp_path, capsys):
    wrong = {
        ("--friction", "sticky"): "sticky",
        ("--hold-out", "third"): "third",
        ("--units", "deg"): "name=value",
        ("--locked", "joint1=left"): "--locked",
        ("--robot", "panda"): "another robot",
        ("--save", tmp_path / "arm.urdf"): ".toml",
        ("--save", tmp_path / "absent" / "arm.toml"): "cannot be written",
        ("--result", tmp_path): "cannot be written",
        ("--output", tmp_path / "absent" / "page.html"): "cannot be written",
    }
    for options, word in wrong.items():
        code = run("identify", log, "--robot", "2r", "-o", tmp_path / "page.html", *options)
        message = capsys.readouterr().err
        assert code == 2
        assert word in message
        assert message.startswith("error: ")
    assert not list(tmp_path.iterdir())


def test_a_log_description_says_it_all(log, tmp_path, capsys, monkeypatch):
    columns = np.loadtxt(log, delimiter=",", skiprows=1)
    for name, part in (("angles", 50 * columns[:, 1:3]), ("torques", columns[:, 3:] / 50)):
        np.savetxt(tmp_path / f"{name}.csv", part, delimiter=",", header="Joint_1,Joint_2", comments="")
    text = 'position = "angles.csv"\neffort = "torques.csv"\nrate = 200\nreduction = [50, 50]\n'
    (tmp_path / "log.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert run("identify", tmp_path / "log.toml", "--robot", "2r", "--friction", "classic") == 0
    assert (tmp_path / "log-identify.html").exists()
    assert "fc2" in capsys.readouterr().out
