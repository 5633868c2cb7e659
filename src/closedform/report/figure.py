"""Figures of the page: Plotly JSON without colours of its own, so that the page can theme it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from plotly import graph_objects as go

from ..arrays import Array
from ..drawing import cube, plain, single
from ..sticks import PALETTE

__all__ = ["MARGIN", "PALETTE", "POINTS", "Figure", "cube", "figure", "plain", "single", "thinned"]

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


def thinned(t: Array, most: int = POINTS) -> NDArray[np.intp]:
    """Return the indices of at most `most` evenly spaced samples, both ends included."""
    return np.unique(np.linspace(0, len(t) - 1, min(len(t), most)).round().astype(np.intp))
