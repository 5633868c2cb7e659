"""What a report is about: a robot, the motion it makes, and how much to measure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...checks import flag, instance, instances, number, small_number, whole_number
from ...errors import ArgumentError
from ...lazy import cached_property
from ...model.idle import refuse_still
from ...robot import Robot
from ...trajectory import Trajectory
from ..labels import Label, coordinate_labels, velocity_labels
from ..motions import CosineMotion, GivenMotion, States, check_motion

TIMED_GROUP = "dynamics"
"""The forms that the report compiles and times."""


@dataclass(frozen=True)
class Study:
    """A robot under study; every section takes its facts from here.

    `trajectory` is its motion, which then gives the duration; without one, every joint follows a
    cosine for `duration` seconds. `notes` are doubts about the description. `patience` is the time
    in seconds given to each timing, `batch` the number of states in one timed array, `pinocchio`
    whether to compare with it if it is installed.
    """

    robot: Robot
    duration: float = 4.0
    samples: int = 1000
    pinocchio: bool = True
    patience: float = 0.03
    batch: int = 10_000
    notes: tuple[str, ...] = ()
    trajectory: Trajectory | None = None

    def __post_init__(self) -> None:
        instance("report: robot", self.robot, Robot)
        refuse_still(self.robot.model, "report")
        if self.trajectory is not None:
            check_motion("report", self.robot, self.trajectory, 2)
            object.__setattr__(self, "duration", self.trajectory.duration)
        if number("report: duration", self.duration) <= 0:
            raise ArgumentError(
                f"report: duration is {self.duration}; expected a time above zero, in seconds"
            )
        whole_number("report: samples", self.samples, 2, 100_000)
        flag("report: pinocchio", self.pinocchio)
        small_number("report: patience", self.patience, 60.0)
        whole_number("report: batch", self.batch, 1, 10**7)
        instances("report: notes", self.notes, str, "texts")

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.robot.name

    @cached_property
    def motion(self) -> CosineMotion | GivenMotion:
        """The motion of the robot."""
        if self.trajectory is not None:
            return GivenMotion(self.trajectory)
        return CosineMotion(self.robot.model, self.duration)

    @cached_property
    def states(self) -> States:
        """The motion at `samples` instants from 0 to `duration`."""
        return self.motion.at(np.linspace(0.0, self.duration, self.samples))

    @cached_property
    def coordinates(self) -> tuple[Label, ...]:
        """Labels of q."""
        return coordinate_labels(self.robot.model)

    @cached_property
    def velocities(self) -> tuple[Label, ...]:
        """Labels of qd, qdd and tau."""
        return velocity_labels(self.robot.model)
