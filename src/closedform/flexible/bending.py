"""An arm along a motion as it is drawn: points along its links, deflections magnified."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..errors import shorten
from ..scene import Scene
from ..scene.extent import extent, views
from ..scene.motion import kept
from ..scene.parts import Effort, Marks, Solid, Tube
from ..shapes.shape import Colour
from ..shapes.solids import cylinder, sphere
from ..sticks import StickFigure
from ..svg import svg
from .structure import ArmStructure

STATIONS = 15
"""Points of a link."""

PATH = 1500
"""Most points of the path of the tip."""

SHOWN = 0.3
"""Deflection over length that the largest one is magnified to."""

SLENDER = 0.014
"""Radius of a link, relative to the length of the arm."""

LINK: Colour = (0.23, 0.49, 0.85, 1.0)
HUB: Colour = (0.25, 0.29, 0.35, 1.0)
PAYLOAD: Colour = (0.85, 0.38, 0.17, 1.0)
RIGID: Colour = (0.5, 0.53, 0.57, 1.0)


@dataclass(frozen=True, eq=False)
class Bending:
    """Points along the arm (frames, points, 2), bent by `magnification` times, and without bending.

    `path` (m, 2) is that of the tip, `torques` (frames, n) are those of the joints, `gravity` is (x, y).
    """

    name: str
    t: Array
    bent: Array
    straight: Array
    path: Array
    joints: tuple[int, ...]
    magnification: float
    torques: Array
    gravity: Array
    payload: bool

    def scene(self) -> Scene:
        """Return the arm in 3D: links as tubes that bend, beside transparent ones that do not."""
        bent, straight = _in_space(self.bent), _in_space(self.straight)
        stations = bent.shape[1] // len(self.joints)
        length = float(np.linalg.norm(np.diff(straight[0], axis=0), axis=-1).sum())
        radius = SLENDER * length
        tubes = []
        for k in range(len(self.joints)):
            part = slice(k * stations, (k + 1) * stations)
            tubes.append(Tube(bent[:, part], radius, LINK, f"link {k + 1}"))
            tubes.append(Tube(straight[:, part], 0.6 * radius, RIGID, f"link {k + 1}, without bending", True))
        ends = bent[:, [*self.joints, -1]]
        poses = np.tile(np.eye(4), (*ends.shape[:2], 1, 1))
        poses[..., :3, 3] = ends
        hub, ball = (
            cylinder(2.0 * radius, 3.6 * radius),
            sphere(2.2 * radius if self.payload else 1.2 * radius),
        )
        solids = [Solid(k, *hub, HUB, f"joint {k + 1}") for k in range(len(self.joints))]
        solids.append(Solid(len(self.joints), *ball, PAYLOAD, "payload" if self.payload else "tip"))
        strength = float(np.linalg.norm(self.gravity))
        up = np.array([*(-self.gravity / strength), 0.0]) if strength else np.array([0.0, 0.0, 1.0])
        room = extent(up, poses, solids, tubes, ends)
        normal = np.array([0.0, 0.0, 1.0])
        return Scene(
            name=self.name,
            t=self.t,
            poses=poses,
            solids=tuple(solids),
            tubes=tuple(tubes),
            marks=Marks(tool="tip", path=_in_space(self.path), efforts=self._efforts()),
            extent=room,
            views=views(room.turn, normal, True),
            still=self._still(bent),
        )

    def _efforts(self) -> tuple[Effort, ...]:
        """Return the torques of the joints, relative to their largest; none if nothing acts."""
        if not self.torques.any():
            return ()
        most = [float(np.abs(u).max()) or 1.0 for u in self.torques.T]
        axis = np.array([0.0, 0.0, 1.0])
        return tuple(
            Effort(f"joint {k + 1}", k, np.zeros(3), axis, False, u, most[k], False)
            for k, u in enumerate(self.torques.T)
        )

    def _still(self, bent: Array) -> str:
        """Return the start as a line."""
        count = bent.shape[1]
        names = tuple(f"link {k * len(self.joints) // count + 1}" for k in range(count))
        sticks = tuple((k, k + 1) for k in range(count - 1))
        up, eye = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
        figure = StickFigure(names, bent[:1], sticks, up, eye, True)
        return svg(figure, 0, np.zeros((0, 4, 4)), shorten(self.name, 40))


def bending(arm: ArmStructure, t: Array, q: Array, u: Array, magnify: float | None = None) -> Bending:
    """Return an arm along a motion of coordinates q (k, N) and torques u (k, n) at times t (k,).

    By default deflections are magnified until the largest is seen well.
    """
    keep = kept(len(t), arm.joints + 1)
    modes = np.arange(arm.size) >= arm.joints
    factor = _magnification(arm, q) if magnify is None else magnify
    bent, straight = (
        np.asarray(arm.points(q[keep] * np.where(modes, each, 1.0), STATIONS)) for each in (factor, 0.0)
    )
    along = np.linspace(0, len(t) - 1, min(PATH, len(t))).astype(int)
    path = np.asarray(arm.tip_position(q[along] * np.where(modes, factor, 1.0)))
    joints = tuple(range(0, arm.joints * STATIONS, STATIONS))
    gravity, payload = np.asarray(arm.gravity, dtype=float), bool(arm.payload[0])
    return Bending(arm.name, t[keep], bent, straight, path, joints, factor, u[keep], gravity, payload)


def _magnification(arm: ArmStructure, q: Array) -> float:
    """Return the factor, of one digit, that makes the largest deflection a certain part of its link."""
    ratios = [
        np.abs(q[:, arm.model.parts[i]] @ arm.modes[i].shapes(x)).max() / link.length
        for i, link in enumerate(arm.links)
        for x in np.linspace(0, link.length, 9)
    ]
    return max(1.0, float(f"{SHOWN / max(*ratios, 1e-12):.1g}"))


def _in_space(points: Array) -> Array:
    """Return points (..., 2) of the plane in space, (..., 3)."""
    return np.concatenate([points, np.zeros_like(points[..., :1])], axis=-1)
