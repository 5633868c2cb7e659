"""Every form against Pinocchio on the models of example-robot-data, 100 random states each."""

from __future__ import annotations

import numpy as np
import pytest

import closedform as cf
from basic_forms import BASIC
from closedform.forms import Variant
from closedform.programs import evaluate, trace
from oracles.pinocchio_peer import Peer, robot_data
from tolerances import ROUNDING, worst

STATES = 100
FIXED_BASE = {
    "ur_description/urdf/ur5_robot.urdf",
    "ur_description/urdf/ur10_robot.urdf",
    "ur_description/urdf/ur3_gripper.urdf",
    "panda_description/urdf/panda.urdf",
    "kinova_description/robots/kinova.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "z1_description/urdf/z1.urdf",
    "so_arm_description/urdf/so101.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "finger_edu_description/robots/finger_edu.urdf",
    "asr_twodof_description/urdf/TwoDofs.urdf",
    "bravo7_description/urdf/bravo7_no_ee.urdf",
    "talos_data/robots/talos_left_arm.urdf",
    "tiago_description/robots/tiago_no_hand.urdf",
    "baxter_description/urdf/baxter.urdf",
}
FLOATING_BASE = {
    "a1_description/urdf/a1.urdf",
    "b1_description/urdf/b1-z1.urdf",
    "go2_description/urdf/go2.urdf",
    "laikago_description/urdf/laikago.urdf",
    "solo_description/robots/solo12.urdf",
    "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "bolt_description/robots/bolt.urdf",
    "iris_description/robots/iris.urdf",
    "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
    "borinot_description/urdf/borinot_flying_arm_2.urdf",
    "talos_data/robots/talos_reduced.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "romeo_description/urdf/romeo_small.urdf",
    "simple_humanoid_description/urdf/simple_humanoid.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "pr2_description/urdf/pr2.urdf",
    "centauro_description/urdf/centauro.urdf",
}
FIXED_BASE, FLOATING_BASE = (
    {path for path in models if (robot_data() / path).exists()} for models in (FIXED_BASE, FLOATING_BASE)
)  # which models example-robot-data holds changes from release to release
NO_PEER = {"jacobian_ddot", "mass_matrix_inverse"}
"""Pinocchio has no second derivative of a Jacobian (`test_kinematics_theory` checks it), and its M^-1 loses
digits where links are light (`test_forces_pinocchio`)."""


def test_enough_models_are_compared():
    assert len(FIXED_BASE | FLOATING_BASE) >= 30


@pytest.mark.parametrize("path", sorted(FIXED_BASE | FLOATING_BASE))
def test_every_form_agrees_with_pinocchio(path):
    floating = path in FLOATING_BASE
    robot = cf.load(robot_data() / path, floating_base=floating)
    peer = Peer(robot_data() / path, robot, floating)
    rng = np.random.default_rng(0)
    q, qd, qdd = robot.random_state(rng, batch=STATES)
    inputs = {
        "q": q,
        "qd": qd,
        "qdd": qdd,
        "tau": 10 * qdd,
        "wrenches": rng.normal(size=(STATES, len(robot.body_names), 6)),
    }
    for name, form in BASIC.items():
        if name in NO_PEER:
            continue
        frame = robot.body_names[-1] if form.framed else None
        arrays = [inputs[each] for each in form.inputs]
        ours = evaluate(trace(robot.model, name, Variant(frame), closed=False), *arrays)
        extra = [frame] if frame else []
        if name == "coriolis_matrix":
            ours = np.einsum("bij,bj->bi", ours, qd)
            theirs = [peer.coriolis_force(*state) for state in zip(*arrays, strict=True)]
        else:
            theirs = [getattr(peer, name)(*state, *extra) for state in zip(*arrays, strict=True)]
        scale = 1.0 if name in ("jacobian_dot", "potential_energy") else 0.0
        assert worst(ours, np.array(theirs), scale) < ROUNDING, name
