"""A robot is the same from a file, its text, its bytes, an open file or a parsed tree."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import numpy as np
import pytest
from lxml import etree

import closedform as cf
from closedform.description.file_bytes import MAX_BYTES
from oracles.pinocchio_peer import robot_data
from urdf_texts import INERTIAL, joint, link, urdf

MJCF = """<mujoco model="pendulum"><worldbody><body name="rod"><joint name="pivot" axis="0 1 0"/>
<inertial pos="0 0 -1" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
ARM = urdf(link("base", ""), link("arm"), joint("hinge", "base", "arm"))


@pytest.fixture(params=["urdf", "mjcf", "toml"])
def written(request, tmp_path):
    """Return a file, and the robot that it holds."""
    robot = cf.load(robot_data() / "panda_description/urdf/panda.urdf")
    write = {"urdf": robot.to_urdf, "mjcf": robot.to_mjcf, "toml": robot.save}[request.param]
    path = write(tmp_path / f"robot.{ {'mjcf': 'xml'}.get(request.param, request.param) }")
    return path, cf.load(path)


def same(one: cf.Robot, other: cf.Robot) -> bool:
    return one.model.digest == other.model.digest and one.frame_names == other.frame_names


def test_a_robot_is_the_same_whatever_it_is_read_from(written):
    path, robot = written
    data, text = path.read_bytes(), path.read_text()
    sources = [
        str(path),
        data,
        bytearray(data),
        text,
        "\ufeff\n " + text,
        io.BytesIO(data),
        io.StringIO(text),
    ]
    for source in sources:
        assert same(cf.load(source), robot), type(source)
    with path.open("rb") as binary, path.open(encoding="utf-8") as words:
        assert same(cf.load(binary), robot)
        assert same(cf.load(words), robot)


@pytest.mark.parametrize("text", [ARM, MJCF])
def test_parsed_trees_are_robots(text):
    robot = cf.load(text)
    root, other = ElementTree.fromstring(text), etree.fromstring(text)
    for tree in (root, ElementTree.ElementTree(root), other, other.getroottree()):
        assert same(cf.load(tree), robot)


def test_a_text_may_name_any_encoding():
    text = '<?xml version="1.0"\n encoding="UTF-16"?>\n' + ARM.replace('"arm"', '"Glied ä"')
    assert "Glied ä" in cf.load(text).frame_names
    assert "Glied ä" in cf.load(text.encode("utf-16")).frame_names
    assert "Glied ä" in cf.load(text.replace("UTF-16", "ISO-8859-1").encode("latin-1")).frame_names


def test_a_mjcf_text_finds_what_it_includes_in_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "part.xml").write_text(f"<mujocoinclude>{MJCF[24:-9]}</mujocoinclude>")
    monkeypatch.chdir(tmp_path)
    assert cf.load('<mujoco><include file="part.xml"/></mujoco>').name == "robot"
    (tmp_path / "whole.xml").write_text('<mujoco><include file="part.xml"/></mujoco>')
    monkeypatch.chdir(tmp_path.parent)
    with (tmp_path / "whole.xml").open() as file:
        assert cf.load(file).nv == 1


BOMB = '<!DOCTYPE robot [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + ARM.replace('name="r"', 'name="&b;"')


@pytest.mark.parametrize("text", [ARM.replace('"arm"', '"amr"', 1), ARM.replace("</link>", "", 1), BOMB])
def test_errors_name_the_place(text):
    for source, place in ((text, "<text>"), (text.encode(), "<bytes>"), (io.StringIO(text), "<file>")):
        with pytest.raises(cf.DescriptionError) as caught:
            cf.load(source)
        assert caught.value.source == place
    if "ENTITY" in text:
        assert "DOCTYPE" in str(caught.value)


def test_lines_are_those_of_the_text():
    broken = '\n<?xml version="1.0"?>\n\n' + ARM.replace('xyz="0 0 1"', 'xyz="0 0"')
    at = next(k for k, line in enumerate(broken.splitlines(), 1) if 'xyz="0 0"' in line)
    with pytest.raises(cf.DescriptionError, match=f"line {at}: joint 'hinge'"):
        cf.load(broken)


class Endless:
    """A file that never ends."""

    def __init__(self, part: object) -> None:
        self.part = part

    def read(self, count: int) -> object:
        return self.part


def test_what_is_no_robot_is_refused():
    nested = ElementTree.Element("robot")
    nested.append(nested)
    closed = io.StringIO("x")
    closed.close()
    for source, message in (
        (Endless("<" * 2**22), f"more than {MAX_BYTES}"),
        (Endless(None), "expected a text or bytes"),
        (closed, "cannot be read"),
        (nested, "cannot be written as XML"),
        (ElementTree.Element("robot", {"name": 1}), "cannot be written as XML"),
        (ElementTree.Element("sdf"), "convert it to URDF"),
        (b"\n", "<bytes>.*\n.*is empty"),
        (b"name = \xff", "not TOML"),
        (b"\xff\x01", "neither XML nor TOML"),
        ("<robot>\udcff</robot>", "expected a text"),
        (42, "an open file or a parsed tree; int given"),
    ):
        with pytest.raises(cf.ClosedFormError, match=message):
            cf.load(source)


def test_joints_are_locked_when_loaded():
    path = robot_data() / "panda_description/urdf/panda.urdf"
    robot = cf.load(path)
    held = {"panda_joint2": 0.3, "panda_finger_joint1": 0.01}
    assert same(cf.load(path, locked=held), robot.locked(held))
    names = list(held)
    assert same(cf.load(path, locked=names), robot.locked(dict.fromkeys(names, 0.0)))
    floating = cf.load(ARM.replace('<link name="base"></link>', f'<link name="base">{INERTIAL}</link>'),
                       floating_base=True, locked=["floating_base"])  # fmt: skip
    assert np.allclose(floating.mass_matrix([0.2]), cf.load(ARM).mass_matrix([0.2]))
    with pytest.raises(cf.ClosedFormError, match="did you mean 'panda_joint2'"):
        cf.load(path, locked={"panda_joint_2": 0.0})
    with pytest.raises(cf.ArgumentError, match="or a list of names"):
        cf.load(path, locked="panda_joint2")
