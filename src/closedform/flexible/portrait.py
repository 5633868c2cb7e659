"""An arm at rest as SVG: its links, bent in each of their modes, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array
from ..chart import PALETTE
from .link import FlexibleLink
from .modes import Modes

ANGLE = 0.6
"""Angle in rad of every joint but the first."""

BENT = 0.15
"""Deflection of the end of a drawn mode, relative to the length of its link."""

MOST_LINKS, MOST_MODES, STATIONS = 12, 4, 25
"""Links and modes that are drawn, and points of each."""

SIZE, ROOM = 260.0, 14.0
"""Pixels of the longer side, and around it."""


def portrait(links: Sequence[FlexibleLink], modes: Sequence[Modes]) -> str:
    """Return the links in a row with their modes, enlarged, around them; "" if there are too many links."""
    if len(links) > MOST_LINKS:
        return ""
    start, hubs, curves = np.zeros(2), [], []
    for k, (link, own) in enumerate(zip(links, modes, strict=True)):
        along = np.array([np.cos(ANGLE * k), np.sin(ANGLE * k)])
        across = np.array([-along[1], along[0]])
        x = np.linspace(0.0, link.length, STATIONS)
        for j, mode in enumerate(own[:MOST_MODES]):
            shape = mode(x)
            y = BENT * link.length / max(float(np.abs(shape).max()), 1e-300) * shape
            curves.append((start + np.outer(x, along) + np.outer(y, across), PALETTE[1 + j], 1.5))
        hubs.append(start)
        start = start + link.length * along
        curves.append((np.array([hubs[-1], start]), PALETTE[0], 5.0))
    return _svg(hubs, start, curves)


def _svg(hubs: Sequence[Array], tip: Array, curves: Sequence[tuple[Array, str, float]]) -> str:
    """Return joints, a payload at the tip, and lines with their colours and widths."""
    points = np.concatenate([line for line, _, _ in curves])
    low, high = points.min(axis=0), points.max(axis=0)
    scale = SIZE / max(float((high - low).max()), 1e-9)
    width, height = scale * (high - low) + 2 * ROOM

    def place(point: Array) -> tuple[float, float]:
        x, y = scale * (point - (low[0], high[1])) * (1, -1) + ROOM
        return x, y

    drawn = []
    for line, colour, thick in curves:
        path = "L".join("{:.1f},{:.1f}".format(*place(point)) for point in line)
        stroke = f'stroke="{colour}" stroke-width="{thick:g}" stroke-linecap="round" fill="none"'
        drawn.append(f'<path d="M{path}" {stroke}/>')
    for k, point in enumerate([*hubs, tip]):
        x, y = place(point)
        title = "tip" if k == len(hubs) else f"joint {k + 1}"
        drawn.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{4 if k == len(hubs) else 6}" fill="{PALETTE[7]}">'
            f"<title>{title}</title></circle>"
        )
    caption = "links at rest, and their modes enlarged"
    return (
        f'<figure style="margin:0"><svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{caption}" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.1f} {height:.1f}">'
        f"{''.join(drawn)}</svg><figcaption>{caption}</figcaption></figure>"
    )
