"""Motions as tables that controllers read: a ROS 2 message, a URScript program."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from ...arrays import Array
from ...checks import number
from ...errors import ArgumentError
from ...robot import Robot
from ...trajectory import Harmonic
from ..joints import turning_joints

LOOKAHEAD, GAIN = (0.03, 0.2), (100.0, 2000.0)
"""What servoj accepts."""

UR_JOINTS = 6
"""Joints of a Universal Robots arm."""

DIGITS = 10
"""Decimals of coordinates: a tenth of a nanoradian."""


def ros_trajectory(joints: Sequence[str], motion: Harmonic, t: Array) -> str:
    """Return a motion as a trajectory_msgs/msg/JointTrajectory in YAML, one point per line in its JSON part.

    Time from the start is a builtin_interfaces/msg/Duration: whole seconds and nanoseconds.
    """
    q, qd, qdd = (np.round(x, DIGITS) + 0.0 for x in motion.derivatives(t, 2))
    lines = []
    for k, instant in enumerate(np.rint(t * 1e9).astype(np.int64)):
        sec, nanosec = divmod(int(instant), 1_000_000_000)
        point = {
            "positions": q[k].tolist(),
            "velocities": qd[k].tolist(),
            "accelerations": qdd[k].tolist(),
            "effort": [],
            "time_from_start": {"sec": sec, "nanosec": nanosec},
        }
        lines.append(json.dumps(point))
    names = json.dumps(list(joints), ensure_ascii=False)
    points = ",\n  ".join(lines)
    header = '{"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}'
    return f'{{\n"header": {header},\n"joint_names": {names},\n"points": [\n  {points}\n]}}\n'


def urscript(robot: Robot, motion: Harmonic, t: Array, rate: float, lookahead: float, gain: float) -> str:
    """Return a motion as a URScript program.

    servoj(q, a, v, t, lookahead_time, gain) with q in radians holds the arm for t seconds; a and v are not
    used by the controller. movej brings the arm to the first posture, stopj ends.
    """
    turning = turning_joints("urscript", robot)
    if len(turning) != UR_JOINTS or not all(turning.values()):
        raise ArgumentError(
            f"urscript: robot {robot.name!r} has {len(turning)} joints; expected an arm of six that turn"
        )
    for name, value, (low, high) in (("lookahead", lookahead, LOOKAHEAD), ("gain", gain, GAIN)):
        if not low <= number(f"urscript: {name}", value) <= high:
            raise ArgumentError(f"urscript: {name} is {value:g}; expected {low:g} to {high:g}")
    rows = ["[" + ", ".join(f"{x:.{DIGITS}f}" for x in row) + "]" for row in motion(t)]
    tail = f", 0, 0, {1 / rate:.6g}, {lookahead:.6g}, {gain:.6g})"
    return "\n".join(
        [
            "def excitation():",
            f"  # {len(rows)} postures at {rate:g} Hz; base, shoulder, elbow, wrist 1, 2, 3 in rad",
            f"  movej({rows[0]}, a=0.5, v=0.3)",
            "  sleep(1.0)",
            *(f"  servoj({row}{tail}" for row in rows[1:]),
            "  stopj(2.0)",
            "end",
            "",
        ]
    )
