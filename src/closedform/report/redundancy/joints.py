"""Joint coordinates at the listed targets and along the path (Fig. 2 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from plotly.subplots import make_subplots

from ...arrays import Array
from ..curves import add_curve
from ..figure import Figure, figure, plain
from ..section import Section
from .path_study import RedundancyStudy


@dataclass(frozen=True)
class Mark:
    """A listed target: joint coordinates as shown, what they are, and how exact."""

    name: str
    angles: tuple[float, ...]
    printed: tuple[float, ...] | None
    kind: str
    task_error: float
    stationarity: float


@dataclass(frozen=True)
class JointFacts:
    """Joint coordinates (t, n) by the proposed method and by resolved motion in its first cycle.

    `words` say where the tip goes; `criterion` is its name and whether it shall be large or small.
    """

    words: str
    criterion: tuple[str, str]
    names: tuple[str, ...]
    exact: Array
    resolved: Array | None
    marks: tuple[Mark, ...]
    difference: float | None


def gather(study: RedundancyStudy) -> JointFacts:
    """Return the coordinates of both methods."""
    path, route = study.path, study.route
    exact = study.shown(path.q)
    printed = [None] * len(route.marks) if route.printed is None else [tuple(row) for row in route.printed]
    marks = tuple(
        Mark(
            name,
            tuple(exact[k].tolist()),
            angles,
            str(path.kind[k]),
            float(path.task_error[k]),
            float(path.stationarity[k]),
        )
        for (name, k), angles in zip(route.marks, printed, strict=True)
    )
    difference = None
    if route.printed is not None:
        difference = float(np.abs(exact[[k for _, k in route.marks]] - route.printed).max())
    names = tuple(f"{label.text} [{unit}]" for label, unit in zip(study.labels, study.units, strict=True))
    resolved = None if study.resolved is None else study.shown(study.resolved)
    return JointFacts(route.words, study.sense, names, exact, resolved, marks, difference)


def draw(facts: JointFacts) -> Mapping[str, Figure]:
    """Return the first joint against the others, as the paper draws it; nothing of a single target."""
    if facts.resolved is None:
        return {}
    n = facts.exact.shape[1]
    columns = min(n - 1, 3)
    rows = -(-(n - 1) // columns)
    plot = make_subplots(rows=rows, cols=columns, vertical_spacing=0.28 / rows, horizontal_spacing=0.1)
    for k in range(1, n):
        row, col = (k - 1) // columns + 1, (k - 1) % columns + 1
        for name, q, colour, width, dash in (
            ("resolved motion, first cycle", facts.resolved, 1, 1.6, "solid"),
            ("proposed method", facts.exact, 0, 2.4, "dot"),
        ):
            x, y, hover = q[:, 0], q[:, k], "%{x:.3f}, %{y:.3f}"
            add_curve(plot, x, y, name, colour, row=row, col=col, width=width, dash=dash, hover=hover)
        plot.update_xaxes(title_text=plain(facts.names[0]), row=row, col=col)
        plot.update_yaxes(title_text=plain(facts.names[k]), row=row, col=col)
    return {"joints": figure(plot, "Joint trajectories of two methods", 80 + 330 * rows)}


SECTION = Section("ik_joints", "Joint trajectories", gather, draw)
