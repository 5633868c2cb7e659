"""How the fit was made, and the torque errors it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plotly import graph_objects as go

from ...identification import Identification
from ...identification.workflow.listing import Table
from ..figure import PALETTE, Figure, figure, plain, single
from ..labels import Label, torque_labels
from ..section import Section
from .studies import IdentificationStudy


@dataclass(frozen=True)
class FitFacts:
    """The fit to a log, `source`, with the labels of its joints; relative torque errors are in `table`."""

    source: str
    labels: tuple[Label, ...]
    result: Identification
    table: Table

    @property
    def sizes(self) -> dict[str, str]:
        """The root mean square of every joint's torque error, in its unit."""
        rms = zip(self.labels, self.result.fitted.rms, strict=True)
        return {label.joint: f"{size:.3f} {label.effort_unit}" for label, size in rms}


def gather(study: IdentificationStudy) -> FitFacts:
    """Return how the fit was made."""
    result = study.result
    return FitFacts(study.source, torque_labels(result.design.robot.model), result, result.tables[1])


def draw(facts: FitFacts) -> Mapping[str, Figure]:
    """Return the relative torque error of each joint as bars."""
    plot = go.Figure()
    fit = facts.result
    parts = {"fitted": fit.fitted, "left out in turn": fit.cross_validation, "held out": fit.held_out}
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
