"""The page of an identification: errors, torques, residuals, and parameters with error bars."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go
from plotly.subplots import make_subplots

from ..arrays import Array
from ..identification import Errors, Identification, IdentifiedParameter
from ..identification.regression.friction import KINDS
from .figure import PALETTE, Figure, figure, plain, single
from .labels import Label, velocity_labels
from .page import write_page
from .section import Section

POINTS = 3000
"""Most points of a curve: torques have corners that a coarse picture would hide."""


@dataclass(frozen=True)
class Subject:
    """What the page is about."""

    result: Identification
    source: str


@dataclass(frozen=True)
class FitFacts:
    """How the fit was made, and the torque errors of every joint."""

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
    doubts: tuple[str, ...]
    notes: tuple[str, ...]


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


@dataclass(frozen=True)
class ParameterFacts:
    """The parameters by kind: base parameters first, then those of the drives."""

    groups: tuple[tuple[str, tuple[IdentifiedParameter, ...]], ...]


def gather_fit(subject: Subject) -> FitFacts:
    """Return how the fit was made."""
    r = subject.result
    return FitFacts(
        subject.source,
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
        r.doubts,
        r.notes,
    )


def gather_traces(subject: Subject) -> TraceFacts | None:
    """Return the torques over time, thinned for the screen."""
    trace = subject.result.trace
    if trace is None or not len(trace.time):
        return None
    keep = np.unique(np.linspace(0, len(trace.time) - 1, min(len(trace.time), POINTS)).round().astype(int))
    return TraceFacts(
        trace.time[keep],
        velocity_labels(subject.result.robot.model),
        trace.measured[keep],
        trace.predicted[keep],
        _stretches(trace.time, trace.held_out),
    )


def gather_parameters(subject: Subject) -> ParameterFacts:
    """Return the parameters by kind."""
    r = subject.result
    base, drives = r.parameters[: r.base.count], r.parameters[r.base.count :]
    groups = [
        ("inertia [kg m²]", [p for p in base if not p.name.startswith("M")]),
        ("first moment [kg m]", [p for p in base if p.name.startswith(("MX", "MY", "MZ"))]),
        ("mass [kg]", [p for p in base if p.name.startswith("M") and p.name[1] not in "XYZ"]),
        *((words, [p for p in drives if p.name.startswith(letters)]) for letters, words in KINDS.items()),
    ]
    return ParameterFacts(tuple((words, tuple(found)) for words, found in groups if found))


def _stretches(t: Array, held: NDArray[np.bool_]) -> tuple[tuple[float, float], ...]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], held.astype(int), [0]])))
    return tuple((float(t[a]), float(t[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True))


def draw_errors(facts: FitFacts) -> Mapping[str, Figure]:
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


def draw_traces(facts: TraceFacts) -> Mapping[str, Figure]:
    """Return measured against predicted torques with residuals, one joint at a time, and residuals spread."""
    plot = make_subplots(rows=2, shared_xaxes=True, vertical_spacing=0.06, row_heights=[0.68, 0.32])
    for k, label in enumerate(facts.labels):
        curves = (
            ("measured", facts.measured, 7, 1, 2.4),
            ("predicted", facts.predicted, 1, 1, 1.4),
            ("residual", facts.residual, 0, 2, 1.2),
        )
        for name, values, colour, row, width in curves:
            plot.add_trace(
                go.Scatter(
                    x=single(facts.t),
                    y=single(values[:, k]),
                    name=name,
                    line={"color": PALETTE[colour], "width": width, "simplify": False},
                    hovertemplate="%{y:.4g} " + label.effort_unit,
                    visible=k == 0,
                    meta={"choice": k},
                ),
                row=row,
                col=1,
            )
    for start, stop in facts.held_out[:200]:
        plot.add_vrect(x0=start, x1=stop, fillcolor="rgba(125, 133, 144, 0.14)", line_width=0)
    plot.update_xaxes(title_text="time [s]", row=2, col=1)
    plot.update_yaxes(title_text="torque", row=1, col=1)
    plot.update_yaxes(title_text="residual", row=2, col=1)
    plot.update_layout(hovermode="x unified", hoversubplots="axis")
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


def draw_parameters(facts: ParameterFacts) -> Mapping[str, Figure]:
    """Return the parameters with error bars of two standard errors, described values beside them."""
    plot = go.Figure()
    for choice, (_, parameters) in enumerate(facts.groups):
        told = [p for p in parameters if p.described is not None]
        plot.add_scatter(
            x=[plain(p.name) for p in parameters],
            y=[p.value for p in parameters],
            error_y={"type": "data", "array": [2 * p.standard_error for p in parameters], "thickness": 1.4},
            mode="markers",
            name="identified, two standard errors",
            marker={"color": PALETTE[0], "size": 7},
            visible=choice == 0,
            meta={"choice": choice},
        )
        if told:
            plot.add_scatter(
                x=[plain(p.name) for p in told],
                y=[p.described for p in told],
                mode="markers",
                name="described",
                marker={
                    "color": PALETTE[1],
                    "size": 8,
                    "symbol": "x-thin",
                    "line": {"color": PALETTE[1], "width": 2},
                },
                visible=choice == 0,
                meta={"choice": choice},
            )
    plot.update_yaxes(title_text="SI units")
    plot.update_layout(hovermode="x unified")
    return {"parameters": figure(plot, "Parameters", 380, [words for words, _ in facts.groups])}


SECTIONS = (
    Section("identification_fit", "Fit", gather_fit, draw_errors),
    Section("identification_torques", "Torques", gather_traces, draw_traces),
    Section("identification_parameters", "Parameters", gather_parameters, draw_parameters),
)


def write_identification(result: Identification, path: str | os.PathLike[str], source: str = "log") -> None:
    """Write the page of an identification; the file appears whole or not at all."""
    write_page(
        path,
        subject=Subject(result, source),
        sections=SECTIONS,
        name=result.robot.name,
        title="Identified from a log",
        summary="identification_summary.html.j2",
    )
