"""Robots with loops leave as MJCF: MuJoCo finds the loops closed, and the file is the same robot again."""

from __future__ import annotations

import warnings

import mujoco
import numpy as np
import pytest

import closedform as cf
from closedform.programs import evaluate

CATALOGUE = cf.catalogue(loops=True)
HELD = {
    "ball": ["ball"],
    "hinge": ["hinge"],
    "universal": ["distance", "ball"],
    "fixed": ["fixed"],
    "distance": ["distance"],
}
"""Kinds that MuJoCo's equalities hold, and what they are when the file is read."""


def arms(kind):
    """Return two arms in space that a cut joint holds together, without any symmetry."""
    rng = np.random.default_rng(1)
    rows = [(0, *rng.uniform(-1, 1, 4)) for _ in range(8)]
    inertials = [cf.Inertial.of(1 + rng.random(), rng.normal(size=3), np.diag([2, 2.5, 3.0]))] * 8
    tree = cf.Robot.from_mdh(rows, parents=[-1, 0, 1, 2, -1, 4, 5, 6], inertials=inertials)
    x = rng.uniform(-1, 1, 8)
    tree = tree.with_frame("a", "link4", (0.3, 0.1, 0))
    T = np.linalg.inv(tree.pose(x, "link8")) @ tree.pose(x, "a")
    if kind == "distance":
        T[:3, 3] += 0.2
    return tree.with_frame("b", "link8", T).with_loops([cf.Loop("a", "b", kind)], near=x)


def mujoco_residual(path, robot, postures):
    """Return what MuJoCo finds open at coordinates of all joints, by the names of joints."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    worst = 0.0
    for x in np.atleast_2d(postures):
        for body in robot.model.tree.bodies:
            value = x[body.iq : body.iq + body.joint.nq]
            data.joint(body.joint_name).qpos = np.r_[value[:-4], np.roll(value[-4:], 1)][-len(value) :]
        mujoco.mj_forward(model, data)
        rows = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        assert rows.any()
        worst = max(worst, np.abs(data.efc_pos[rows]).max())
    return worst


def torques(robot, x, qd, qdd):
    """Return inverse dynamics as a program, so that nothing is compiled."""
    place = x[:, list(robot.model.iq)] if robot.model.explicit else x
    return evaluate(robot.program("inverse_dynamics"), place, qd, qdd)


def assert_same(robot, again, path):
    """The same torques, by the names of joints, and loops that MuJoCo finds closed."""
    q, qd, qdd = robot.random_state(0, batch=3)
    x = robot.assemble(q)
    assert mujoco_residual(path, robot, x) < 1e-13
    order = [robot.joint_names.index(name) for name in again.joint_names]
    drives = [robot.actuated_names.index(name) for name in again.actuated_names]
    bodies = {body.joint_name: body for body in robot.model.tree.bodies}
    ours = [bodies[body.joint_name] for body in again.model.tree.bodies]
    places = np.concatenate([np.arange(body.iq, body.iq + body.joint.nq) for body in ours])
    expected = torques(robot, x, qd, qdd)[:, drives]
    found = torques(again, x[:, places], qd[:, order], qdd[:, order])
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize("name", CATALOGUE)
def test_mechanisms_of_the_catalogue_are_the_same_from_their_mjcf(name, tmp_path):
    robot = cf.load(name)
    path = robot.to_mjcf(tmp_path / f"{name}.xml")
    assert_same(robot, cf.load(path), path)


@pytest.mark.parametrize("kind", HELD)
def test_every_kind_that_mujoco_has_is_held(kind, tmp_path):
    robot = arms(kind)
    path = robot.to_mjcf(tmp_path / "arms.xml")
    again = cf.load(path)
    assert [each.kind for each in again.loops] == HELD[kind]
    assert_same(robot, again, path)


@pytest.mark.parametrize("kind", ["cylindrical", "prismatic", "planar"])
def test_kinds_that_mujoco_lacks_are_refused(kind, tmp_path):
    with pytest.raises(cf.ClosedFormError, match=f"'a-b' is '{kind}', which no equality"):
        arms(kind).to_mjcf(tmp_path / "arms.xml")


def test_couplings_are_polynomials_and_tendons(tmp_path):
    tree = arms("ball").tree
    polynomials = [
        cf.JointCoupling("joint2", "joint1", (0.1, 0.2, 0.3)),
        cf.JointCoupling("joint3", ("joint1", "joint4"), (0.1, 0.2, -0.3)),
        cf.JointCoupling("joint8", (), (0.5,)),
    ]
    robot = tree.with_loops(polynomials)
    path = robot.to_mjcf(tmp_path / "coupled.xml")
    assert_same(robot, cf.load(path), path)
    steep = tree.with_loops([cf.JointCoupling("joint2", "joint1", (0, 1, 0, 0, 0, 1))])
    with pytest.raises(cf.ClosedFormError, match="has the degree 5"):
        steep.to_mjcf(tmp_path / "steep.xml")


def test_the_keyframe_keeps_the_assembly_mode(tmp_path):
    """From joints at zero the five-bar would close in another mode than this."""
    five = cf.load("five_bar")
    q = five.neutral()
    for mode in five.assembly_modes(q):
        robot = five.tree.with_loops(five.loops, five.joint_names, near=mode)
        path = robot.to_mjcf(tmp_path / "five.xml")
        np.testing.assert_allclose(cf.load(path).assemble(q), mode, atol=1e-12)
        model = mujoco.MjModel.from_xml_path(str(path))
        assert model.key(0).name == "assembled"


def test_a_loop_at_the_frame_of_a_body_without_mass_keeps_that_body(tmp_path):
    """MuJoCo has no need for it, but the loop holds it: as one of two joints of a body it would turn."""
    rod = cf.Inertial.of(1.0, (0.5, 0, 0), (0, 0, 0, 0.1, 0, 0.1))
    nothing = cf.Inertial.of(0.0, (0, 0, 0), (0, 0, 0, 0, 0, 0))
    rows = [(0, 0, 0, 0, 0), (0, 0, 1.0, 0, 0), (0, 0, 0, 0, 0), (0, 0, 2.2, 0, 0)]
    tree = cf.Robot.from_mdh(rows, parents=[-1, 0, 1, -1], inertials=[rod, nothing, rod, rod])
    tree = tree.with_frame("rocker", "link4", (1.5, 0, 0))
    robot = tree.with_loops([cf.Loop("link2", "rocker", "ball")], near=[0.5, 0, 0, 2.0])
    path = robot.to_mjcf(tmp_path / "bars.xml")
    x = robot.assemble(robot.random_state(0, batch=3, order=0)[0])
    assert mujoco_residual(path, robot, x) < 1e-13


def test_a_path_of_another_ending_is_refused(tmp_path):
    with pytest.raises(cf.ClosedFormError, match=r"ends in \.xml"):
        cf.load("four_bar").to_mjcf(tmp_path / "bars.urdf")


@pytest.mark.parametrize("name", ["four_bar", "planar_3rrr"])
def test_a_urdf_with_loops_is_the_same_robot(name, tmp_path):
    robot = cf.load(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cf.ModelWarning)  # gravity is given below
        path = robot.to_urdf(tmp_path / f"{name}.urdf")
    again = cf.load(path, gravity=robot.gravity)
    assert again.joint_names == robot.joint_names
    q, qd, qdd = robot.random_state(0, batch=3)
    x = robot.assemble(q)
    ours, theirs = torques(robot, x, qd, qdd), torques(again, x, qd, qdd)
    assert np.abs(ours - theirs).max() < 1e-9 * np.abs(ours).max()


def test_what_a_urdf_cannot_say_of_loops_is_a_warning_or_refused(tmp_path):
    with pytest.warns(cf.ModelWarning, match="another assembly mode"):
        cf.load("five_bar").to_urdf(tmp_path / "five.urdf")
    with pytest.raises(cf.ClosedFormError, match="is 'distance', which URDF does not know"):
        arms("distance").to_urdf(tmp_path / "arms.urdf")
    tree = arms("ball").tree
    line = tree.with_loops([cf.JointCoupling("joint2", "joint1", (0.1, 0.2))])
    assert cf.load(line.to_urdf(tmp_path / "line.urdf")).nv == 7  # a mimic joint
    bent = tree.with_loops([cf.JointCoupling("joint2", "joint1", (0.1, 0.2, 0.3))])
    with pytest.raises(cf.ClosedFormError, match="no line of one joint"):
        bent.to_urdf(tmp_path / "bent.urdf")
