"""Joint angles at the vertices and along the path (Fig. 2 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly.subplots import make_subplots

from ...arrays import Array
from ..figure import PALETTE, Figure, figure, plain, single
from ..section import Section
from .study import PER_SIDE, IkStudy


@dataclass(frozen=True)
class Vertex:
    """A vertex of the square: joint angles in degrees, what they are, and how exact."""

    angles: tuple[float, ...]
    printed: tuple[float, ...] | None
    kind: str
    task_error: float
    stationarity: float


@dataclass(frozen=True)
class JointFacts:
    """Joint angles (t, n) in degrees by the proposed method and by resolved motion in its first cycle."""

    names: tuple[str, ...]
    exact: Array
    resolved: Array
    vertices: tuple[Vertex, ...]
    difference: float | None


def gather(study: IkStudy) -> JointFacts:
    """Return the angles of both methods."""
    path = study.path
    exact = np.rad2deg(path.q)
    vertices = tuple(
        Vertex(
            tuple(exact[k * PER_SIDE].tolist()),
            None if study.printed is None else tuple(study.printed[k].tolist()),
            str(path.kind[k * PER_SIDE]),
            float(path.task_error[k * PER_SIDE]),
            float(path.stationarity[k * PER_SIDE]),
        )
        for k in range(4)
    )
    difference = None
    if study.printed is not None:
        difference = float(np.abs(exact[: 4 * PER_SIDE : PER_SIDE] - study.printed).max())
    return JointFacts(
        study.robot.joint_names,
        exact,
        np.rad2deg(study.method("pseudoinverse").first),
        vertices,
        difference,
    )


def draw(facts: JointFacts) -> Mapping[str, Figure]:
    """Return the first joint against the others, as the paper draws it."""
    n = facts.exact.shape[1]
    columns = min(n - 1, 3)
    rows = -(-(n - 1) // columns)
    plot = make_subplots(rows=rows, cols=columns, vertical_spacing=0.14, horizontal_spacing=0.1)
    for k in range(1, n):
        row, col = (k - 1) // columns + 1, (k - 1) % columns + 1
        for name, angles, colour, dash in (
            ("resolved motion, first cycle", facts.resolved, 1, "solid"),
            ("proposed method", facts.exact, 0, "dot"),
        ):
            plot.add_scatter(
                x=single(angles[:, 0]),
                y=single(angles[:, k]),
                name=name,
                legendgroup=name,
                showlegend=k == 1,
                mode="lines",
                line={"color": PALETTE[colour], "width": 2.4 if dash == "dot" else 1.6, "dash": dash},
                hovertemplate="%{x:.3f}°, %{y:.3f}°",
                row=row,
                col=col,
            )
        plot.update_xaxes(title_text=f"{plain(facts.names[0])} [deg]", row=row, col=col)
        plot.update_yaxes(title_text=f"{plain(facts.names[k])} [deg]", row=row, col=col)
    return {"joints": figure(plot, "Joint trajectories of two methods", 80 + 330 * rows)}


SECTION = Section("ik_joints", "Joint trajectories", gather, draw)
