"""The arm at the listed targets and along the self-motion of the first target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from plotly import graph_objects as go

from ... import redundancy
from ...arrays import Array
from ..figure import PALETTE, Figure, cube, figure, single
from ..section import Section
from .path_study import RedundancyStudy

SHOWN = 18
"""Postures along the self-motion."""


@dataclass(frozen=True)
class PostureFacts:
    """Points of the arm from the base to the tip (postures, points, 3), and whether they are in a plane."""

    names: tuple[str, ...]
    marks: Array
    self_motion: Array | None
    flat: bool


def gather(study: RedundancyStudy) -> PostureFacts:
    """Return the postures."""
    route = study.route
    marks = _points(study, study.path.q[[k for _, k in route.marks]])
    moving = None
    if study.self_motions == 1:
        start = study.path.q[0]
        options = {"task": route.task, "criterion": study.best, "limits": study.bounded}
        (curve,) = redundancy.self_motion(route.robot, route.targets[0], q0=start, **options)
        keep = np.linspace(0, len(curve.q) - 1, SHOWN + 1).round().astype(int)
        moving = _points(study, curve.q[keep])
    everything = marks if moving is None else np.concatenate([marks, moving])
    names = tuple(name for name, _ in route.marks)
    return PostureFacts(names, marks, moving, bool(np.ptp(everything[..., 2]) < 1e-9))


def _points(study: RedundancyStudy, q: Array) -> Array:
    robot = study.arm
    bodies, tip = robot.body_poses(q)[..., :3, 3], robot.pose(q, study.task_rows.frame)[:, None, :3, 3]
    return np.concatenate([np.zeros_like(tip), bodies, tip], axis=1)


def draw(facts: PostureFacts) -> Mapping[str, Figure]:
    """Return the arm at the listed targets, and through its self-motion."""
    figures = {"marks": _arms(facts.marks, facts.flat, "Arm at the listed targets", facts.names)}
    if facts.self_motion is not None:
        figures["moving"] = _arms(facts.self_motion, facts.flat, "Arm along its self-motion")
    return figures


def _arms(points: Array, flat: bool, title: str, names: Sequence[str] = ()) -> Figure:
    plot = go.Figure()
    few = bool(names)
    for k, posture in enumerate(points):
        x, y, z = single(posture).T
        place: dict[str, Any] = {"x": x, "y": y} if flat else {"x": x, "y": y, "z": z}
        style: dict[str, Any] = {
            "mode": "lines+markers",
            "name": names[k] if few else f"posture {k + 1}",
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
        plot.update_layout(scene={**cube(points), "aspectmode": "cube"})
    return figure(plot, title, 480)


SECTION = Section("ik_postures", "Postures", gather, draw)
