"""The comparison with public collections says of every file how it ended, whatever the file does."""

from __future__ import annotations

import os

import pytest

from oracles import collections

BODY = '<body name="b"><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/></body>'
URDF = """<robot name="r"><link name="a"/><link name="b"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint></robot>"""


def mjcf(body: str = BODY, rest: str = "") -> str:
    return f"<mujoco>{rest}<worldbody>{body}</worldbody></mujoco>"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "models").mkdir()
    return tmp_path / "models"


def causes(folder) -> dict[str, str]:
    return {row["file"]: row["cause"] for row in collections.run(str(folder), folder.parent / "results")}


def test_every_file_is_judged_and_kept(folder, monkeypatch, capfd):
    files = {
        "equal.urdf": (URDF, "equal"),
        "equal.xml": (mjcf(), "equal"),
        "spring.xml": (mjcf(BODY.replace('axis="0 1 0"', 'type="ball" stiffness="1"')), "warned"),
        "fine.xml": (mjcf(rest='<asset><mesh builtin="cone" name="m" params="400 1"/></asset>'), "refused"),
        "wrong.xml": (mjcf("<boddy/>"), "peer refuses"),
        "wrong.urdf": ("<robot", "peer refuses"),
        "notes.xml": ("<notes/>", None),
    }
    for name, (text, _) in files.items():
        (folder / name).write_text(text)
    expected = {name: cause for name, (_, cause) in files.items() if cause}
    assert causes(folder) == expected
    said = capfd.readouterr().out
    assert "urdf: 2 files: 1 equal" in said
    assert "refused    1" in said
    monkeypatch.setattr(collections, "judge", lambda path: pytest.fail("judged again"))
    assert causes(folder) == expected


def test_differences_and_crashes_are_findings(folder, monkeypatch):
    (folder / "one.xml").write_text(mjcf())
    monkeypatch.setattr(collections, "compare", lambda *given: {"pose": 1e-9})
    assert causes(folder) == {"one.xml": "different"}
    (folder / "two.xml").write_text(mjcf())
    monkeypatch.setattr(collections, "judge", lambda path: os._exit(3))
    assert causes(folder)["two.xml"] == "crashed"
    (folder / "three.xml").write_text(mjcf())
    monkeypatch.setattr(collections, "judge", lambda path: 1 / 0)
    assert causes(folder)["three.xml"] == "crashed"
