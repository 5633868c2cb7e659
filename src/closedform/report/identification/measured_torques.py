"""Measured torques, what the identified model predicts, and the residuals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from ...arrays import Array
from ..curves import Curve, one_joint_at_a_time
from ..figure import PALETTE, Figure, figure, plain, single, thinned
from ..labels import Label, torque_labels
from ..section import Section
from .studies import IdentificationStudy

POINTS = 3000
"""Most points of a curve: torques have corners that a coarse picture would hide."""


@dataclass(frozen=True)
class TraceFacts:
    """Measured and predicted torques over time, (n, joints), and the stretches that were held out."""

    t: Array
    labels: tuple[Label, ...]
    measured: Array
    predicted: Array
    held_out: tuple[tuple[float, float], ...]

    @property
    def residual(self) -> Array:
        """Measured less predicted."""
        return self.measured - self.predicted


def gather(study: IdentificationStudy) -> TraceFacts | None:
    """Return the torques over time, thinned for the screen."""
    trace = study.result.trace
    if trace is None or not len(trace.time):
        return None
    keep = thinned(trace.time, POINTS)
    return TraceFacts(
        trace.time[keep],
        torque_labels(study.result.design.robot.model),
        trace.measured[keep],
        trace.predicted[keep],
        _stretches(trace.time, trace.held_out),
    )


def _stretches(t: Array, held: NDArray[np.bool_]) -> tuple[tuple[float, float], ...]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], held.astype(int), [0]])))
    return tuple((float(t[a]), float(t[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True))


def draw(facts: TraceFacts) -> Mapping[str, Figure]:
    """Return measured and predicted torques with residuals, one joint at a time, and residuals spread."""
    curves = (
        Curve("measured", facts.measured, 7, width=2.4),
        Curve("predicted", facts.predicted, 1, width=1.4),
        Curve("residual", facts.residual, 0, 2, 1.2),
    )
    plot = one_joint_at_a_time(facts.t, facts.labels, curves, ["torque", "residual"], [0.68, 0.32])
    for start, stop in facts.held_out[:200]:
        plot.add_vrect(x0=start, x1=stop, fillcolor="rgba(125, 133, 144, 0.14)", line_width=0)
    names = [label.text for label in facts.labels]
    return {
        "torques": figure(plot, "Measured and predicted torques", 480, names),
        "spread": _spread(facts, names),
    }


def _spread(facts: TraceFacts, names: list[str]) -> Figure:
    """Return the residuals of each joint against its predicted torque."""
    plot = go.Figure()
    for k, label in enumerate(facts.labels):
        plot.add_scatter(
            x=single(facts.predicted[:, k]),
            y=single(facts.residual[:, k]),
            mode="markers",
            name=plain(label.text),
            showlegend=False,
            marker={"color": PALETTE[0], "size": 3, "opacity": 0.5},
            hovertemplate="predicted %{x:.4g}, residual %{y:.4g} " + label.effort_unit,
            visible=k == 0,
            meta={"choice": k},
        )
    plot.update_xaxes(title_text="predicted torque")
    plot.update_yaxes(title_text="residual")
    return figure(plot, "Residuals against predicted torques", 320, names)


SECTION = Section("identification_torques", "Torques", gather, draw)
