"""Robots merged into the URDF files that they come from: new inertias and friction, no other byte."""

from __future__ import annotations

import codecs
import difflib
import re
import warnings

import numpy as np
import pytest

import closedform as cf
from closedform.model.inertia import phi_from_parts
from closedform.programs import evaluate
from oracles.pinocchio_peer import Peer, robot_data
from tolerances import PROMISED, ROUNDING, worst

FILES = {
    "panda_description/urdf/panda.urdf": False,
    "ur_description/urdf/ur5_robot.urdf": False,
    "z1_description/urdf/z1.urdf": False,
    "tiago_description/robots/tiago_no_hand.urdf": False,
    "solo_description/robots/solo12.urdf": True,
    "a1_description/urdf/a1.urdf": True,
    "romeo_description/urdf/romeo_small.urdf": True,
}
"""Files, and whether the base floats; most have links that are fixed to others in between."""

CHANGED = {"inertial", "/inertial", "mass", "inertia", "origin", "dynamics"}
"""Elements of lines that may change; an origin only inside of inertial, which `others` tells."""

STATES = 3

ARM = """<?xml version="1.0"?>
<robot name='arm'>
\t<!-- the base -->
\t<link name="base"/>
\t<link name = 'upper' >
\t\t<inertial>
\t\t\t<mass  value='2'/> <!-- weighed -->
\t\t\t<origin xyz="0 0 0.1" rpy="0 0 1.5"/>
\t\t\t<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/>
\t\t</inertial>
\t\t<visual><geometry><mesh filename="package://arm/upper.dae"/></geometry></visual>
\t</link>
\t<link name="lower" />
\t<link name="cover">
\t</link>
\t<joint name="shoulder" type="revolute">
\t\t<parent link="base"/><child link="upper"/>
\t\t<axis xyz="0 1 0"/>
\t\t<limit lower="-1" upper="1" effort="5" velocity="2"/> <!-- é & > -->
\t</joint>
\t<joint name="elbow" type="continuous">
\t\t<origin xyz="0 0 0.3"/>
\t\t<parent link="upper"/><child link="lower"/>
\t\t<axis xyz="0 1 0"/>
\t\t<dynamics damping="1"/>
\t</joint>
\t<joint name="lid" type="fixed"><parent link="upper"/><child link="cover"/></joint>
</robot>
""".replace("&", "&amp;")

MERGED = (
    ARM.replace("<mass  value='2'/>", "<mass  value='3.0'/>")
    .replace('xyz="0 0 0.1" rpy="0 0 1.5"', 'xyz="0.0 0.0 0.2" rpy="0 0 0"')
    .replace('ixx="0.02"', 'ixx="0.03"')
    .replace('iyy="0.02"', 'iyy="0.03"')
    .replace('izz="0.02"', 'izz="0.03"')
    .replace(
        '<link name="lower" />',
        """<link name="lower">
\t\t<inertial>
\t\t\t<origin xyz="0.0 0.0 0.5" rpy="0 0 0"/>
\t\t\t<mass value="1.0"/>
\t\t\t<inertia ixx="0.25" ixy="0.0" ixz="0.0" iyy="0.25" iyz="0.0" izz="0.25"/>
\t\t</inertial>
\t</link>""",
    )
    .replace("&amp; > -->", '&amp; > -->\n\t\t<dynamics friction="0.5"/>')
    .replace('damping="1"/>', 'damping="0.25" friction="0.5"/>')
)


def solid(mass: float, height: float, J: float) -> np.ndarray:
    steiner = mass * height**2
    return phi_from_parts(mass, (0, 0, mass * height), np.diag([J + steiner, J + steiner, J]))


def quiet(path, **options) -> cf.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cf.ModelWarning)
        return cf.load(path, **options)


def random_bodies(robot: cf.Robot, seed: int) -> np.ndarray:
    """Return the parameters of random rigid bodies, by their second moments."""
    rng, found = np.random.default_rng(seed), []
    for body in robot.model.bodies:
        A = rng.normal(size=(4, 4)) * [[0.1], [0.1], [0.1], [1.0]]
        P = A @ A.T
        J = np.trace(P[:3, :3]) * np.eye(3) - P[:3, :3]
        found.append(phi_from_parts(P[3, 3], P[:3, 3], J) if body.phi.any() else body.phi)
    return np.concatenate(found)


def others(text: str) -> str:
    """Return what is left of a file without inertias and dynamics."""
    return re.sub(r"\s*<dynamics[^>]*/>", "", re.sub(r"\s*<inertial>.*?</inertial>", "", text, flags=re.S))


def differing_elements(old: str, new: str) -> set[str]:
    """Return the elements in the lines that a line diff of two files shows."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
    changed = [line[1:] for line in lines if line[0] in "+-" and line[:3] not in ("+++", "---")]
    return {tag for line in changed for tag in re.findall(r"<(/?\w+)", line)}


@pytest.mark.filterwarnings("ignore::closedform.ModelWarning")
@pytest.mark.parametrize("name", FILES)
def test_pinocchio_reproduces_the_torques_and_only_inertias_and_dynamics_differ(name, tmp_path):
    path, floats = robot_data() / name, FILES[name]
    if not path.exists():
        pytest.skip("this release of example-robot-data has no such file")
    robot = cf.load(path, floating_base=floats)
    same = robot.to_urdf(tmp_path / "same.urdf", merge=path)
    assert same.read_bytes() == path.read_bytes()
    joints = robot.joint_names[1:]
    losses = np.random.default_rng(0).uniform(0.1, 1.0, (2, len(joints)))
    damping, friction = (dict(zip(joints, each, strict=True)) for each in losses)
    changed = robot.with_phi(random_bodies(robot, 0)).with_damping(damping).with_friction(friction)
    merged = changed.to_urdf(tmp_path / "merged.urdf", merge=path)
    again = cf.load(merged, floating_base=floats)
    assert np.array_equal(again.damping, changed.damping)
    assert np.array_equal(again.friction, changed.friction)
    old, new = (each.read_bytes().decode() for each in (path, merged))
    assert others(new) == others(old)
    assert differing_elements(old, new) <= CHANGED
    state = robot.random_state(0, batch=STATES)
    tau = np.asarray(evaluate(changed.program("inverse_dynamics"), *state))
    peer = Peer(merged, again, floats)
    for k, (q, qd, qdd) in enumerate(zip(*state, strict=True)):
        assert worst(peer.inverse_dynamics(q, qd, qdd), tau[k]) < PROMISED


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("line", ["\n", "\r\n"])
def test_a_merged_file_keeps_its_layout_and_encoding(encoding, line, tmp_path):
    def data(text: str) -> bytes:
        declared = text.replace('"1.0"', '"1.0" encoding="ISO-8859-1"', 1) if encoding == "latin-1" else text
        return declared.replace("\n", line).encode(encoding)

    path = tmp_path / "arm.urdf"
    path.write_bytes(data(ARM))
    robot = quiet(path)
    phi = [*solid(3.0, 0.2, 0.03), *solid(1.0, 0.5, 0.25)]
    changed = robot.with_phi(phi).with_friction(0.5).with_damping({"elbow": 0.25})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cf.ModelWarning)
        merged = changed.to_urdf(tmp_path / "merged.urdf", merge=path).read_bytes()
    text = merged.decode(encoding)  # Steiner's theorem rounds
    rounded = re.sub(r"-?\d+\.\d{10,}", lambda found: repr(round(float(found[0]), 12)), text)
    assert rounded.encode(encoding) == data(MERGED)
    assert worst(quiet(tmp_path / "merged.urdf").phi, changed.phi) < ROUNDING
    if encoding == "utf-16":
        assert merged.startswith(codecs.BOM_UTF16)


def test_links_fixed_to_a_body_keep_their_inertias_if_a_rigid_body_remains(tmp_path):
    path = tmp_path / "arm.urdf"
    inertial = (
        '<inertial><mass value="0.5"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/>'
    )
    path.write_text(ARM.replace('<link name="cover">', f'<link name="cover">{inertial}</inertial>'))
    robot = quiet(path)
    lighter, lightest = (robot.with_phi([*solid(mass, 0.1, 0.05), *np.zeros(10)]) for mass in (1.0, 0.4))
    text = lighter.to_urdf(tmp_path / "lighter.urdf", merge=path).read_text()
    assert inertial in text
    with pytest.warns(cf.ModelWarning, match="inertia of link 'cover' is zero in the merged file"):
        text = lightest.to_urdf(tmp_path / "lightest.urdf", merge=path).read_text()
    assert inertial not in text
    for name, changed in (("lighter", lighter), ("lightest", lightest)):
        assert worst(quiet(tmp_path / f"{name}.urdf").phi, changed.phi) < ROUNDING


@pytest.mark.filterwarnings("ignore::closedform.ModelWarning")
def test_links_that_locked_joints_carry_keep_their_inertias(tmp_path):
    path = cf.load("panda").to_urdf(tmp_path / "panda.urdf")
    last = cf.load(path).joint_names[-1]
    short = cf.load(path).locked({last: 0.7}).with_payload(0.3)
    merged = short.to_urdf(tmp_path / "merged.urdf", merge=path)
    assert worst(cf.load(merged).locked({last: 0.7}).phi, short.phi) < ROUNDING
    phi = short.phi.copy()
    phi[-10:] = solid(1e-3, 0.0, 1e-6)
    with pytest.raises(cf.ClosedFormError, match=r"no rigid body remains.*locked joints carry"):
        short.with_phi(phi).to_urdf(tmp_path / "short.urdf", merge=path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"base"', '"foot"', "links that 'arm' does not have .'foot'"),
        ('"elbow"', '"ellbow"', "joints of 'arm' have another name, kind or axis in the file .'elbow'"),
        ('type="continuous"', 'type="fixed"', "another name, kind or axis in the file .'elbow'"),
        ('"0 1 0"', '"0 1 1"', "another name, kind or axis"),
        ("<robot name='arm'>", "<!DOCTYPE robot><robot name='arm'>", "DOCTYPE"),
        ("</robot>", "</robot><more/>", "well-formed"),
        ("<robot name='arm'>", "<robot name='arm' xmlns:xacro='x'><xacro:arg name='a'/>", "run xacro first"),
        ("robot", "mujoco", "a URDF has <robot>"),
        ('"1.0"', '"1.0" encoding="klingon"', "klingon|encoding"),
    ],
)
@pytest.mark.filterwarnings("ignore::closedform.ModelWarning")
def test_a_file_that_does_not_fit_is_named(old, new, message, tmp_path):
    robot = cf.load(ARM)
    path = tmp_path / "other.urdf"
    path.write_text(ARM.replace(old, new))
    with pytest.raises(cf.ClosedFormError, match=message) as caught:
        robot.with_friction(0.5).to_urdf(tmp_path / "merged.urdf", merge=path)
    assert "other.urdf" in str(caught.value)
    assert not (tmp_path / "merged.urdf").exists()


def test_what_a_merged_file_cannot_hold_is_said(tmp_path):
    path = cf.load("2r").to_urdf(tmp_path / "arm.urdf")
    robot = cf.load(path)
    with pytest.warns(cf.ModelWarning, match="no place for the armature .* keep it with save"):
        robot.with_armature(0.1).to_urdf(tmp_path / "merged.urdf", merge=path)
    assert (tmp_path / "merged.urdf").read_bytes() == path.read_bytes()
    moved = robot.with_geometry(robot.geometry + 0.01)
    with pytest.warns(cf.ModelWarning, match="'joint1', 'joint2' of '2r' is placed elsewhere"):
        moved.to_urdf(tmp_path / "merged.urdf", merge=path)
    with pytest.raises(cf.ClosedFormError, match=r"absent\.urdf: 1 problem\(s\)\n  - no such file"):
        robot.to_urdf(tmp_path / "merged.urdf", merge=tmp_path / "absent.urdf")
