"""The methods in numbers, and how far the path stays from singularities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...redundancy import Contestant, Path
from ..curves import add_curve, panels
from ..figure import Figure, figure
from ..section import Section
from .path_study import RedundancyStudy


@dataclass(frozen=True)
class ComparisonFacts:
    """The contestants on a closed path, and the path by the proposed method with its measures."""

    rows: tuple[Contestant, ...]
    cycles: int
    criterion: str
    path: Path


def gather(study: RedundancyStudy) -> ComparisonFacts | None:
    """Return the comparison on a closed path, and the measures on any; None for a single target."""
    if len(study.path.q) < 2:
        return None
    rows = () if study.comparison is None else study.comparison.contestants
    return ComparisonFacts(rows, study.cycles, study.sense[0], study.path)


def draw(facts: ComparisonFacts) -> Mapping[str, Figure]:
    """Return the criterion, and the two measures that vanish at singularities."""
    measures = {
        facts.criterion: facts.path.value,
        "least curvature": facts.path.curvature,
        "regularity of J": facts.path.regularity,
    }
    plot = panels(list(measures), "target along the path", 0.05)
    for k, (name, values) in enumerate(measures.items()):
        add_curve(plot, np.arange(len(values)), values, name, k, row=k + 1, showlegend=False)
    plot.update_yaxes(rangemode="tozero")
    return {"measures": figure(plot, "Distance from singularities along the path", 520)}


SECTION = Section("ik_comparison", "Methods compared", gather, draw)
