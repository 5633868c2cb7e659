"""Models of example-robot-data that tests compare with Pinocchio; what it holds changes between releases."""

from __future__ import annotations

from oracles.pinocchio_peer import robot_data


def present(*paths: str) -> frozenset[str]:
    """Return the paths that the installed release holds."""
    return frozenset(path for path in paths if (robot_data() / path).exists())


ARMS = present(
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
)
"""Small robots with a fixed base."""

FLOATING = present(
    "a1_description/urdf/a1.urdf",
    "go2_description/urdf/go2.urdf",
    "solo_description/robots/solo12.urdf",
    "bolt_description/robots/bolt.urdf",
    "iris_description/robots/iris.urdf",
    "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
    "borinot_description/urdf/borinot_flying_arm_2.urdf",
)
"""Small robots with a floating base."""

SMALL = sorted(ARMS | FLOATING)

FIXED_BASE = ARMS | present("baxter_description/urdf/baxter.urdf")
FLOATING_BASE = FLOATING | present(
    "b1_description/urdf/b1-z1.urdf",
    "laikago_description/urdf/laikago.urdf",
    "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "romeo_description/urdf/romeo_small.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "pr2_description/urdf/pr2.urdf",
    "centauro_description/urdf/centauro.urdf",
)
"""Robots of any size."""
