"""The decoupled robot against the chain of four integrators that it should be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...elastic import Decoupling, chain_motion, state_on, track
from ..curves import Panel, add_curve, curves_by_joint, panels, powers_of_ten
from ..figure import Figure, figure
from ..labels import Label
from ..section import Section
from .elastic_study import ElasticStudy

POLES = (-30.0, -35.0, -40.0, -45.0)
STEPS = (3.2e-3, 1.6e-3, 8e-4, 4e-4, 2e-4, 1e-4)
OFFSET = 0.02
"""How far the run starts off the trajectory, rad or m."""


@dataclass(frozen=True)
class ChainFacts:
    """A run from off the trajectory: its errors e = q - q_d (n, nv), and how far it is from the chain.

    `distances` (steps,) are the largest differences to the exact solution of the linear chain.
    """

    t: Array
    labels: tuple[Label, ...]
    errors: Array
    steps: Array
    distances: Array
    duration: float

    @property
    def order(self) -> float:
        """Order of convergence after the longest step, at which higher orders still show."""
        ratio = self.distances[1] / self.distances[2]
        return float(np.log(ratio) / np.log(self.steps[1] / self.steps[2]))

    @property
    def distance(self) -> float:
        """Distance at the shortest step."""
        return float(self.distances[-1])


def gather(study: ElasticStudy) -> ChainFacts:
    """Return closed loops simulated with several steps, and the exact chain."""
    robot, move = study.elastic, study.move
    control = Decoupling(robot, POLES)
    shift = OFFSET * np.cos(2.0 * np.arange(robot.nv))
    start = state_on(robot, move)
    start[: robot.nv] += shift
    start[2 * robot.nv : 3 * robot.nv] += shift / robot.drives.gear_ratio
    runs = [track(control, move, step=step, start=start, off_trajectory=True) for step in STEPS]
    distances = [np.abs(run.q - chain_motion(control, move, start, run.t)).max() for run in runs]
    last = runs[-1]
    return ChainFacts(last.t, study.labels, last.error, np.array(STEPS), np.array(distances), move.duration)


def draw(facts: ChainFacts) -> Mapping[str, Figure]:
    """Return the decaying errors, and the distance to the chain over the step."""
    errors = curves_by_joint("Errors of the joints", facts.t, [Panel("q − q_d", facts.errors, facts.labels)])
    plot = panels(["distance to the chain [rad, m]"], "step [s]")
    slope = facts.distances[0] * (facts.steps / facts.steps[0]) ** 4
    add_curve(plot, facts.steps, facts.distances, "simulated", 0, mode="lines+markers", hover="%{y:.1e}")
    add_curve(plot, facts.steps, slope, "slope 4", 7, dash="dot", hover="%{y:.1e}")
    plot.update_xaxes(type="log", exponentformat="power")
    powers_of_ten(plot)
    return {"errors": errors, "steps": figure(plot, "Distance to the exact chain over the step", 340)}


SECTION = Section("integrators", "Four integrators", gather, draw)
