"""Motions that show how an arm bends: links let go of when bent, and torques that switch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...flexible import FlexibleArm
from ...flexible.arm_motion import Torque

BENT = 0.05
"""Deflection of a bent link's end over its length; also what switching torques are meant to cause."""

TURN = 0.5
"""Most that switching torques turn each joint of a rigid arm [rad]."""


@dataclass(frozen=True)
class Case:
    """A motion to simulate: what happens, the arm, its start and its torques; `figure` is the paper's."""

    title: str
    arm: FlexibleArm
    start: ArrayLike
    torque: Torque = None
    figure: str = ""

    @property
    def label(self) -> str:
        """The figure of the paper, if it is one, and what happens in it."""
        return f"{self.figure}: {self.title}" if self.figure else self.title

    @property
    def free(self) -> bool:
        """Whether neither torques nor damping act, so that the energy must stay."""
        return self.torque is None and not self.arm.damping.any()


def example_cases(arm: FlexibleArm, duration: float, step: float) -> tuple[Case, ...]:
    """Return motions for any arm: its last link bent, its first link bent, and switching torques.

    The arm starts straight, hanging if there is gravity.
    """
    rest = np.zeros(arm.size)
    x, y = arm.gravity
    rest[0] = np.arctan2(y, x)
    last = arm.joints - 1
    cases = [Case("straight arm, last link bent" if last else "link bent", arm, _bent(arm, rest, last))]
    if last:
        square = rest.copy()
        square[1] = np.pi / 2
        cases.append(Case("right angle at joint 2, first link bent", arm, _bent(arm, square, 0)))
    cases.append(Case("bang-bang torques", arm, rest, _switching(arm, rest, duration, step)))
    return tuple(cases)


def _bent(arm: FlexibleArm, rest: Array, link: int) -> Array:
    """Return the posture with a link bent by `BENT` in its first mode."""
    q = rest.copy()
    q[arm.model.parts[link].start] = BENT * arm.links[link].length / arm.modes[link][0].tip
    return q


def _switching(arm: FlexibleArm, rest: Array, duration: float, step: float) -> Array:
    """Return torques that turn a rigid arm by `TURN`, or by less if its slowest link would bend too far."""
    switch = duration / 4
    slowest = 2 * np.pi * min(float(each[0]) for each in arm.frequencies)
    acceleration = min(TURN / switch**2, BENT * slowest**2)
    inertia = arm.mass_matrix(rest)[: arm.joints, : arm.joints]
    return bang_bang(inertia @ np.full(arm.joints, acceleration), switch, duration, step)


def bang_bang(torque: ArrayLike, switch: float, duration: float, step: float) -> Array:
    """Return torques held over steps: forwards up to `switch`, as long backwards, then none."""
    steps = max(1, int(np.ceil(duration / step - 1e-6)))
    t = (np.arange(steps) + 0.5) * duration / steps
    sign = np.where(t < switch, 1.0, np.where(t < 2 * switch, -1.0, 0.0))
    held: Array = sign[:, None] * np.asarray(torque, dtype=float)
    return held
