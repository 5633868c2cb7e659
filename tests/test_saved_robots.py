"""Robots survive a file: what `Robot.save` writes, `load` reads back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import closedform as cf
from closedform.description import Description, Joint, Link
from closedform.description.catalogue import read_toml
from closedform.model.writing import model_toml
from oracles.random_trees import random_tree
from tolerances import ROUNDING, worst

LIMITS = ("lower_limits", "upper_limits", "velocity_limits", "effort_limits")
FIGURES = (*LIMITS, "damping", "friction", "armature", "gravity")
NAMES = ("name", "joint_names", "body_names", "frame_names")


def came_back(robot, path):
    """Return the robot behind the saved file, with names and figures compared."""
    again = cf.load(robot.save(path))
    for name in NAMES:
        assert getattr(again, name) == getattr(robot, name)
    for name in FIGURES:
        assert np.array_equal(getattr(again, name), getattr(robot, name)), name
    assert [body.joint.kind for body in again.model.bodies] == [b.joint.kind for b in robot.model.bodies]
    assert worst(again.phi, robot.phi) < ROUNDING
    states = robot.random_state(0, batch=3)
    assert worst(again.inverse_dynamics(*states), robot.inverse_dynamics(*states)) < ROUNDING
    return again


@pytest.mark.parametrize("name", cf.catalogue(loops=False))
@pytest.mark.filterwarnings("ignore::closedform.ModelWarning")
def test_every_catalogue_robot_comes_back(name, tmp_path):
    robot = cf.load(name)
    again = came_back(robot, tmp_path / "robot.toml")
    if worst(again.phi, robot.phi) == 0:  # m c / m is not always c to the last bit
        assert again.model.digest == robot.model.digest
    assert cf.load(again.save(tmp_path / "again.toml")).model.digest == again.model.digest


@pytest.mark.parametrize("seed", range(8))
def test_random_trees_of_every_joint_come_back(seed, tmp_path):
    robot = random_tree(seed)
    again = came_back(robot, tmp_path / "tree.toml")
    assert [body.coupling for body in again.model.bodies] == [body.coupling for body in robot.model.bodies]


def test_floating_bases_and_another_gravity_come_back(tmp_path):
    robot = cf.load("ur5", floating_base=True).with_gravity((1.0, -2.0, 3.0))
    assert came_back(robot, tmp_path / "robot.toml").model.digest == robot.model.digest


def test_a_robot_without_inertias_comes_back_without_them(tmp_path):
    robot = cf.Robot.from_mdh([(0, 0, 0, 0, 0), (0, 0.3, 1.0, 0.1, 0.2)])
    again = cf.load(robot.save(tmp_path / "robot.toml"))
    assert not again.model.has_inertia
    assert again.model.digest == robot.model.digest


def test_names_may_hold_any_character(tmp_path):
    robot = cf.Robot.from_mdh([(0, 0, 0, 0, 0)], name='arm "é"\\\n', joint_names=["肩"])
    again = cf.load(robot.save(tmp_path / "robot.toml"))
    assert (again.name, again.joint_names) == (robot.name, robot.joint_names)


NAMES_OF_LINKS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=6)


@given(st.lists(NAMES_OF_LINKS, min_size=6, max_size=6, unique=True))
@settings(max_examples=100, deadline=None)
def test_names_survive_a_file_or_are_refused(names):
    robot, base, arm, frame, hinge, mount = names
    links = (Link(base), Link(arm), Link(frame), Link(f"{frame}2"))
    joints = (
        Joint(hinge, "revolute", base, arm, subspace=np.eye(6)[:, :1]),
        Joint(mount, "fixed", arm, frame),
        Joint(f"{frame}_fixed", "prismatic", arm, f"{frame}2", subspace=np.eye(6)[:, 3:4]),
    )
    try:
        made = cf.Robot.from_description(Description(robot, links, joints))
    except cf.DescriptionError:
        return
    again = cf.Robot.from_description(read_toml(model_toml(made.model).encode(), "saved"))
    for name in NAMES:
        assert getattr(again, name) == getattr(made, name)


def test_generated_names_make_way_for_those_of_the_robot(tmp_path):
    links = (Link("base"), Link("link1"), Link("tool"))
    hinge = Joint("tool_fixed", "revolute", "base", "link1", subspace=np.eye(6)[:, 2:3])
    robot = cf.Robot.from_description(
        Description("arm", links, (hinge, Joint("mount", "fixed", "link1", "tool")))
    )
    again = cf.load(robot.save(tmp_path / "arm.toml"))
    assert again.joint_names == robot.joint_names == ("tool_fixed",)
    assert again.frame_names == robot.frame_names


@pytest.mark.parametrize("name", ["", " ", "\ud800", "x" * 1001, 5, None])
def test_a_name_that_no_file_can_hold_is_refused_at_once(name):
    with pytest.raises(cf.ClosedFormError, match=r"robot .*: a name is a text|name is .*; expected a text"):
        cf.Robot.from_mdh([(0, 0, 0, 0, 0)], name=name)


def test_inertias_beyond_what_files_hold_are_refused_at_once(tmp_path):
    robot = cf.load("pendulum")
    with pytest.raises(cf.ClosedFormError, match=r"up to 1e\+50"):
        robot.with_phi([2e50, 0, 0, 2e50, 0, 2e50, 0, 0, 0, 1]).save(tmp_path / "arm.toml")


@pytest.mark.parametrize("path", ["arm.urdf", "arm", 5, None, b"arm.toml"])
def test_only_toml_paths_are_written(path):
    with pytest.raises(cf.ArgumentError, match=r"\.toml"):
        cf.load("2r").save(path)


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path):
    robot = cf.load("2r")
    with pytest.raises(cf.ClosedFormError, match="cannot be written"):
        robot.save(tmp_path / "absent" / "arm.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(cf.ClosedFormError, match="cannot be written"):
        robot.save(tmp_path / "folder.toml")
    old = robot.save(tmp_path / "arm.toml").read_text()
    with pytest.raises(cf.ClosedFormError, match=r"'link1'.*no rigid body"):
        cf.Robot(robot.model.with_phi(-robot.phi)).save(tmp_path / "arm.toml")
    assert (tmp_path / "arm.toml").read_text() == old
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.toml", "folder.toml"]
