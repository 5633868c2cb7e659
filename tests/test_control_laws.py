"""Torque laws against their textbook formulas with Pinocchio's M, g, J, and the code written of them."""

from __future__ import annotations

import ctypes
import subprocess

import casadi as ca
import numpy as np
import pinocchio as pin
import pytest
from scipy.spatial.transform import Rotation

import closedform as cf
from closedform import control
from closedform.programs import evaluate
from closedform.report.robot.pinocchio_model import peer_of
from emitted import CC, STRICT
from oracles.random_trees import random_tree
from tolerances import LAST_DIGITS, PROMISED, ROUNDING, SOLVE, worst

ARM = cf.load("panda").with_armature(0.05)
PEER = peer_of(ARM.model)
Q = np.array([0.2, -0.5, 0.1, -2.0, 0.3, 1.6, 0.8])
QD = np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.6, -0.1])


def torque(law: control.Law, *arrays: np.ndarray) -> np.ndarray:
    """Return the law's torques by its program, without compiling it."""
    return evaluate(law.program(), *arrays)


def gravity() -> np.ndarray:
    return pin.computeGeneralizedGravity(PEER.model, PEER.data, Q).copy()


def mass() -> np.ndarray:
    M = pin.crba(PEER.model, PEER.data, Q).copy()
    return np.triu(M) + np.triu(M, 1).T


def tool(reference: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return pose, Jacobian (omega; v) and its rate times QD of the tool, and the turn to the asked axes."""
    frame = ARM.model.frame(None)
    T_body = pin.SE3(frame.placement[:3, :3], frame.placement[:3, 3])
    joint = PEER.model.njoints - 1
    model = PEER.model.copy()
    index = model.addFrame(pin.Frame("tool", joint, T_body, pin.FrameType.OP_FRAME))
    data = model.createData()
    pin.forwardKinematics(model, data, Q, QD, np.zeros(7))
    pin.updateFramePlacements(model, data)
    pin.computeJointJacobians(model, data, Q)
    own = pin.LOCAL if reference == "body" else pin.LOCAL_WORLD_ALIGNED
    J = pin.getFrameJacobian(model, data, index, own)[[3, 4, 5, 0, 1, 2]]
    if reference == "body":
        drift = pin.getFrameAcceleration(model, data, index, own)
    else:
        drift = pin.getFrameClassicalAcceleration(model, data, index, own)
    return (
        data.oMf[index].homogeneous,
        J,
        np.concatenate([drift.angular, drift.linear]),
        data.oMf[index].rotation,
    )


def moved(T: np.ndarray, turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    goal = T.copy()
    goal[:3, :3] = T[:3, :3] @ Rotation.from_rotvec(turn).as_matrix()
    goal[:3, 3] += shift
    return goal


def error(T: np.ndarray, turn: np.ndarray, shift: np.ndarray, reference: str) -> np.ndarray:
    """Return (2 sin(angle / 2) axis; shift) of a goal in body or base axes."""
    angle = np.linalg.norm(turn)
    axis = 2 * np.sin(angle / 2) * turn / angle
    R = T[:3, :3]
    return np.concatenate([R @ axis, shift] if reference == "world_aligned" else [axis, R.T @ shift])


# ------------------------------------------------------------------ joint space


def test_gravity_compensation_and_pd_are_what_their_names_say():
    q_d, qd_d = Q + 0.1 * np.arange(7), 0.2 * np.ones(7)
    assert worst(torque(control.GravityCompensation(ARM), Q, QD), gravity()) < ROUNDING
    kp, kd = np.linspace(100, 700, 7), np.linspace(5, 20, 7)
    law = control.PDGravity(ARM, kp, kd)
    assert worst(torque(law, Q, QD, q_d, qd_d), kp * (q_d - Q) + kd * (qd_d - QD) + gravity()) < ROUNDING


def test_computed_torque_is_the_inverse_dynamics_of_the_commanded_acceleration():
    q_d, qd_d, qdd_d = Q + 0.1, QD - 0.3, np.linspace(-1, 1, 7)
    law = control.ComputedTorque(ARM, kp=25.0, kd=7.0)
    a = qdd_d + 7 * (qd_d - QD) + 25 * (q_d - Q)
    exact = pin.rnea(PEER.model, PEER.data, Q, QD, a)
    assert worst(torque(law, Q, QD, q_d, qd_d, qdd_d), exact) < ROUNDING
    np.testing.assert_allclose(control.ComputedTorque(ARM, kp=25.0).gains["kd"], 10.0)


@pytest.mark.parametrize("kinds", [("ball", "revolute"), ("free",)])
def test_rotations_are_drawn_along_the_shorter_way(kinds):
    robot = random_tree(5, bodies=len(kinds), kinds=kinds)
    q, *_ = robot.random_state(0)
    step = 0.2 * np.random.default_rng(1).normal(size=robot.nv)
    goal = robot.integrate(q, step)
    law = control.PDGravity(robot, 1.0, 0.0)
    pull = torque(law, q, np.zeros(robot.nv), goal, np.zeros(robot.nv)) - robot.gravity_torque(q)
    angle = np.linalg.norm(step[:3])
    np.testing.assert_allclose(pull[:3], 2 * np.sin(angle / 2) * step[:3] / angle, rtol=PROMISED)
    flipped = goal.copy()
    part = slice(robot.model.bodies[0].joint.quaternion.start, robot.model.bodies[0].joint.quaternion.stop)
    flipped[part] *= -1  # the same rotation
    again = torque(law, q, np.zeros(robot.nv), flipped, np.zeros(robot.nv)) - robot.gravity_torque(q)
    np.testing.assert_allclose(again, pull, rtol=0, atol=PROMISED)


# ------------------------------------------------------------------ task space


@pytest.mark.parametrize("reference", ["body", "world_aligned"])
@pytest.mark.parametrize("turn", [(0.1, -0.2, 0.3), (1.5, 1.0, -2.0)])
def test_impedance_is_a_spring_and_a_damper_at_the_tool(reference, turn):
    T, J, _, _ = tool(reference)
    turn, shift = np.array(turn), np.array([0.02, -0.05, 0.1])
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 6, 6))
    K, D = A @ A.T, B @ B.T
    V_d = rng.normal(size=6)
    law = control.Impedance(ARM, K, D, reference=reference)
    exact = gravity() + J.T @ (K @ error(T, turn, shift, reference) + D @ (V_d - J @ QD))
    assert worst(torque(law, Q, QD, moved(T, turn, shift), V_d), exact) < ROUNDING


@pytest.mark.parametrize("reference", ["body", "world_aligned"])
def test_a_shaped_inertia_is_the_acceleration_that_the_tool_gets(reference):
    T, J, drift, _ = tool(reference)
    turn, shift = np.array([0.1, -0.2, 0.3]), np.array([0.02, -0.05, 0.1])
    inertia = np.diag([0.1, 0.2, 0.15, 3.0, 4.0, 5.0])
    law = control.Impedance(ARM, 50.0, 5.0, reference=reference, inertia=inertia)
    tau = torque(law, Q, QD, moved(T, turn, shift), np.zeros(6))
    acceleration = J @ pin.aba(PEER.model, PEER.data, Q, QD, tau) + drift
    wanted = np.linalg.solve(inertia, 50 * error(T, turn, shift, reference) - 5 * J @ QD)
    assert worst(acceleration, wanted) < SOLVE


def test_the_posture_is_drawn_to_without_accelerating_the_tool():
    T, J, _, _ = tool("body")
    options = {"posture": Q + 0.2, "posture_stiffness": 30.0, "posture_damping": 4.0}
    plain, posed = control.Impedance(ARM, 50.0, 5.0), control.Impedance(ARM, 50.0, 5.0, **options)
    more = torque(posed, Q, QD, T, np.zeros(6)) - torque(plain, Q, QD, T, np.zeros(6))
    assert np.abs(J @ np.linalg.solve(mass(), more)).max() < SOLVE * np.abs(more).max() / 0.05
    pull = 30 * 0.2 * np.ones(7) - 4 * QD
    Minv = np.linalg.inv(mass())
    N = np.eye(7) - J.T @ np.linalg.solve(J @ Minv @ J.T, J @ Minv)
    assert worst(more, N @ pull) < SOLVE


def test_double_diagonalisation_gives_every_mode_its_damping_ratio():
    J = tool("body")[1]
    K = np.diag([30.0, 40.0, 50.0, 500.0, 600.0, 700.0])
    D = control.task_damping(ARM, K, 0.7, Q)
    Lambda = np.linalg.inv(J @ np.linalg.solve(mass(), J.T))
    poles = np.linalg.eigvals(
        np.block([[np.zeros((6, 6)), np.eye(6)], [-np.linalg.solve(Lambda, K), -np.linalg.solve(Lambda, D)]])
    )
    np.testing.assert_allclose(-poles.real / np.abs(poles), 0.7, rtol=PROMISED)


def test_a_planar_arm_takes_the_position_alone():
    arm = cf.load("2r")
    law = control.Impedance(
        arm, [100.0, 50.0], [10.0, 10.0], rows="xy", reference="world_aligned", inertia=[1.0, 2.0]
    )
    q = np.array([0.3, 0.8])
    goal = arm.pose(q)
    goal[:2, 3] += [0.1, -0.2]
    tau = torque(law, q, np.zeros(2), goal, np.zeros(2))
    a = arm.forward_dynamics(q, np.zeros(2), tau)
    J = (arm.pose(q)[:3, :3] @ arm.jacobian(q)[3:])[:2]
    np.testing.assert_allclose(J @ a, [100 * 0.1 / 1, 50 * -0.2 / 2], rtol=SOLVE)


def test_an_arm_under_impedance_comes_to_rest_at_the_pose():
    arm = cf.load("2r")
    law = control.Impedance(arm, 100.0, 40.0, rows="xy", reference="world_aligned")
    goal = arm.pose([0.3, 0.8])
    run = arm.simulate([0.2, 1.0], law=law, reference=goal, duration=3.0, step=5e-3)
    np.testing.assert_allclose(arm.pose(run.q[-1])[:2, 3], goal[:2, 3], rtol=0, atol=1e-5)


# ------------------------------------------------------------------ the ways to call a law


def laws() -> list[control.Law]:
    arm = cf.load("2r")
    return [
        control.PDGravity(arm, [10.0, 20.0], 3.0),
        control.Impedance(arm, 30.0, 3.0, rows="xy"),
    ]


@pytest.mark.parametrize("law", laws(), ids=lambda law: law.name)
def test_calls_bound_calls_and_programs_agree_for_every_batch(law):
    rng = np.random.default_rng(2)
    arrays = [rng.normal(size=(4, 3, 2)), rng.normal(size=(3, 2))]
    arrays += [rng.normal(size=each.shape) for each in law.references]
    if law.name == "impedance":
        arrays[2] = law.robot.pose([0.1, 0.2])
    tau = law(*arrays)
    assert tau.shape == (4, 3, 2)
    np.testing.assert_allclose(tau, torque(law, *arrays), rtol=0, atol=1e-12)
    one, out = [arrays[0][1, 2], arrays[1][2], *arrays[2:]], np.empty(2)
    bound = law.bind(*one, out=out)
    bound()
    np.testing.assert_allclose(out, tau[1, 2], rtol=0, atol=1e-13)
    first = next(iter(law.gains))
    law.gains[first] *= 2  # gains are live
    bound()
    np.testing.assert_allclose(out, torque(law, *one), rtol=0, atol=1e-12)
    law.gains[first] /= 2


@pytest.mark.skipif(CC is None, reason="no C compiler")
@pytest.mark.parametrize("gains", ["constant", "input"])
@pytest.mark.parametrize("law", laws(), ids=lambda law: law.name)
def test_exported_laws_compute_what_the_kernel_does(law, gains, tmp_path):
    header, code = law.export("c", tmp_path, gains=gains)
    assert header.name == f"robot_2r_{law.name}.h"
    library = tmp_path / "law.so"
    subprocess.run([CC, *STRICT, "-O1", "-shared", "-fPIC", str(code), "-o", str(library), "-lm"], check=True)
    function = ctypes.CDLL(str(library))[code.stem]
    rng = np.random.default_rng(3)
    arrays = [
        rng.normal(size=2),
        rng.normal(size=2),
        *(rng.normal(size=each.shape) for each in law.references),
    ]
    if law.name == "impedance":
        arrays[2] = np.ascontiguousarray(law.robot.pose([0.1, 0.2]))
    given = [*arrays, *(law.gains.values() if gains == "input" else ()), np.empty(2)]
    function(*(ctypes.c_void_p(each.ctypes.data) for each in given))
    np.testing.assert_allclose(given[-1], law(*arrays), rtol=LAST_DIGITS, atol=1e-13)


# ------------------------------------------------------------------ what is refused


def test_references_are_given_in_order_or_by_name_and_rest_where_they_are_not():
    law = control.PDGravity(ARM, 40.0, 3.0)
    tau = law(Q, QD, Q + 0.1, np.zeros(7))
    assert np.array_equal(law(Q, QD, Q + 0.1), tau)
    assert np.array_equal(law(q=Q, qd=QD, qd_d=np.zeros(7), q_d=Q + 0.1), tau)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: control.PDGravity("2r", 1.0, 1.0), "robot"),
        (lambda: control.PDGravity(ARM, -1.0, 1.0), r"kp\[0\] is -1; expected a number from 0"),
        (lambda: control.PDGravity(ARM, [1.0, 2.0], 1.0), r"kp has shape \(2,\); expected a number, or 7"),
        (lambda: control.Impedance(ARM, 1.0), r"give either damping, or damping_ratio"),
        (lambda: control.Impedance(ARM, 1.0, damping_ratio=1.0), r"holds in one posture; give it as at=q"),
        (lambda: control.Impedance(ARM, np.diag([-1.0] * 6), 1.0), r"has the eigenvalue -1"),
        (lambda: control.Impedance(ARM, np.triu(np.ones((6, 6))), 1.0), r"is not symmetric"),
        (lambda: control.Impedance(ARM, 1.0, 1.0, frame="hand"), r"unknown frame 'hand'"),
        (lambda: control.Impedance(ARM, 1.0, 1.0, rows="xq"), r"row"),
        (lambda: control.Impedance(ARM, 1.0, 1.0, inertia=np.zeros(6)), r"inertia is singular"),
        (lambda: control.Impedance(ARM, 1.0, 1.0, posture_stiffness=1.0), r"need a posture"),
        (lambda: control.Impedance(cf.load("2r"), 1.0, 1.0, inertia=1.0), r"2 joints cannot move 6 rows"),
        (lambda: control.task_damping(ARM, 1.0, 1.0, np.zeros(7)), r"singular"),
        (lambda: control.ExpressionLaw(ARM, lambda q, qd: q[:3]), r"build gave shape \(3, 1\)"),
        (lambda: control.ExpressionLaw(ARM, lambda q, qd: ca.SX.sym("x", 7)), r"its own arguments only"),
        (lambda: control.PDGravity(ARM, 1.0, 1.0)(Q, QD), r"takes q, qd, q_d, qd_d; 2 arrays given"),
        (
            lambda: control.PDGravity(ARM, 1.0, 1.0)(Q, QD, Q, q_d=Q),
            r"takes q, .*; 4 arrays given",
        ),
        (lambda: control.PDGravity(ARM, 1.0, 1.0)(Q, QD, goal=Q), r"unknown reference of pd_gravity 'goal'"),
        (lambda: control.PDGravity(ARM, 1.0, 1.0).export("ada", "x"), r"unknown language 'ada'"),
    ],
)
def test_laws_that_make_no_sense_are_refused(make, message):
    with pytest.raises(cf.ClosedFormError, match=message):
        make()
