"""The methods in numbers, and how far the path stays from singularities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly.subplots import make_subplots

from ...arrays import Array
from ...redundancy import Contestant
from ..figure import PALETTE, Figure, figure, single
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
    plot = make_subplots(rows=3, shared_xaxes=True, vertical_spacing=0.05)
    for row, (name, values) in enumerate(
        (
            (facts.criterion, facts.value),
            ("least curvature", facts.curvature),
            ("regularity of J", facts.regularity),
        ),
        start=1,
    ):
        plot.add_scatter(
            x=np.arange(len(values)),
            y=single(values),
            name=name,
            showlegend=False,
            line={"color": PALETTE[row - 1], "width": 1.8},
            hovertemplate="%{y:.4g}",
            row=row,
            col=1,
        )
        plot.update_yaxes(title_text=name, rangemode="tozero", row=row, col=1)
    plot.update_xaxes(title_text="target along the path", row=3, col=1)
    return {"measures": figure(plot, "Distance from singularities along the path", 520)}


SECTION = Section("ik_comparison", "Methods compared", gather, draw)
