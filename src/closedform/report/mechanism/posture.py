"""The mechanism in 3D along the motion, all bodies."""

from __future__ import annotations

import numpy as np

from ...scene.motion import SAMPLES
from ..robot.posture import BODIES, PostureFacts
from ..section import Section
from .mechanism_study import MechanismStudy


def gather(study: MechanismStudy) -> PostureFacts | None:
    """Return the mechanism along the motion, with the torques that drive it."""
    robot = study.robot
    if len(robot.model.bodies) > BODIES:
        return None
    keep = np.unique(np.linspace(0, study.samples - 1, min(SAMPLES, study.samples)).astype(int))
    tau = np.zeros((len(keep), robot.model.tree.nv))
    tau[:, list(study.places)] = study.torques[keep]
    return PostureFacts(robot.tree.scene(study.all_joints[keep], study.states.t[keep], tau=tau))


SECTION = Section("posture", "In motion", gather)
