"""The torques of the actuated joints along the motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ..curves import Panel, curves_by_joint
from ..figure import Figure
from ..labels import Label
from ..section import Section
from .mechanism_study import MechanismStudy


@dataclass(frozen=True)
class DriveFacts:
    """The motion of the independent joints and the torques of the actuated ones.

    If nobody drives the joints `undriven`, tau are the generalised forces of all independent ones.
    `difference` is the largest one of qdd from what forward dynamics finds, relative to its largest entry.
    """

    t: Array
    qd: Array
    tau: Array
    coordinates: tuple[Label, ...]
    labels: tuple[Label, ...]
    difference: float
    undriven: tuple[str, ...] = ()

    @property
    def efforts(self) -> tuple[tuple[Label, float, float], ...]:
        """Peak and root mean square of each drive."""
        peak, rms = np.abs(self.tau).max(axis=0), np.sqrt(np.mean(self.tau**2, axis=0))
        return tuple((label, float(peak[k]), float(rms[k])) for k, label in enumerate(self.labels))


def gather(study: MechanismStudy) -> DriveFacts:
    """Return the torques of the drives, and how well forward dynamics gives the motion back."""
    s, robot = study.states, study.robot
    q = s.q if robot.model.explicit else study.all_joints
    if robot.model.undriven:
        idle = np.asarray(robot.forward_dynamics(q, s.qd, np.zeros((len(s.t), len(robot.model.av)))))
        pushed = np.linalg.solve(np.asarray(robot.mass_matrix(q)), study.torques[..., None])
        back = idle + pushed[..., 0]
    else:
        back = np.asarray(robot.forward_dynamics(q, s.qd, study.torques))
    largest = max(float(np.abs(s.qdd).max()), 1e-300)
    difference = float(np.abs(back - s.qdd).max()) / largest
    return DriveFacts(
        s.t,
        s.qd,
        study.torques,
        study.coordinates,
        study.labels,
        difference,
        robot.model.undriven_names,
    )


def draw(facts: DriveFacts) -> Mapping[str, Figure]:
    """Return the velocities of the independent joints and the torques of the drives."""
    shown = [
        Panel("qd", facts.qd, facts.coordinates, "/s"),
        Panel("tau", facts.tau, facts.labels, effort=True),
    ]
    return {"torques": curves_by_joint("Drive torques over time", facts.t, shown)}


SECTION = Section("mechanism_torques", "Drive torques", gather, draw)
