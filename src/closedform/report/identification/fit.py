"""How the fit was made, and the torque errors it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plotly import graph_objects as go

from ...identification import Errors
from ...identification.workflow.listing import Table
from ..figure import PALETTE, Figure, figure, plain, single
from ..labels import Label, velocity_labels
from ..section import Section
from .studies import IdentificationStudy


@dataclass(frozen=True)
class FitFacts:
    """How the fit was made, and the torque errors of every joint, relative in `table`."""

    source: str
    labels: tuple[Label, ...]
    count: int
    base_count: int
    rows: int
    condition: float
    cutoff: float
    rate: float
    method: str
    friction: str
    fitted: Errors
    cross_validation: Errors | None
    held_out: Errors | None
    table: Table
    doubts: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def sizes(self) -> dict[str, str]:
        """The root mean square of every joint's torque error, in its unit."""
        rms = zip(self.labels, self.fitted.rms, strict=True)
        return {label.joint: f"{size:.3f} {label.effort_unit}" for label, size in rms}


def gather(study: IdentificationStudy) -> FitFacts:
    """Return how the fit was made."""
    r = study.result
    return FitFacts(
        study.source,
        velocity_labels(r.robot.model),
        len(r.values),
        r.base.count,
        r.fitted.rows,
        r.condition,
        r.filters.cutoff,
        r.filters.rate,
        r.method,
        str(r.friction),
        r.fitted,
        r.cross_validation,
        r.held_out,
        r.tables[1],
        r.doubts,
        r.notes,
    )


def draw(facts: FitFacts) -> Mapping[str, Figure]:
    """Return the relative torque error of each joint as bars."""
    plot = go.Figure()
    parts = {"fitted": facts.fitted, "left out in turn": facts.cross_validation, "held out": facts.held_out}
    for colour, (name, errors) in enumerate(parts.items()):
        if errors is not None:
            plot.add_bar(
                x=[plain(label.text) for label in facts.labels],
                y=single(100 * errors.relative),
                name=name,
                marker={"color": PALETTE[colour]},
                hovertemplate="%{y:.2f} %",
            )
    plot.update_yaxes(title_text="relative torque error [%]", rangemode="tozero")
    plot.update_layout(barmode="group", hovermode="x unified")
    return {"errors": figure(plot, "Torque error by joint", 320)}


SECTION = Section("identification_fit", "Fit", gather, draw)
