"""Monte-Carlo bands: laws of the nominal robot on plants that differ from it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...elastic import monte_carlo
from ..curves import add_curve, panels, powers_of_ten
from ..figure import PALETTE, Figure, figure, thinned
from ..section import Section
from .elastic_study import FEEDFORWARD, ElasticStudy

QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class Cell:
    """One law under one cause: median and 95 % of the runs' largest errors, and runs that diverged."""

    median: float
    high: float
    diverged: int


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
    seconds: float
    example: bool

    @property
    def laws(self) -> tuple[str, ...]:
        """The laws."""
        return tuple(self.bands)

    @property
    def feedforward(self) -> float:
        """Median of feedforward's largest errors with all causes together."""
        return self.cells[self.causes[-1], FEEDFORWARD].median


def gather(study: ElasticStudy) -> RobustnessFacts:
    """Return one study per cause."""
    cells, bands = {}, {}
    laws = study.sampled_laws
    monte_carlo(laws, study.move, next(iter(study.spreads.values())), runs=1)  # compiles
    begin = time.perf_counter()
    for cause, spread in study.spreads.items():
        found = monte_carlo(laws, study.move, spread, runs=study.runs)
        for law in laws:
            peaks = found.peaks(law)
            median, high = np.quantile(peaks, (0.5, 0.95), method="nearest")
            cells[cause, law] = Cell(float(median), float(high), int(np.isinf(peaks).sum()))
            bands[law] = found.bands(law, QUANTILES)
    taken = (time.perf_counter() - begin) / (len(study.spreads) * len(laws))
    return RobustnessFacts(
        found.t, study.runs, tuple(study.spreads), bands, cells, taken, study.trajectory is None
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
