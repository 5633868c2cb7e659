"""A flexible arm in the browser: torque sliders, and the arm that bends under them in real time."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from viser.transforms import SO3

from ..arrays import Array
from ..flexible import FlexibleArm
from . import panel
from .bending import STATIONS, BendingState
from .loop import Loop
from .page import Page
from .scene import surroundings
from .tube import capsule

SLENDER = 0.035
"""Radius of a link over its length."""

MAGNIFIED = 3.0
"""How many times deflections are magnified at first: some hundredths of a length are hard to see."""

TEXT = 0.1
"""Seconds between two writings of the numbers."""

LINK, HUB, PAYLOAD = (59, 125, 216), (70, 80, 100), (217, 98, 43)
"""Colours."""


class BendingView(Page):
    """A flexible arm on a page of its own: `url` says where, `state` is its state, `stop` ends it."""

    def __init__(
        self, arm: FlexibleArm, q: ArrayLike | None = None, *, host: str = "127.0.0.1", port: int = 8080
    ) -> None:
        self.state = BendingState(arm, q)
        self.loop = Loop(self.frame, lambda: self.state.running)
        super().__init__(host, port, arm.name)
        self._upright = bool(arm.gravity.any())
        self._written = -1.0
        self._drawn: Array | None = None
        self._build()
        self._scene()
        self.frame(0.0)
        self.loop.start()

    @property
    def note(self) -> str:
        """What the panel says, or nothing."""
        return self.state.note or self.loop.trouble

    def frame(self, seconds: float) -> None:
        """Go on by some seconds, and draw the arm."""
        self.state.advance(seconds)
        points = self._in_space(self.state.points())
        with self.server.atomic():
            if np.isfinite(points).all() and (self._drawn is None or (points != self._drawn).any()):
                self._draw(points)
            if time.monotonic() - self._written > TEXT or not self.state.running:
                self._write()

    def _draw(self, points: Array) -> None:
        self._drawn = points
        for nodes, part in zip(self._links, points.reshape(-1, STATIONS, 3), strict=True):
            turns = SO3.from_matrix(self._along(np.diff(part, axis=0))).wxyz
            for node, start, turn in zip(nodes, part, turns, strict=False):
                node.position, node.wxyz = start, turn
        for hub, point in zip(self._hubs, points[[*range(0, len(points), STATIONS), -1]], strict=True):
            hub.position = point

    def _in_space(self, points: Array) -> Array:
        """Return points of the plane in space: upright under gravity, else lying."""
        x, y = points.T
        still = np.zeros_like(x)
        return np.stack([x, still, y] if self._upright else [x, y, still], axis=-1)

    def _along(self, directions: Array) -> Array:
        """Return rotations (k, 3, 3) whose first axis has a direction (k, 3) within the plane of the arm."""
        x = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-300)
        normal = np.broadcast_to([0.0, -1.0, 0.0] if self._upright else [0.0, 0.0, 1.0], x.shape)
        return np.stack([x, np.cross(normal, x), normal], axis=-1)

    def _scene(self) -> None:
        arm, scene = self.state.arm, self.server.scene
        reach = sum(link.length for link in arm.links)
        self._radius = SLENDER * max(link.length for link in arm.links)
        # pieces that keep their shape and move: a browser draws poses much faster than new vertices
        self._links: list[list[Any]] = []
        for i, link in enumerate(arm.links):
            vertices, faces = capsule(link.length / (STATIONS - 1), self._radius)
            pieces = [
                scene.add_mesh_simple(f"/arm/link{i}/{k}", vertices.astype(np.float32), faces, color=LINK)
                for k in range(STATIONS - 1)
            ]
            self._links.append(pieces)
        sizes = [2.2, *([1.8] * (arm.joints - 1)), 1.6 if arm.payload[0] else 1.1]
        self._hubs: list[Any] = [
            scene.add_icosphere(
                f"/arm/hub{k}",
                radius=size * self._radius,
                color=PAYLOAD if k == arm.joints and arm.payload[0] else HUB,
            )
            for k, size in enumerate(sizes)
        ]
        box = 0.75 * reach * np.ones(3)
        box[1 if self._upright else 2] = 2.2 * self._radius
        surroundings(self.server, -box, box, np.array([0.0, 0.0, 1.0]))
        look = [0.2, -1.6, 0.25] if self._upright else [-1.0, -0.35, 1.35]
        self.server.initial_camera.position = reach * np.array(look)
        self.server.initial_camera.look_at = reach * np.array([0.0 if self._upright else 0.25, 0.0, 0.0])

    def _build(self) -> None:
        gui, state = self.server.gui, self.state
        self._status = gui.add_html("")
        buttons = gui.add_button_group("arm", ("Begin again", "Stop"))
        buttons.on_click(lambda event: self.loop.ask("button", lambda: self._press(event.target.value)))
        self._sliders = []
        for k, most in enumerate(state.ranges.tolist()):
            top = float(f"{most:.1g}")
            slider = gui.add_slider(f"torque {k + 1} [N m]", -top, top, top / 100, 0.0)
            self._sliders.append(slider)
            slider.on_update(lambda event, k=k: self.ask(f"torque {k}", event, lambda: self._turn(k)))
        gui.add_button("No torques").on_click(lambda _: self.loop.ask("none", self._release))
        state.magnified = MAGNIFIED
        self._magnified = gui.add_slider("deflections ×", 1.0, 10.0, 0.5, MAGNIFIED)
        self._magnified.on_update(lambda event: self.ask("magnified", event, self._magnify))
        self._words = gui.add_html("")

    def _turn(self, joint: int) -> None:
        self.state.set_torque(joint, float(self._sliders[joint].value))

    def _magnify(self) -> None:
        self.state.magnified = float(self._magnified.value)

    def _release(self) -> None:
        self.state.torques[:] = 0.0
        for slider in self._sliders:
            slider.value = 0.0

    def _press(self, what: str) -> None:
        if what == "Begin again":
            self.state.rest()
        else:
            self.state.hold()
        self._release()

    def _write(self) -> None:
        self._written = time.monotonic()
        self._words.content = panel.arm(self.state)
        self.say(self.note)
