"""Natural frequencies of the whole arm: the links swing together, and the joint angles decide how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

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
    `followed` and `constant` have, for the link before each of these joints, (angles, modes): the modes
    computed anew in every posture, and what the constant modes of the equations make of them.
    """

    angle: Array
    free: Array
    straight: Array
    clamped: Array
    names: tuple[str, ...]
    followed: tuple[Array, ...]
    constant: tuple[Array, ...]

    @property
    def apart(self) -> float:
        """Largest relative difference of the constant modes' frequencies."""
        pairs = zip(self.followed, self.constant, strict=True)
        return max(float(np.abs(one / two - 1).max()) for two, one in pairs)

    @property
    def rows(self) -> tuple[tuple[str, float, float], ...]:
        """Every clamped mode with its frequency, and the free frequency of the same rank."""
        order = np.argsort(self.clamped)
        pairs = zip(order, np.sort(self.straight), strict=True)
        return tuple((self.names[k], float(self.clamped[k]), float(free)) for k, free in pairs)


def gather(study: FlexibleStudy) -> FrequencyFacts:
    """Return the frequencies of the arm and of its clamped links at every angle of every joint."""
    arm = study.subject
    angle = np.linspace(0, np.pi, ANGLES)
    free = np.zeros((arm.joints - 1, ANGLES, arm.size - arm.joints))
    for joint in range(1, arm.joints):
        q = np.zeros((ANGLES, arm.joints))
        q[:, joint] = angle
        free[joint - 1] = arm.natural_frequencies(q)
    names = tuple(
        f"clamped link {i + 1}, mode {j + 1}" for i, modes in enumerate(arm.modes) for j in range(len(modes))
    )
    straight = arm.natural_frequencies(np.zeros(arm.joints))
    links = [_followed(arm, joint, angle) for joint in range(1, arm.joints)]
    followed, constant = zip(*links, strict=True) if links else ((), ())
    return FrequencyFacts(angle, free, straight, np.concatenate(arm.frequencies), names, followed, constant)


def _followed(arm: FlexibleArm, joint: int, angle: Array) -> tuple[Array, Array]:
    """Return the frequencies of the link before a joint, all beyond it rigid, over the joint's angle."""
    postures = angle[:, None] * np.eye(arm.joints)[joint]
    modes = [arm.modes_at(posture)[joint - 1].stacked("frequency") for posture in postures]
    n, part = arm.joints, arm.model.parts[joint - 1]
    q = np.pad(postures, ((0, 0), (0, arm.size - n)))
    return np.array(modes), arm.following_modes(q).frequencies[:, part.start - n : part.stop - n]


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
    several = len(facts.free) > 1
    choices = [f"joint {k + 2}" for k in range(len(facts.free))] if several else ()
    plot.update_xaxes(dtick=30)
    ticks = [digit * 10.0**power for power in range(-4, 6) for digit in (1, 2, 5)]
    plot.update_yaxes(type="log", tickvals=ticks)
    title = "Natural frequencies over a joint's angle"
    return {
        "frequencies": figure(plot, title, 420, choices),
        "followed": figure(
            _drawn(facts, axis), "Frequencies of a clamped link over the next angle", 380, choices
        ),
    }


def _drawn(facts: FrequencyFacts, axis: str) -> Any:
    plot = panels(["frequency [Hz]"], axis)
    angle = np.degrees(facts.angle)
    for choice, (followed, constant) in enumerate(zip(facts.followed, facts.constant, strict=True)):
        for k, (one, two) in enumerate(zip(followed.T, constant.T, strict=True)):
            shown: dict[str, Any] = {"choice": choice, "hover": "%{y:.4f} Hz"}
            add_curve(plot, angle, one, f"mode {k + 1} of the posture", k, width=2.2, **shown)
            add_curve(plot, angle, two, f"constant modes, {k + 1}", k, width=1.2, dash="dot", **shown)
    plot.update_xaxes(dtick=30)
    return plot


SECTION = Section("flexible_frequencies", "Frequencies", gather, draw)
