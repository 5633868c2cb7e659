"""Stick figures drawn with Plotly."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from .arrays import Array
from .sticks import AXES, PALETTE, StickFigure

DISTANCE = 1.25
"""Of the eye, relative to that of a page, where the scene may touch the edges."""


def moving_traces(figure: StickFigure, state: int) -> list[go.Scatter3d]:
    """Return sticks and joints at one state, without their looks: what changes along a motion."""
    pairs = np.array(figure.sticks, dtype=np.intp).reshape(-1, 2)
    points = figure.points[state]
    gaps = np.full((len(pairs), 1, 3), np.nan)
    x, y, z = single(np.concatenate([points[pairs], gaps], axis=1).reshape(-1, 3)).T
    jx, jy, jz = single(points[figure.used]).T
    return [go.Scatter3d(x=x, y=y, z=z), go.Scatter3d(x=jx, y=jy, z=jz)]


def styled_traces(figure: StickFigure) -> list[go.Scatter3d]:
    """Return sticks and joints at the first state, as they look; joints show their names."""
    sticks, joints = moving_traces(figure, 0)
    sticks.update(mode="lines", line={"color": PALETTE[0], "width": 9}, hoverinfo="skip")
    joints.update(
        mode="markers",
        marker={"color": PALETTE[1], "size": 4},
        text=[plain(figure.names[k]) for k in figure.used],
        hovertemplate="%{text}<br>%{x:.3f}, %{y:.3f}, %{z:.3f} m<extra></extra>",
    )
    return [sticks, joints]


def scene(figure: StickFigure) -> dict[str, Any]:
    """Return the scene around a figure: axes in metres and a camera."""
    axes = cube(figure.points[:, figure.used])
    if figure.flat:
        axes["xyz"[int(np.argmax(np.abs(figure.eye)))] + "axis"]["visible"] = False
    camera: dict[str, Any] = {
        key: dict(zip("xyz", map(float, value), strict=True))
        for key, value in (("up", figure.up), ("eye", figure.eye))
    }
    camera["projection"] = {"type": "orthographic" if figure.flat else "perspective"}
    return {**axes, "aspectmode": "cube", "camera": camera}


def plain(text: str) -> str:
    """Return text as Plotly shows it literally; it would read tags and templates otherwise."""
    return html.escape(text, quote=False).replace("%{", "%&#123;")


def single(values: Any) -> NDArray[np.float32]:
    """Return values in the precision that a screen can show, at half the page's size."""
    return np.asarray(values, dtype=np.float32)


def cube(points: Array) -> dict[str, dict[str, Any]]:
    """Return the axes of a scene as a cube with room around the points (..., 3), in metres."""
    cloud = points.reshape(-1, 3)
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    middle, half = (low + high) / 2, max(0.55 * float((high - low).max()), 1e-3)
    return {
        f"{name}axis": {"range": [middle[k] - half, middle[k] + half], "title": f"{name} [m]"}
        for k, name in enumerate("xyz")
    }


def frame_traces(names: Sequence[str], poses: Array, length: float) -> list[go.Scatter3d]:
    """Return the axes of frames of poses (frames, 4, 4): x red, y green, z blue, and their names."""
    traces = []
    origins = poses[:, :3, 3]
    for k, axis in enumerate("xyz"):
        tips = origins + length * poses[:, :3, k]
        x, y, z = single(np.stack([origins, tips, np.full_like(tips, np.nan)], axis=1).reshape(-1, 3)).T
        line = {"color": AXES[k], "width": 5}
        traces.append(go.Scatter3d(x=x, y=y, z=z, mode="lines", line=line, name=axis, hoverinfo="skip"))
    x, y, z = single(origins).T
    texts = [plain(each) for each in names]
    traces.append(go.Scatter3d(x=x, y=y, z=z, mode="text", text=texts, hoverinfo="skip"))
    return traces


def picture(title: str, sticks: StickFigure, frames: Sequence[str], triads: Array) -> go.Figure:
    """Return a figure of its own: the robot, some frames with poses (states, frames, 4, 4), and a slider."""
    space = scene(replace(sticks, eye=DISTANCE * sticks.eye))
    low, high = space["xaxis"]["range"]
    length = 0.06 * (high - low)
    count = len(sticks.points)
    axes = [frame_traces(frames, triads[k], length) if len(frames) else [] for k in range(count)]
    plot = go.Figure([*styled_traces(sticks), *axes[0]])
    look = {
        "backgroundcolor": "#f7f8fa",
        "gridcolor": "#dfe3e8",
        "zerolinecolor": "#c3cad2",
        "color": "#5b6570",
    }
    for each in ("xaxis", "yaxis", "zaxis"):
        space[each] = {**look, **space[each]}
    plot.update_layout(
        title={"text": plain(title), "x": 0.02, "font": {"size": 16}},
        scene=space,
        showlegend=False,
        height=640,
        margin={"l": 16, "r": 16, "t": 44, "b": 16},
        paper_bgcolor="white",
    )
    if count > 1:
        moving = list(range(len(plot.data)))
        plot.frames = [
            go.Frame(name=str(k), data=[*moving_traces(sticks, k), *axes[k]], traces=moving)
            for k in range(count)
        ]
        at_once = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}}
        steps = [{"method": "animate", "args": [[str(k)], at_once], "label": str(k)} for k in range(count)]
        plot.update_layout(
            sliders=[{"steps": steps, "currentvalue": {"prefix": "configuration "}, "x": 0.05}]
        )
    return plot
