"""The motion that the dynamics is evaluated along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..curves import Panel, curves_by_joint
from ..figure import Figure
from ..labels import Label
from ..motions import PACE, REACH, CosineMotion, States
from ..section import Section
from .robot_study import Study


@dataclass(frozen=True)
class MotionFacts:
    """Samples of the motion with the names of their entries; `frequencies` [Hz] span those of cosines."""

    states: States
    coordinates: tuple[Label, ...]
    velocities: tuple[Label, ...]
    frequencies: tuple[float, float] | None
    reach: float = REACH
    pace: float = PACE

    @property
    def quaternions(self) -> bool:
        """Whether a joint moves on a rotation group."""
        return any(label.unit == "1" for label in self.coordinates)


def gather(study: Study) -> MotionFacts:
    """Return the motion as sampled."""
    span = None
    if isinstance(study.motion, CosineMotion):
        hertz = study.motion.rate / (2 * np.pi)
        span = float(hertz.min()), float(hertz.max())
    return MotionFacts(study.states, study.coordinates, study.velocities, span)


def draw(facts: MotionFacts) -> Mapping[str, Figure]:
    """Return q and qd over time."""
    panels = [
        Panel("q", facts.states.q, facts.coordinates),
        Panel("qd", facts.states.qd, facts.velocities, "/s"),
    ]
    return {"motion": curves_by_joint("Coordinates and velocities over time", facts.states.t, panels)}


SECTION = Section("motion", "Motion", gather, draw)
