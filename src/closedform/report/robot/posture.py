"""The robot in 3D along the motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...scene import Scene
from ...scene.motion import SAMPLES
from ..section import Section
from .robot_study import Study

BODIES = 100
"""Beyond this many bodies a picture shows nothing."""


@dataclass(frozen=True)
class PostureFacts:
    """The robot along the motion, with the torques that it takes if it has inertias."""

    scene: Scene

    @property
    def tip(self) -> str:
        """Name of the frame whose path is shown."""
        return self.scene.marks.tool


def gather(study: Study) -> PostureFacts | None:
    """Return the robot along the motion, the poses of its bodies and its torques by its closed forms."""
    robot = study.robot
    if len(robot.model.bodies) > BODIES:
        return None
    frames = min(SAMPLES, study.samples)
    states = study.motion.at(np.linspace(0.0, study.duration, frames) if frames > 1 else np.zeros(1))
    tau = None
    if robot.model.has_inertia:
        tau = robot.kernel("inverse_dynamics")(states.q, states.qd, states.qdd)
    return PostureFacts(robot.scene(states.q, states.t, tau=tau))


SECTION = Section("posture", "In motion", gather)
