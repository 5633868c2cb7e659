"""The table of public logs: every row reads as described if its files are here, or says where they are."""

import subprocess
from dataclasses import replace

import numpy as np
import pytest

from bench import public_log, public_logs
from bench.public_logs import LOGS, PublicLog, Recording, found, missing
from closedform.identification.logs.options import OPTIONS


def test_every_log_names_its_source_and_recordings_that_exist():
    assert len({log.name for log in LOGS}) == len(LOGS)
    for log in LOGS:
        assert log.repository.count("/") == 1
        assert log.licence
        assert {log.fit, *log.held} <= set(log.recordings)
        assert log.fit not in log.held
        assert set(log.reading) <= set(OPTIONS)
    assert sum(not log.tuned for log in LOGS) >= 2


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_log_reads_as_described(log):
    if missing(log):
        pytest.skip(f"no log {log.name!r}: clone {log.repository} under CLOSEDFORM_LOGS")
    robot = log.load_robot()
    samples = log.read(log.fit, robot).samples()
    assert samples.position.shape == samples.effort.shape == (len(samples.time), robot.nv)
    assert (np.ptp(samples.position, axis=0) > 0.05).all()
    if samples.velocity is not None:
        slopes = np.gradient(samples.position, samples.time, axis=0)
        for slope, velocity in zip(slopes.T, samples.velocity.T, strict=True):
            assert np.corrcoef(slope, velocity)[0, 1] > 0.85


def test_file_of_a_bare_mirror_is_found(tmp_path, monkeypatch):
    work, mirror = tmp_path / "work", tmp_path / "logs" / "someone+arm"
    work.mkdir()
    (work / "q.csv").write_text("time,q1,tau1\n0,1,2\n")

    def git(*arguments):
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=work, check=True, capture_output=True)

    git("init", "--quiet")
    git("add", "q.csv")
    git("commit", "--quiet", "-m", "A log")
    git("clone", "--quiet", "--bare", str(work), str(mirror))
    monkeypatch.setenv("CLOSEDFORM_LOGS", str(tmp_path / "logs"))
    log = PublicLog(
        "arm", "an arm", "someone/arm", "MIT", "2r", {"a": Recording("q.csv")}, "a", (), cutoff=1.0
    )
    assert found(log, "q.csv").read_text() == (work / "q.csv").read_text()
    with pytest.raises(FileNotFoundError, match="clone someone/arm"):
        found(log, "tau.csv")
    git("rm", "--quiet", "q.csv")
    git("commit", "--quiet", "-m", "The log is gone")
    git("push", "--quiet", str(mirror), "HEAD")
    assert missing(replace(log, name="later")) == ("q.csv",)
    before = replace(log, name="before", commit="HEAD~1")
    assert found(before, "q.csv").read_text() == "time,q1,tau1\n0,1,2\n"


def test_files_with_a_line_per_joint_are_turned(tmp_path, monkeypatch):
    monkeypatch.setenv("CLOSEDFORM_DATA", str(tmp_path))
    (tmp_path / "across").mkdir()
    q = np.stack([np.sin(np.arange(400) / 20), np.cos(np.arange(400) / 30)])
    np.savetxt(tmp_path / "across" / "q.csv", [*q, *np.gradient(q, axis=1)], delimiter=",")
    np.savetxt(tmp_path / "across" / "tau.csv", 2 * q, delimiter=",")
    recording = Recording({"position": "q.csv", "effort": "tau.csv"}, across=True)
    log = PublicLog(
        "across", "", "someone/across", "MIT", "2r", {"a": recording}, "a", (), 1.0, reading={"rate": 10.0}
    )
    samples = log.read("a", log.load_robot()).samples()
    np.testing.assert_allclose(samples.position, q.T, atol=1e-12)
    np.testing.assert_allclose(samples.effort, 2 * q.T, atol=1e-12)


def test_absent_logs_are_listed_with_their_repository(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CLOSEDFORM_DATA", str(tmp_path))
    monkeypatch.delenv("CLOSEDFORM_LOGS", raising=False)
    public_log._found.cache_clear()
    try:
        assert public_logs.public_logs() == {}
        public_logs.main()
    finally:
        public_log._found.cache_clear()
    told = capsys.readouterr().out
    assert all(f"clone {log.repository}" in told for log in LOGS)
