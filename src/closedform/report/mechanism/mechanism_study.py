"""What a report about loops is about: a robot with loops and a motion that it can make."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...checks import instance, instances, number, whole_number
from ...errors import ArgumentError, ClosedFormError
from ...lazy import cached_property
from ...loops import AssemblyError, ClosedRobot
from ..labels import Label, torque_labels, velocity_labels
from ..motions import States

TURN, SHIFT = 0.4, 0.1
"""Largest amplitudes of joints, rad and m."""

HALVINGS = 12
"""How often amplitudes are halved until the motion stays within reach."""


@dataclass(frozen=True)
class MechanismStudy:
    """A robot with loops under study.

    Each independent joint of one degree of freedom follows a cosine around the posture in which the loops
    were closed, with amplitudes that can be reached. `notes` are doubts about the description.
    """

    robot: ClosedRobot
    duration: float = 4.0
    samples: int = 400
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        instance("report: robot", self.robot, ClosedRobot)
        if not self.robot.model.has_inertia:
            raise ClosedFormError(f"report: {self.robot.name!r} has no inertias, so that nothing drives it")
        if number("report: duration", self.duration) <= 0:
            raise ArgumentError(
                f"report: duration is {self.duration}; expected a time above zero, in seconds"
            )
        whole_number("report: samples", self.samples, 2, 100_000)
        instances("report: notes", self.notes, str, "texts")

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.robot.name

    @cached_property
    def _motion(self) -> tuple[States, Array]:
        model = self.robot.model
        bodies = [model.tree.bodies[k] for k in model.independent]
        A = np.concatenate(
            [np.where(each.joint.turns, TURN, SHIFT) * (each.joint.nv == 1) for each in bodies]
        )
        places = np.concatenate([np.full(each.joint.nv, each.joint.nv == 1) for each in bodies])
        own = np.concatenate([np.full(each.joint.nq, each.joint.nq == 1) for each in bodies])
        t = np.linspace(0.0, self.duration, self.samples)
        w = 2 * np.pi * (1 + np.arange(model.nv) / model.nv) / self.duration
        phase = t[:, None] * w
        for _ in range(HALVINGS):
            q = np.tile(self.robot.neutral(), (len(t), 1))
            q[:, own] += (A * np.cos(phase))[:, places]
            qd, qdd = -A * w * np.sin(phase), -A * w * w * np.cos(phase)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    x = self.robot.assemble(q)
            except AssemblyError:
                x = np.full((1, 1), np.nan)
            if np.isfinite(x).all():
                return States(t, q, qd, qdd), x
            A = A / 2
        raise ClosedFormError(f"report: no motion of {self.name!r} around its closed posture was found")

    @property
    def states(self) -> States:
        """The motion of the independent joints."""
        return self._motion[0]

    @property
    def all_joints(self) -> Array:
        """The coordinates of all joints along the motion (samples, n)."""
        return self._motion[1]

    @cached_property
    def torques(self) -> Array:
        """Torques of the actuated joints, or generalised forces if nobody drives some: (samples, forces)."""
        s = self.states
        form = self.robot.generalized_force if self.robot.model.undriven else self.robot.inverse_dynamics
        return np.asarray(form(self._given, s.qd, s.qdd))

    @property
    def places(self) -> tuple[int, ...]:
        """Where the torques act among the velocities of all joints."""
        model = self.robot.model
        return model.iv if model.undriven else model.av

    @property
    def _given(self) -> Array:
        return self.states.q if self.robot.model.explicit else self.all_joints

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """Labels of the torques."""
        return torque_labels(self.robot.model)

    @cached_property
    def coordinates(self) -> tuple[Label, ...]:
        """Labels of the independent velocities."""
        every = velocity_labels(self.robot.model.tree)
        return tuple(every[k] for k in self.robot.model.iv)
