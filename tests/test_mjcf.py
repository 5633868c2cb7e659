"""MJCF files read through MuJoCo mean the same robot here and there."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress

import numpy as np
import pytest

import closedform as cf
from closedform.description.description import Description
from closedform.description.mjcf import read_mjcf
from closedform.errors import ClosedFormError, DescriptionError, ModelWarning
from oracles.link_poses import link_poses
from tolerances import HALF_DIGITS, LAST_DIGITS

mujoco = pytest.importorskip("mujoco")

ARM = """
<mujoco model="arm">
  <compiler angle="radian" autolimits="true"/>
  <option gravity="0.3 -0.2 -9.7"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="base" pos="0.1 0.2 0.3" quat="0.9 0.1 -0.3 0.2">
      <geom size="0.1" mass="2"/>
      <body name="upper" pos="0 0.1 0.4" euler="0.3 -0.2 0.5">
        <joint name="pan" axis="0 0 1" pos="0.02 -0.03 0.05" ref="0.4" range="-1 2" armature="0.07"
               frictionloss="0.2" actuatorfrcrange="-30 25"/>
        <joint name="tilt" axis="1 2 -1" pos="-0.1 0 0.02"/>
        <joint name="rail" type="slide" axis="0 1 1" ref="-0.15" armature="0.5"/>
        <inertial pos="0.05 0.01 0.2" mass="1.7" fullinertia="0.03 0.04 0.02 0.004 -0.003 0.002"/>
        <body name="fore" pos="0.3 0 0.1">
          <joint name="elbow" axis="0 1 0" range="-2 2"/>
          <geom type="capsule" fromto="0 0 0 0.3 0.1 0" size="0.03" mass="0.8"/>
          <site name="tip" pos="0.3 0.1 0" quat="0.7 0.1 0.2 0.3"/>
          <body name="plate" pos="0.1 0 0.05" euler="0.1 0.2 0.3">
            <geom type="box" size="0.05 0.04 0.01" mass="0.2"/>
          </body>
          <body pos="0.3 0.1 0.02">
            <joint type="slide" axis="0 1 0"/>
            <geom type="box" size="0.02 0.01 0.03" mass="0.05"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

FLOATING = """
<mujoco model="floating">
  <compiler angle="radian"/>
  <worldbody>
    <body name="trunk" pos="0 0 1" euler="0.2 0.1 0.4">
      <freejoint name="root"/>
      <inertial pos="0.02 -0.01 0.03" quat="0.8 0.2 0.1 0.4" mass="5" diaginertia="0.12 0.1 0.07"/>
      <body name="leg" pos="0.1 0.05 -0.2" quat="0.9 0.3 0.1 0">
        <joint name="hip" type="ball" pos="0.01 0.02 0.03" armature="0.01"/>
        <geom type="capsule" fromto="0 0 0 0 0.05 -0.4" size="0.04" mass="1.2"/>
        <body name="shin" pos="0 0.05 -0.4">
          <joint name="knee" axis="0 1 0" pos="0 0 -0.02"/>
          <geom type="capsule" fromto="0 0 0 0.05 0 -0.3" size="0.03" mass="0.7"/>
        </body>
      </body>
      <body name="tail" pos="-0.2 0 0">
        <joint name="wag" axis="0 0 1"/>
        <geom type="box" size="0.1 0.02 0.01" pos="-0.1 0 0" mass="0.3"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

COUPLED = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="a"><joint name="drive" axis="0 0 1" ref="0.2"/><geom size="0.1"/>
      <body name="b" pos="0.3 0 0"><joint name="follow" axis="0 0 1" ref="-0.1"/><geom size="0.1"/>
        <body name="c" pos="0.3 0 0"><joint name="bent" axis="0 0 1"/><geom size="0.1"/></body>
      </body>
    </body>
  </worldbody>
  <equality>
    <joint name="gear" joint1="follow" joint2="drive" polycoef="0.05 -2 0 0 0"/>
    <joint name="cam" joint1="bent" joint2="drive" polycoef="0 1 0.5 0 0"/>
  </equality>
  <tendon><fixed name="cable"><joint joint="drive" coef="1"/></fixed></tendon>
  <actuator><motor name="servo" joint="drive"/></actuator>
</mujoco>
"""

POSE = 1e-13
"""Composed poses differ by rounding: a handful of products of order one."""

DYNAMICS = 1e-11
"""Forces add some hundred products of order ten."""


def write(tmp_path, text):
    path = tmp_path / "robot.xml"
    path.write_text(text)
    return path


def random_configuration(model, rng):
    """Return a random qpos of MuJoCo with unit quaternions, and the same in our order."""
    qpos = rng.uniform(-1.2, 1.2, model.nq)
    ours = qpos.copy()
    for j in range(model.njnt):
        adr, kind = model.jnt_qposadr[j], mujoco.mjtJoint(model.jnt_type[j])
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            start = adr + 3 * (kind == mujoco.mjtJoint.mjJNT_FREE)
            wxyz = rng.normal(size=4)
            wxyz /= np.linalg.norm(wxyz)
            qpos[start : start + 4] = wxyz
            ours[start : start + 4] = np.roll(wxyz, -1)
    return qpos, ours


def body_name(model, i):
    return model.body(i).name or f"body#{i}"


@pytest.mark.parametrize("text", [ARM, FLOATING], ids=["arm", "floating"])
def test_poses_equal_mujoco_at_the_same_coordinates(text, tmp_path):
    path = write(tmp_path, text)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    description = read_mjcf(path)
    rng = np.random.default_rng(1)
    for _ in range(5):
        data.qpos[:], q = random_configuration(model, rng)
        mujoco.mj_kinematics(model, data)
        poses = link_poses(description, q)
        for i in range(1, model.nbody):
            T = poses[body_name(model, i)]
            np.testing.assert_allclose(T[:3, 3], data.xpos[i], atol=POSE)
            np.testing.assert_allclose(T[:3, :3], data.xmat[i].reshape(3, 3), atol=POSE)
        for k in range(model.nsite):
            T = poses[model.site(k).name]
            np.testing.assert_allclose(T[:3, 3], data.site_xpos[k], atol=POSE)
            np.testing.assert_allclose(T[:3, :3], data.site_xmat[k].reshape(3, 3), atol=POSE)


@pytest.mark.parametrize("text", [ARM, FLOATING], ids=["arm", "floating"])
def test_inertias_equal_mujoco_in_the_world_frame(text, tmp_path):
    path = write(tmp_path, text)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    description = read_mjcf(path)
    data.qpos[:], q = random_configuration(model, np.random.default_rng(2))
    mujoco.mj_kinematics(model, data)
    poses = link_poses(description, q)
    inertials = {link.name: link.inertial for link in description.links}
    assert sum(i.mass for i in inertials.values() if i) == pytest.approx(
        model.body_mass.sum(), rel=LAST_DIGITS
    )
    for i in range(1, model.nbody):
        T, inertial = poses[body_name(model, i)], inertials[body_name(model, i)]
        R, axes = T[:3, :3], data.ximat[i].reshape(3, 3)
        np.testing.assert_allclose(R @ inertial.com + T[:3, 3], data.xipos[i], atol=POSE)
        expected = axes @ np.diag(model.body_inertia[i]) @ axes.T
        np.testing.assert_allclose(R @ inertial.inertia @ R.T, expected, atol=POSE)


def test_full_inertia_is_recovered_as_written(tmp_path):
    description = read_mjcf(write(tmp_path, ARM))
    inertial = next(link.inertial for link in description.links if link.name == "upper")
    # MuJoCo's order is xx yy zz xy xz yz
    expected = [[0.03, 0.004, -0.003], [0.004, 0.04, 0.002], [-0.003, 0.002, 0.02]]
    np.testing.assert_allclose(inertial.inertia, expected, atol=HALF_DIGITS)
    np.testing.assert_allclose(inertial.com, [0.05, 0.01, 0.2], atol=1e-15)


def test_several_joints_of_a_body_become_a_chain_of_massless_links(tmp_path):
    description = read_mjcf(write(tmp_path, ARM))
    joints = {joint.name: joint for joint in description.joints}
    inertials = {link.name: link.inertial for link in description.links}
    assert (joints["pan"].parent, joints["pan"].child) == ("base", "upper/pan")
    assert (joints["tilt"].parent, joints["tilt"].child) == ("upper/pan", "upper/tilt")
    assert (joints["rail"].parent, joints["rail"].child) == ("upper/tilt", "upper")
    assert inertials["upper/pan"] is None
    assert inertials["upper/tilt"] is None
    assert [joints[name].kind for name in ("pan", "tilt", "rail")] == ["revolute", "revolute", "prismatic"]
    assert joints["base/fixed"].kind == "fixed"
    assert joints["plate/fixed"].kind == "fixed"


def test_joint_figures_are_kept(tmp_path):
    description = read_mjcf(write(tmp_path, ARM))
    joints = {joint.name: joint for joint in description.joints}
    pan, tilt, rail = joints["pan"], joints["tilt"], joints["rail"]
    assert (pan.limits.lower, pan.limits.upper, pan.limits.effort) == (-1, 2, 30)
    assert (pan.armature, pan.damping, pan.friction, rail.armature) == (0.07, 0, 0.2, 0.5)
    assert tilt.limits.lower == -np.inf
    assert tilt.limits.effort == np.inf
    e = np.array([1, 2, -1]) / np.sqrt(6)
    np.testing.assert_allclose(tilt.subspace[:, 0], [*e, *np.cross([-0.1, 0, 0.02], e)], atol=1e-15)
    assert description.name == "arm"
    assert description.gravity == (0.3, -0.2, -9.7)


def test_disabled_gravity_is_none(tmp_path):
    text = ARM.replace("<option ", '<option><flag gravity="disable"/></option><option ')
    assert read_mjcf(write(tmp_path, text)).gravity == (0, 0, 0)


def test_linear_couplings_become_mimics_and_the_rest_closes_loops(tmp_path):
    path = write(tmp_path, COUPLED)
    description = read_mjcf(path)
    assert [each.name for each in description.mechanism.closures] == ["bent by drive"]
    assert description.mechanism.motors == ("drive",)
    mimics = {joint.name: joint.mimic for joint in description.joints}
    assert mimics["drive"] is None
    assert mimics["bent"] is None
    # MuJoCo's residual y - y0 - a0 - a1 (x - x0) vanishes on the coupled coordinates
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    x = 0.7
    data.qpos[0], data.qpos[1] = x, mimics["follow"].multiplier * x + mimics["follow"].offset
    mujoco.mj_forward(model, data)
    gear = [r for r in range(data.nefc) if data.efc_id[r] == model.equality("gear").id]
    assert mimics["follow"].joint == "drive"
    assert abs(data.efc_pos[gear[0]]) < LAST_DIGITS


def test_springs_and_fluids_are_named(tmp_path):
    text = FLOATING.replace('name="wag"', 'name="wag" stiffness="0 2"')
    text = text.replace("<worldbody>", '<option density="1.2"/><worldbody>')
    with pytest.warns(ModelWarning, match="torques leave out springs of joints 'wag'.*medium"):
        read_mjcf(write(tmp_path, text))


def test_a_plain_model_gives_no_warning(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_mjcf(write(tmp_path, ARM))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("<!DOCTYPE mujoco [<!ENTITY a 'b'>]>" + ARM.strip(), "DOCTYPE"),
        ('<robot name="r"/>', "root element is <robot>"),
        (ARM.replace("<body name=", "<boddy name=", 1), "not well-formed|MuJoCo"),
        (ARM.replace('mass="2"', 'mess="2"'), "mess"),
        (ARM.replace('mass="1.7"', 'mass="nan"'), "line .*<inertial>: mass='nan'"),
        (ARM.replace('mass="1.7"', 'mass="-1"'), "MuJoCo"),
        (
            "<mujoco><asset><mesh name='m' file='lost.stl'/></asset><worldbody><body><joint/>"
            "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
            "mesh 'm'.*lost.stl is missing",
        ),
    ],
    ids=["doctype", "urdf", "tag", "attribute", "nan", "negative", "mesh"],
)
def test_bad_files_are_refused_with_the_reason(text, match, tmp_path):
    with pytest.raises(DescriptionError, match=match):
        read_mjcf(write(tmp_path, text))


def test_corrupted_files_never_end_in_anything_but_our_error(tmp_path):
    rng = np.random.default_rng(3)
    path = tmp_path / "robot.xml"
    for _ in range(60):
        data = bytearray(ARM.strip().encode())
        for _ in range(int(rng.integers(1, 4))):
            at = int(rng.integers(len(data)))
            if rng.random() < 0.5:
                data[at] = int(rng.integers(256))
            else:
                del data[at : at + int(rng.integers(1, 40))]
        path.write_bytes(bytes(data))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            with suppress(DescriptionError):
                assert isinstance(read_mjcf(path), Description)


def test_a_missing_file_is_a_description_error(tmp_path):
    with pytest.raises(DescriptionError, match="no such file"):
        read_mjcf(tmp_path / "none.xml")


def test_without_mujoco_the_error_says_what_to_install(tmp_path, monkeypatch):
    path = write(tmp_path, ARM)
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ClosedFormError, match=r"pip install closedform\[mjcf\]"):
        read_mjcf(path)


def velocity_map(model, data) -> np.ndarray:
    """Return S with MuJoCo's qvel = S qd: for a free joint (v in the world; omega) from (omega; v)."""
    S = np.eye(model.nv)
    for j in range(model.njnt):
        if mujoco.mjtJoint(model.jnt_type[j]) == mujoco.mjtJoint.mjJNT_FREE:
            at, body = model.jnt_dofadr[j], model.jnt_bodyid[j]
            R = data.xmat[body].reshape(3, 3)
            S[at : at + 6, at : at + 6] = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
    return S


@pytest.mark.parametrize("text", [ARM, FLOATING], ids=["arm", "floating"])
def test_dynamics_equal_mujoco(text, tmp_path):
    path = write(tmp_path, text)
    robot = cf.load(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(4)
    for _ in range(3):
        data.qpos[:], q = random_configuration(model, rng)
        qd, qdd = rng.uniform(-1, 1, (2, model.nv))
        mujoco.mj_kinematics(model, data)
        S = velocity_map(model, data)
        qacc = S @ qdd
        if mujoco.mjtJoint(model.jnt_type[0]) == mujoco.mjtJoint.mjJNT_FREE:
            # d/dt (R v) = R (vd + omega cross v)
            qacc[:3] += S[:3, 3:6] @ np.cross(qd[:3], qd[3:6])
        data.qvel[:] = S @ qd
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        for row, unit in zip(M, np.eye(model.nv), strict=True):
            mujoco.mj_mulM(model, data, row, unit)
        np.testing.assert_allclose(robot.mass_matrix(q), S.T @ M @ S, atol=DYNAMICS)
        tau = S.T @ (M @ qacc + data.qfrc_bias)
        np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), tau, atol=DYNAMICS)


def test_a_reference_angle_without_a_fraction_of_a_turn_is_refused(tmp_path):
    path = tmp_path / "arm.xml"
    body = '<body><joint name="elbow" axis="0 0 1" ref="1e308"/><geom size="0.1"/></body>'
    path.write_text(f'<mujoco><compiler angle="radian"/><worldbody>{body}</worldbody></mujoco>')
    with pytest.raises(cf.ClosedFormError, match="elbow: ref 1e\\+308"):
        cf.load(path)
