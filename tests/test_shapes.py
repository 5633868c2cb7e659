"""What robots look like: the same places as Pinocchio and MuJoCo, every format alike, no file does harm."""

from __future__ import annotations

import pickle
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import closedform as cf
from closedform.programs import evaluate, trace
from closedform.shapes import simplify, solids
from closedform.shapes.part import Part
from oracles.pinocchio_peer import Peer, robot_data
from shape_files import CORNERS, FACES, MTL, ascii_stl, dae, obj, stl, write_hostile
from tolerances import ROUNDING, worst

SINGLE = 1e-6
"""Vertices are float32."""

FILES = (
    "quadruped_description/urdf/quadruped.urdf",
    "hector_description/robots/quadrotor_base.urdf",
    "bolt_description/robots/bolt.urdf",
)
"""Small files with STL and DAE meshes."""


def poses(robot, q):
    return dict(zip(robot.frame_names, evaluate(trace(robot.model, "frame_poses"), q[None])[0], strict=True))


def world(robot, q, looks=None):
    """Return the points of all pieces in the base frame, by frame."""
    T, found = poses(robot, q), {}
    for piece in (looks or robot.shapes()).pieces:
        A = T[piece.frame] @ piece.placement
        found.setdefault(piece.frame, []).append(piece.vertices @ A[:3, :3].T + A[:3, 3])
    return {frame: np.concatenate(points) for frame, points in found.items()}


def volume(vertices, faces):
    """Return the volume inside of triangles that face outwards, by the divergence theorem."""
    a, b, c = np.asarray(vertices, dtype=float)[faces].transpose(1, 0, 2)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def box_of(points):
    return np.array([points.min(axis=0), points.max(axis=0)])


def robot_with(*visuals) -> str:
    """Return a URDF whose one moving link has these visuals."""
    return f"""<robot name="r"><material name="blue"><color rgba="0 0 1 0.5"/></material><link name="base"/>
      <link name="link"><inertial><mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>{"".join(visuals)}</link>
      <joint name="j" type="continuous"><parent link="base"/><child link="link"/><axis xyz="0 0 1"/>
        <origin xyz="0 0 1"/></joint></robot>"""


def visual(geometry: str, extra: str = "") -> str:
    return f'<visual><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><geometry>{geometry}</geometry>{extra}</visual>'


@pytest.fixture
def load_file(tmp_path):
    def load(text: str, name: str = "robot.urdf"):
        (tmp_path / name).write_text(text)
        return cf.load(tmp_path / name)

    return load


@pytest.mark.parametrize(
    ("mesh", "inside"),
    [
        (solids.box(1, 2, 3), 6.0),
        (solids.cylinder(1, 2, 80), 2 * np.pi),
        (solids.sphere(1, 80), 4 / 3 * np.pi),
        (solids.ellipsoid(1, 2, 3, 80), 8 * np.pi),
        (solids.capsule(1, 2, 80), 2 * np.pi + 4 / 3 * np.pi),
        (solids.rounded_cylinder(1, 2, 1e-9, 80), 2 * np.pi),
    ],
)
def test_solids_are_closed_and_face_outwards(mesh, inside):
    vertices, faces = mesh
    assert volume(vertices, faces) == pytest.approx(inside, rel=3e-3)  # a circle of 80 sides
    part = Part(vertices, faces).checked()
    edges = np.concatenate([part.faces[:, [0, 1]], part.faces[:, [1, 2]], part.faces[:, [2, 0]]])
    both = {tuple(edge) for edge in edges}
    assert len(both) == len(edges)
    assert both == {(b, a) for a, b in both}


@pytest.mark.parametrize("name", sorted(cf.catalogue(loops=False)))
def test_catalogue_robots_have_made_shapes_for_every_moving_mass(name):
    robot = cf.load(name)
    looks = robot.shapes(triangles=4000)
    assert robot.shapes(triangles=4000) is looks
    assert not looks.warnings
    frames = {piece.frame for piece in looks.pieces}
    heavy = {body.name for body in robot.model.bodies if body.phi[9] > 0}
    assert heavy <= frames <= set(robot.frame_names)
    for piece in looks.pieces:
        assert piece.origin == "made"
        assert volume(piece.vertices, piece.faces) > 0
        assert piece.vertices.dtype == np.float32
        assert piece.faces.dtype == np.int32
        assert np.isfinite(piece.vertices).all()
    assert looks.triangles < 2 * 4000


@pytest.mark.parametrize("path", [path for path in FILES if (robot_data() / path).exists()])
def test_urdf_places_everything_where_pinocchio_does(path):
    file = robot_data() / path
    robot = cf.load(file)
    looks, (q,) = robot.shapes(triangles=2_000_000), robot.random_state(0, order=0)
    peer, places = Peer(file, robot, False), [str(robot_data()), str(robot_data().parents[1])]
    geometry = pin.buildGeomFromUrdf(peer.model, str(file), pin.GeometryType.VISUAL, package_dirs=places)
    data = geometry.createData()
    pin.updateGeometryPlacements(peer.model, peer.data, geometry, data, peer.q(q))
    T, ours, theirs = poses(robot, q), {}, {}
    for piece in looks.pieces:
        ours.setdefault(piece.frame, []).append(piece)
    for k, thing in enumerate(geometry.geometryObjects):
        link, M = thing.name.rpartition("_")[0], data.oMg[k].homogeneous
        assert min(worst(T[link] @ piece.placement, M) for piece in ours[link]) < ROUNDING
        if hasattr(thing.geometry, "vertices"):
            theirs.setdefault(link, []).append(np.array(thing.geometry.vertices()) @ M[:3, :3].T + M[:3, 3])
    assert theirs
    for link, points in theirs.items():
        own = [
            piece.vertices @ (T[link] @ piece.placement)[:3, :3].T + (T[link] @ piece.placement)[:3, 3]
            for piece in ours[link]
            if piece.origin == "mesh"
        ]
        assert worst(box_of(np.concatenate(own)), box_of(np.concatenate(points))) < SINGLE
    assert not looks.warnings


MJCF = """<mujoco><compiler angle="radian" meshdir="parts"/><asset>
  <mesh name="cube" file="cube.stl" scale="1 2 -1"/>
  <mesh name="wedge" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><texture name="t" type="2d" file="none.png"/>
  <material name="paint" rgba="0.1 0.2 0.3 0.4" texture="t"/></asset>
  <default><default class="see"><geom group="2" contype="0" conaffinity="0"/></default></default>
  <worldbody><geom type="plane" size="9 9 1"/><body name="a" pos="1 2 3" euler="0.1 0.2 0.3"><freejoint/>
    <geom class="see" type="mesh" mesh="cube" material="paint" pos="0.1 0.2 0.3" euler="1 0.5 0.2"/>
    <geom group="3" type="sphere" size="5"/><geom type="box" size="1 1 1"/>
    <body pos="0 0 1"><joint axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 1 2 3" size="0.1" rgba="1 0 0 1"/>
      <geom type="mesh" mesh="wedge" quat="1 2 3 4"/><geom type="ellipsoid" size="1 2 3" euler="1 2 3"/>
      <site name="tip"/></body></body></worldbody></mujoco>"""


def test_mjcf_places_what_is_looked_at_where_mujoco_does(tmp_path, load_file):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "cube.stl").write_bytes(stl())
    robot = load_file(MJCF, "robot.xml")
    looks, (q,) = robot.shapes(), robot.random_state(3, order=0)
    assert [(piece.frame, piece.origin) for piece in looks.pieces] == [
        ("a", "mesh"),
        ("body#2", "primitive"),
        ("body#2", "mesh"),
        ("body#2", "primitive"),
    ]
    assert looks.pieces[0].colour == pytest.approx((0.1, 0.2, 0.3, 0.4))
    assert looks.pieces[1].colour == (1, 0, 0, 1)
    text = MJCF.replace('<texture name="t" type="2d" file="none.png"/>', "").replace(' texture="t"', "")
    (tmp_path / "peer.xml").write_text(text)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "peer.xml"))
    data = mujoco.MjData(model)
    data.qpos[:] = [*q[:3], q[6], *q[3:6], q[7]]
    mujoco.mj_kinematics(model, data)
    T = poses(robot, q)
    for piece, k in zip(looks.pieces, (1, 4, 5, 6), strict=True):
        A = T[piece.frame] @ piece.placement
        if piece.origin == "primitive":
            assert worst(A[:3, 3], data.geom_xpos[k]) < ROUNDING
            assert worst(A[:3, :3], data.geom_xmat[k].reshape(3, 3)) < ROUNDING
            continue
        start, count = (
            getattr(model, f"mesh_{name}")[model.geom_dataid[k]] for name in ("vertadr", "vertnum")
        )
        points = (
            model.mesh_vert[start : start + count] @ data.geom_xmat[k].reshape(3, 3).T + data.geom_xpos[k]
        )
        own = piece.vertices @ A[:3, :3].T + A[:3, 3]
        assert worst(box_of(own), box_of(points)) < SINGLE
        assert volume(piece.vertices, piece.faces) > 0
    text_robot = cf.load(MJCF.replace('mesh="cube"', 'mesh="cube" mass="0"'))
    assert [line for line in text_robot.shapes().warnings if "no folder" in line]
    assert {piece.origin for piece in text_robot.shapes().pieces} >= {"primitive"}


def test_a_cube_is_the_same_in_every_format_at_any_scale(tmp_path, load_file):
    for name, data in (
        ("cube.STL", stl()),
        ("text.stl", ascii_stl()),
        ("cube.obj", obj()),
        ("cube.mtl", MTL),
        ("cube.dae", dae()),
    ):
        (tmp_path / name).write_bytes(data)
    names = ["cube.STL", "text.stl", "cube.obj", "cube.dae"]
    scale = np.array([1.0, 2.0, -0.5])
    meshes = [visual(f'<mesh filename="{name}" scale="1 2 -0.5"/>') for name in names]
    robot = load_file(robot_with(*meshes))
    looks = robot.shapes()
    assert not looks.warnings
    assert [piece.name for piece in looks.pieces] == names
    for piece in looks.pieces:
        assert worst(box_of(piece.vertices), box_of(CORNERS * scale)) < SINGLE
        assert volume(piece.vertices, piece.faces) == pytest.approx(0.2 * 0.4 * 0.6, rel=SINGLE)
        assert len(piece.vertices) == 24  # corners are there once for each side
        assert len(piece.faces) == 12
    assert looks.pieces[2].colour == (1, 0, 0.5, 0.25)
    assert looks.pieces[3].colour == (0, 0.5, 1, 1)


def test_solids_colours_and_collisions_of_a_urdf(load_file):
    blue = '<material name="blue"/>'
    drawn = [
        visual('<box size="1 2 3"/>', blue),
        visual('<cylinder radius="1" length="2"/>', '<material name="x"><color rgba="1 0 0 1"/></material>'),
        visual('<sphere radius="2"/>', '<material name="unknown"/>'),
        visual('<capsule radius="1" length="2"/>'),
        '<collision><geometry><box size="9 9 9"/></geometry></collision>',
    ]
    looks = load_file(robot_with(*drawn)).shapes()
    assert [box_of(piece.vertices)[1].round(3).tolist() for piece in looks.pieces] == [
        [0.5, 1, 1.5],
        [1, 1, 1],
        [2, 2, 2],
        [1, 1, 2],
    ]
    assert [piece.colour for piece in looks.pieces[:2]] == [(0, 0, 1, 0.5), (1, 0, 0, 1)]
    assert looks.pieces[2].colour == looks.pieces[3].colour
    only = load_file(robot_with(drawn[-1])).shapes()
    assert [piece.origin for piece in only.pieces] == ["primitive"]
    wrong = [visual('<box size="1 2"/>'), visual('<sphere radius="-1"/>'), visual("<torus/>"), visual("")]
    told = load_file(robot_with(*wrong)).shapes()
    assert len(told.warnings) == 3
    assert all(line.startswith("link: ") for line in told.warnings)
    assert {piece.origin for piece in told.pieces} == {"made"}


def test_meshes_are_found_in_packages_and_above(tmp_path, monkeypatch):
    robot, package = tmp_path / "ws" / "arm" / "urdf", tmp_path / "ws" / "arm"
    elsewhere = tmp_path / "other" / "share" / "hand"
    for folder in (robot, package / "meshes", elsewhere):
        folder.mkdir(parents=True)
    for place in (package / "meshes" / "a b.stl", elsewhere / "h.stl"):
        place.write_bytes(stl())
    names = (
        "package://arm/meshes/a b.stl",
        "package://renamed/meshes/a b.stl",
        "package:///arm/meshes/a b.stl",
        "$(find arm)/meshes/a b.stl",
        "../meshes/a%20b.stl",
        "..\\meshes\\a b.stl",
        f"file://{package}/meshes/a b.stl",
        f"{package}/meshes/a b.stl",
        "package://hand/h.stl",
    )
    (robot / "arm.urdf").write_text(robot_with(*(visual(f'<mesh filename="{name}"/>') for name in names)))
    arm = cf.load(robot / "arm.urdf")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "other"))
    looks = arm.shapes()
    assert not looks.warnings
    assert len(looks.pieces) == len(names)


def test_no_mesh_file_does_harm(tmp_path, load_file):
    for name in write_hostile(tmp_path):
        quoted = name.replace("&", "&amp;")
        robot = load_file(robot_with(visual(f'<mesh filename="{quoted}"/>')))
        looks = robot.shapes(triangles=1000)
        (line,) = looks.warnings
        assert line.startswith("link: "), name
        assert len(line) <= 300
        assert looks.pieces
        assert {piece.origin for piece in looks.pieces} == {"made"}, name


def test_no_mesh_of_an_mjcf_file_does_harm(tmp_path, load_file):
    broken = {
        "nan.stl": stl(CORNERS * np.nan),
        "cut.stl": stl()[:100],
        "good.stl": stl(),
        "words.obj": b"v a\n",
    }
    for name, data in broken.items():
        (tmp_path / name).write_bytes(data)
    names = [*broken, "missing.stl"]
    meshes = "".join(f'<mesh name="{name}" file="{name}"/>' for name in names)
    geoms = "".join(f'<geom type="mesh" mesh="{name}" mass="0"/>' for name in names)
    looks = load_file(
        f'<mujoco><asset>{meshes}</asset><worldbody><body name="a"><joint/><inertial pos="0 0 0" mass="1" '
        f'diaginertia="1 1 1"/>{geoms}</body></worldbody></mujoco>',
        "robot.xml",
    ).shapes()
    assert [piece.name for piece in looks.pieces] == ["good.stl"]
    for name in set(names) - {"good.stl"}:
        assert sum(name in line for line in looks.warnings) == 1, name


def test_changed_robots_keep_their_shapes(tmp_path, load_file):
    (tmp_path / "cube.stl").write_bytes(stl())
    fixed = '<link name="plate">' + visual('<box size="1 1 1"/>') + "</link>"
    fixed += (
        '<joint name="f" type="fixed"><parent link="link"/><child link="plate"/><origin xyz="3 2 1"/></joint>'
    )
    text = robot_with(visual('<mesh filename="cube.stl"/>')).replace("</robot>", fixed + "</robot>")
    robot = load_file(text)
    here = world(robot, np.array([0.3]))
    assert set(here) == {"link", "plate"}
    shift = np.array([1.0, 0.0, 0.0])
    same = {
        "locked": world(robot.locked({"j": 0.3}), np.zeros(0)),
        "framed": world(robot.with_frame("pen"), np.array([0.3])),
        "pickled": world(pickle.loads(pickle.dumps(robot)), np.array([0.3])),
        "floating": world(
            cf.load(tmp_path / "robot.urdf", floating_base=True), np.array([0, 0, 0, 0, 0, 0, 1, 0.3])
        ),
        "with_base": world(robot.with_base(shift), np.array([0.3])),
    }
    for name, points in same.items():
        for frame in here:
            assert worst(points[frame] - (shift if name == "with_base" else 0), here[frame]) < SINGLE, name
    both = robot.attached(robot, "base", shift, prefix="b_").attached(robot, "base", prefix="c_")
    carried = world(both, np.array([0.3, 0.3, 0.3]))
    assert set(carried) == {"link", "plate", "b_link", "b_plate", "c_link", "c_plate"}
    assert worst(carried["b_plate"] - shift, here["plate"]) < SINGLE
    part = world(robot.subtree("link"), np.zeros(0))
    assert worst(part["plate"], world(robot, np.zeros(1))["plate"] - (0, 0, 1)) < SINGLE


def test_nothing_is_read_before_it_is_drawn(tmp_path, load_file):
    robot = load_file(robot_with(visual('<mesh filename="late.stl"/>')))
    (tmp_path / "late.stl").write_bytes(stl())
    assert [piece.origin for piece in robot.shapes().pieces] == ["mesh"]
    bare = load_file(robot_with())
    assert robot.model.digest == bare.model.digest
    assert robot.save(tmp_path / "a.toml").read_text() == bare.save(tmp_path / "b.toml").read_text()


def wavy(count: int) -> Part:
    """Return a closed surface of many triangles: a sphere with bumps."""
    vertices, faces = solids.sphere(1.0, count)
    bumps = 1 + 0.05 * np.sin(8 * vertices[:, :1]) * np.sin(9 * vertices[:, 1:2])
    return Part(vertices * bumps, faces).checked()


@pytest.mark.parametrize("package", [True, False])
def test_meshes_are_decimated_to_a_budget_and_keep_their_size(tmp_path, load_file, monkeypatch, package):
    part = wavy(120)
    assert len(part.faces) > 7000
    (tmp_path / "ball.stl").write_bytes(stl(part.vertices, part.faces))
    (tmp_path / "cube.stl").write_bytes(stl())
    if not package:
        monkeypatch.setattr(simplify, "import_module", lambda name: exec("raise ImportError"))
    robot = load_file(
        robot_with(visual('<mesh filename="ball.stl"/>'), visual('<mesh filename="cube.stl"/>'))
    )
    looks = robot.shapes(triangles=1000)
    ball, cube = looks.pieces
    assert 250 < len(ball.faces) <= 1000
    assert len(cube.faces) == len(FACES)
    assert worst(box_of(ball.vertices), box_of(part.vertices)) < 0.05
    assert volume(ball.vertices, ball.faces) == pytest.approx(volume(part.vertices, part.faces), rel=0.1)
    assert any("closedform[meshes]" in line for line in looks.warnings) is not package


def test_texts_have_one_line_about_their_meshes():
    text = robot_with(visual('<mesh filename="a.stl"/>'), visual('<mesh filename="b.stl"/>'))
    looks = cf.load(text).shapes()
    (line,) = looks.warnings
    assert line.startswith("2 meshes of a text")


def test_robots_that_are_drawn_in_small_part_are_made():
    path = robot_data() / "simple_humanoid_description/urdf/simple_humanoid.urdf"
    if not Path(path).exists():
        pytest.skip("this release of example-robot-data has no such file")
    looks = cf.load(path).shapes()
    assert {piece.origin for piece in looks.pieces} == {"made"}
    assert len(looks.warnings) == 1


def test_a_body_whose_mesh_mujoco_refuses_is_made(tmp_path, load_file):
    (tmp_path / "nan.stl").write_bytes(stl(CORNERS * np.nan))
    inertial = '<joint/><inertial pos="0 0 0.1" mass="1" diaginertia="1 1 1"/>'
    text = (
        '<mujoco><asset><mesh name="m" file="nan.stl"/><material name="x" rgba="1 0 0 1"/></asset><worldbody>'
        f'<body name="a">{inertial}<geom type="box" size="1 1 1" mass="0" material="x"/>'
        f'<body name="b">{inertial}<geom type="mesh" mesh="m" mass="0"/></body></body></worldbody></mujoco>'
    )
    looks = load_file(text, "robot.xml").shapes()
    assert {(piece.frame, piece.origin) for piece in looks.pieces} == {("a", "primitive"), ("b", "made")}
    (line,) = looks.warnings
    assert line.startswith("b: mesh 'm' is refused by MuJoCo")
    wrong = load_file(text.replace('rgba="1 0 0 1"', 'rgba="red"'), "wrong.xml").shapes()
    assert {piece.origin for piece in wrong.pieces} == {"made"}
    assert len(wrong.warnings) == 1
