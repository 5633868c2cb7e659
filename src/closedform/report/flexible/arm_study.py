"""What the page of flexible links is about: an arm and its motions."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from ...checks import instance, positive, sized_array
from ...errors import ArgumentError
from ...flexible import ArmMotion, FlexibleArm
from ...flexible.arm_motion import Torque
from ...lazy import cached_property
from .cases import Case, example_motions
from .paper_example import paper_cases

MOST_STEPS = 1_000_000
"""Steps of one motion."""


@dataclass(frozen=True)
class FlexibleStudy:
    """An arm and its motions; without an arm, the example of [DeLucaSiciliano1991].

    `start` (joint angles, then modes link by link) and `torque` (as `FlexibleArm.simulate` takes it)
    give the one motion to be shown; without both, the page shows examples that suit the arm.
    """

    arm: FlexibleArm | None = None
    start: ArrayLike | None = None
    torque: Torque = None
    duration: float = 2.0
    step: float = 1e-3

    def __post_init__(self) -> None:
        if self.arm is not None:
            instance("flexible: arm", self.arm, FlexibleArm)
        if self.start is not None:
            sized_array("flexible: start", self.start, (self.subject.size,))
        duration, step = positive("flexible: duration", self.duration), positive("flexible: step", self.step)
        if duration / step > MOST_STEPS:
            raise ArgumentError(
                f"flexible: duration is {duration:g}; expected at most {MOST_STEPS:,} steps of {step:g} s"
            )

    @property
    def name(self) -> str:
        """Heading of the page."""
        return "Two flexible links" if self.printed else self.subject.name

    @property
    def printed(self) -> bool:
        """Whether arm and motions are the paper's, whose constants are printed."""
        return self.arm is None and self.start is None and self.torque is None

    @cached_property
    def subject(self) -> FlexibleArm:
        """The arm: the given one, or the paper's without damping."""
        return FlexibleArm.deluca_siciliano() if self.arm is None else self.arm

    @cached_property
    def _simulated(self) -> tuple[tuple[Case, ArmMotion], ...]:
        if self.printed:
            cases = paper_cases(self.duration, self.step)
        elif self.start is None and self.torque is None:
            return tuple(example_motions(self.subject, self.duration, self.step))
        else:
            start = [0.0] * self.subject.size if self.start is None else self.start
            cases = (Case("the given motion", self.subject, start, self.torque),)
        return tuple((each, self._run(each)) for each in cases)

    def _run(self, case: Case) -> ArmMotion:
        return case.arm.simulate(case.start, None, case.torque, self.duration, self.step)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The motions to be shown."""
        return tuple(case for case, _ in self._simulated)

    @property
    def motions(self) -> tuple[ArmMotion, ...]:
        """The simulated motions of the cases."""
        return tuple(motion for _, motion in self._simulated)
