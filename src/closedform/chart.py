"""Curves as SVG: small charts for notebooks, without scripts, style sheets or network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array
from .errors import shorten

PALETTE = ("#3b7dd8", "#d9622b", "#2f9e6e", "#9b5fc0", "#d6528f", "#1f94ab", "#8f8a1e", "#7d8590")
"""Line colours with a contrast of at least 3 to 1 on both the light and the dark page."""

WIDTH, HEIGHT = 380.0, 200.0
"""Pixels of a chart."""

LEFT, BELOW, ROOM = 56.0, 36.0, 12.0
"""Pixels for the numbers of the axes, and at the other sides."""

MOST_CURVES = 16
"""Curves of a chart; of more, the first are drawn."""

MOST_POINTS = 160
"""Points of a curve."""

LONGEST_NAME = 24
"""Characters of a name in the legend."""


def chart(
    x: ArrayLike, curves: ArrayLike, names: Sequence[str], across: str, upwards: str, title: str = ""
) -> str:
    """Return curves (points, names) over x (points,) with axes and a legend; gaps where they are not finite.

    >>> picture = chart([0, 1, 2], [[0, 1], [2, 3], [4, 5]], ["a", "<b>"], "t [s]", "q [rad]")
    >>> picture.count("<path"), "&lt;b&gt;" in picture
    (3, True)
    """
    at, values = np.asarray(x, dtype=float), np.asarray(curves, dtype=float)
    rows = np.unique(np.linspace(0, len(at) - 1, min(len(at), MOST_POINTS)).round().astype(np.intp))
    at, values = at[rows], values[rows, :MOST_CURVES]
    (left, right), (low, high) = _range(at), _range(values)
    sx = (WIDTH - LEFT - ROOM) / (right - left)
    sy = (HEIGHT - BELOW - ROOM) / (high - low)
    px, py = LEFT + sx * (at - left), HEIGHT - BELOW - sy * (values - low)
    grid, labels = [], []
    for value in _ticks(left, right):
        where = LEFT + sx * (value - left)
        grid.append(f"M{where:.1f},{ROOM:g}V{HEIGHT - BELOW:g}")
        labels.append(_label(where, HEIGHT - BELOW + 14, f"{value:g}", "middle"))
    for value in _ticks(low, high):
        where = HEIGHT - BELOW - sy * (value - low)
        grid.append(f"M{LEFT:g},{where:.1f}H{WIDTH - ROOM:g}")
        labels.append(_label(LEFT - 5, where + 4, f"{value:g}", "end"))
    labels.append(_label((LEFT + WIDTH - ROOM) / 2, HEIGHT - 4, across, "middle"))
    labels.append(_label(12, (HEIGHT - BELOW + ROOM) / 2, upwards, "middle", turned=True))
    lines = "".join(_line(px, column, PALETTE[k % len(PALETTE)]) for k, column in enumerate(py.T))
    legend = " ".join(
        f'<span style="color:{PALETTE[k % len(PALETTE)]}">&#9632;</span> {_text(name)}'
        for k, name in enumerate(names[:MOST_CURVES])
    )
    more = f" and {len(names) - MOST_CURVES} more" if len(names) > MOST_CURVES else ""
    head = f"<b>{_text(title)}</b> " if title else ""
    shown = ", ".join(names[:MOST_CURVES])
    alternative = escape(shorten(f"{upwards} over {across}: {shown}", 200), quote=True)
    return (
        f'<figure style="margin:0;max-width:{WIDTH:g}px"><svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'aria-label="{alternative}" width="{WIDTH:g}" height="{HEIGHT:g}" '
        f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}" style="max-width:100%;height:auto">'
        f'<path d="{"".join(grid)}" stroke="currentColor" stroke-opacity="0.18" fill="none"/>'
        f"{''.join(labels)}{lines}</svg>"
        f'<figcaption style="font-size:0.85em">{head}{legend}{more}</figcaption></figure>'
    )


def _range(values: Array) -> tuple[float, float]:
    """Return the lowest and the highest finite value, apart from each other."""
    seen = values[np.isfinite(values)]
    low, high = (float(seen.min()), float(seen.max())) if seen.size else (0.0, 1.0)
    least = 1e-9 * max(abs(low), abs(high)) or 1.0  # the same number all along, or rounding of it
    return (low, high) if high - low > least else (low - least / 2, high + least / 2)


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers from low to high, three to seven of them."""
    power = 10.0 ** floor(log10((high - low) / 3))
    step = next(power * each for each in (1, 2, 5, 10) if (high - low) / (power * each) <= 6)
    return [round(k * step, 12 - floor(log10(step))) for k in range(ceil(low / step), floor(high / step) + 1)]


def _line(x: Array, y: Array, colour: str) -> str:
    """Return a path through points, in pieces if some are not finite."""
    steps, move = [], "M"
    for a, b in zip(x, y, strict=True):
        seen = bool(np.isfinite(a) and np.isfinite(b))
        if seen:
            steps.append(f"{move}{a:.1f},{b:.1f}")
        move = "L" if seen else "M"
    return f'<path d="{"".join(steps)}" stroke="{colour}" stroke-width="1.8" fill="none"/>'


def _label(x: float, y: float, text: str, anchor: str, *, turned: bool = False) -> str:
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="11" fill="currentColor"{turn}>'
        f"{_text(text)}</text>"
    )


def _text(text: str) -> str:
    return escape(shorten(text, LONGEST_NAME), quote=False)
