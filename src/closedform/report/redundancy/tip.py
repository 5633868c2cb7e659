"""Where the tip goes (Fig. 3 of the paper), and by how much it misses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from plotly.subplots import make_subplots

from ...arrays import Array
from ..curves import add_curve
from ..figure import PALETTE, Figure, figure
from ..section import Section
from .path_study import RedundancyStudy

MARKERS = 40
"""About how many targets are marked."""

FLOOR = 1e-17
"""Least error that a logarithmic axis shows."""


@dataclass(frozen=True)
class TipFacts:
    """Places of the tip in a plane of the base axes (t, 2), and distances from the targets (t,), in mm."""

    command: Array
    resolved: Array
    exact: Array
    resolved_error: Array
    exact_error: Array
    axes: tuple[str, str]


def gather(study: RedundancyStudy) -> TipFacts | None:
    """Return the tip's path by forward kinematics of each method's joint angles.

    None for a single target, and for tasks that hold less than two coordinates of the tip. The plane
    is that of the two base axes along which the targets extend most.
    """
    task, resolved = study.task_rows, study.resolved
    rows = [row for row in task.rows if row in "xyz"]
    if resolved is None or len(rows) < 2:
        return None
    columns = ["xyz".index(row) for row in rows]
    x = study.route.targets
    command = 1e3 * (x[:, columns, 3] if task.turns else x)
    there, here = (1e3 * study.arm.pose(q, task.frame)[:, columns, 3] for q in (resolved, study.path.q))
    missed, kept = (np.linalg.norm(places - command, axis=-1) for places in (there, here))
    extent = np.ptp(command, axis=0).round(9)
    plane = sorted(np.argsort(-extent, kind="stable")[:2].tolist())
    axes = rows[plane[0]], rows[plane[1]]
    return TipFacts(command[:, plane], there[:, plane], here[:, plane], missed, kept, axes)


def draw(facts: TipFacts) -> Mapping[str, Figure]:
    """Return the path in its plane, and the error along it."""
    plot = make_subplots(cols=2, horizontal_spacing=0.14)
    sparse = slice(None, None, max(1, len(facts.command) // MARKERS))
    for name, places, colour, marker in (
        ("command", facts.command[sparse], 7, {"symbol": "x-thin", "size": 9}),
        ("resolved motion", facts.resolved, 1, None),
        ("proposed method", facts.exact[sparse], 0, {"symbol": "circle", "size": 5}),
    ):
        style: dict[str, Any] = {"width": 1.6}
        if marker is not None:
            line = {"color": PALETTE[colour], "width": 2}
            style = {"mode": "markers", "marker": {**marker, "color": PALETTE[colour], "line": line}}
        x, y = places.T
        add_curve(plot, x, y, name, colour, hover="%{x:.3f}, %{y:.3f} mm", **style)
    for name, error, colour in (
        ("resolved motion", facts.resolved_error, 1),
        ("proposed method", facts.exact_error, 0),
    ):
        size, targets = np.maximum(error, FLOOR), np.arange(len(error))
        add_curve(plot, targets, size, name, colour, col=2, width=1.6, hover="%{y:.2e} mm")
    plot.update_xaxes(title_text=f"{facts.axes[0]} [mm]", row=1, col=1)
    plot.update_yaxes(title_text=f"{facts.axes[1]} [mm]", scaleanchor="x", scaleratio=1, row=1, col=1)
    plot.update_xaxes(title_text="target along the path", row=1, col=2)
    plot.update_yaxes(title_text="error of the tip [mm]", type="log", row=1, col=2)
    return {"tip": figure(plot, "Commanded path and path of the tip", 480)}


SECTION = Section("ik_tip", "Path of the tip", gather, draw)
