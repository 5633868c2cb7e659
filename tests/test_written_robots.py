"""Robots written as URDF and MJCF, read by Pinocchio and MuJoCo and by ourselves."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import closedform as cf
from closedform.model.inertia import inertial_from_phi
from closedform.programs import evaluate
from conftest import ROBOTS, make
from oracles.pinocchio_peer import Peer, robot_data
from tolerances import ROUNDING, worst

STATES = 5
FILES = 1e-9
"""Files hold inertias about centres of mass, which subtracts m c^2: far centres cost digits."""

OTHERS = {
    "panda_description/urdf/panda.urdf": False,
    "tiago_description/robots/tiago_no_hand.urdf": False,
    "anymal_b_simple_description/robots/anymal-kinova.urdf": True,
    "talos_data/robots/talos_reduced.urdf": True,
    "allegro_hand_description/urdf/allegro_right_hand.urdf": False,
}
MOVING = [name for name in ROBOTS if make(name).nv and make(name).model.has_inertia]


def robots(name: str) -> cf.Robot:
    return make(name) if name in ROBOTS else cf.load(robot_data() / name, floating_base=OTHERS[name])


def torques(robot: cf.Robot, *state: np.ndarray) -> np.ndarray:
    return np.asarray(evaluate(robot.program("inverse_dynamics"), *state))


@pytest.mark.parametrize("name", [*MOVING, *OTHERS])
def test_pinocchio_and_we_read_the_same_robot_from_its_urdf(name, tmp_path):
    robot = robots(name)
    robot = robot.with_armature(0.0)
    if {body.joint.kind for body in robot.model.bodies} & {"ball", "helical", "subspace"}:
        with pytest.raises(cf.ClosedFormError, match="URDF does not know"):
            robot.to_urdf(tmp_path / "robot.urdf")
        return
    path = robot.to_urdf(tmp_path / "robot.urdf")
    again = cf.load(path, gravity=robot.gravity)
    assert again.joint_names == robot.joint_names
    assert set(robot.frame_names) <= set(again.frame_names)
    bounds = [np.clip(each.upper_limits, -1e9, 1e9) for each in (robot, again)]
    assert np.array_equal(*bounds)
    state = robot.random_state(0, batch=STATES)
    tau = torques(robot, *state)
    assert worst(torques(again, *state), tau) < FILES
    if any(body.joint.kind == "free" for body in robot.model.bodies):
        return  # Pinocchio adds a free joint of its own
    peer = Peer(path, again, False)
    for k, (q, qd, qdd) in enumerate(zip(*state, strict=True)):
        assert worst(peer.inverse_dynamics(q, qd, qdd), tau[k]) < FILES


def mujoco_takes(robot: cf.Robot) -> bool:
    """Whether MJCF has the joints of a robot, and MuJoCo takes its inertias."""
    for body in robot.model.bodies:
        if body.joint.kind in ("helical", "subspace"):
            return False
        if body.joint.kind == "free" and not np.array_equal(body.placement, np.eye(4)):
            return False
        low, middle, high = np.linalg.eigvalsh(inertial_from_phi(body.phi).inertia)
        if high - low - middle > ROUNDING * high:
            return False
    return True


@pytest.mark.parametrize("name", [*MOVING, *OTHERS])
def test_mujoco_and_we_read_the_same_robot_from_its_mjcf(name, tmp_path):
    robot = robots(name)
    if not mujoco_takes(robot):
        with pytest.raises(cf.ClosedFormError, match="to_mjcf: "):
            robot.to_mjcf(tmp_path / "robot.xml")
        return
    path = robot.to_mjcf(tmp_path / "robot.xml")
    again = cf.load(path)
    assert np.array_equal(again.gravity, robot.gravity)
    assert again.joint_names == robot.joint_names
    assert set(robot.frame_names) <= {*again.frame_names, *robot.frame_names[:1]}
    state = robot.random_state(0, batch=STATES)
    tau = torques(robot, *state)
    assert worst(torques(again, *state), tau) < FILES
    if robot.nq != robot.nv or robot.model.coupled:
        return  # MuJoCo orders twists differently, and couples joints softly
    model = mujoco.MjModel.from_xml_path(str(path))
    model.dof_damping[:] = 0.0
    model.dof_frictionloss[:] = 0.0
    data = mujoco.MjData(model)
    order = [model.joint(joint).qposadr[0] for joint in robot.joint_names]
    for k, (q, qd, qdd) in enumerate(zip(*state, strict=True)):
        data.qpos[order], data.qvel[order], data.qacc[order] = q, qd, qdd
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        mujoco.mj_inverse(model, data)
        assert worst(data.qfrc_inverse[order], tau[k]) < FILES


def test_names_with_markup_are_texts_in_files(tmp_path):
    arm = cf.load("2r").with_frame('<a b="c">&', pose=(0.1, 0, 0))
    for path in (arm.to_urdf(tmp_path / "arm.urdf"), arm.to_mjcf(tmp_path / "arm.xml")):
        assert '<a b="c">&' in cf.load(path).frame_names
    broken = cf.load("2r").with_frame("a\x01b")
    with pytest.raises(cf.ClosedFormError, match="XML"):
        broken.to_urdf(tmp_path / "broken.urdf")
    assert not (tmp_path / "broken.urdf").exists()


def test_the_longest_names_are_read_back(tmp_path):
    arm = cf.load("2r").with_frame("x" * 1000).with_frame("y" + "x" * 999)
    for path in (arm.save(tmp_path / "arm.toml"), arm.to_urdf(tmp_path / "arm.urdf")):
        assert cf.load(path).frame_names == arm.frame_names


def test_what_a_urdf_cannot_hold_is_said(tmp_path):
    with pytest.warns(cf.ModelWarning, match="armature and gravity"):
        cf.load("2r", gravity=(0, 0, 1)).with_armature(0.1).to_urdf(tmp_path / "arm.urdf")
    with pytest.raises(cf.ClosedFormError, match="helical"):
        cf.load("screw_lift").to_urdf(tmp_path / "lift.urdf")
    with pytest.raises(cf.ArgumentError, match=r"ends in \.urdf"):
        cf.load("2r").to_urdf(tmp_path / "arm.xml")


class Bytes:
    """A path that is not a text."""

    def __fspath__(self) -> bytes:
        return b"arm.toml"


def test_a_path_of_bytes_is_refused():
    arm = cf.load("2r")
    for call in (arm.save, arm.to_urdf, lambda path: cf.identification.read_log(path, arm)):
        with pytest.raises(cf.ArgumentError, match="expected a path"):
            call(Bytes())


def test_mujoco_takes_joints_that_cannot_move_and_links_without_mass(tmp_path):
    arm = cf.load("2r").with_joint_limits(
        {"joint1": 0.0}, {"joint1": 0.0, "joint2": 1.0}, effort={"joint2": 0.0}
    )
    arm = cf.Robot(arm.model.with_phi(np.concatenate([arm.phi[:10], np.zeros(10)])))
    with pytest.warns(cf.ModelWarning, match="limits of joint 'joint1', 'joint2' leave no room or no effort"):
        path = arm.to_mjcf(tmp_path / "arm.xml")
    model = mujoco.MjModel.from_xml_path(str(path))
    assert model.jnt_limited.tolist() == [0, 1]
    assert model.jnt_range[1].tolist() == [-1e9, 1.0]
    assert model.body_mass[2] <= 1e-12
    state = arm.random_state(0)
    assert worst(torques(cf.load(path), *state), torques(arm, *state)) < FILES
