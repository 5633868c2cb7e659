"""The arm at the listed targets, and in 3D along the self-motion of the first target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from plotly import graph_objects as go

from ... import redundancy
from ...arrays import Array
from ...scene import Scene
from ..figure import PALETTE, Figure, cube, figure, single
from ..section import Section
from .path_study import RedundancyStudy

SECONDS = 8.0
"""Time that the picture takes for the whole self-motion."""


@dataclass(frozen=True)
class PostureFacts:
    """Points of the arm from the base to the tip (postures, points, 3), and whether they are in a plane.

    `self_motion` is the arm along the self-motion of the first target, over its arc length in joint space.
    """

    names: tuple[str, ...]
    marks: Array
    self_motion: Scene | None
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
        moving = _moving(study, np.asarray(curve.q))
    names = tuple(name for name, _ in route.marks)
    return PostureFacts(names, marks, moving, bool(np.ptp(marks[..., 2]) < 1e-9))


def _moving(study: RedundancyStudy, q: Array) -> Scene:
    """Return the arm along joint angles (s, n), over arc length."""
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(q, axis=0), axis=1))])
    distinct = np.concatenate([[True], np.diff(length) > 0])
    scene = study.arm.scene(q[distinct], length[distinct], tool=study.task_rows.frame)
    unit = "rad" if all(label.unit == "rad" for label in study.labels) else ""
    return replace(scene, unit=unit, pace=float(length[-1]) / SECONDS or 1.0)


def _points(study: RedundancyStudy, q: Array) -> Array:
    robot = study.arm
    bodies, tip = robot.body_poses(q)[..., :3, 3], robot.pose(q, study.task_rows.frame)[:, None, :3, 3]
    return np.concatenate([np.zeros_like(tip), bodies, tip], axis=1)


def draw(facts: PostureFacts) -> Mapping[str, Figure]:
    """Return the arm at the listed targets."""
    return {"marks": _arms(facts.marks, facts.flat, "Arm at the listed targets", facts.names)}


def _arms(points: Array, flat: bool, title: str, names: Sequence[str]) -> Figure:
    plot = go.Figure()
    for k, posture in enumerate(points):
        x, y, z = single(posture).T
        place: dict[str, Any] = {"x": x, "y": y} if flat else {"x": x, "y": y, "z": z}
        style: dict[str, Any] = {
            "mode": "lines+markers",
            "name": names[k],
            "line": {"color": PALETTE[k], "width": 2.6 if flat else 6.5},
            "marker": {"color": PALETTE[k], "size": 6 if flat else 3},
        }
        plot.add_trace(go.Scatter(**place, **style) if flat else go.Scatter3d(**place, **style))
    if flat:
        plot.update_xaxes(title_text="x [m]")
        plot.update_yaxes(title_text="y [m]", scaleanchor="x", scaleratio=1)
    else:
        plot.update_layout(scene={**cube(points), "aspectmode": "cube"})
    return figure(plot, title, 480)


SECTION = Section("ik_postures", "Postures", gather, draw)
