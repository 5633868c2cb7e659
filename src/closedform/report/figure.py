"""Figures of the page: Plotly JSON without colours of its own, so that the page can theme it."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from plotly import graph_objects as go
from plotly.subplots import make_subplots

from ..arrays import Array
from .labels import Label, joint_groups, units

PALETTE = ("#3b7dd8", "#d9622b", "#2f9e6e", "#9b5fc0", "#d6528f", "#1f94ab", "#8f8a1e", "#7d8590")
"""Line colours with a contrast of at least 3 to 1 on both the light and the dark page."""

POINTS = 400
"""Most points in a curve; the motion is smooth, a screen shows no more."""

MARGIN = {"l": 64, "r": 16, "t": 28, "b": 48}


@dataclass(frozen=True)
class Figure:
    """A figure ready for the page.

    `choices` name the alternatives a reader selects from (traces carry `meta.choice`), `steps`
    the frames of a slider.
    """

    title: str
    height: int
    json: Markup
    choices: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()


@dataclass(frozen=True)
class Panel:
    """Curves over time that share an axis: values (n, k) and their k labels."""

    title: str
    values: Array
    labels: tuple[Label, ...]
    units: tuple[str, ...]


@dataclass(frozen=True)
class Curve:
    """A curve per joint, values (n, joints), of which a reader sees one joint at a time.

    `row` is the panel it is drawn in, `per` what follows the joint's unit of effort, as in N m/s.
    """

    name: str
    values: Array
    colour: int
    row: int = 1
    width: float = 1.6
    dash: str = "solid"
    per: str = ""


def figure(
    plot: go.Figure,
    title: str,
    height: int,
    choices: Sequence[str] = (),
    steps: Sequence[str] = (),
    margin: Mapping[str, int] = MARGIN,
) -> Figure:
    """Return a Plotly figure ready for the page: plain template, JSON safe inside a script element."""
    titled = bool(plot.layout.annotations)  # titles of panels, which the legend must not cover
    plot.update_layout(
        template=go.layout.Template(),
        autosize=True,
        margin={**margin, "t": margin["t"] + 24 * titled},
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.1 if titled else 1.02,
            "yanchor": "bottom",
        },
        hoverlabel={"namelength": -1},
        uirevision="page",
    )
    plot.update_yaxes(automargin=True, title_standoff=6)  # titles keep off the numbers
    text = plot.to_json()
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Figure(title, height, Markup(text), tuple(choices), tuple(steps))


def plain(text: str) -> str:
    """Return text as Plotly shows it literally; it would read tags and templates otherwise."""
    return html.escape(text, quote=False).replace("%{", "%&#123;")


def single(values: Any) -> NDArray[np.float32]:
    """Return values in the precision that a screen can show, at half the page's size."""
    return np.asarray(values, dtype=np.float32)


def thinned(t: Array, most: int = POINTS) -> NDArray[np.intp]:
    """Return the indices of at most `most` evenly spaced samples, both ends included."""
    return np.unique(np.linspace(0, len(t) - 1, min(len(t), most)).round().astype(np.intp))


def curves_by_joint(title: str, t: Array, panels: Sequence[Panel]) -> Figure:
    """Return stacked panels over one time axis, a colour per entry; many joints become choices."""
    keep = thinned(t)
    groups = joint_groups(max((panel.labels for panel in panels), key=len), len(PALETTE))
    plot = make_subplots(rows=len(panels), shared_xaxes=True, vertical_spacing=0.06)
    for choice, joints in enumerate(groups):
        named: set[str] = set()
        for row, panel in enumerate(panels, start=1):
            columns = [k for k, label in enumerate(panel.labels) if label.joint in joints]
            for position, k in enumerate(columns):
                label = panel.labels[k]
                curve = go.Scatter(
                    x=single(t[keep]),
                    y=single(panel.values[keep, k]),
                    name=plain(label.text),
                    legendgroup=label.text,
                    showlegend=label.text not in named,
                    line={"color": PALETTE[position % len(PALETTE)], "width": 1.6, "simplify": False},
                    hovertemplate="%{y:.4g} " + panel.units[k],
                    visible=choice == 0,
                    meta={"choice": choice},
                )
                named.add(label.text)
                plot.add_trace(curve, row=row, col=1)
    for row, panel in enumerate(panels, start=1):
        plot.update_yaxes(title_text=f"{panel.title} [{units(panel.units)}]", row=row, col=1)
    plot.update_xaxes(title_text="time [s]", row=len(panels), col=1)
    plot.update_layout(hovermode="x unified", hoversubplots="axis")
    names = [g[0] if len(g) == 1 else f"{g[0]} to {g[-1]}" for g in groups]
    return figure(plot, title, 60 + 220 * len(panels), names if len(groups) > 1 else ())


def one_joint_at_a_time(
    t: Array, labels: Sequence[Label], curves: Sequence[Curve], titles: Sequence[str], heights: Any = None
) -> go.Figure:
    """Return panels over one time axis, titled from top to bottom, whose curves are choices by joint."""
    plot = make_subplots(rows=len(titles), shared_xaxes=True, vertical_spacing=0.08, row_heights=heights)
    for k, label in enumerate(labels):
        named: set[str] = set()
        for curve in curves:
            plot.add_scatter(
                x=single(t),
                y=single(curve.values[:, k]),
                name=curve.name,
                legendgroup=curve.name,
                showlegend=curve.name not in named,
                line={
                    "color": PALETTE[curve.colour],
                    "width": curve.width,
                    "dash": curve.dash,
                    "simplify": False,
                },
                hovertemplate="%{y:.4g} " + label.effort_unit + curve.per,
                visible=k == 0,
                meta={"choice": k},
                row=curve.row,
                col=1,
            )
            named.add(curve.name)
    for row, title in enumerate(titles, start=1):
        plot.update_yaxes(title_text=title, row=row, col=1)
    plot.update_xaxes(title_text="time [s]", row=len(titles), col=1)
    plot.update_layout(hovermode="x unified", hoversubplots="axis")
    return plot
