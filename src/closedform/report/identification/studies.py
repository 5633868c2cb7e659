"""What the pages of identification are about: a fitted robot, or an exciting motion."""

from __future__ import annotations

from dataclasses import dataclass

from ...checks import instance, text
from ...identification import Excitation, ExpectedErrors, Identification


@dataclass(frozen=True)
class IdentificationStudy:
    """A robot identified from a log; `source` says which log."""

    result: Identification
    source: str = "log"

    def __post_init__(self) -> None:
        instance("report: result", self.result, Identification, "what identify returns")
        text("report: source", self.source)

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.result.robot.name


@dataclass(frozen=True)
class ExcitationStudy:
    """A motion found to excite a robot's parameters, and the errors expected of it.

    `expected` is what `found.expected_errors` returns, by default for torque noise of 1 N m (or N).
    """

    found: Excitation
    expected: ExpectedErrors | None = None

    def __post_init__(self) -> None:
        instance("report: found", self.found, Excitation, "what excitation returns")
        if self.expected is not None:
            instance("report: expected", self.expected, ExpectedErrors, "what expected_errors returns")

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.found.robot.name
