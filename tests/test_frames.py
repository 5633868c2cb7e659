"""Twists in three references, motion of frames and frames seen from frames, against their definitions."""

from __future__ import annotations

import importlib.util

import casadi as ca
import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant
from closedform.forms.loads import REFERENCES
from closedform.kernels import FormRecipe
from closedform.programs import evaluate, trace
from closedform.rotations import adjoint, inverse
from conftest import make
from oracles.casadi_rates import Traced
from tolerances import ROUNDING, worst

TREES = ("2r", "tree0", "tree1", "tree3")
"""Chains and branches, every kind of joint, mimics."""


def value(robot, name, *arrays, frame=None, **choices):
    """Return a form by its program, which needs no compiling."""
    return evaluate(trace(robot.model, name, Variant(frame, **choices), closed=False), *arrays)


def twist(T: ca.SX, Td: ca.SX, reference: str) -> ca.SX:
    """Return the twist of a pose and its rate by the definition of a reference."""
    R, p = T[:3, :3], T[:3, 3]
    W = R.T @ Td[:3, :3] if reference == "body" else Td[:3, :3] @ R.T
    w = ca.vertcat(W[2, 1], W[0, 2], W[1, 0])
    v = {
        "body": R.T @ Td[:3, 3],
        "world_aligned": Td[:3, 3],
        "world": Td[:3, 3] - ca.cross(w, p),
    }[reference]
    return ca.vertcat(w, v)


def pairs(robot) -> list[tuple[str, str]]:
    """Return frames and what they are seen from: another branch, one that moves while they rest, itself."""
    names = robot.frame_names
    last, middle = names[-1], names[len(names) // 2]
    return [(last, middle), (names[0], last), (last, last)]


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("name", TREES)
def test_velocity_and_acceleration_are_derivatives_of_the_pose(name, reference):
    robot = make(name)
    q, qd, qdd = robot.random_state(1)
    T, frame = Traced(robot), robot.frame_names[-1]
    pose = T.form("pose", T.q, frame=frame)
    V = twist(pose, T.rate(pose), reference)
    expected = T(V, q, qd, qdd)[:, 0]
    scale = max(1.0, np.abs(qd).max()) ** 2
    choices = {"frame": frame, "reference": reference}
    assert worst(value(robot, "frame_velocity", q, qd, **choices), expected, scale) < ROUNDING
    assert worst(value(robot, "jacobian", q, **choices) @ qd, expected, scale) < ROUNDING
    acceleration = value(robot, "frame_acceleration", q, qd, qdd, **choices)
    assert worst(acceleration, T(T.rate(V), q, qd, qdd)[:, 0], scale) < ROUNDING
    bias = value(robot, "bias_acceleration", q, qd, **choices)
    assert worst(bias, value(robot, "jacobian_dot", q, qd, **choices) @ qd, scale) < ROUNDING
    assert worst(acceleration, bias + value(robot, "jacobian", q, **choices) @ qdd, scale) < ROUNDING


@pytest.mark.parametrize("name", TREES)
def test_world_is_the_spatial_twist(name):
    """sigma = Ad V for the body twist V of a frame, and sigma' = Ad V' [Garofalo2013, Remark 2]."""
    robot = make(name)
    q, qd, qdd = robot.random_state(6)
    frame, body = robot.frame_names[-1], robot.model.frame(robot.frame_names[-1]).body
    Ad = adjoint(value(robot, "pose", q, frame=frame))
    state = {"jacobian": (q,), "frame_velocity": (q, qd), "frame_acceleration": (q, qd, qdd)}
    for form, given in state.items():
        own = value(robot, form, *given, frame=frame)
        for other in (each.name for each in robot.model.frames if each.body == body):
            spatial = value(robot, form, *given, frame=other, reference="world")
            assert worst(spatial, Ad @ own, scale=1.0) < ROUNDING, "the same for all frames of a body"


@pytest.mark.parametrize("name", TREES)
def test_classical_acceleration_is_that_of_a_point_in_space(name):
    robot = make(name)
    q, qd, qdd = robot.random_state(2)
    T, frame = Traced(robot), robot.frame_names[-1]
    pose = T.form("pose", T.q, frame=frame)
    found = {
        each: value(robot, "frame_classical_acceleration", q, qd, qdd, frame=frame, reference=each)
        for each in REFERENCES
    }
    second = T(T.rate(T.rate(pose)), q, qd, qdd)
    R = T(pose, q, qd, qdd)[:3, :3]
    scale = np.abs(second).max()
    assert worst(found["world_aligned"][3:], second[:3, 3], scale) < ROUNDING
    assert worst(R @ found["body"][3:], second[:3, 3], scale) < ROUNDING
    # the point of the body that is at the base origin now
    fixed = pose @ ca.DM(inverse(T(pose, q, qd, qdd)))[:, 3]
    at_origin = T(T.rate(T.rate(fixed)), q, qd, qdd)[:3, 0]
    assert worst(found["world"][3:], at_origin, scale) < ROUNDING
    assert worst(found["world"][:3], R @ found["body"][:3], scale) < ROUNDING


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("name", TREES)
def test_relative_jacobians_are_derivatives_of_the_relative_pose(name, reference):
    robot = make(name)
    q, qd, qdd = robot.random_state(3)
    T = Traced(robot)
    for frame, other in pairs(robot):
        between = T.form("relative_pose", T.q, frame=frame, relative_to=other)
        expected = inverse(value(robot, "pose", q, frame=other)) @ value(robot, "pose", q, frame=frame)
        assert worst(value(robot, "relative_pose", q, frame=frame, relative_to=other), expected) < ROUNDING
        V = twist(between, T.rate(between), reference)
        choices = {"frame": frame, "relative_to": other, "reference": reference}
        J = value(robot, "relative_jacobian", q, **choices)
        scale = max(1.0, np.abs(qd).max()) ** 2
        assert worst(J @ qd, T(V, q, qd, qdd)[:, 0], scale) < ROUNDING, (frame, other)
        if other == frame:
            assert not J.any()
        Jd = value(robot, "relative_jacobian_dot", q, qd, **choices)
        rate = T(T.rate(T.form("relative_jacobian", T.q, **choices)), q, qd, qdd)
        assert worst(Jd, rate, scale) < ROUNDING, (frame, other)


def test_joints_that_carry_both_frames_take_no_part():
    robot = make("quadruped")
    q = robot.random_state(0)[0]
    moved = q.copy()
    moved[:3] += 1e6
    one, other = robot.body_names[-1], robot.body_names[1]
    for form in ("relative_pose", "relative_jacobian"):
        near, far = (value(robot, form, each, frame=one, relative_to=other) for each in (q, moved))
        assert np.array_equal(near, far), form
    J = value(robot, "relative_jacobian", q, frame=one, relative_to=other)
    assert not J[:, :6].any()


def test_a_far_base_costs_no_digits_of_a_world_aligned_jacobian():
    robot = make("quadruped")
    q, qd, _ = robot.random_state(0)
    far = q.copy()
    far[:3] += 1e6
    for name, arrays in (("jacobian", ()), ("jacobian_dot", (qd,)), ("frame_velocity", (qd,))):
        near, away = (value(robot, name, each, *arrays, reference="world_aligned") for each in (q, far))
        assert np.array_equal(near, away), name


@pytest.mark.parametrize("name", TREES)
def test_all_poses_at_once_are_those_of_the_frames(name):
    robot = make(name)
    q = robot.random_state(5)[0]
    for form, names in (("frame_poses", robot.frame_names), ("body_poses", robot.body_names)):
        found = value(robot, form, q)
        assert found.shape == (len(names), 4, 4)
        for T, frame in zip(found, names, strict=True):
            assert worst(T, value(robot, "pose", q, frame=frame)) < ROUNDING, frame


def test_poses_of_frames_with_other_placements_are_another_kernel():
    robot = make("2r")
    moved = [robot.with_frame("pen", "tool", shift(x)) for x in (0.1, 0.2)]
    assert moved[0].model.digest == moved[1].model.digest
    keys = {FormRecipe(each.model, "frame_poses").identity for each in moved}
    assert len(keys) == 2


def shift(x: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3] = x
    return T


def test_hundreds_of_frames_take_what_their_bodies_take_and_a_little_more():
    robot = make("panda")
    many = robot
    for k in range(300):
        many = many.with_frame(f"point{k}", robot.frame_names[1 + k % 7], shift(0.01 * k))
    program = trace(many.model, "frame_poses", closed=False)
    one = trace(robot.model, "frame_poses", closed=False)
    assert program.counts.total < one.counts.total + 300 * 10
    assert program.outputs[0][1] == (len(robot.frame_names) + 300, 4, 4)


# ------------------------------------------------------------------ calls


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("batch", [(), (1,), (0,), (2, 3)])
def test_a_robot_takes_the_reference_by_name_for_any_batch(batch, reference):
    robot = make("2r")
    q, qd, qdd = robot.random_state(7, batch=batch)
    J = robot.jacobian(q, "tool", reference=reference)
    assert J.shape == (*batch, 6, 2)
    if J.size:
        assert worst(J, value(robot, "jacobian", q, frame="tool", reference=reference)) < ROUNDING
    out = np.empty((*batch, 6))
    V = robot.frame_velocity(q, qd, "tool", reference=reference, out=out)
    assert V is out
    assert worst(V, np.einsum("...ij,...j->...i", J, qd), 1.0) < ROUNDING
    Vd = robot.frame_acceleration(q, qd, qdd, frame="tool", reference=reference)
    assert Vd.shape == (*batch, 6)
    rates = robot.jacobian_rates(q, qd, "tool", reference=reference)
    assert worst(rates[0], J) < ROUNDING
    seen = robot.relative_jacobian(q, "tool", "link1", reference=reference)
    named = robot.relative_jacobian(q, frame="tool", relative_to="link1", reference=reference)
    assert np.array_equal(seen, named)


def test_the_default_reference_is_the_body():
    robot = make("2r")
    q, qd, _ = robot.random_state(7)
    assert np.array_equal(robot.jacobian(q), robot.jacobian(q, reference="body"))
    assert np.array_equal(robot.frame_velocity(q, qd), robot.frame_velocity(q, qd, reference="body"))
    assert np.array_equal(robot.relative_pose(q, "tool"), robot.pose(q, "tool"))


def test_frames_fixed_to_the_base_have_no_motion():
    robot = make("2r")
    q, qd, qdd = robot.random_state(7)
    for reference in REFERENCES:
        assert not robot.jacobian(q, "base", reference=reference).any()
        assert not robot.frame_acceleration(q, qd, qdd, "base", reference=reference).any()


def test_wrong_references_and_frames_are_named():
    robot = make("2r")
    q = np.zeros(2)
    with pytest.raises(cf.UnknownNameError, match=r"reference 'world_alined'.*world_aligned"):
        robot.jacobian(q, reference="world_alined")
    with pytest.raises(cf.UnknownNameError, match="frame 'tol'"):
        robot.relative_pose(q, "tool", relative_to="tol")
    with pytest.raises(cf.ArgumentError, match="pose does not take reference"):
        robot.kernel("pose", reference="world")
    with pytest.raises(cf.ArgumentError, match="relative_pose does not take reference"):
        robot.kernel("relative_pose", reference="world")
    with pytest.raises(cf.ClosedFormError, match="reference"):
        robot.jacobian(q, reference=3)


# ------------------------------------------------------------------ equations and code


def test_equations_of_the_planar_arm_are_those_of_the_textbook():
    robot = make("2r")
    J = robot.equations("jacobian", reference="world_aligned", symbolic=True)
    assert str(J).splitlines()[2:4] == ["J[4,1] = -L1*sin(q1) - L2*sin(q1 + q2)", "J[4,2] = -L2*sin(q1 + q2)"]
    q = robot.random_state(0)[0]
    for reference in REFERENCES:
        result = robot.equations("jacobian", reference=reference)
        assert worst(result.evaluate(q), value(robot, "jacobian", q, reference=reference)) < ROUNDING
    T = robot.equations("relative_pose", "link1", relative_to="tool", symbolic=True)
    assert (
        worst(T.evaluate(q), value(robot, "relative_pose", q, frame="link1", relative_to="tool")) < ROUNDING
    )


def test_exported_code_says_what_its_reference_is_and_computes_it(tmp_path):
    robot = make("2r")
    source, *_ = robot.export("jacobian", "numpy", tmp_path, frame="tool", reference="world_aligned")
    text = " ".join(source.read_text().split())
    assert "world-aligned twist (omega; v) of frame tool, in axes of the base frame, about the origin" in text
    spec = importlib.util.spec_from_file_location(source.stem, source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    q = robot.random_state(0)[0]
    found = getattr(module, source.stem)(q)
    expected = value(robot, "jacobian", q, frame="tool", reference="world_aligned")
    assert worst(found, expected) < ROUNDING
    paths = robot.export("relative_jacobian", "c", tmp_path, frame="tool", relative_to="link1")
    text = " ".join(path.read_text().replace("*", " ") for path in paths)
    text = " ".join(text.split())
    assert "body twist (omega; v) of frame tool seen from frame link1, in frame tool" in text
    assert "{" + "frame}" not in text
    (source,) = robot.export("frame_poses", "numpy", tmp_path)
    listed = source.read_text().partition("Frames, in order:")[2].split()
    assert listed[: len(robot.frame_names)] == list(robot.frame_names)
