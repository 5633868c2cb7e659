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

from ..arrays import Array

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
    plot.update_yaxes(automargin=True, title_standoff=6, exponentformat="power")
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


def cube(points: Array) -> dict[str, dict[str, Any]]:
    """Return the axes of a scene as a cube with room around the points (..., 3), in metres."""
    cloud = points.reshape(-1, 3)
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    middle, half = (low + high) / 2, max(0.55 * float((high - low).max()), 1e-3)
    return {
        f"{name}axis": {"range": [middle[k] - half, middle[k] + half], "title": f"{name} [m]"}
        for k, name in enumerate("xyz")
    }
