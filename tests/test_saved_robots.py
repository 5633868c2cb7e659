"""Robots survive a file: what `Robot.save` writes, `load` reads back."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from random_trees import random_tree
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


@pytest.mark.parametrize("name", cf.catalogue())
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
