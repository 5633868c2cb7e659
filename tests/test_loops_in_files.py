"""Loops of files and of the catalogue are closed as the file says: by MuJoCo, by books, by themselves."""

from __future__ import annotations

import re

import mujoco
import numpy as np
import pytest

import closedform as cf
from closedform.description.constraints import read_table
from closedform.errors import DescriptionError
from closedform.report import MechanismStudy, render
from closedform.report.mechanism import closure, torques

CLOSED = cf.catalogue(loops=True)

HEAD = '<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody>'
BARS = f"""{HEAD}
  <body name="crank"><joint name="j1" axis="0 1 0" ref="0.3"/>
    <geom type="capsule" size="0.01" fromto="0 0 0 0.3 0 0"/>
    <body name="coupler" pos="0.3 0 0"><joint name="j2" axis="0 1 0"/>
      <geom type="capsule" size="0.01" fromto="0 0 0 0.7 0 0.4"/></body></body>
  <body name="rocker" pos="0.8 0 0"><joint name="j3" axis="0 1 0"/>
    <geom type="capsule" size="0.01" fromto="0 0 0 0.2 0 0.4"/>
    <site name="tip" pos="0.2 0 0.4"/>
    <body name="gear" pos="0.1 0 0.1"><joint name="j4" axis="0 1 0"/><geom size="0.02"/></body>
    <body name="cam" pos="0.1 0 0.2"><joint name="j5" axis="0 0 1"/><geom size="0.02"/></body>
    <body name="held" pos="0.1 0.1 0.2"><joint name="j6" axis="0 0 1"/><geom size="0.02"/></body>
  </body></worldbody>
  <tendon><fixed name="cord"><joint joint="j4" coef="2"/><joint joint="j3" coef="0.5"/></fixed></tendon>
  <actuator><motor joint="j1"/></actuator>
  <equality>
    <connect body1="coupler" body2="rocker" anchor="0.7 0 0.4"/>
    <joint joint1="j5" joint2="j1" polycoef="0.1 0.2 -0.3 0.4 0.05"/>
    <joint joint1="j6" polycoef="0.25 0 0 0 0"/>
    <tendon tendon1="cord" polycoef="0.02 0 0 0 0"/>
    <weld body1="gear" body2="cam" active="false"/>
  </equality></mujoco>"""

SS = f"""{HEAD}
  <body name="a"><joint name="swing" axis="0 1 0"/><geom size="0.02" pos="0.2 0 0"/>
    <body name="rod" pos="0.2 0 0"><joint name="ball" type="ball"/>
      <geom type="capsule" size="0.01" fromto="0 0 0 0 0 -0.5"/></body></body>
  <body name="b" pos="0.1 0 -0.5"><joint name="rocker" axis="0 1 0"/><geom size="0.02" pos="0.1 0 0"/></body>
  </worldbody><equality><connect body1="rod" body2="b" anchor="0 0 -0.5"/></equality></mujoco>"""


def mujoco_residual(text, robot, q_all):
    """Return what MuJoCo finds open at coordinates of all joints, mimics included."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    for body in robot.model.tree.bodies:
        c = body.coupling
        driver = body if c is None else robot.model.tree.bodies[c.body]
        value = q_all[driver.iq] if c is None else c.multiplier * q_all[driver.iq] + c.offset
        data.joint(body.joint_name).qpos = value
    mujoco.mj_forward(model, data)
    rows = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    return np.abs(data.efc_pos[rows]).max()


def test_mujoco_finds_every_kind_of_equality_closed():
    robot = cf.load(BARS)
    assert robot.joint_names == robot.actuated_names == ("j1",)
    assert robot.model.explicit
    q_all = robot.assemble(robot.neutral() + np.array([[-0.2], [0.0], [0.15]]))
    assert max(mujoco_residual(BARS, robot, x) for x in q_all) < 1e-14
    assert mujoco_residual(BARS, robot, q_all[0] + 0.01) > 1e-3  # the residual is of the constraints


def test_the_tree_of_the_same_file_is_as_free_as_before():
    tree = cf.load(BARS, loops=False)
    assert tree.joint_names == tuple(f"j{k}" for k in range(1, 7))
    assert "tip" in tree.frame_names
    assert not any("connect" in name for name in tree.frame_names)


def test_two_connects_of_two_bodies_are_one_hinge():
    second = '<connect body1="coupler" body2="rocker" anchor="0.7 0 0.4"/>'
    text = BARS.replace(second, second + second.replace("0.7 0 0.4", "0.7 0.2 0.4"))
    robot = cf.load(text)
    assert [each.kind for each in robot.loops if isinstance(each, cf.Loop)] == ["hinge"]
    assert robot.nv == 1
    assert mujoco_residual(text, robot, robot.assemble(robot.neutral() + 0.1)) < 1e-14


def test_a_rod_between_two_balls_spins_about_itself():
    robot = cf.load(SS)
    assert "ball/3" in robot.joint_names  # its own coordinate
    assert robot.nv == 2
    turned = robot.neutral()
    turned[robot.joint_names.index("ball/3")] += 1.0
    moved, still = robot.assemble(turned), robot.assemble(robot.neutral())
    others = [k for k, name in enumerate(robot.tree.joint_names) if name != "ball/3"]
    np.testing.assert_allclose(moved[others], still[others], atol=1e-13)
    assert cf.load(SS, loops=False).nq == 6  # the tree keeps the ball


LEVERS = """
  <body name="a"><joint name="swing" axis="0 1 0"/><geom size="0.02" pos="0.2 0 0"/>{rod}</body>
  <body name="b" pos="0.1 0 -0.5"><joint name="rocker" axis="0 1 0"/><geom size="0.02" pos="0.1 0 0"/>{end}
  </body></worldbody><equality>{held}</equality>
  <actuator><motor joint="swing"/></actuator></mujoco>"""
UPPER = '<geom type="capsule" size="0.01" fromto="0 0 0 0 0 -0.2"/>'
LOWER = '<geom type="capsule" size="0.01" fromto="0 0 -0.2 0 0 -0.5"/>'
BEYOND = '<geom type="capsule" size="0.01" fromto="0 0.288 0.084 0 0 0"/>'  # in axes that are turned
PIN = '<geom size="0.01" mass="1e-9"/>'
RODS = {
    "a connect": ("{upper}{lower}", "", '<connect body1="rod" body2="b" anchor="0 0 -0.5"/>'),
    "cut by a weld": (
        "{upper}",
        '<body name="rest" pos="0.1 0 0" quat="0.8 0.6 0 0"><joint name="ball2" type="ball"/>{beyond}</body>',
        '<weld body1="rod" body2="rest"/>',
    ),
    "a second joint": (
        '{upper}{lower}<body name="pin" pos="0 0 -0.5"><joint name="ball2" type="ball"/>{pin}</body>',
        "",
        '<weld body1="pin" body2="b" relpose="-0.1 0 0 1 0 0 0"/>',
    ),
}


def accelerations_of_levers(name):
    rod, end, held = (part.format(upper=UPPER, lower=LOWER, beyond=BEYOND, pin=PIN) for part in RODS[name])
    rod = f'<body name="rod" pos="0.2 0 0"><joint name="ball" type="ball"/>{rod}</body>'
    robot = cf.load(HEAD + LEVERS.format(rod=rod, end=end, held=held))
    assert robot.nv == 2  # one lever, and the spin of the rod
    q = robot.neutral()
    q[robot.joint_names.index("swing")] += 0.2
    x = robot.assemble(q)
    zero = np.zeros(2)
    given = q if robot.model.explicit else x
    vd = robot.joint_accelerations(given, zero, robot.forward_dynamics(given, zero, [0.0]))  # one motor
    bodies = {body.joint_name: body.iv for body in robot.model.tree.bodies}
    spun = q + np.eye(2)[robot.joint_names.index("ball/3")]
    still = [
        body.iq for body in robot.model.tree.bodies if body.joint.nv == 1 and body.joint_name != "ball/3"
    ]
    np.testing.assert_allclose(robot.assemble(spun)[still], x[still], atol=1e-12)  # along the rod
    return np.array([vd[bodies["swing"]], vd[bodies["rocker"]]])


@pytest.mark.parametrize("name", ["cut by a weld", "a second joint"])
def test_a_rod_spins_however_its_two_balls_are_written(name):
    one = accelerations_of_levers("a connect")
    assert np.abs(one).min() > 1
    assert np.allclose(accelerations_of_levers(name), one, rtol=1e-6)  # a pin of 1e-9 kg


INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
URDF = """<robot name="bars"><link name="base"/>
<link name="crank">{inertial}</link>
<link name="coupler">{inertial}</link>
<link name="rocker">{inertial}</link>
<link name="tip_a"/><link name="tip_b"/>
<joint name="j1" type="continuous"><parent link="base"/><child link="crank"/><axis xyz="0 0 1"/></joint>
<joint name="j2" type="continuous"><origin xyz="0.04 0 0"/><parent link="crank"/><child link="coupler"/>
<axis xyz="0 0 1"/></joint>
<joint name="j3" type="continuous"{chosen}><origin xyz="0.1 0 0"/><parent link="base"/><child link="rocker"/>
<axis xyz="0 0 1"/></joint>
<joint name="fa" type="fixed"><origin xyz="0.12 0 0"/><parent link="coupler"/><child link="tip_a"/></joint>
<joint name="fb" type="fixed"><origin xyz="0.08 0 0"/><parent link="rocker"/><child link="tip_b"/></joint>
{loops}</robot>""".replace("{inertial}", INERTIAL)

PLUS = """<loop name="pin" type="revolute"><predecessor link="coupler"><origin xyz="0.12 0 0"/></predecessor>
<successor link="rocker"><origin xyz="0.08 0 0"/></successor><axis xyz="0 0 1"/></loop>"""
SIMULATOR = """<loop_joint name="pin" type="spherical"><link1 link="coupler" xyz="0.12 0 0"/>
<link2 link="rocker" xyz="0.08 0 0"/></loop_joint>"""


def norton(crank, a=0.04, b=0.12, c=0.08, d=0.1):
    """Return the rocker angles of both forms by Freudenstein's equation [Norton2008]."""
    k1, k2, k3 = d / a, d / c, (a * a - b * b + c * c + d * d) / (2 * a * c)
    A = np.cos(crank) - k1 - k2 * np.cos(crank) + k3
    B, C = -2 * np.sin(crank), k1 - (k2 + 1) * np.cos(crank) + k3
    return [2 * np.arctan2(-B + s * np.sqrt(B * B - 4 * A * C), 2 * A) for s in (1, -1)]


def gap(rocker, crank):
    """Return how far a rocker is from the nearer form of the book."""
    return min(abs((rocker - each + np.pi) % (2 * np.pi) - np.pi) for each in norton(crank))


@pytest.mark.parametrize("loops", [PLUS, SIMULATOR], ids=["loop", "loop_joint"])
def test_loops_of_a_urdf_close_as_freudenstein_says(loops):
    robot = cf.load(URDF.format(loops=loops, chosen=""))
    assert robot.joint_names == ("j1",)
    q = robot.neutral() + 0.1
    rocker = robot.assemble(q)[robot.tree.joint_names.index("j3")]
    assert gap(rocker, q[0]) < 1e-12


def test_urdf_chooses_its_independent_joints_and_says_what_is_not_held():
    assert cf.load(URDF.format(loops=PLUS, chosen=' independent="true"')).joint_names == ("j3",)
    coupling = '<coupling name="c"><predecessor link="crank"/><successor link="rocker"/></coupling>'
    with pytest.warns(cf.ModelWarning, match="<coupling> is not held"):
        cf.load(URDF.format(loops=PLUS + coupling, chosen=""))


@pytest.mark.parametrize(
    ("loops", "match"),
    [
        (PLUS.replace("revolute", "screw"), "type 'screw' is not one of revolute"),
        (PLUS.replace('successor link="rocker"', 'successor link="rokcer"'), "did you mean 'rocker'"),
        (PLUS.replace("0 0 1", "0 0 0"), "axis has zero length"),
        (SIMULATOR.replace("link2", "link1"), 'has no <link2 link="...">'),
        (PLUS.replace("0.12", "0.9"), "cannot be closed .* loops=False"),
    ],
)
def test_bad_loops_of_a_urdf_are_named(loops, match):
    with pytest.raises(DescriptionError, match=f"(?s){match}"):
        cf.load(URDF.format(loops=loops, chosen=""))


YAML = """closed_loop: [['tip_a', "tip_b"]]  # a comment
type:
  - 3d
name_mot: [j1]
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "robot.urdf").write_text(URDF.format(loops="", chosen=""))
    (tmp_path / "robot.yaml").write_text(YAML)
    return tmp_path / "robot.urdf", tmp_path / "robot.yaml"


def test_a_list_of_constraints_closes_a_urdf(files):
    robot = cf.load(files[0], constraints=files[1])
    assert robot.actuated_names == ("j1",)
    assert [(each.frame_a, each.kind) for each in robot.loops] == [("tip_a", "ball")]
    assert isinstance(cf.load(files[0]), cf.Robot)  # a list is read only if it is given
    with pytest.raises(cf.ArgumentError, match="closes loops itself"):
        cf.load(URDF.format(loops=PLUS, chosen=""), constraints=files[1])


def test_joints_of_a_list_of_constraints_have_the_kinds_it_says(files):
    more = "joint_name: [j2, j3]\njoint_type: [SPHERICAL, UJOINT_ZX]\n"
    files[1].write_text(YAML + more)
    tree = cf.load(files[0], constraints=files[1], loops=False)
    assert [body.joint.kind for body in tree.model.bodies] == ["revolute", "ball", "revolute", "revolute"]
    robot = cf.load(files[0], constraints=files[1])
    assert robot.nv == 1 + 3 + 2 - 3


def test_a_joint_of_a_list_that_is_not_there_is_a_warning(files):
    files[1].write_text(YAML + "joint_name: [j7]\njoint_type: [SPHERICAL]\n")
    with pytest.warns(cf.ModelWarning, match="no joint is called 'j7'"):
        assert cf.load(files[0], constraints=files[1]).nv == 1


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("closed_loop: [['tip_a', 'tip_c']]", "no link or joint is called 'tip_c'"),
        ("closed_loop: [['tip_a']]", "expected pairs of frames"),
        ("closed_loop: [['tip_a', 'tip_b']]\ntype: ['4d']", "expected '6d' \\(fixed\\) or '3d'"),
        ("closed_loop: [['tip_a', 'tip_b']]\ntype: [6d, 3d]", "2 entries for 1 pairs"),
        ("closed_loop: [['tip_a', 'tip_b']]\nname_mot: [motor]", "no joint that moves is called 'motor'"),
        ("closed_loop: [['tip_a', 'tip_b']]\njoint_name: [j2]\njoint_type: [CAM]", "joint_type has 'CAM'"),
        ("name_mot: [j1]", "closed_loop is missing"),
        ("closed_loops: []", "unknown key 'closed_loops' \\(did you mean 'closed_loop'"),
        ("closed_loop: &a [x]", "not of the lists"),
        ("closed_loop: !!python/object/apply:os.system ['ls']", "not of the lists"),
        ("closed_loop: " + "[" * 100, "nested too deeply"),
        ("closed_loop: [[a, b]", "has no \\]"),
        ("closed_loop: {a: b}", "not of the lists"),
        ("- a", "before the first key"),
        ("type: [6d]\ntype: [3d]", "there twice"),
        ("x" * (2**20 + 1), "the limit is"),
    ],
)
def test_bad_and_hostile_lists_of_constraints_are_refused(files, text, match):
    files[1].write_text(text)
    with pytest.raises(DescriptionError, match=match):
        cf.load(files[0], constraints=files[1])


def test_the_small_yaml_is_yaml():
    yaml = pytest.importorskip("yaml")
    text = "# head\ntype: ['6d', \"3d\",]\nname_mot:\n  - a b\n  - 'c'\n"
    text += "closed_loop:\n  [\n    [x, y],  # one\n    ['z', w]\n  ]\n"
    assert read_table(text.encode(), "text") == yaml.safe_load(text)


BAD_EQUALITIES = {
    "open": (
        '<connect body1="coupler" body2="rocker" anchor="0.7 0 0.4"/>',
        '<connect site1="far" site2="tip"/>',
    ),
    "stuck": (
        '<connect body1="coupler" body2="rocker" anchor="0.7 0 0.4"/>',
        '<weld body1="coupler"/><weld body1="rocker"/>',
    ),
}


@pytest.mark.parametrize("name", BAD_EQUALITIES)
def test_loops_that_do_not_close_or_do_not_move_are_refused_with_the_way_to_the_tree(name):
    text = BARS.replace(*BAD_EQUALITIES[name])
    text = text.replace('<site name="tip"', '<site name="tip" pos="0 0 0"/><site name="x"', 1)
    text = text.replace("<worldbody>", '<worldbody><site name="far" pos="50 0 0"/>')
    with pytest.raises(DescriptionError, match=r"loops=False\) gives the tree"):
        cf.load(text)
    assert cf.load(text, loops=False).nv == 6


def test_constraints_on_what_a_user_moves_by_hand_are_not_held():
    mocap = '<body name="hand" mocap="true"/>'
    text = BARS.replace("<worldbody>", f"<worldbody>{mocap}").replace(
        "<equality>", '<equality><weld body1="hand" body2="crank"/>'
    )
    with pytest.warns(cf.ModelWarning, match="not held: weld of bodies 'hand' and 'crank'"):
        assert cf.load(text).nv == 1


@pytest.mark.parametrize("name", CLOSED)
def test_saved_robots_with_loops_are_the_same_robots(name, tmp_path):
    robot = cf.load(name)
    again = cf.load(robot.save(tmp_path / "robot.toml"))
    assert (again.joint_names, again.actuated_names) == (robot.joint_names, robot.actuated_names)
    assert again.loops == robot.loops
    assert again.frame_names[0] == robot.frame_names[0]
    np.testing.assert_array_equal(again.model.near, robot.model.near)
    np.testing.assert_allclose(again.phi, robot.phi, atol=1e-12)


@pytest.mark.parametrize("name", CLOSED)
def test_the_loops_of_the_catalogue_are_closed_wherever_they_move(name):
    robot = cf.load(name)
    (q,) = robot.random_state(1, batch=(10,), order=0)
    assert robot.closure_residual(robot.assemble(q)).max() < 1e-14
    assert robot.actuated_names == robot.joint_names
    assert robot.model.explicit == (name in ("four_bar", "five_bar", "palletiser"))


def test_the_four_bar_is_that_of_the_book():
    robot = cf.load("four_bar")
    crank = np.deg2rad(40)
    q = dict(zip(robot.tree.joint_names, robot.assemble([crank]), strict=True))
    assert np.rad2deg(q["rocker"]) == pytest.approx(57.325, abs=5e-4)
    assert np.rad2deg(crank + q["coupler"]) == pytest.approx(20.298, abs=5e-4)
    assert gap(q["rocker"], crank) < 1e-14


def test_the_palletiser_keeps_its_tool_upright():
    robot = cf.load("palletiser")
    (q,) = robot.random_state(2, batch=(5,), order=0)
    up = robot.pose(q, "tool")[..., :3, 2]
    np.testing.assert_allclose(up, np.tile([0, 0, 1], (5, 1)), atol=1e-14)


def test_legs_of_the_gough_stewart_are_as_long_as_their_coordinates():
    robot = cf.load("gough_stewart")
    (q,) = robot.random_state(3, batch=(4,), order=0)
    platform = robot.pose(q, "platform")
    for k in range(1, 7):
        corner = robot.tree.relative_pose(robot.assemble(q), f"corner{k}", relative_to="platform")[..., :3, 3]
        at = platform[..., :3, :3] @ corner[..., None]
        foot = robot.model.tree.frame(f"cylinder{k}")
        centre = robot.pose(q, f"cylinder{k}")[..., :3, 3]
        assert foot.body >= 0
        np.testing.assert_allclose(
            np.linalg.norm(at[..., 0] + platform[..., :3, 3] - centre, axis=-1), q[:, k - 1], atol=1e-13
        )


def test_a_file_without_loops_has_none_to_ask_for():
    with pytest.raises(cf.ArgumentError, match="closes no loops"):
        cf.load("2r", loops=True)
    with pytest.raises(cf.ArgumentError, match="expected None, True or False"):
        cf.load("2r", loops="no")


def toml(**parts):
    lines = {
        "independent": 'independent = ["a"]',
        "near": "near = { a = 0.2 }",
        "loop": '[[coupling]]\njoint = "b"\ndrivers = ["a"]\ncoefficients = [0.1, -1.0]',
    } | parts
    chain = "[mdh]\nrows = [[0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 1, 0, 0]]\njoint_names = ['a', 'b', 'c']"
    top = 'name = "x"\ncitation = "none"\n' + lines["independent"] + "\n" + lines["near"]
    return f"{top}\n{lines['loop']}\n{chain}\n"


@pytest.mark.parametrize(
    ("parts", "match"),
    [
        ({"independent": 'independent = ["d", "c"]'}, "no joint is called 'd'"),
        ({"near": "near = { a = [1, 2] }"}, "near has 2 coordinate"),
        ({"near": "near = { a = 'x' }"}, "should be one finite number"),
        ({"loop": '[[loop]]\nframe_a = "link1"\nframe_b = "link9"\nkind = "ball"'}, "unknown frame 'link9'"),
        ({"loop": '[[loop]]\nframe_a = "link1"\nframe_b = "link2"\nkind = "glue"'}, "kind is 'glue'"),
        ({"loop": '[[loop]]\nframe_a = "link1"\nframe_b = "link2"\nkind = "ball"\nx = 1'}, "unknown key 'x'"),
        (
            {"loop": '[[coupling]]\njoint = "b"\ndrivers = ["b"]\ncoefficients = [0, 1]'},
            "expected other joints",
        ),
        ({"loop": ""}, r"are for files with \[\[loop\]\]"),
        ({}, "independent=\\['a'\\] have 1"),
    ],
)
def test_bad_loops_of_a_toml_file_are_named(parts, match):
    with pytest.raises(DescriptionError, match=match):
        cf.load(toml(**parts))


def test_locked_joints_and_loops():
    assert cf.load("palletiser", locked=["turn"]).nv == 3
    with pytest.raises(DescriptionError, match=re.escape("'b' is locked")):
        cf.load(toml(independent='independent = ["a", "c"]'), locked=["b"])
    assert cf.load(toml(independent='independent = ["a", "c"]'), locked=["c"]).nv == 1


@pytest.mark.parametrize("name", ["four_bar", "planar_3rrr"])
def test_the_page_of_a_robot_with_loops_shows_closure_singularities_and_drives(name):
    robot = cf.load(name)
    study = MechanismStudy(robot, samples=40)
    facts = closure.gather(study)
    assert facts.worst < 1e-14
    assert facts.nearest > 0.01
    s = study.states
    step = s.t[1] - s.t[0]  # the motion is that of its derivatives
    np.testing.assert_allclose(
        np.gradient(s.q, step, axis=0)[2:-2], s.qd[2:-2], atol=0.02 * np.abs(s.qd).max()
    )
    assert torques.gather(study).difference < 1e-10
    page = render(study)
    assert "Closure error over time" in page
    assert "Drive torques over time" in page


def test_a_four_bar_is_nearest_to_singular_where_coupler_and_rocker_are_nearest_to_a_line():
    robot = cf.load("four_bar")
    study = MechanismStudy(robot, samples=30)
    columns = (study.all_joints[:, robot.tree.joint_names.index(n)] for n in ("crank", "coupler", "rocker"))
    crank, coupler, rocker = columns
    between = np.abs(np.sin(crank + coupler - rocker))
    found = closure.gather(study).dependent
    assert np.argmin(found) == np.argmin(between)
