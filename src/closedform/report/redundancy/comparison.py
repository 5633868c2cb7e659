"""The methods in numbers, what each costs, and how far the path stays from singularities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...redundancy import Contestant, Effort, Path, effort
from ...redundancy.compare import CORRECTED
from ..curves import add_curve, panels
from ..figure import Figure, figure
from ..section import Section
from .path_study import GAIN, RedundancyStudy


@dataclass(frozen=True)
class ComparisonFacts:
    """The contestants on a closed path, their operations, and the proposed method's path with its measures.

    `start_error` is how far the given start is from the first target, in metres and radians; `gain`,
    `time_step`, `substeps` and `correction` are those of resolved motion.
    """

    rows: tuple[Contestant, ...]
    effort: Effort
    cycles: int
    criterion: str
    start_error: float
    gain: float
    time_step: float
    substeps: int
    correction: float
    path: Path


def gather(study: RedundancyStudy) -> ComparisonFacts | None:
    """Return the comparison on a closed path, and the measures on any; None for a single target."""
    if len(study.path.q) < 2:
        return None
    found = study.comparison
    return ComparisonFacts(
        () if found is None else found.contestants,
        effort(study.arm, study.route.task, study.best),
        study.cycles,
        study.sense[0],
        0.0 if found is None else found.start_error,
        GAIN,
        study.between,
        study.substeps,
        CORRECTED * study.substeps / study.between,
        study.path,
    )


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
