"""Robots as solids: the outline of each convex piece, the near ones over the far ones."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

import closedform as cf

from .axes import Stage
from .canvas import Canvas

EYE = np.array([1.4, 1.4, 0.8]) / np.linalg.norm([1.4, 1.4, 0.8])
"""The direction from which solids are seen, with z upwards."""

SEEN = np.stack([np.cross([0, 0, 1], EYE), -np.cross(EYE, np.cross([0, 0, 1], EYE))])
SEEN /= np.linalg.norm(SEEN, axis=1)[:, None]
"""The directions to the right and downwards in the picture, (2, 3)."""

Piece = tuple[np.ndarray, str, float]
"""Outline (n, 2) in metres, colour, depth."""


def pieces(robot: cf.Robot, q: np.ndarray) -> list[Piece]:
    """Return the outlines of what a robot looks like at q, the farthest first."""
    names = robot.frame_names
    poses = robot.frame_poses(q)
    found = []
    for each in robot.shapes().pieces:
        T = poses[names.index(each.frame)] @ each.placement
        points = each.vertices @ T[:3, :3].T + T[:3, 3]
        flat = points @ SEEN.T
        outline = flat[ConvexHull(flat).vertices]
        found.append((_thinned(outline), _shade(each.colour), float((points @ EYE).mean())))
    return sorted(found, key=lambda piece: piece[2])


def _thinned(outline: np.ndarray) -> np.ndarray:
    """Return an outline of at most 24 points."""
    return outline[np.unique(np.linspace(0, len(outline) - 1, min(len(outline), 24)).round().astype(int))]


def _shade(colour: tuple[float, ...]) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour[:3])


def draw_solid(canvas: Canvas, stage: Stage, found: list[Piece], opacity: float = 1) -> None:
    """Draw the pieces of a robot on a stage."""
    more = {"opacity": f"{opacity:.2g}"} if opacity < 1 else {}
    for outline, colour, _ in found:
        canvas.polygon(
            stage.at(outline), colour, stroke="#24292f", stroke_width=0.8, stroke_linejoin="round", **more
        )


def outline(found: list[Piece]) -> np.ndarray:
    """Return all points of some pieces, which a stage must hold."""
    return np.concatenate([points for points, _, _ in found])
