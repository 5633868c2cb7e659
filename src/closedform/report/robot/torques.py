"""The torques of the motion, and what they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ..curves import Curve, Panel, curves_by_joint, one_joint_at_a_time
from ..figure import Figure, figure, thinned
from ..labels import Label, units
from ..section import Section
from .robot_study import Study


@dataclass(frozen=True)
class Effort:
    """How hard one joint works: peak, root mean square, and the limit of its drive."""

    label: Label
    peak: float
    rms: float
    limit: float

    @property
    def use(self) -> float:
        """Peak as a fraction of the limit; infinite without one."""
        return self.peak / self.limit if 0 < self.limit < np.inf else np.inf


@dataclass(frozen=True)
class TorqueFacts:
    """tau of inverse dynamics and its parts M qdd, C qd and g, all (n, nv)."""

    t: Array
    labels: tuple[Label, ...]
    tau: Array
    inertial: Array
    coriolis: Array
    gravity: Array
    limits: Array
    floating: bool

    @property
    def difference(self) -> float:
        """Largest |M qdd + C qd + g - tau|."""
        return float(np.abs(self.inertial + self.coriolis + self.gravity - self.tau).max())

    @property
    def relative_difference(self) -> float:
        """The same, relative to the largest part."""
        parts = (self.tau, self.inertial, self.coriolis, self.gravity)
        return self.difference / max(*(float(np.abs(part).max()) for part in parts), 1e-300)

    @property
    def efforts(self) -> tuple[Effort, ...]:
        """The work of every joint."""
        peak, rms = np.abs(self.tau).max(axis=0), np.sqrt(np.mean(self.tau**2, axis=0))
        return tuple(
            Effort(label, float(peak[k]), float(rms[k]), float(self.limits[k]))
            for k, label in enumerate(self.labels)
        )


def gather(study: Study) -> TorqueFacts | None:
    """Return torques by inverse dynamics and, separately, by the matrices."""
    robot, s = study.robot, study.states
    if not robot.model.has_inertia:
        return None
    return TorqueFacts(
        s.t,
        study.velocities,
        robot.kernel("inverse_dynamics")(s.q, s.qd, s.qdd),
        np.einsum("tij,tj->ti", robot.kernel("mass_matrix")(s.q), s.qdd),
        np.einsum("tij,tj->ti", robot.kernel("coriolis_matrix")(s.q, s.qd), s.qd),
        robot.kernel("gravity_torque")(s.q),
        robot.effort_limits,
        any(body.joint.floats for body in robot.model.bodies),
    )


def draw(facts: TorqueFacts) -> Mapping[str, Figure]:
    """Return the torques of all joints, and the parts of one joint at a time."""
    panel = Panel("tau", facts.tau, facts.labels, effort=True)
    torques = curves_by_joint("Torques over time", facts.t, [panel])
    return {"torques": torques, "parts": _parts(facts)}


def _parts(facts: TorqueFacts) -> Figure:
    keep = thinned(facts.t)
    curves = (
        Curve("tau", facts.tau[keep], 3, width=2.6),
        Curve("M qdd", facts.inertial[keep], 0),
        Curve("C qd", facts.coriolis[keep], 1),
        Curve("g", facts.gravity[keep], 2),
    )
    title = f"[{units([label.effort_unit for label in facts.labels])}]"
    plot = one_joint_at_a_time(facts.t[keep], facts.labels, curves, [title])
    return figure(plot, "Parts of the torque of one joint", 340, [label.text for label in facts.labels])


SECTION = Section("torques", "Torques", gather, draw)
