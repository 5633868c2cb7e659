"""Figures of the page: Plotly JSON without colours of its own, so that the page can theme it."""

from __future__ import annotations

import html
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

SPOKEN = 12
"""Most names of curves in the words for those who cannot see a figure."""

MARGIN = {"l": 64, "r": 16, "t": 28, "b": 48}


@dataclass(frozen=True)
class Figure:
    """A figure ready for the page.

    `words` say what it shows to those who cannot see it. `height` is in pixels, `narrow` that of a
    narrow screen, where panels stand below one another. `choices` name the alternatives a reader selects
    from (traces carry `meta.choice`).
    """

    title: str
    words: str
    height: int
    narrow: int
    json: Markup
    choices: tuple[str, ...] = ()


def figure(
    plot: go.Figure,
    title: str,
    height: int,
    choices: Sequence[str] = (),
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
    return Figure(
        title,
        _words(plot, title),
        height,
        _narrow_height(plot, height),
        Markup(text),
        tuple(choices),
    )


def _words(plot: go.Figure, title: str) -> str:
    """Return the title with the names of curves and axes, for those who cannot see the figure."""
    axes = [*plot.select_xaxes(), *plot.select_yaxes()]
    parts = {
        "axes": [axis.title.text for axis in axes if axis.title.text],
        "shown": [trace.name for trace in plot.data if trace.name],
    }
    words = [title]
    for part, names in parts.items():
        unique = [html.unescape(name) for name in dict.fromkeys(names)]
        if unique:
            rest = f" and {len(unique) - SPOKEN} more" if len(unique) > SPOKEN else ""
            words.append(f"{part}: {', '.join(unique[:SPOKEN])}{rest}")
    return "; ".join(words)


def _narrow_height(plot: go.Figure, height: int) -> int:
    """Return the height on a narrow screen: panels below one another, and a longer legend."""
    domains = [axis.domain for axis in plot.select_xaxes()]
    beside = any(domain and domain[1] - domain[0] < 0.9 for domain in domains)
    listed = sum(
        bool(trace.name) and trace.visible is not False and trace.showlegend is not False
        for trace in plot.data
    )
    return (280 * len(domains) if beside else height) + 10 * listed


def thinned(t: Array, most: int = POINTS) -> NDArray[np.intp]:
    """Return the indices of at most `most` evenly spaced samples, both ends included."""
    return np.unique(np.linspace(0, len(t) - 1, min(len(t), most)).round().astype(np.intp))
