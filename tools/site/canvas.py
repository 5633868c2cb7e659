"""Small SVG pictures in the colours of the page that shows them, light or dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

from closedform.sticks import PALETTE

BLUE, ORANGE, GREEN, PURPLE, PINK, TEAL, OLIVE, GREY = PALETTE
INK, QUIET, LINE, PAPER = "var(--ink)", "var(--quiet)", "var(--line)", "var(--paper)"

STYLE = (
    ".picture{--ink:#1f2328;--quiet:#59636e;--line:#d1d9e0;--paper:#f6f8fa;"
    "font:13px system-ui,'Segoe UI',Helvetica,Arial,sans-serif}"
    "@media(prefers-color-scheme:dark){.picture{--ink:#e6edf3;--quiet:#9aa4af;--line:#3d444d;--paper:#1c2128}}"
)
"""Colours where the picture stands alone; the site sets them by its own switch."""


class Canvas:
    """Elements of a picture, in pixels from the upper left corner."""

    def __init__(self, width: float, height: float, meaning: str) -> None:
        self.width, self.height, self.meaning = width, height, meaning
        self.parts: list[str] = []

    def line(self, points: Iterable[Any], colour: str = INK, width: float = 2, **more: Any) -> None:
        """Draw a line through points (n, 2); pieces between points that are not numbers."""
        cloud = np.asarray(points, dtype=float)
        path, pen = [], "M"
        for x, y in cloud:
            if np.isfinite(x + y):
                path.append(f"{pen}{x:.1f} {y:.1f}")
                pen = "L"
            else:
                pen = "M"
        self._add("path", d="".join(path), fill="none", stroke=colour, stroke_width=width,
                  stroke_linejoin="round", **more)  # fmt: skip

    def rectangle(self, x: float, y: float, width: float, height: float, fill: str, **more: Any) -> None:
        """Draw a rectangle."""
        self._add("rect", x=_n(x), y=_n(y), width=_n(width), height=_n(height), fill=fill, **more)

    def polygon(self, points: Iterable[Any], fill: str, **more: Any) -> None:
        """Fill the area within points (n, 2)."""
        self._add("polygon", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), fill=fill, **more)

    def dot(self, x: float, y: float, radius: float, fill: str, **more: Any) -> None:
        """Draw a disc."""
        self._add("circle", cx=_n(x), cy=_n(y), r=_n(radius), fill=fill, **more)

    def text(
        self, x: float, y: float, words: str, colour: str = INK, anchor: str = "start", **more: Any
    ) -> None:
        """Write a line of text whose foot is at y."""
        self._add(
            "text", escape(words, quote=False), x=_n(x), y=_n(y), fill=colour,
            **({"text_anchor": anchor} if anchor != "start" else {}), **more,
        )  # fmt: skip

    def arrow(
        self, start: Sequence[float], end: Sequence[float], colour: str = QUIET, width: float = 1.5
    ) -> None:
        """Draw an arrow between two points."""
        a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
        along = (b - a) / np.linalg.norm(b - a)
        across = np.array([-along[1], along[0]])
        self.line([a, b - 5 * along], colour, width)
        self.polygon([b, b - 8 * along + 4 * across, b - 8 * along - 4 * across], colour)

    def box(
        self, x: float, y: float, width: float, height: float, words: Sequence[str], colour: str = BLUE
    ) -> None:
        """Draw a box with a title and quieter lines below it."""
        self.rectangle(x, y, width, height, PAPER, stroke=colour, stroke_width=1.5, rx=6)
        top = y + height / 2 - 8 * (len(words) - 1) + 4.5
        for k, line in enumerate(words):
            more = {"font_weight": 600} if k == 0 else {"font_size": 11.5}
            self.text(x + width / 2, top + 16 * k, line, INK if k == 0 else QUIET, "middle", **more)

    def svg(self) -> str:
        """Return the picture as a text."""
        meaning = escape(self.meaning)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="picture" role="img" aria-label="{meaning}" '
            f'viewBox="0 0 {_n(self.width)} {_n(self.height)}" width="{_n(self.width)}" '
            f'height="{_n(self.height)}"><style>{STYLE}</style>\n' + "\n".join(self.parts) + "\n</svg>\n"
        )

    def _add(self, tag: str, inner: str = "", **attributes: Any) -> None:
        text = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
        self.parts.append(f"<{tag}{text}>{inner}</{tag}>" if inner else f"<{tag}{text}/>")


def _n(value: float) -> str:
    """Return a number of pixels, to a tenth."""
    return f"{value:.1f}".removesuffix(".0")
