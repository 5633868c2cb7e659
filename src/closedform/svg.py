"""Stick figures as SVG: still pictures that need no script, for notebooks."""

from __future__ import annotations

from html import escape

import numpy as np

from .arrays import Array
from .errors import shorten
from .sticks import AXES, PALETTE, StickFigure

SIZE = 240.0
"""Pixels of the longer side."""

ROOM = 16.0
"""Pixels around it."""

LONGEST_NAME = 40
"""Characters of a name that is shown."""


def svg(figure: StickFigure, state: int, triads: Array, label: str) -> str:
    """Return one state of a figure, with the axes of frames of poses (frames, 4, 4); rays are parallel.

    Joints show their names and places in metres under the mouse. `label` is the caption.
    """
    points = figure.points[state]
    starts = triads[:, :3, 3]
    length = 0.12 * float(np.ptp(points[figure.used], axis=0).max())
    tips = starts[:, None] + length * np.swapaxes(triads[:, :3, :3], 1, 2)  # columns are the axes
    view = _view(figure)
    drawn = np.concatenate([points[figure.used], starts, tips.reshape(-1, 3)]) @ view.T
    low, high = drawn.min(axis=0), drawn.max(axis=0)
    scale = SIZE / max(float((high - low).max()), 1e-9)
    width, height = scale * (high - low) + 2 * ROOM

    def place(where: Array) -> str:
        x, y = scale * (where @ view.T - (low[0], high[1])) * (1, -1) + ROOM
        return f"{x:.1f},{y:.1f}"

    sticks = "".join(f"M{place(points[a])}L{place(points[b])}" for a, b in figure.sticks)
    axes = [
        f'<path d="M{place(start)}L{place(tip)}" stroke="{colour}" stroke-width="2"/>'
        for start, ends in zip(starts, tips, strict=True)
        for tip, colour in zip(ends, AXES, strict=True)
    ]
    joints = []
    for k in figure.used:
        x, y, z = points[k] + 0.0  # no -0
        name = escape(shorten(figure.names[k], LONGEST_NAME), quote=False)
        cx, cy = place(points[k]).split(",")
        joints.append(
            f'<circle cx="{cx}" cy="{cy}" r="3.5" fill="{PALETTE[1]}">'
            f"<title>{name}: {x:.3f}, {y:.3f}, {z:.3f} m</title></circle>"
        )
    caption = escape(label)
    return (
        f'<figure style="margin:0"><svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{caption}" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.1f} {height:.1f}">'
        f'<path d="{sticks}" stroke="{PALETTE[0]}" stroke-width="5" stroke-linecap="round" fill="none"/>'
        f"{''.join(axes)}{''.join(joints)}</svg><figcaption>{caption}</figcaption></figure>"
    )


def _view(figure: StickFigure) -> Array:
    """Return the directions to the right and upwards in the picture, (2, 3)."""
    forward = -figure.eye / np.linalg.norm(figure.eye)
    right = np.cross(forward, figure.up)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(right, forward)])
