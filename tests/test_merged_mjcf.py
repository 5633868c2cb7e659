"""Robots merged into the MJCF files that they come from: inertias, friction, rotors, and no other byte."""

from __future__ import annotations

import re

import mujoco
import numpy as np
import pytest

import closedform as cf
from oracles.mujoco_peer import MujocoPeer
from test_merged_urdf import random_bodies
from tolerances import PROMISED, worst

ARM = """<mujoco model='arm'>
  <!-- drawn by hand -->
  <compiler angle="degree" autolimits="true"/>
  <default><joint damping="0.3"  armature="0.01"/></default>
  <worldbody>
    <light pos="0 0 3"/>
    <body name="upper" pos="0 0 0.5">
      <inertial mass='2' pos="0 0 .1" diaginertia="0.02 0.03 0.04" quat="1 0.2 0 0"/> <!-- é -->
      <joint name="shoulder" axis="0 1 0" range="-90 90" />
      <geom type="capsule" size="0.02" fromto="0 0 0 0 0 0.3"/>
      <frame pos="0 0 0.3">
        <body name="lower">
          <joint name="elbow" axis="0 1 0.5" frictionloss="0.2"/>
          <geom type="box" size="0.02 0.03 0.1"/>
          <site name="tool" pos="0 0 0.1"/>
          <body name="cover" pos="0 0 0.05"><geom type="sphere" size="0.02" mass="0.1"/></body>
        </body>
      </frame>
    </body>
  </worldbody>
  <actuator><motor joint="elbow" gear="20"/></actuator>
</mujoco>
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(ARM, encoding="utf-8")
    return path


def others(text: str) -> str:
    """Return what is left of a file without inertias, friction and rotors."""
    return re.sub(
        r" (damping|frictionloss|armature)=\"[^\"]*\"", "", re.sub(r"\s*<inertial[^>]*/>", "", text)
    )


def changed_arm(path) -> cf.Robot:
    robot = cf.load(path)
    robot = robot.with_phi(random_bodies(robot, 3)).with_damping([0.7, 0.3])
    return robot.with_friction([0.1, 0.4]).with_armature([0.01, 0.05])


@pytest.mark.filterwarnings("ignore::closedform.ModelWarning")  # the cover becomes massless
def test_mujoco_reproduces_the_torques_and_only_inertias_friction_and_rotors_differ(path, tmp_path):
    changed = changed_arm(path)
    merged = changed.to_mjcf(tmp_path / "merged.xml", merge=path)
    text = merged.read_text(encoding="utf-8")
    assert others(text) == others(ARM)
    assert 'range="-90 90" damping="0.7" frictionloss="0.1" />' in text  # armature and elbow's: as by default
    assert 'axis="0 1 0.5" frictionloss="0.4" armature="0.05"/>' in text
    again = cf.load(merged)
    for name in ("damping", "friction", "armature"):
        assert np.array_equal(getattr(again, name), getattr(changed, name))
    peer = MujocoPeer(mujoco.MjModel.from_xml_path(str(merged)), changed)
    q, qd, qdd = changed.random_state(0, batch=4)
    for k in range(4):
        _, tau = peer.dynamics(q[k], qd[k], qdd[k])
        assert worst(tau, changed.inverse_dynamics(q[k], qd[k], qdd[k])) < PROMISED


def test_an_unchanged_robot_leaves_the_file_as_it_is(path, tmp_path):
    assert cf.load(path).to_mjcf(tmp_path / "same.xml", merge=path).read_bytes() == path.read_bytes()


def test_springs_and_gravity_stay_those_of_the_file_with_a_warning(path, tmp_path):
    robot = cf.load(path).with_springs({"elbow": 3.0}).with_gravity((0, 0, -1.6))
    with pytest.warns(cf.ModelWarning, match="keeps its own springs of 'elbow', gravity"):
        merged = robot.to_mjcf(tmp_path / "merged.xml", merge=path)
    assert merged.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<compiler ", '<compiler inertiafromgeom="true" ', "MuJoCo reads another inertia of"),
        ("<compiler ", '<compiler settotalmass="7" ', "MuJoCo reads another inertia of"),
        ('gear="20"', 'gear="20" armature="0.001"', "MuJoCo reads another armature of 'elbow'"),
        ('"elbow"', '"ellbow"', "another name, kind or axis in the file .'elbow'"),
        ("mujoco", "robot", "is no MJCF file"),
    ],
)
@pytest.mark.filterwarnings("ignore::closedform.ModelWarning")
def test_a_file_that_says_something_else_is_refused(path, tmp_path, old, new, message):
    changed = changed_arm(path)
    path.write_text(ARM.replace(old, new), encoding="utf-8")
    with pytest.raises(cf.ClosedFormError, match=message):
        changed.to_mjcf(tmp_path / "merged.xml", merge=path)
    assert not (tmp_path / "merged.xml").exists()


@pytest.mark.filterwarnings("ignore::closedform.ModelWarning")
def test_what_has_no_name_in_the_file_is_refused(path, tmp_path):
    path.write_text(ARM.replace('<joint name="shoulder" ', "<joint "), encoding="utf-8")
    with pytest.raises(cf.ClosedFormError, match=r"has no <joint name=.*of its own; give it a name"):
        changed_arm(path).to_mjcf(tmp_path / "merged.xml", merge=path)
