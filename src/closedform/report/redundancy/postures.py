"""The arm at the vertices and along the self-motion of the first target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from plotly import graph_objects as go

from ... import redundancy
from ...arrays import Array
from ..figure import PALETTE, Figure, figure, single
from ..section import Section
from .study import PER_SIDE, IkStudy

SHOWN = 18
"""Postures along the self-motion."""


@dataclass(frozen=True)
class PostureFacts:
    """Points of the arm from the base to the tip (postures, points, 3), and whether they lie in a plane."""

    vertices: Array
    self_motion: Array | None
    flat: bool


def gather(study: IkStudy) -> PostureFacts:
    """Return the postures."""
    robot = study.robot
    vertices = _points(study, study.path.q[: 4 * PER_SIDE : PER_SIDE])
    moving = None
    if study.self_motions == 1:
        start = study.path.q[0]
        (curve,) = redundancy.self_motion(robot, study.targets[0], study.task, q0=start, limits=False)
        keep = np.linspace(0, len(curve.q) - 1, SHOWN + 1).round().astype(int)
        moving = _points(study, curve.q[keep])
    everything = vertices if moving is None else np.concatenate([vertices, moving])
    return PostureFacts(vertices, moving, bool(np.ptp(everything[..., 2]) < 1e-9))


def _points(study: IkStudy, q: Array) -> Array:
    robot = study.robot
    places = [robot.pose(q, name)[:, :3, 3] for name in (*robot.body_names, None)]
    return np.stack([np.zeros_like(places[0]), *places], axis=1)


def draw(facts: PostureFacts) -> Mapping[str, Figure]:
    """Return the arm at the vertices, and through its self-motion."""
    figures = {"vertices": _arms(facts.vertices, facts.flat, "Arm at the four vertices")}
    if facts.self_motion is not None:
        figures["moving"] = _arms(facts.self_motion, facts.flat, "Arm along its self-motion")
    return figures


def _arms(points: Array, flat: bool, title: str) -> Figure:
    plot = go.Figure()
    few = len(points) <= 4
    for k, posture in enumerate(points):
        x, y, z = single(posture).T
        place: dict[str, Any] = {"x": x, "y": y} if flat else {"x": x, "y": y, "z": z}
        style: dict[str, Any] = {
            "mode": "lines+markers",
            "name": f"vertex {k + 1}" if few else f"posture {k + 1}",
            "line": {
                "color": PALETTE[k if few else 0],
                "width": (1 if flat else 2.5) * (2.6 if few else 1.4),
            },
            "marker": {"color": PALETTE[k if few else 0], "size": 6 if flat else 3},
            "opacity": 1.0 if few else 0.35 + 0.6 * k / len(points),
            "showlegend": few,
        }
        plot.add_trace(go.Scatter(**place, **style) if flat else go.Scatter3d(**place, **style))
    if flat:
        plot.update_xaxes(title_text="x [m]")
        plot.update_yaxes(title_text="y [m]", scaleanchor="x", scaleratio=1)
    else:
        low, high = points.min(axis=(0, 1)), points.max(axis=(0, 1))
        middle, half = (low + high) / 2, 0.55 * float((high - low).max())
        axes = {
            f"{name}axis": {"title": f"{name} [m]", "range": [middle[k] - half, middle[k] + half]}
            for k, name in enumerate("xyz")
        }
        plot.update_layout(scene={**axes, "aspectmode": "cube"})
    return figure(plot, title, 480)


SECTION = Section("ik_postures", "Postures", gather, draw)
