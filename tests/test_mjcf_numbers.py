"""What an MJCF file adds to M or to the torques is there, or one warning says what is missing."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from closedform.description.mjcf import read_mjcf
from closedform.errors import ModelWarning
from closedform.model import build_model
from closedform.programs import evaluate, trace
from closedform.robot import Robot
from oracles.mujoco_peer import MujocoPeer

mujoco = pytest.importorskip("mujoco")

ROUNDING = 1e-12
"""Relative difference of a few hundred products."""

TWO = """
<mujoco>
  <compiler angle="radian"/>
  <option gravity="0.3 -0.2 -9.7">{flags}</option>
  {default}
  <worldbody>
    <body name="a" pos="0.1 0.2 0.3"><joint name="one" axis="0 1 0" {one}/><geom size="0.1" mass="2"/>
      <body name="b" pos="0.3 0 0"><joint name="two" axis="0 0 1" {two}/>
        <geom size="0.1" pos="0.2 0 0" mass="1"/>
        <site name="tip" pos="0.4 0 0"/>{inside}</body>
    </body>
    <body name="c" pos="1 0 0"><geom size="0.1"/><site name="post"/></body>
  </worldbody>
  {sections}
</mujoco>
"""


def write(tmp_path, **parts):
    path = tmp_path / "robot.xml"
    blank = dict.fromkeys(("flags", "default", "one", "two", "inside", "sections"), "")
    path.write_text(TWO.format(**(blank | parts)))
    return path


def quiet(path):
    """Return the description of a file that gives no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return read_mjcf(path)


def agrees(path, description) -> bool:
    """Return whether M and torques are MuJoCo's, by the programs."""
    robot = Robot(build_model(description))
    peer = MujocoPeer(mujoco.MjModel.from_xml_path(str(path)), robot)
    q, qd, qdd = robot.random_state(0, batch=3)
    expected = [peer.dynamics(*state) for state in zip(q, qd, qdd, strict=True)]
    M = evaluate(trace(robot.model, "mass_matrix", closed=False), q)
    tau = evaluate(trace(robot.model, "inverse_dynamics", closed=False), q, qd, qdd)
    return np.allclose(
        M, [each for each, _ in expected], rtol=0, atol=ROUNDING * np.abs(M).max()
    ) and np.allclose(tau, [each for _, each in expected], rtol=0, atol=ROUNDING * np.abs(tau).max())


def test_a_massless_body_keeps_its_inertia(tmp_path):
    fixed = '<body name="rotor"><inertial pos="0 0 0.1" mass="0" diaginertia="0.3 0.2 0.4"/></body>'
    path = write(tmp_path, inside=fixed)
    description = quiet(path)
    inertial = next(link.inertial for link in description.links if link.name == "rotor")
    assert inertial.inertia.trace() == pytest.approx(0.9)
    assert agrees(path, description)


@pytest.mark.parametrize(
    "sections",
    [
        '<actuator><motor joint="two" gear="3" armature="0.2"/>'
        '<motor joint="two" gear="-2" armature="0.1"/></actuator>',
        '<tendon><fixed name="t" armature="0.4"><joint joint="two" coef="-1.5"/></fixed></tendon>',
        '<tendon><fixed name="t"><joint joint="one" coef="2"/></fixed></tendon>'
        '<actuator><motor tendon="t" gear="3" armature="0.2"/></actuator>',
    ],
    ids=["actuators", "tendon", "both"],
)
def test_armature_that_moves_with_one_joint_is_its_own(sections, tmp_path):
    path = write(tmp_path, sections=sections)
    assert agrees(path, quiet(path))


def test_armature_from_the_defaults_of_actuators_counts(tmp_path):
    path = write(
        tmp_path,
        default='<default><motor armature="0.3"/></default>',
        sections='<actuator><motor joint="one" gear="2"/></actuator>',
    )
    description = quiet(path)
    assert next(joint.armature for joint in description.joints if joint.name == "one") == pytest.approx(1.2)
    assert agrees(path, description)


def test_armature_of_a_tendon_along_two_joints_is_missing_from_m_and_said(tmp_path):
    joints = '<joint joint="one" coef="1"/><joint joint="two" coef="2"/>'
    path = write(tmp_path, sections=f'<tendon><fixed name="cord" armature="0.4">{joints}</fixed></tendon>')
    with pytest.warns(ModelWarning, match="M and torques leave out armature of tendons 'cord'"):
        description = read_mjcf(path)
    assert not agrees(path, description)


@pytest.mark.parametrize(
    ("parts", "match"),
    [
        ({"one": 'stiffness="0 2 1"'}, "torques leave out springs of joints 'one'"),
        ({"two": 'damping="0 2 1"'}, "polynomial damping of joints 'two'"),
        (
            {
                "sections": '<tendon><spatial name="s" stiffness="2"><site site="tip"/>'
                '<site site="post"/></spatial></tendon>'
            },
            "springs of tendons 's'",
        ),
        (
            {
                "sections": '<tendon><spatial name="s"><site site="tip"/><site site="post"/>'
                '<site site="tip"/></spatial></tendon><equality><tendon tendon1="s"/></equality>'
            },
            "not held: coupling of tendon 's'",
        ),
    ],
)
def test_what_changes_a_number_is_named(parts, match, tmp_path):
    with pytest.warns(ModelWarning, match=match) as caught:
        read_mjcf(write(tmp_path, **parts))
    assert len(caught) == 1


def test_armature_of_a_free_joint_is_the_joints(tmp_path):
    body = '<body><joint name="base" type="free" armature="0.3"/><geom size="0.1"/></body>'
    path = tmp_path / "robot.xml"
    path.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    assert [joint.armature for joint in quiet(path).joints] == [0.3]


@pytest.mark.parametrize(
    ("flag", "parts"),
    [
        ("equality", {"sections": '<equality><connect body1="b" body2="c" anchor="0 0 0"/></equality>'}),
        ("constraint", {"sections": '<equality><joint joint1="two" joint2="one"/></equality>'}),
        ("spring", {"one": 'stiffness="3"'}),
        ("damper", {"one": 'damping="3 1"'}),
        ("frictionloss", {"one": 'frictionloss="3"'}),
        ("limit", {"one": 'range="-1 1"'}),
    ],
)
def test_flags_switch_off_what_they_name(flag, parts, tmp_path):
    description = quiet(write(tmp_path, flags=f'<flag {flag}="disable"/>', **parts))
    joint = next(joint for joint in description.joints if joint.name == "one")
    assert all(each.mimic is None for each in description.joints)
    assert (joint.damping, joint.friction, joint.stiffness, joint.limits.upper) == (0, 0, 0, np.inf)


def test_inactive_constraints_change_nothing(tmp_path):
    weld = '<weld body1="b" body2="c" active="false"/><joint joint1="two" joint2="one" active="false"/>'
    assert all(
        joint.mimic is None
        for joint in quiet(write(tmp_path, sections=f"<equality>{weld}</equality>")).joints
    )


def test_a_coupling_that_says_the_same_again_holds_nothing_more(tmp_path):
    circle = '<equality><joint joint1="two" joint2="one"/><joint joint1="one" joint2="two"/></equality>'
    path = write(tmp_path, sections=circle)
    description = quiet(path)
    assert description.mechanism is None
    assert agrees(path, description)


def test_sites_and_bodies_may_have_the_names_that_we_would_make(tmp_path):
    inside = '<body name="d"><joint name="x"/><joint name="y"/><geom size="0.1"/>'
    inside += '<site name="d/x"/><site name="d"/></body>'
    inside += '<body name="body#4"><geom size="0.1"/></body><body><geom size="0.1"/></body>'
    names = [link.name for link in quiet(write(tmp_path, inside=inside)).links]
    assert len(set(names)) == len(names)
    assert {"d/x", "d/x_2", "d/site"} <= set(names)
