"""The paper's example: its arm, its payloads and the motions of its figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...flexible import ArmMotion, FlexibleArm
from ...lazy import cached_property

PAYLOADS = {"no payload": (0.0, 0.0), "nominal payload": (0.1, 0.0005), "double payload": (0.2, 0.001)}
"""Mass and inertia of Figs. 2, 3 and 4 of [DeLucaSiciliano1991]."""

STRETCHED = (0.0, 0.0, 0.0, 0.0, 0.1, 0.002)
SQUARE = (0.0, np.pi / 2, 0.1, 0.002, 0.0, 0.0)
TORQUE = 0.2


@dataclass(frozen=True)
class Case:
    """A motion of the paper: its figure, what happens, the start, and whether links are damped."""

    figure: str
    title: str
    start: tuple[float, ...]
    damped: bool
    driven: bool = False


CASES = (
    Case("Fig. 5", "stretched arm, forearm bent", STRETCHED, damped=False),
    Case("Fig. 6", "right angle, upper arm bent", SQUARE, damped=False),
    Case("Fig. 7", "stretched arm, forearm bent, damped", STRETCHED, damped=True),
    Case("Fig. 8", "right angle, upper arm bent, damped", SQUARE, damped=True),
    Case("Fig. 9", "bang-bang torques", (0.0,) * 6, damped=False, driven=True),
    Case("Fig. 10", "bang-bang torques, damped", (0.0,) * 6, damped=True, driven=True),
)


@dataclass(frozen=True)
class FlexibleStudy:
    """The example with its duration and step."""

    duration: float = 2.0
    step: float = 1e-3

    @cached_property
    def arms(self) -> dict[bool, FlexibleArm]:
        """The arm with the nominal payload, undamped and damped."""
        return {damped: FlexibleArm.deluca_siciliano(damped=damped) for damped in (False, True)}

    @cached_property
    def motions(self) -> dict[str, ArmMotion]:
        """The motions of the figures."""
        return {case.figure: self.run(case) for case in CASES}

    def run(self, case: Case) -> ArmMotion:
        """Return the motion of a case."""
        torque = bang_bang(self.duration, self.step) if case.driven else None
        return self.arms[case.damped].simulate(case.start, None, torque, self.duration, self.step)


def bang_bang(duration: float, step: float) -> Array:
    """Return torques on both joints, held over steps: forwards to 0.5 s, backwards to 1 s, then none.

    The paper does not print the switching times; these are assumed.
    """
    steps = max(1, int(np.ceil(duration / step - 1e-6)))
    t = (np.arange(steps) + 0.5) * duration / steps
    each = np.where(t < 0.5, TORQUE, np.where(t < 1.0, -TORQUE, 0.0))
    return np.repeat(each[:, None], 2, axis=1)
