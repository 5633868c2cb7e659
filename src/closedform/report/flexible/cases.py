"""Motions that show how an arm bends: links let go of when bent, and torques that switch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...flexible import ArmMotion, DefinitenessError, FlexibleArm
from ...flexible.arm_motion import Torque

BENT = 0.05
"""Deflection of a bent link's end over its length; also what switching torques are meant to cause."""

HALVINGS = 6
"""How many times smaller bends are tried, each half of the one before."""

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


def example_motions(arm: FlexibleArm, duration: float, step: float) -> Iterator[tuple[Case, ArmMotion]]:
    """Yield motions for any arm: its last link bent, its first link bent, and switching torques.

    The arm starts straight, hanging if there is gravity. Each motion bends the links as far as the
    linearised model allows, by `BENT` or by a half, a quarter, ... of it; one for which even little
    is too much is left out, unless it is the only one.
    """
    examples = [_last_link_bent, _switching]
    if arm.joints > 1:
        examples.insert(1, _first_link_bent)
    shown = 0
    for example in examples:
        for halving in range(HALVINGS):
            case = example(arm, BENT * 0.5**halving, duration, step)
            try:
                motion = arm.simulate(case.start, None, case.torque, duration, step)
            except DefinitenessError:
                if halving == HALVINGS - 1 and example is examples[-1] and not shown:
                    raise
            else:
                shown += 1
                yield case, motion
                break


def _rest(arm: FlexibleArm) -> Array:
    """Return the straight arm at rest, along gravity."""
    q = np.zeros(arm.size)
    x, y = arm.gravity
    q[0] = np.arctan2(y, x)
    return q


def _bent(arm: FlexibleArm, q: Array, link: int, bend: float) -> Array:
    """Return a posture with a link's end off by `bend` times its length, in its first mode."""
    bent = q.copy()
    bent[arm.model.parts[link].start] = bend * arm.links[link].length / arm.modes[link][0].tip
    return bent


def _last_link_bent(arm: FlexibleArm, bend: float, duration: float, step: float) -> Case:
    last = arm.joints - 1
    return Case(
        "straight arm, last link bent" if last else "link bent", arm, _bent(arm, _rest(arm), last, bend)
    )


def _first_link_bent(arm: FlexibleArm, bend: float, duration: float, step: float) -> Case:
    square = _rest(arm)
    square[1] = np.pi / 2
    return Case("right angle at joint 2, first link bent", arm, _bent(arm, square, 0, bend))


def _switching(arm: FlexibleArm, bend: float, duration: float, step: float) -> Case:
    """Return torques that turn a rigid arm by `TURN`, or by less if its slowest link would bend too far."""
    rest, switch = _rest(arm), duration / 4
    slowest = 2 * np.pi * min(float(each[0]) for each in arm.frequencies)
    acceleration = min(TURN / switch**2, bend * slowest**2)
    inertia = arm.mass_matrix(rest)[: arm.joints, : arm.joints]
    torque = bang_bang(inertia @ np.full(arm.joints, acceleration), switch, duration, step)
    return Case("bang-bang torques", arm, rest, torque)


def bang_bang(torque: ArrayLike, switch: float, duration: float, step: float) -> Array:
    """Return torques held over steps: forwards up to `switch`, as long backwards, then none."""
    steps = max(1, int(np.ceil(duration / step - 1e-6)))
    t = (np.arange(steps) + 0.5) * duration / steps
    sign = np.where(t < switch, 1.0, np.where(t < 2 * switch, -1.0, 0.0))
    held: Array = sign[:, None] * np.asarray(torque, dtype=float)
    return held
