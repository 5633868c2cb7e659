"""MJCF files that ask for too much, or for files that are not there, end early and by name."""

from __future__ import annotations

import struct
import threading

import pytest

from closedform.description.mjcf import read_mjcf
from closedform.description.mjcf_compile import quiet
from closedform.description.mjcf_document import MAX_BODIES, MAX_DEPTH, MAX_FILES
from closedform.errors import DescriptionError

mujoco = pytest.importorskip("mujoco")

BALL = '<body name="ball"><joint name="j"/><geom size="0.1"/></body>'


def model(world: str = BALL, rest: str = "") -> str:
    return f"<mujoco>{rest}<worldbody>{world}</worldbody></mujoco>"


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def stl() -> bytes:
    """Return a tetrahedron."""
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    data = b" " * 80 + struct.pack("<I", len(faces))
    for face in faces:
        data += struct.pack("<12fH", 0, 0, 0, *(x for corner in face for x in corners[corner]), 0)
    return data


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (model(f'<replicate count="20000">{BALL}</replicate>'), f"bodies.*limit is {MAX_BODIES}"),
        (model(f'<replicate count="200"><replicate count="200">{BALL}</replicate></replicate>'), "bodies"),
        (model('<replicate count="1e9"><geom size="1"/></replicate>'), "elements.*limit"),
        (model(f'<replicate count="1e400">{BALL}</replicate>'), "bodies"),
        (model('<flexcomp name="f" count="100 100 100" spacing="1 1 1"/>'), "bodies"),
        (
            model(rest='<asset><mesh name="m" builtin="supersphere" params="30000 1 1"/></asset>'),
            "params.*limit",
        ),
        (model("<body>" * (MAX_DEPTH - 2) + BALL + "</body>" * (MAX_DEPTH - 2)), "[Dd]ep"),
    ],
    ids=["bodies", "nested", "geoms", "infinite", "flex", "mesh", "depth"],
)
def test_counts_are_bounded_before_the_work(text, match, tmp_path):
    with pytest.raises(DescriptionError, match=match):
        read_mjcf(write(tmp_path, "robot.xml", text))


def test_pictures_sensors_and_lost_shapes_are_not_needed(tmp_path):
    assets = """<asset><texture name="t" type="2d" builtin="flat" width="30000" height="30000"/>
      <texture name="u" type="2d" file="lost.png"/><material name="m" texture="t"/>
      <hfield name="h" file="lost.png" size="1 1 1 1"/><mesh name="s" file="lost.stl"/></asset>
      <visual><global offwidth="100000"/></visual><size memory="900T"/>
      <keyframe><key qpos="1 2 3"/></keyframe><sensor><jointpos joint="nothing"/></sensor>
      <default><default class="seen"><geom density="0"/></default></default>"""
    world = """<geom type="hfield" hfield="h"/><geom type="mesh" mesh="s" material="m"/><camera/><light/>
      <body name="given"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <geom type="mesh" mesh="s"/></body>
      <body name="seen"><joint/><geom size="0.1" material="m"/>
        <geom class="seen" type="mesh" mesh="s"/></body>"""
    description = read_mjcf(write(tmp_path, "robot.xml", model(world, assets)))
    assert {"given", "seen"} <= {link.name for link in description.links}


@pytest.mark.parametrize(
    "settings", ['meshdir="parts"', 'assetdir="parts"', 'meshdir="parts" strippath="true"']
)
def test_meshes_that_give_an_inertia_are_found_from_any_folder(settings, tmp_path, monkeypatch):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "m.stl").write_bytes(stl())
    name = "elsewhere/m.stl" if "strippath" in settings else "m.stl"
    rest = f'<compiler {settings}/><asset><mesh file="{name}"/></asset>'
    write(tmp_path, "robot.xml", model('<body name="b"><joint/><geom type="mesh" mesh="m"/></body>', rest))
    monkeypatch.chdir(tmp_path.parent)
    description = read_mjcf(f"{tmp_path.name}/robot.xml")
    assert description.links[1].inertial.mass == pytest.approx(1000 / 6)


def test_meshes_of_an_included_file_may_lie_beside_it(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "m.stl").write_bytes(stl())
    write(tmp_path, "sub/part.xml", '<mujoco><asset><mesh file="m.stl"/></asset></mujoco>')
    body = '<body name="b"><joint/><geom type="mesh" mesh="m"/></body>'
    path = write(tmp_path, "robot.xml", model(body, '<include file="sub/part.xml"/>'))
    assert mujoco.MjModel.from_xml_path(str(path)).body_mass[1] == pytest.approx(1000 / 6)
    assert read_mjcf(path).links[1].inertial.mass == pytest.approx(1000 / 6)


def test_includes_are_found_beside_the_file_or_beside_the_one_that_includes(tmp_path, monkeypatch):
    write(
        tmp_path, "sub/deep/more.xml", '<mujoco><body name="inner"><joint/><geom size="0.1"/></body></mujoco>'
    )
    write(tmp_path, "sub/part.xml", '<mujoco><include file="deep/more.xml"/></mujoco>')
    write(tmp_path, "robot.xml", model(f'<include file="sub/part.xml"/>{BALL}'))
    monkeypatch.chdir(tmp_path.parent)
    names = [link.name for link in read_mjcf(f"{tmp_path.name}/robot.xml").links]
    assert names == ["world", "inner", "ball"]


@pytest.mark.parametrize(
    ("part", "match"),
    [
        (
            '<mujoco><include file="robot.xml"/></mujoco>',
            "part.xml, line 1: <include file='robot.xml'>.*already",
        ),
        ('<mujoco><include file="part.xml"/></mujoco>', "already included"),
        (f'<mujoco><include file="{"x" * 5000}.xml"/></mujoco>', "no such file"),
        (
            '<mujoco><include file="lost.xml"/></mujoco>',
            "part.xml, line 1: <include file='lost.xml'>: no such file",
        ),
        ("<mujoco>\n<geom size='1' mass='nan'/></mujoco>", "part.xml, line 2: <geom>: mass='nan'"),
        ("<mujoco>\n<geom size='1' mess='1'/></mujoco>", "MuJoCo.*mess.*part.xml, line 2"),
    ],
    ids=["back", "itself", "long", "lost", "nan", "attribute"],
)
def test_problems_of_included_files_name_their_place(part, match, tmp_path):
    write(tmp_path, "part.xml", part)
    with pytest.raises(DescriptionError, match=match):
        read_mjcf(write(tmp_path, "robot.xml", model('<include file="part.xml"/>')))


def test_many_included_files_are_too_many(tmp_path):
    for k in range(MAX_FILES + 1):
        write(tmp_path, f"part{k}.xml", '<mujoco><geom size="0.1"/></mujoco>')
    parts = "".join(f'<include file="part{k}.xml"/>' for k in range(MAX_FILES + 1))
    with pytest.raises(DescriptionError, match=f"limit of {MAX_FILES} files"):
        read_mjcf(write(tmp_path, "robot.xml", model(parts)))


def test_attached_models_are_read_and_counted(tmp_path):
    write(tmp_path, "sub/child.xml", model(BALL, '<compiler meshdir="lost"/>'))
    attach = '<attach model="c" body="ball" prefix="p_"/>'
    rest = '<asset><model name="c" file="sub/child.xml"/></asset>'
    names = [link.name for link in read_mjcf(write(tmp_path, "robot.xml", model(attach, rest))).links]
    assert names == ["world", "p_ball"]
    many = model(f'<replicate count="{MAX_BODIES + 1}">{attach}</replicate>', rest)
    with pytest.raises(DescriptionError, match="bodies"):
        read_mjcf(write(tmp_path, "robot.xml", many))
    write(tmp_path, "sub/child.xml", model(BALL, '<asset><model name="c" file="child.xml"/></asset>'))
    with pytest.raises(DescriptionError, match="attaches itself"):
        read_mjcf(write(tmp_path, "robot.xml", model(attach, rest)))


def test_mujoco_leaves_no_log_in_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = mujoco.get_mju_user_warning()

    def load():
        with quiet():
            mujoco.MjSpec.from_string('<mujoco><option gravity="0 0 nan"/></mujoco>')  # MuJoCo warns of it

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not list(tmp_path.iterdir())
    assert mujoco.get_mju_user_warning() is before


@pytest.mark.parametrize("number", ["NaN", "-nan", "nan(0)"])
def test_numbers_that_are_none_are_found_in_every_spelling(number, tmp_path):
    with pytest.raises(DescriptionError, match=r"line 1: <option>: gravity=.* not finite"):
        read_mjcf(write(tmp_path, "robot.xml", model(rest=f'<option gravity="0 0 {number}"/>')))


def test_bodies_whose_numbers_overflow_are_named(tmp_path):
    heavy = '<body name="giant"><joint/><geom size="1e300"/></body>'
    with pytest.raises(DescriptionError, match=r"body 'giant'.*not finite"):
        read_mjcf(write(tmp_path, "robot.xml", model(heavy + BALL)))
