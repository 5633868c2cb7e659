"""An exciting motion, and what it uses of the limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ..curves import Panel, curves_by_joint
from ..figure import Figure
from ..labels import Label, velocity_labels
from ..section import Section
from .studies import ExcitationStudy

SHOWN = 12
"""Gaps that are listed, the smallest first."""


@dataclass(frozen=True)
class Use:
    """What one joint uses of its limits: (value, limit) pairs."""

    label: Label
    lowest: tuple[float, float]
    highest: tuple[float, float]
    velocity: tuple[float, float]
    acceleration: tuple[float, float]
    torque: tuple[float, float]

    @property
    def share(self) -> float:
        """The largest part of a limit that is used; a range counts from its middle."""
        middle, half = (self.highest[1] + self.lowest[1]) / 2, (self.highest[1] - self.lowest[1]) / 2
        reach = max(abs(self.lowest[0] - middle), abs(self.highest[0] - middle)) / half
        rates = (value / limit for value, limit in (self.velocity, self.acceleration, self.torque))
        return float(np.nanmax([reach, *rates]))


@dataclass(frozen=True)
class MotionFacts:
    """Samples of the motion and what it uses."""

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array | None
    labels: tuple[Label, ...]
    uses: tuple[Use, ...]
    period: float
    terms: int
    frames: tuple[str, ...]
    gaps: tuple[tuple[str, float], ...]
    clearance: float
    notes: tuple[str, ...]


def gather(study: ExcitationStudy) -> MotionFacts:
    """Return the motion as sampled, and the use of limits."""
    found = study.found
    t = np.linspace(0.0, found.trajectory.duration, 1001)
    q, qd, qdd = found.trajectory.derivatives(t, 2)
    labels = velocity_labels(found.robot.model)
    rows = found.table().items()
    uses = tuple(
        Use(label, **{name: (float(used[i]), float(limit[i])) for name, (used, limit) in rows})
        for i, label in enumerate(labels)
    )
    tau = found.robot.inverse_dynamics(q, qd, qdd) if found.robot.model.has_inertia else None
    terms, frames = len(found.trajectory.rates), tuple(found.bounds.workspace)
    gaps = tuple(found.gaps().items())[:SHOWN]
    least = 0.0 if found.bounds.clearances is None else found.bounds.clearances.least
    period = found.trajectory.duration
    return MotionFacts(t, q, qd, qdd, tau, labels, uses, period, terms, frames, gaps, least, found.notes)


def draw(facts: MotionFacts) -> Mapping[str, Figure]:
    """Return positions, velocities, accelerations and torques over time."""
    panels = [
        Panel("q", facts.q, facts.labels),
        Panel("qd", facts.qd, facts.labels, "/s"),
        Panel("qdd", facts.qdd, facts.labels, "/s²"),
    ]
    if facts.tau is not None:
        panels.append(Panel("tau", facts.tau, facts.labels, effort=True))
    return {"motion": curves_by_joint("One period of the motion", facts.t, panels)}


SECTION = Section("exciting_motion", "Motion and limits", gather, draw)
