"""Geometry as an input: forms at other placements equal those of the robot that has them."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant
from closedform.programs import evaluate, trace
from conftest import make
from oracles.random_trees import random_tree
from tolerances import ROUNDING, worst

FORMS = [name for name, form in cf.FORMS.items() if form.may_take("geometry")]

EVERYWHERE = ("jacobian_dot", "inverse_dynamics", "mass_matrix")
"""Forms of every kind, for several robots."""


def moved(robot: cf.Robot, seed: int) -> np.ndarray:
    """Return another geometry: every joint elsewhere, and turned."""
    return robot.geometry + np.random.default_rng(seed).uniform(-0.4, 0.4, robot.geometry.shape)


def chosen(form: str, **inputs: bool) -> Variant:
    """Return a variant: of few rows if the form is of a task, which a short arm can do."""
    return Variant(rows=("x", "y") if "rows" in cf.FORMS[form].choices else None, **inputs)


def inputs(robot: cf.Robot, form: str, seed: int) -> list[np.ndarray]:
    """Return random inputs of a form, in order."""
    rng = np.random.default_rng(seed)
    (q,) = robot.random_state(rng, order=0)
    it = cf.FORMS[form].at(chosen(form))
    shapes = zip(it.inputs, it.input_shapes(robot.model), strict=True)
    return [q if name == "q" else rng.uniform(-1, 1, shape) for name, shape in shapes]


def check(robot: cf.Robot, form: str) -> None:
    """Assert that a form with geometry (and phi) as inputs equals that of the robot rebuilt."""
    geometry = moved(robot, 1)
    rebuilt = robot.with_geometry(geometry)
    given = inputs(robot, form, 2)
    expected = evaluate(trace(rebuilt.model, form, chosen(form)), *given)
    phi = cf.FORMS[form].may_take("phi")
    bare = robot.with_phi(np.abs(robot.phi[::-1])) if phi else robot  # its own phi must not matter
    program = trace(bare.model, form, chosen(form, geometry=True, phi=phi))
    last = [robot.phi, geometry] if phi else [geometry]
    assert [name for name, _ in program.inputs[-len(last) :]] == ["phi", "geometry"][-len(last) :]
    found = evaluate(program, *given, *last)
    pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    for one, other in pairs:
        scale = max(float(np.abs(other).max()), 1e-3)
        assert np.abs(one - other).max() < ROUNDING * scale * (100 if "forward" in form else 1), form


@pytest.mark.filterwarnings("ignore:with_phi")
@pytest.mark.parametrize("form", FORMS)
def test_every_form_takes_its_geometry_as_an_input(form):
    check(random_tree(10, 2, ("revolute", "prismatic")), form)


@pytest.mark.filterwarnings("ignore:with_phi")
@pytest.mark.parametrize("robot", [make("stanford"), random_tree(1, 3), random_tree(2, 4)])
def test_any_tree_takes_its_geometry_as_an_input(robot):
    for form in EVERYWHERE:
        check(robot, form)


@pytest.mark.parametrize("name", ["puma560", "panda", "quadruped"])
def test_a_robot_at_its_own_geometry_is_itself(name):
    robot = make(name)
    again = robot.with_geometry(robot.geometry)
    for one, other in zip(again.model.bodies, robot.model.bodies, strict=True):
        assert np.abs(one.placement - other.placement).max() < 1e-15


def test_the_derivative_by_the_geometry_is_the_calibration_jacobian():
    """Against the rotation and shift of all that a body carries when its placement changes."""
    robot = make("panda")
    symbols, (T,) = cf.FORMS.form("pose", Variant(geometry=True)).expression(robot.model)
    slope = ca.Function("slope", symbols, [ca.jacobian(T[:3, 3], symbols[-1])])
    (q,) = robot.random_state(3, order=0)
    found = np.asarray(slope(q, robot.geometry))
    tip, bodies = robot.pose(q)[:3, 3], robot.body_poses(q)
    for k, body in enumerate(robot.model.bodies):
        parent = bodies[body.parent] if body.parent >= 0 else np.eye(4)
        *origin, _, pitch, yaw = robot.geometry[k]
        # axes of the fixed-axis roll, pitch and yaw in the parent's frame
        x = np.array([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), -np.sin(pitch)])
        y = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
        z = np.array([0.0, 0.0, 1.0])
        arm = tip - (parent @ [*origin, 1])[:3]
        columns = [*parent[:3, :3].T, *(np.cross(parent[:3, :3] @ axis, arm) for axis in (x, y, z))]
        for i, column in enumerate(columns):
            assert np.abs(found[:, k + len(bodies) * i] - column).max() < ROUNDING, (k, i)


def test_kernels_broadcast_over_geometries():
    robot = make("2r")
    kernel = robot.kernel("gravity_torque", geometry=True)
    lengths = np.stack([robot.geometry] * 3)
    lengths[:, 1, 0] = [0.5, 1.0, 2.0]
    q = np.array([0.3, -0.2])
    expected = [robot.with_geometry(each).gravity_torque(q) for each in lengths]
    assert worst(kernel(q, lengths), np.array(expected)) < ROUNDING
    assert (
        "placements of the joints `geometry` are the last input."
        in cf.FORMS.form("gravity_torque", Variant(geometry=True)).doc
    )


def test_what_no_joint_placement_enters_refuses_it():
    with pytest.raises(cf.ArgumentError, match="friction_torque does not take geometry as an input"):
        make("2r").kernel("friction_torque", geometry=True)
    with pytest.raises(cf.ArgumentError, match=r"geometry.*expected True or False"):
        make("2r").kernel("mass_matrix", geometry=make("2r").geometry)
    with pytest.raises(cf.ArgumentError, match=r"geometry has shape \(6,\)"):
        make("2r").with_geometry(np.zeros(6))
