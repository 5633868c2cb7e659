"""What the page of elastic joints is about: a robot on springs, its motions and its laws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...checks import finite, instance, one_each, real_array, small_number, whole_number
from ...elastic import (
    ComputedTorque,
    Control,
    Decoupling,
    ElasticJointRobot,
    Feedforward,
    Spread,
    StagedDecoupling,
)
from ...lazy import cached_property
from ...robot import Robot
from ...trajectory import Trajectory, cosine, polynomial
from ..labels import Label, turns, velocity_labels
from ..motions import CosineMotion, check_motion

TOOL_AT = (0.0, 0.0, 0.15)
"""Where the last body carries the tool and any payload, in its frame, m."""

TOOL_SIZE = 0.1
"""Radius of the tool, a ball, m."""

BEND = (0.6, 0.1)
"""How far joints are from the middle of their range during the move, rad and m; a stretched arm is
a posture without inertia about some of its axes."""

ENCODERS, SENSORS, FEEDFORWARD, RIGID, STAGED, STATIC = (
    "decoupling, encoders",
    "decoupling, torque sensors",
    "feedforward and motor PD",
    "rigid computed torque",
    "decoupling in stages",
    "feedforward without tau' and tau''",
)


@dataclass(frozen=True)
class ElasticStudy:
    """A robot with a tool on elastic joints; every section takes its facts from here.

    `stiffness` (N m/rad) and `motor_inertia` (kg m^2) are as seen at the joints; each, like
    `gear_ratio`, is one number or one per joint. `trajectory` is the motion that the page follows;
    without one, torque rates are those of cosines and the laws follow a septic move of one second.
    """

    robot: Robot
    stiffness: ArrayLike = 1e4
    motor_inertia: ArrayLike = 1.0
    gear_ratio: ArrayLike = 0.01
    tool: float = 3.0
    runs: int = 1000
    patience: float = 0.05
    trajectory: Trajectory | None = None

    def __post_init__(self) -> None:
        whole_number("elastic: runs", self.runs, 1)
        small_number("elastic: patience", self.patience, 60.0)
        small_number("elastic: tool", self.tool, 1e6)
        instance("elastic: robot", self.robot, Robot)
        for what in ("stiffness", "motor_inertia", "gear_ratio"):
            finite(f"elastic: {what}", real_array(f"elastic: {what}", getattr(self, what)))
        self._on_springs(self.robot, self.stiffness)  # says what is wrong before any work is done
        if self.trajectory is not None:
            check_motion("elastic", self.robot, self.trajectory, 4)

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.robot.name

    @cached_property
    def loaded(self) -> Robot:
        """The robot with its tool."""
        if not self.tool:
            return self.robot
        ball = 0.4 * self.tool * TOOL_SIZE**2 * np.eye(3)
        return self.robot.with_payload(self.tool, TOOL_AT, ball, self.robot.body_names[-1])

    @cached_property
    def elastic(self) -> ElasticJointRobot:
        """The robot on its springs."""
        return self.on_springs(self.stiffness)

    def on_springs(self, stiffness: ArrayLike | str) -> ElasticJointRobot:
        """Return the robot and its tool on other springs."""
        return self._on_springs(self.loaded, stiffness)

    def _on_springs(self, robot: Robot, stiffness: ArrayLike | str) -> ElasticJointRobot:
        ratio = one_each("elastic: gear_ratio", self.gear_ratio, robot.nv)
        inertia = one_each("elastic: motor_inertia", self.motor_inertia, robot.nv) * ratio**2
        return ElasticJointRobot(robot, stiffness, inertia, ratio, spring_at="link")

    @cached_property
    def cosines(self) -> CosineMotion:
        """The cosines: ranges, amplitudes and frequencies."""
        return CosineMotion(self.robot.model, 4.0)

    @cached_property
    def waves(self) -> Trajectory:
        """The motion for torque rates: every joint a cosine of its own frequency."""
        if self.trajectory is not None:
            return self.trajectory
        it = self.cosines
        return cosine(it.centre, it.amplitude, it.rate / (2 * np.pi), duration=it.duration)

    @cached_property
    def move(self) -> Trajectory:
        """The motion that the laws follow: a septic move of one second from rest to rest."""
        if self.trajectory is not None:
            return self.trajectory
        it = self.cosines
        rotating = np.concatenate([turns(body) for body in it.drivers])
        room = np.maximum(self.robot.upper_limits - it.centre, 0.0)
        bent = it.centre + np.minimum(np.where(rotating, *BEND), 0.5 * room)
        half = 0.7 * it.amplitude * (-1.0) ** np.arange(self.robot.nv)
        return polynomial(bent - half, bent + half, 1.0, degree=7)

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """Labels of the joints."""
        return velocity_labels(self.robot.model)

    def laws(self, robot: ElasticJointRobot, fast: float = 300.0, slow: float = 40.0) -> dict[str, Control]:
        """Return the laws compared: `fast` poles if links are fed back, `slow` at the motors."""
        pair = [-slow + slow * 1j, -slow - slow * 1j]
        return {
            SENSORS: Decoupling(robot, [-fast] * 4, torque_sensors=True),
            ENCODERS: Decoupling(robot, [-fast] * 4),
            FEEDFORWARD: Feedforward(robot, pair),
            RIGID: ComputedTorque(robot, [-slow, -slow]),
        }

    def other_laws(self, robot: ElasticJointRobot, slow: float = 40.0) -> dict[str, Control]:
        """Return laws that are not part of the robustness study."""
        return {
            STAGED: StagedDecoupling(robot, [-slow] * 2, [-4 * slow] * 2),
            STATIC: Feedforward(robot, [-slow + slow * 1j, -slow - slow * 1j], torque_rates=False),
        }

    @cached_property
    def sampled_laws(self) -> dict[str, Control]:
        """The laws at 1 kHz, of the nominal robot."""
        return self.laws(self.elastic)

    @cached_property
    def spreads(self) -> dict[str, Spread]:
        """What the plants may be off by, one cause at a time and all together."""
        return {
            "none": Spread(),
            "stiffness ±20 %": Spread(stiffness=0.2),
            "link inertias ±5 %": Spread(inertia=0.05),
            "payload to 1 kg": Spread(payload=1.0, payload_at=TOOL_AT),
            "all, motors ±5 % too": Spread(0.2, 0.05, 0.05, 1.0, TOOL_AT),
        }
