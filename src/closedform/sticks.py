"""Robots as stick figures: points, sticks between them, and where to look from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .arrays import Array
from .chart import PALETTE
from .model import Model
from .model.inertia import parts_from_phi

__all__ = ["AXES", "PALETTE", "StickFigure", "outermost", "stick_figure"]

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

    def straight(self, state: int) -> bool:
        """Whether all of these points are on one line, which shows little of a robot."""
        cloud = self.points[state, self.used]
        size = np.linalg.svd(cloud - cloud.mean(axis=0), compute_uv=False)
        return bool(len(size) < 2 or size[1] < 1e-3 * size[0])


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
