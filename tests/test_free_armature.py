"""The armature of a free joint resists acceleration in space and has no weight, as in MuJoCo."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import closedform as cf
from closedform.forms import Variant
from closedform.programs import evaluate, trace
from tolerances import HALF_DIGITS, LONG_CHAIN, ROUNDING, worst

XML = """<mujoco><worldbody><body><freejoint name="free"/><geom type="box" size=".1 .2 .3" mass="2"/>
<body pos=".3 0 .1"><joint axis="0 1 0"/><geom type="box" size=".1 .1 .2" pos="0 0 .2" mass="1"/></body>
</body></worldbody></mujoco>"""

ARMATURE = 0.7


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    path = tmp_path_factory.mktemp("free") / "free.xml"
    path.write_text(XML)
    model = cf.load(path).model
    bodies = (replace(model.bodies[0], armature=ARMATURE), *model.bodies[1:])
    return cf.Robot(replace(model, bodies=bodies))


def form(robot, name, *arrays, closed=False):
    return evaluate(trace(robot.model, name, closed=closed), *arrays)


def test_torques_are_those_of_mujoco(robot):
    theirs = mujoco.MjModel.from_xml_string(XML)
    theirs.dof_armature[:6] = ARMATURE
    data = mujoco.MjData(theirs)
    for seed in range(5):
        q, qd, qdd = robot.random_state(seed)
        w, v, a = qd[:3], qd[3:6], qdd[3:6]
        R = evaluate(trace(robot.model, "pose", Variant(robot.body_names[0])), q)[:3, :3]
        data.qpos[:] = [*q[:3], q[6], *q[3:6], *q[7:]]
        data.qvel[:] = [*(R @ v), *w, *qd[6:]]
        data.qacc[:] = [*(R @ (a + np.cross(w, v))), *qdd[:3], *qdd[6:]]
        mujoco.mj_inverse(theirs, data)
        tau = data.qfrc_inverse
        reference = np.concatenate([tau[3:6], R.T @ tau[:3], tau[6:]])
        assert worst(form(robot, "inverse_dynamics", q, qd, qdd), reference) < LONG_CHAIN
        rated = evaluate(trace(robot.model, "inverse_dynamics_rates", Variant(order=0)), q, qd, qdd)
        assert worst(rated, reference) < LONG_CHAIN


def test_matrices_and_their_derivatives_follow(robot):
    q, qd, qdd, qddd = robot.random_state(1, order=3)
    M, g = form(robot, "mass_matrix", q), form(robot, "gravity_torque", q)
    C, tau = form(robot, "coriolis_matrix", q, qd), form(robot, "inverse_dynamics", q, qd, qdd)
    assert worst(M @ qdd + C @ qd + g, tau) < ROUNDING
    skew = form(robot, "mass_matrix_dot", q, qd) - 2 * C
    assert worst(skew, -skew.T) < ROUNDING
    for name, states in (
        ("coriolis_matrix", (q, qd)),
        ("coriolis_matrix_dot", (q, qd, qdd)),
        ("coriolis_matrix_ddot", (q, qd, qdd, qddd)),
    ):
        assert worst(form(robot, name, *states), form(robot, name, *states, closed=True)) < ROUNDING
    together = form(robot, "dynamic_matrices_dot", q, qd, qdd)
    assert worst(together[1], C) < ROUNDING
    assert worst(together[4], form(robot, "coriolis_matrix_dot", q, qd, qdd)) < ROUNDING
    h = 1e-6
    steps = h * np.eye(robot.nv)
    ahead, behind = (form(robot, "inverse_dynamics", q, qd + step, qdd) for step in (steps, -steps))
    by_qd = np.transpose(ahead - behind) / 2 / h
    assert worst(form(robot, "inverse_dynamics_dqd", q, qd, qdd), by_qd) < HALF_DIGITS
    tau_dot = evaluate(trace(robot.model, "inverse_dynamics_rates", Variant(order=1)), q, qd, qdd, qddd)[1]
    s = np.array([[h], [-h]])
    moved = robot.integrate(q, s * (qd + s * qdd / 2))
    ahead, behind = form(robot, "inverse_dynamics", moved, qd + s * qdd, qdd + s * qddd)
    assert worst(tau_dot, (ahead - behind) / 2 / h) < HALF_DIGITS


def test_forward_dynamics_undoes_inverse_dynamics(robot):
    q, qd, qdd = robot.random_state(2)
    tau = form(robot, "inverse_dynamics", q, qd, qdd)
    assert worst(form(robot, "forward_dynamics", q, qd, tau), qdd) < ROUNDING
