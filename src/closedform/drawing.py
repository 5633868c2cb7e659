"""Robots as stick figures: points and sticks between them, drawn with Plotly."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plotly import graph_objects as go

from .arrays import Array
from .model import Model
from .model.inertia import parts_from_phi

PALETTE = ("#3b7dd8", "#d9622b", "#2f9e6e", "#9b5fc0", "#d6528f", "#1f94ab", "#8f8a1e", "#7d8590")
"""Line colours with a contrast of at least 3 to 1 on both the light and the dark page."""

DISTANCE = 1.25
"""Of the eye, relative to that of a page, where the scene may touch the edges."""

AXES = ("#d62728", "#2ca02c", "#1f77b4")
"""Colours of the axes x, y, z of a frame: red, green, blue, as other viewers have them."""


@dataclass(frozen=True)
class StickFigure:
    """Points of a robot (states, points, 3) and the sticks between them.

    `up` and `eye` are the directions of the camera, which looks straight at a `flat` motion.
    """

    names: tuple[str, ...]
    points: Array
    sticks: tuple[tuple[int, int], ...]
    up: Array
    eye: Array
    flat: bool

    @property
    def used(self) -> NDArray[np.intp]:
        """The points that sticks connect, or the first if there are none."""
        return np.unique(self.sticks).astype(np.intp) if self.sticks else np.zeros(1, dtype=np.intp)


def stick_figure(model: Model, poses: Array) -> StickFigure:
    """Return the figure of a robot whose bodies have these poses (states, bodies, 4, 4)."""
    ends = outermost(model)
    names = [model.frames[0].name, *(body.name for body in model.bodies), *(name for _, name, _ in ends)]
    points = np.zeros((len(poses), len(names), 3))
    points[:, 1 : 1 + len(model.bodies)] = poses[..., :3, 3]
    sticks = [(body.parent + 1, i + 1) for i, body in enumerate(model.bodies) if not body.joint.floats]
    for k, (i, _, offset) in enumerate(ends, start=1 + len(model.bodies)):
        points[:, k] = poses[:, i, :3, 3] + poses[:, i, :3, :3] @ offset
        sticks.append((i + 1, k))
    return StickFigure(tuple(names), points, tuple(sticks), *_camera(points, model.gravity))


def outermost(model: Model) -> list[tuple[int, str, Array]]:
    """Return (body, name, offset) of what the outermost bodies reach to: a frame, else their centre."""
    parents = {body.parent for body in model.bodies}
    ends = []
    for i, body in enumerate(model.bodies):
        if i in parents:
            continue
        fixed = [f for f in model.frames if f.body == i and np.linalg.norm(f.placement[:3, 3]) > 1e-6]
        m, ms, _ = parts_from_phi(body.phi)
        if fixed:
            far = max(fixed, key=lambda frame: float(np.linalg.norm(frame.placement[:3, 3])))
            ends.append((i, far.name, far.placement[:3, 3]))
        elif m:
            ends.append((i, f"centre of mass of {body.name}", ms / m))
    return ends


def _camera(points: Array, gravity: Array) -> tuple[Array, Array, bool]:
    """Return up against gravity, the eye, and whether the motion is in a plane that it looks straight at."""
    strength = float(np.linalg.norm(gravity))
    up = -gravity / strength if strength else np.array([0.0, 0.0, 1.0])
    cloud = points.reshape(-1, 3) - points.reshape(-1, 3).mean(axis=0)
    _, size, axes = np.linalg.svd(cloud, full_matrices=False)
    flat = bool(len(size) == 3 and size[2] < 1e-3 * size[0] and size[1] > 1e-3 * size[0])
    if not flat:
        return up, np.array([1.4, 1.4, 0.8]) if abs(up[2]) > 0.5 else np.array([1.4, 0.8, 1.4]), flat
    normal = axes[2] * np.sign(axes[2][np.argmax(np.abs(axes[2]))])
    if abs(normal @ up) > 0.9:
        up = np.array([0.0, 1.0, 0.0])
    return up, 0.65 * normal, flat


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
