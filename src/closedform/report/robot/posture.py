"""The robot as a stick figure along the motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from plotly import graph_objects as go

from ...arrays import Array
from ...model import Model
from ...model.inertia import parts_from_phi
from ..figure import PALETTE, Figure, cube, figure, plain, single
from ..section import Section
from .robot_study import Study

FRAMES = 60
"""Most postures along the motion."""

PAGE_BYTES = 1_000_000
"""Most data that the postures may add to the page."""

BODIES = 100
"""Beyond this many bodies a stick figure shows nothing, and one pose kernel each takes too long."""

NO_MARGIN = dict.fromkeys("lrtb", 0)


@dataclass(frozen=True)
class PostureFacts:
    """Points of the robot (frames, points, 3) and the sticks between them, at the instants t.

    `path` is that of the last point; `up` and `eye` are the directions of the camera, which
    looks straight at a `flat` motion.
    """

    t: Array
    names: tuple[str, ...]
    points: Array
    sticks: tuple[tuple[int, int], ...]
    tip: str
    up: Array
    eye: Array
    flat: bool

    @property
    def path(self) -> Array:
        """The path of the last point."""
        return self.points[:, -1]


def gather(study: Study) -> PostureFacts | None:
    """Return the points of the robot along the motion, from the pose of every body."""
    robot, model = study.robot, study.robot.model
    if len(model.bodies) > BODIES:
        return None
    ends = _ends(model)
    count = 1 + len(model.bodies) + len(ends)
    frames = min(FRAMES, study.samples, max(1, PAGE_BYTES // (48 * count + 400)))
    states = study.motion.at(np.linspace(0.0, study.duration, frames) if frames > 1 else np.zeros(1))
    poses = [robot.pose(states.q, body.name) for body in model.bodies]
    names = [model.frames[0].name, *(body.name for body in model.bodies), *(name for _, name, _ in ends)]
    points = np.zeros((frames, count, 3))
    sticks = []
    for i, body in enumerate(model.bodies):
        points[:, i + 1] = poses[i][:, :3, 3]
        if not body.joint.floats:
            sticks.append((body.parent + 1, i + 1))
    for k, (i, _, offset) in enumerate(ends, start=1 + len(model.bodies)):
        points[:, k] = poses[i][:, :3, 3] + poses[i][:, :3, :3] @ offset
        sticks.append((i + 1, k))
    up, eye, flat = _camera(points, model.gravity)
    return PostureFacts(states.t, tuple(names), points, tuple(sticks), names[-1], up, eye, flat)


def _ends(model: Model) -> list[tuple[int, str, Array]]:
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


def draw(facts: PostureFacts) -> Mapping[str, Figure]:
    """Return the stick figure with its slider."""
    pairs = np.array(facts.sticks).reshape(-1, 2)
    used = np.unique(pairs)
    names = [plain(facts.names[k]) for k in used]

    def moving(frame: int) -> list[go.Scatter3d]:
        points = facts.points[frame]
        ends = points[pairs]
        gaps = np.full((len(pairs), 1, 3), np.nan)
        x, y, z = single(np.concatenate([ends, gaps], axis=1).reshape(-1, 3)).T
        jx, jy, jz = single(points[used]).T
        return [go.Scatter3d(x=x, y=y, z=z), go.Scatter3d(x=jx, y=jy, z=jz)]

    sticks, joints = moving(0)
    sticks.update(mode="lines", line={"color": PALETTE[0], "width": 9}, hoverinfo="skip")
    joints.update(
        mode="markers",
        marker={"color": PALETTE[1], "size": 4},
        text=names,
        hovertemplate="%{text}<br>%{x:.3f}, %{y:.3f}, %{z:.3f} m<extra></extra>",
    )
    x, y, z = single(facts.path).T
    path = go.Scatter3d(x=x, y=y, z=z, mode="lines", line={"color": PALETTE[7], "width": 2}, hoverinfo="skip")
    many = len(facts.t) > 1
    steps = [f"{t:.2f} s" for t in facts.t] if many else []
    plot = go.Figure(
        data=[sticks, joints, path],
        frames=[go.Frame(name=str(k), data=moving(k), traces=[0, 1]) for k in range(len(steps))],
    )
    axes = cube(facts.points[:, used])
    if facts.flat:
        axes["xyz"[int(np.argmax(np.abs(facts.eye)))] + "axis"]["visible"] = False
    camera: dict[str, Any] = {
        key: dict(zip("xyz", map(float, value), strict=True))
        for key, value in (("up", facts.up), ("eye", facts.eye))
    }
    camera["projection"] = {"type": "orthographic" if facts.flat else "perspective"}
    plot.update_layout(scene={**axes, "aspectmode": "cube", "camera": camera}, showlegend=False)
    return {"posture": figure(plot, "Stick figure along the motion", 520, steps=steps, margin=NO_MARGIN)}


SECTION = Section("posture", "Posture", gather, draw)
