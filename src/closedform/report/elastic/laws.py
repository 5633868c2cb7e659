"""The laws: what each needs, what it costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...elastic import Control, natural_frequencies
from ...programs import Counts
from ..section import Section
from ..stopwatch import seconds_per_call
from .elastic_study import ENCODERS, FEEDFORWARD, RIGID, STAGED, STATIC, ElasticStudy

BATCH = 1000


@dataclass(frozen=True)
class Law:
    """A law: highest derivative of the reference, sensors, operations, seconds bound and in a batch."""

    name: str
    order: int
    sensors: str
    counts: Counts
    bound: float
    state: float


@dataclass(frozen=True)
class LawFacts:
    """The joints' springs, and the laws that drive them."""

    joints: int
    stiffness: str
    motor_inertia: str
    gear_ratio: str
    tool: float
    frequencies: tuple[float, float]
    laws: tuple[Law, ...]

    @property
    def slowest(self) -> float:
        """Seconds of the slowest bound evaluation."""
        return max(law.bound for law in self.laws)


SENSORS_OF = {
    ENCODERS: "links and motors",
    STAGED: "links and motors",
    FEEDFORWARD: "motors",
    STATIC: "motors",
    RIGID: "motors",
}


def gather(study: ElasticStudy) -> LawFacts:
    """Return counts and measured times of the laws at the start of the move."""
    robot = study.elastic
    frequencies = natural_frequencies(robot, study.move(np.linspace(0, study.move.duration, 20)))
    known = {**study.sampled_laws, **study.other_laws(robot)}
    laws = tuple(_timed(name, sensors, known[name], study) for name, sensors in SENSORS_OF.items())
    span = float(frequencies.min()), float(frequencies.max())
    return LawFacts(
        robot.nv,
        _span(study.stiffness),
        _span(study.motor_inertia),
        _span(study.gear_ratio),
        study.tool,
        span,
        laws,
    )


def _span(given: ArrayLike) -> str:
    """Return the one number, or the least and the largest."""
    low, high = float(np.min(given)), float(np.max(given))
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _timed(name: str, sensors: str, control: Control, study: ElasticStudy) -> Law:
    n, rng = study.robot.nv, np.random.default_rng(0)
    states = rng.uniform(-1, 1, (4, BATCH, n))
    reference = control.reference(study.move, np.linspace(0, study.move.duration, BATCH))
    q, qd, theta, thetad = (each[0].copy() for each in states)
    call = control.bind(q, qd, theta, thetad, reference[0].copy(), out=np.empty(n))
    bound = seconds_per_call(call, study.patience)
    whole = (states[0], states[1], states[2], states[3], reference)
    batch = seconds_per_call(lambda: control(*whole), study.patience) / BATCH
    return Law(name.partition(",")[0], control.order, sensors, control.kernel.counts, bound, batch)


SECTION = Section("elastic_laws", "Laws", gather)
