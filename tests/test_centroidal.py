"""The centre of mass, its motion and the momentum about it, against sums over the bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant
from closedform.programs import evaluate, trace
from conftest import make
from oracles.casadi_rates import Traced
from tolerances import ROUNDING, worst

TREES = ("2r", "tree1", "tree3", "tree4")
"""A chain, every kind of joint, mimics, several bodies on the base."""


def value(robot, name, *arrays, frame=None, **choices):
    """Return a form by its program, which needs no compiling."""
    return evaluate(trace(robot.model, name, Variant(frame, **choices), closed=False), *arrays)


def bodies(robot, q, qd):
    """Yield mass, centre, its velocity, inertia about it and angular velocity of each body, in base axes."""
    phi = robot.phi.reshape(-1, 10)
    poses = value(robot, "body_poses", q)
    for name, row, T in zip(robot.body_names, phi, poses, strict=True):
        R, mass = T[:3, :3], row[9]
        w, v = np.split(value(robot, "frame_velocity", q, qd, frame=name, reference="world_aligned"), 2)
        inertial = cf.model.inertia.inertial_from_phi(row)
        arm = R @ inertial.com
        yield mass, T[:3, 3] + arm, v + np.cross(w, arm), R @ inertial.inertia @ R.T, w


def test_several_bodies_stand_on_the_base_of_some_trees():
    assert any(sum(body.parent < 0 for body in make(name).model.bodies) > 1 for name in TREES)


@pytest.mark.parametrize("name", TREES)
def test_momentum_is_the_sum_over_the_bodies(name):
    robot = make(name)
    q, qd, _ = robot.random_state(1)
    parts = list(bodies(robot, q, qd))
    mass = sum(each[0] for each in parts)
    centre = sum(m * c for m, c, *_ in parts) / mass
    linear = sum(m * v for m, _, v, _, _ in parts)
    angular = sum(J @ w + m * np.cross(c - centre, v) for m, c, v, J, w in parts)
    h = value(robot, "centroidal_momentum", q, qd)
    scale = np.abs(h).max()
    assert worst(h[:3], angular, scale) < ROUNDING
    assert worst(h[3:], linear, scale) < ROUNDING
    assert worst(value(robot, "centroidal_momentum_matrix", q) @ qd, h, scale) < ROUNDING
    assert worst(mass * value(robot, "com_velocity", q, qd), linear, scale) < ROUNDING
    assert worst(robot.mass, mass) < ROUNDING


@pytest.mark.parametrize("name", TREES)
def test_rates_are_time_derivatives(name):
    robot = make(name)
    q, qd, qdd = robot.random_state(2)
    T = Traced(robot)
    A = T.form("centroidal_momentum_matrix", T.q)
    Ad = value(robot, "centroidal_momentum_matrix_dot", q, qd)
    assert worst(Ad, T(T.rate(A), q, qd, qdd)) < ROUNDING
    hd = value(robot, "centroidal_momentum_dot", q, qd, qdd)
    assert worst(hd, T(T.rate(T.form("centroidal_momentum", T.q, T.v)), q, qd, qdd)[:, 0]) < ROUNDING
    assert worst(hd, value(robot, "centroidal_momentum_matrix", q) @ qdd + Ad @ qd) < ROUNDING
    centre = T.form("center_of_mass", T.q)
    velocity, acceleration = T.rate(centre), T.rate(T.rate(centre))
    assert worst(value(robot, "com_velocity", q, qd), T(velocity, q, qd, qdd)[:, 0]) < ROUNDING
    found = value(robot, "com_acceleration", q, qd, qdd)
    assert worst(found, T(acceleration, q, qd, qdd)[:, 0]) < ROUNDING
    assert worst(robot.mass * found, hd[3:], np.abs(hd).max()) < ROUNDING


def test_joint_torques_do_not_change_the_momentum_of_a_robot_that_flies():
    robot = make("quadruped").with_armature(0.0)
    q, qd, tau = robot.random_state(3)
    tau[:6] = 0.0
    qdd = value(robot, "forward_dynamics", q, qd, tau)
    hd = value(robot, "centroidal_momentum_dot", q, qd, qdd)
    weight = robot.mass * robot.gravity
    scale = np.abs(robot.mass * value(robot, "centroidal_momentum_matrix", q)).max()
    assert worst(hd, [0, 0, 0, *weight], scale) < ROUNDING


def test_where_a_robot_floats_does_not_change_its_momentum():
    robot = make("quadruped")
    q, qd, qdd = robot.random_state(4)
    far = q.copy()
    far[:3] += 1e6
    for name in ("centroidal_momentum", "centroidal_momentum_dot", "centroidal_momentum_matrix_dot"):
        arrays = (qd, qdd)[: len(cf.FORMS[name].takes) - 1]
        assert np.array_equal(*(value(robot, name, each, *arrays) for each in (q, far))), name


@pytest.mark.parametrize("name", TREES)
def test_centres_of_parts_are_weighted_means(name):
    robot = make(name)
    q, qd, _ = robot.random_state(5)
    parts = list(bodies(robot, q, qd))
    model = robot.model
    for frame in (robot.body_names[0], robot.body_names[-1]):
        root = model.frame(frame).body
        carried = [parts[k] for k in range(len(parts)) if root in model.ancestors(k)]
        expected = sum(m * c for m, c, *_ in carried) / sum(m for m, *_ in carried)
        assert worst(value(robot, "subtree_center_of_mass", q, frame=frame), expected, 0.1) < ROUNDING
        assert worst(value(robot, "body_center_of_mass", q, frame=frame), parts[root][1], 0.1) < ROUNDING
    whole = value(robot, "subtree_center_of_mass", q, frame=robot.frame_names[0])
    assert worst(whole, value(robot, "center_of_mass", q), 0.1) < ROUNDING


@pytest.mark.parametrize("name", [n for n, form in cf.FORMS.items() if form.group == "centroidal"])
def test_inertial_parameters_can_be_an_input(name):
    robot = make("tree3")
    states = robot.random_state(6)
    other = robot.with_phi(robot.phi * np.random.default_rng(0).uniform(0.5, 1.5, robot.phi.shape))
    arrays = states[: len(cf.FORMS[name].takes)]
    frame = robot.body_names[2] if cf.FORMS[name].framed else None
    with_phi = value(robot, name, *arrays, other.phi, frame=frame, phi=True)
    assert worst(with_phi, value(other, name, *arrays, frame=frame)) < ROUNDING


def test_what_is_fixed_to_the_base_is_a_body_too(tmp_path):
    inertial = "<inertial><origin xyz='0.1 0 0.2'/><mass value='3'/>"
    inertial += "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    joint = "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>"
    joint += "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
    (tmp_path / "r.urdf").write_text(
        f"<robot name='r'><link name='a'>{inertial}</link><link name='b'>{inertial}</link>{joint}</robot>"
    )
    robot = cf.load(tmp_path / "r.urdf")
    assert np.allclose(robot.body_center_of_mass([0.3], "a"), [0.1, 0, 0.2], rtol=0, atol=1e-15)
    assert np.array_equal(robot.subtree_center_of_mass([0.3], "a"), robot.center_of_mass([0.3]))
    other = cf.Robot(replace(robot.model, base_phi=np.array([1.0, 0, 0, 1, 0, 1, 0, 0, 1, 2])))
    assert other.model.digest == robot.model.digest  # the cache needs to tell them apart all the same
    assert np.allclose(other.body_center_of_mass([0.3], "a"), [0, 0, 0.5], rtol=0, atol=1e-15)


def test_parts_without_mass_have_no_centre():
    robot = make("2r")
    with pytest.raises(cf.ClosedFormError, match="what is fixed to the base has no mass, hence no centre"):
        robot.body_center_of_mass([0.0, 0.0], "base")
    light = robot.with_phi(np.concatenate([robot.phi[:10], np.zeros(10)]))
    for name in ("body_center_of_mass", "subtree_center_of_mass"):
        with pytest.raises(cf.ClosedFormError, match=r"body 'link2'.* has no mass, hence no centre of mass"):
            getattr(light, name)([0.0, 0.0], "tool")
