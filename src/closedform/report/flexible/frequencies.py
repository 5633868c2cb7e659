"""Natural frequencies of the whole arm: the links swing together, and the joint angles decide how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from ...arrays import Array
from ...flexible import FlexibleArm
from ..curves import add_curve, panels
from ..figure import Figure, figure
from ..section import Section
from .arm_study import FlexibleStudy

ANGLES = 91


@dataclass(frozen=True)
class FrequencyFacts:
    """Frequencies [Hz] of the arm with its joints free, and of its links each clamped.

    `free` (joints - 1, angles, modes) is over the angle of every joint but the first, which changes
    nothing; `straight` (modes,) is that of the straight arm. `names` are those of the clamped modes.
    """

    angle: Array
    free: Array
    straight: Array
    clamped: Array
    names: tuple[str, ...]

    @property
    def rows(self) -> tuple[tuple[str, float, float], ...]:
        """Every clamped mode with its frequency, and the free frequency of the same rank."""
        order = np.argsort(self.clamped)
        pairs = zip(order, np.sort(self.straight), strict=True)
        return tuple((self.names[k], float(self.clamped[k]), float(free)) for k, free in pairs)


def gather(study: FlexibleStudy) -> FrequencyFacts:
    """Return the frequencies of the pencil (K, B) at every angle of every joint."""
    arm = study.subject
    angle = np.linspace(0, np.pi, ANGLES)
    free = np.zeros((arm.joints - 1, ANGLES, arm.size - arm.joints))
    for joint in range(1, arm.joints):
        q = np.zeros((ANGLES, arm.size))
        q[:, joint] = angle
        free[joint - 1] = [_frequencies(arm, each) for each in q]
    names = tuple(
        f"clamped link {i + 1}, mode {j + 1}" for i, modes in enumerate(arm.modes) for j in range(len(modes))
    )
    straight = _frequencies(arm, np.zeros(arm.size))
    return FrequencyFacts(angle, free, straight, np.concatenate(arm.frequencies), names)


def _frequencies(arm: FlexibleArm, q: Array) -> Array:
    """Return those of the modes; the joints turn freely at frequency zero."""
    squares = eigh(arm.stiffness, arm.mass_matrix(q), eigvals_only=True)
    return np.asarray(np.sqrt(squares[arm.joints :]) / (2 * np.pi))


def draw(facts: FrequencyFacts) -> Mapping[str, Figure]:
    """Return the frequencies over the angle of each joint in turn; none for a one-link arm."""
    if not len(facts.free):
        return {}
    axis = "elbow angle [degrees]" if len(facts.free) == 1 else "angle of the joint [degrees]"
    plot = panels(["frequency [Hz]"], axis)
    for choice, curves in enumerate(facts.free):
        shown: dict[str, Any] = {"choice": choice, "hover": "%{y:.2f} Hz"}
        for k, (curve, clamped, name) in enumerate(zip(curves.T, facts.clamped, facts.names, strict=True)):
            add_curve(plot, np.degrees(facts.angle), curve, f"free arm, {k + 1}", k, width=2.2, **shown)
            add_curve(plot, [0, 180], [clamped, clamped], name, k, width=1.2, dash="dot", **shown)
    choices = [f"joint {k + 2}" for k in range(len(facts.free))]
    plot.update_xaxes(dtick=30)
    ticks = [digit * 10.0**power for power in range(-4, 6) for digit in (1, 2, 5)]
    plot.update_yaxes(type="log", tickvals=ticks)
    title = "Natural frequencies over a joint's angle"
    return {"frequencies": figure(plot, title, 420, choices if len(choices) > 1 else ())}


SECTION = Section("flexible_frequencies", "Frequencies", gather, draw)
