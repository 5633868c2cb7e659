"""Curves of the figures: panels over one axis, and the curves of many joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from plotly import graph_objects as go
from plotly.subplots import make_subplots

from ..arrays import Array
from .figure import PALETTE, Figure, figure, plain, single, thinned
from .labels import Label, joint_groups, units


@dataclass(frozen=True)
class Panel:
    """A curve per entry over time, values (n, k) with k labels, drawn in one panel.

    Its unit is that of the entry's coordinate, or of its effort; `per` follows the unit, as in rad/s.
    """

    title: str
    values: Array
    labels: tuple[Label, ...]
    per: str = ""
    effort: bool = False

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the entries."""
        return tuple((x.effort_unit if self.effort else x.unit) + self.per for x in self.labels)


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


def panels(
    titles: Sequence[str],
    axis: str = "time [s]",
    spacing: float = 0.06,
    heights: Sequence[float] | None = None,
) -> go.Figure:
    """Return empty panels over one axis, titled from top to bottom."""
    plot = make_subplots(rows=len(titles), shared_xaxes=True, vertical_spacing=spacing, row_heights=heights)
    for row, title in enumerate(titles, start=1):
        plot.update_yaxes(title_text=title, row=row, col=1)
    plot.update_xaxes(title_text=axis, row=len(titles), col=1)
    plot.update_layout(hovermode="x unified", hoversubplots="axis")
    return plot


def powers_of_ten(plot: go.Figure) -> None:
    """Make the vertical axes logarithmic, with a tick at every power of ten, or at some if there are many.

    Curves within two powers of ten keep Plotly's ticks, which then have digits between the powers.
    """
    y = np.concatenate([np.asarray(each.y, dtype=float) for each in plot.data])
    y = y[np.isfinite(y) & (y > 0)]
    powers = float(np.log10(y.max() / y.min())) if y.size else 0.0
    plot.update_yaxes(type="log", dtick=-(-powers // 8) if powers > 2 else None)


def add_curve(
    plot: go.Figure,
    x: ArrayLike,
    y: ArrayLike,
    name: str,
    colour: int,
    *,
    row: int = 1,
    col: int = 1,
    choice: int | None = None,
    width: float = 1.8,
    dash: str = "solid",
    hover: str = "%{y:.4g}",
    **style: Any,
) -> None:
    """Add a curve to a panel, in a colour of the palette.

    Curves of one name share an entry of the legend, which hides them together. A curve with a
    `choice` is seen while the reader has that one selected, the first to begin with.
    """
    shown = plain(name)
    meta = None if choice is None else {"choice": choice}
    line = {"color": PALETTE[colour % len(PALETTE)], "width": width, "dash": dash, "simplify": False}
    curve = {
        "name": shown,
        "legendgroup": shown,
        "showlegend": not any(each.name == shown and each.meta == meta for each in plot.data),
        "mode": "lines",
        "line": line,
        "hovertemplate": hover,
        "visible": not choice,
        "meta": meta,
    }
    plot.add_scatter(x=single(x), y=single(y), row=row, col=col, **{**curve, **style})


def curves_by_joint(title: str, t: Array, parts: Sequence[Panel]) -> Figure:
    """Return stacked panels over one time axis, a colour per entry; many joints become choices."""
    keep = thinned(t)
    groups = joint_groups(max((part.labels for part in parts), key=len), len(PALETTE))
    plot = panels([f"{part.title} [{units(part.units)}]" for part in parts])
    for choice, joints in enumerate(groups):
        for row, part in enumerate(parts, start=1):
            columns = [k for k, label in enumerate(part.labels) if label.joint in joints]
            for colour, k in enumerate(columns):
                add_curve(
                    plot,
                    t[keep],
                    part.values[keep, k],
                    part.labels[k].text,
                    colour,
                    row=row,
                    choice=choice,
                    width=1.6,
                    hover="%{y:.4g} " + part.units[k],
                )
    names = [g[0] if len(g) == 1 else f"{g[0]} to {g[-1]}" for g in groups]
    return figure(plot, title, 60 + 220 * len(parts), names if len(groups) > 1 else ())


def one_joint_at_a_time(
    t: Array,
    labels: Sequence[Label],
    curves: Sequence[Curve],
    titles: Sequence[str],
    heights: Sequence[float] | None = None,
) -> go.Figure:
    """Return panels over one time axis, titled from top to bottom, whose curves are choices by joint."""
    plot = panels(titles, spacing=0.08, heights=heights)
    for k, label in enumerate(labels):
        for curve in curves:
            add_curve(
                plot,
                t,
                curve.values[:, k],
                curve.name,
                curve.colour,
                row=curve.row,
                choice=k,
                width=curve.width,
                dash=curve.dash,
                hover="%{y:.4g} " + label.effort_unit + curve.per,
            )
    return plot
