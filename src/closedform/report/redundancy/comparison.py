"""The methods in numbers, and how far the path stays from singularities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...redundancy import Contestant
from ..curves import add_curve, panels
from ..figure import Figure, figure
from ..section import Section
from .path_study import RedundancyStudy


@dataclass(frozen=True)
class ComparisonFacts:
    """The contestants, and along the path: the criterion, curvature along the self-motion, regularity."""

    rows: tuple[Contestant, ...]
    cycles: int
    criterion: str
    value: Array
    curvature: Array
    regularity: Array
    jumps: tuple[int, ...]
    singular: tuple[int, ...]


def gather(study: RedundancyStudy) -> ComparisonFacts | None:
    """Return the comparison on a closed path, and the measures on any; None for a single target."""
    path, found = study.path, study.comparison
    if len(path.q) < 2:
        return None
    return ComparisonFacts(
        () if found is None else found.contestants,
        study.cycles,
        study.sense[0],
        path.value,
        path.curvature,
        path.regularity,
        path.jumps,
        path.algorithmic_singularities,
    )


def draw(facts: ComparisonFacts) -> Mapping[str, Figure]:
    """Return the criterion, and the two measures that vanish at singularities."""
    measures = {
        facts.criterion: facts.value,
        "least curvature": facts.curvature,
        "regularity of J": facts.regularity,
    }
    plot = panels(list(measures), "target along the path", 0.05)
    for k, (name, values) in enumerate(measures.items()):
        add_curve(plot, np.arange(len(values)), values, name, k, row=k + 1, showlegend=False)
    plot.update_yaxes(rangemode="tozero")
    return {"measures": figure(plot, "Distance from singularities along the path", 520)}


SECTION = Section("ik_comparison", "Methods compared", gather, draw)
