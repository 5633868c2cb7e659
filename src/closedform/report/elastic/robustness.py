"""Monte-Carlo bands: laws of the nominal robot on plants that differ from it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...elastic import Decoupling, Robustness, monte_carlo, robustness_condition
from ..curves import add_curve, panels, powers_of_ten
from ..figure import PALETTE, Figure, figure, thinned
from ..section import Section
from .elastic_study import FEEDFORWARD, ElasticStudy

QUANTILES = (0.05, 0.5, 0.95)

CHECKED = 100
"""Most plants of each cause on which the robustness condition is evaluated."""


@dataclass(frozen=True)
class Cell:
    """One law under one cause: median and 95 % of the runs' largest errors, and runs that diverged."""

    median: float
    high: float
    diverged: int


@dataclass(frozen=True)
class Checked:
    """The robustness condition of decoupling under one cause, on the first of its plants.

    Of `plants`, on how many the condition holds, on how many the poles of the linearised loop are on the
    left all along the motion, how many runs stayed bounded, and on how many the condition held and the
    run did not. `margin` is the median gain around the loop.
    """

    plants: int
    holds: int
    stable: int
    bounded: int
    contradicted: int
    margin: float


@dataclass(frozen=True)
class RobustnessFacts:
    """Bands (3, n) of every law over time with all causes together, and a table of causes and laws.

    `seconds` is what the runs of one law took under all causes, per cause on average.
    """

    t: Array
    runs: int
    causes: tuple[str, ...]
    bands: Mapping[str, Array]
    cells: Mapping[tuple[str, str], Cell]
    conditions: Mapping[tuple[str, str], Checked]
    seconds: float
    example: bool

    @property
    def laws(self) -> tuple[str, ...]:
        """The laws."""
        return tuple(self.bands)

    @property
    def decoupled(self) -> tuple[str, ...]:
        """The laws that decouple, for which there is a condition."""
        return tuple(dict.fromkeys(law for _, law in self.conditions))

    @property
    def checked(self) -> int:
        """Plants of each cause on which the condition is evaluated."""
        return next(iter(self.conditions.values())).plants

    @property
    def contradicted(self) -> int:
        """Plants on which the condition held and the sampled run diverged all the same."""
        return sum(each.contradicted for each in self.conditions.values())

    @property
    def feedforward(self) -> float:
        """Median of feedforward's largest errors with all causes together."""
        return self.cells[self.causes[-1], FEEDFORWARD].median


def gather(study: ElasticStudy) -> RobustnessFacts:
    """Return one study per cause."""
    cells, bands, studies = {}, {}, {}
    laws = study.sampled_laws
    monte_carlo(laws, study.move, next(iter(study.spreads.values())), runs=1)  # compiles
    begin = time.perf_counter()
    for cause, spread in study.spreads.items():
        found = studies[cause] = monte_carlo(laws, study.move, spread, runs=study.runs)
        for law in laws:
            peaks = found.peaks(law)
            median, high = np.quantile(peaks, (0.5, 0.95), method="nearest")
            cells[cause, law] = Cell(float(median), float(high), int(np.isinf(peaks).sum()))
            bands[law] = found.bands(law, QUANTILES)
    taken = (time.perf_counter() - begin) / (len(study.spreads) * len(laws))
    conditions = {
        (cause, name): _checked(law, study, each, name)
        for cause, each in studies.items()
        for name, law in laws.items()
        if isinstance(law, Decoupling)
    }
    causes = tuple(study.spreads)
    return RobustnessFacts(
        found.t, study.runs, causes, bands, cells, conditions, taken, study.trajectory is None
    )


def _checked(law: Decoupling, study: ElasticStudy, runs: Robustness, name: str) -> Checked:
    """Return what the condition says of the first plants of a study, and what their runs did."""
    condition = robustness_condition(law, study.move, runs.parameters[:CHECKED])
    bounded = runs.bounded(name)[:CHECKED]
    return Checked(
        len(bounded),
        int(condition.holds.sum()),
        int(condition.stable.sum()),
        int(bounded.sum()),
        int(np.logical_and(condition.holds, np.logical_not(bounded)).sum()),
        float(np.median(condition.margins)),
    )


def draw(facts: RobustnessFacts) -> Mapping[str, Figure]:
    """Return the bands on a logarithmic scale."""
    keep = thinned(facts.t)[1:]
    t = facts.t[keep]
    plot = panels(["error of the worst joint [rad, m]"])
    for k, (law, band) in enumerate(facts.bands.items()):
        low, middle, high = (np.clip(each[keep], 1e-9, 1e3) for each in band)
        round_it, edge = np.concatenate([t, t[::-1]]), np.concatenate([high, low[::-1]])
        faint = _faint(PALETTE[k])
        add_curve(plot, t, middle, law, k, width=2, hover="%{y:.1e}")
        add_curve(plot, round_it, edge, law, k, width=0, fill="toself", fillcolor=faint, hoverinfo="skip")
    powers_of_ten(plot)
    return {"bands": figure(plot, "Monte-Carlo bands of the tracking error", 440)}


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.18)"


SECTION = Section("elastic_robustness", "Robustness", gather, draw)
