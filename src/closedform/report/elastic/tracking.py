"""Tracking errors: laws that know the springs, and the rigid robot's law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...elastic import Tracking, track
from ...scene import Scene
from ...scene.motion import SAMPLES
from ...trajectory import polynomial
from ..curves import add_curve, panels, powers_of_ten
from ..figure import Figure, figure, thinned
from ..section import Section
from .elastic_study import ENCODERS, FEEDFORWARD, RIGID, STATIC, ElasticStudy

FACTORS = (0.5, 1.0, 2.0)
"""Stiffnesses, as multiples of the study's."""

SHOWN = 0.25
"""Deflection of a spring, rad or m, that the largest one is magnified to in the picture."""

STEP = 1e-4
FAST = 40.0
"""Poles of the decoupled loop in continuous time, rad/s."""


@dataclass(frozen=True)
class Tracked:
    """One law at one stiffness, in words: the worst joint's error over time (n,)."""

    law: str
    stiffness: str
    size: Array

    @property
    def worst(self) -> float:
        """The largest error."""
        return float(self.size.max())


@dataclass(frozen=True)
class TrackingFacts:
    """Runs of several laws at several stiffnesses with an exact model.

    `scene` is the robot under the decoupling law at the study's own stiffness, and as a ghost where its
    motors are: off the links by `magnification` times as much as they are.
    """

    t: Array
    runs: tuple[Tracked, ...]
    scene: Scene
    magnification: float

    def worst(self, law: str, stiffness: str) -> float:
        """Return the largest error of a law at a stiffness."""
        return next(run.worst for run in self.runs if (run.law, run.stiffness) == (law, stiffness))

    @property
    def laws(self) -> tuple[str, ...]:
        """The laws."""
        return tuple(dict.fromkeys(run.law for run in self.runs))

    @property
    def stiffnesses(self) -> tuple[str, ...]:
        """The stiffnesses."""
        return tuple(dict.fromkeys(run.stiffness for run in self.runs))

    def span(self, law: str) -> tuple[float, float]:
        """Return the least and the largest error of a law over the stiffnesses."""
        errors = [self.worst(law, k) for k in self.stiffnesses]
        return min(errors), max(errors)

    @property
    def rigid(self) -> tuple[float, float]:
        """Errors of the rigid law."""
        return self.span(RIGID)

    @property
    def feedforward(self) -> tuple[float, float]:
        """Errors of feedforward, which knows the springs."""
        return self.span(FEEDFORWARD)

    @property
    def static(self) -> tuple[float, float]:
        """Errors of feedforward that takes the torques for constant."""
        return self.span(STATIC)

    @property
    def ratio(self) -> float:
        """Least ratio of the rigid law's error to that of feedforward."""
        return min(self.worst(RIGID, k) / self.worst(FEEDFORWARD, k) for k in self.stiffnesses)


def gather(study: ElasticStudy) -> TrackingFacts:
    """Return runs in continuous time; the stiffness is an input, so one loop of each law serves all."""
    robot = study.on_springs("variable")
    laws = {**study.laws(robot, fast=FAST), **study.other_laws(robot)}
    runs = []
    for factor in FACTORS:
        stiffness = factor * np.asarray(study.stiffness)
        words = f"{float(stiffness):g} N m/rad" if not stiffness.ndim else f"{factor:g} times"
        shaft = np.broadcast_to(stiffness * np.asarray(study.gear_ratio) ** 2, robot.nv)
        steady = polynomial(shaft, shaft, study.move.duration)
        for law in (ENCODERS, FEEDFORWARD, STATIC, RIGID):
            run = track(laws[law], study.move, stiffness=steady, step=STEP)
            if (law, factor) == (ENCODERS, 1.0):
                scene, magnification = _sides(study, run)
            runs.append(Tracked(law.partition(",")[0], words, np.abs(run.error).max(axis=-1)))
    return TrackingFacts(run.t, tuple(runs), scene, magnification)


def _sides(study: ElasticStudy, run: Tracking) -> tuple[Scene, float]:
    """Return links and motors of a run in 3D, and how much farther apart they are drawn."""
    nv, ratio = study.robot.nv, study.elastic.drives.gear_ratio
    keep = thinned(run.t, SAMPLES)
    q, theta = run.q[keep], run.x[keep, 2 * nv : 3 * nv]
    springs = theta * ratio - q
    factor = max(1.0, float(f"{SHOWN / max(float(np.abs(springs).max()), 1e-12):.1g}"))
    scene = study.loaded.scene(q, run.t[keep], tau=run.u[keep] / ratio, ghost=q + factor * springs)
    return scene, factor


def draw(facts: TrackingFacts) -> Mapping[str, Figure]:
    """Return the errors over time on a logarithmic scale, one stiffness at a time."""
    keep = thinned(facts.t)
    plot = panels(["error of the worst joint [rad, m]"])
    for run in facts.runs:
        size = np.maximum(run.size[keep], 1e-17)
        colour, choice = facts.laws.index(run.law), facts.stiffnesses.index(run.stiffness)
        add_curve(plot, facts.t[keep], size, run.law, colour, choice=choice, width=2, hover="%{y:.1e}")
    powers_of_ten(plot)
    return {"errors": figure(plot, "Tracking errors with an exact model", 380, facts.stiffnesses)}


SECTION = Section("elastic_tracking", "Tracking", gather, draw)
