"""The gizmos of a view: one that drags the tool, one that moves a floating base, and the elbow's slider."""

from __future__ import annotations

from typing import Any

import numpy as np
from viser.transforms import SO3

from ..arrays import Array
from .placing import pose_of
from .reach import Elbow, Followed, Reach
from .robot_page import RobotPage

PERCENT = 100.0
"""The elbow's slider goes along the whole self-motion."""

GIZMO = 0.16
"""Size of a gizmo, in parts of the robot's."""


class Drag:
    """Brings the robot to where its tool or base is dragged; the tool has a gizmo when a solver is ready."""

    def __init__(self, view: RobotPage) -> None:
        self._view = view
        gui, state = view.server.gui, view.state
        moving = [frame.name for frame in state.robot.model.frames if frame.body >= 0]
        self.reach: Reach | None = None
        self.elbow: Elbow | None = None
        self._elbow_q: Array | None = None
        self._gizmo: Any = None
        self._base: Any = None
        self._held = False
        self._frame = gui.add_dropdown("tool", moving or [state.frame], initial_value=state.frame)
        self._frame.on_update(lambda event: view.ask("frame", event, self._choose))
        self._wanted = gui.add_checkbox("drag the tool", True)
        self._wanted.on_update(lambda event: view.ask("wanted", event, self._show))
        self._slider = gui.add_slider(
            "elbow [%]",
            0.0,
            PERCENT,
            0.5,
            0.0,
            disabled=True,
            hint="Moves the joints along the self-motion, while the tool stays.",
        )
        self._slider.on_update(lambda event: view.ask("elbow", event, self._bend))
        self._words = gui.add_html("")
        if state.base is not None:
            self._add_base()

    @property
    def pending(self) -> bool:
        """Whether the elbow's slider is not yet that of this posture."""
        return self.reach is not None and self.reach.redundant and self._elbow_q is not self._view.state.q

    def ready(self, reach: Reach) -> None:
        """Take over a solver that is ready to use."""
        self.reach, self.elbow, self._elbow_q = reach, None, None
        if self._gizmo is not None:
            self._gizmo.remove()
            self._gizmo = None
        if reach.possible:
            self._gizmo = self._controls("/tool", disable_rotations=not reach.turns)
            self._gizmo.on_update(self._dragged)
        self._slider.disabled = not reach.redundant
        self._show()
        self.sync()

    def sync(self) -> None:
        """Move the gizmos to where the robot is, unless one is being dragged."""
        if self._held:
            return
        if self._gizmo is not None:
            _place(self._gizmo, self._view.state.tool)
        if self._base is not None:
            _place(self._base, self._base_pose())

    def renew(self) -> None:
        """Find the self-motion of the present posture, and set the elbow's slider to where it is on it."""
        reach, q = self.reach, self._view.state.q
        self._elbow_q = q
        if reach is None:
            return
        self.elbow = reach.elbow(q)
        self._slider.disabled = self.elbow is None
        if self.elbow is not None:
            self._slider.value = PERCENT * self.elbow.start / max(self.elbow.longest, 1e-12)

    def _choose(self) -> None:
        self._view.state.frame = self._frame.value
        self._view.changed()
        self._view.prepare()

    def _show(self) -> None:
        if self._gizmo is not None:
            self._gizmo.visible = self._wanted.value
        words = ""
        if self.reach is not None and not self.reach.possible:
            words = "Too few joints move this frame to drag it."
        elif self.reach is not None and not self.reach.redundant:
            words = "No self-motion: the elbow is where the tool demands it."
        self._words.content = f'<div style="font-size:11px;padding:2px 8px">{words}</div>' if words else ""

    def _dragged(self, event: Any) -> None:
        self._held = event.phase != "end"
        self._view.loop.ask("tool", self._follow)

    def _follow(self) -> None:
        if self.reach is None or self._gizmo is None:
            return
        target = pose_of(np.asarray(self._gizmo.wxyz), np.asarray(self._gizmo.position))
        self._take(self.reach.follow(self._view.state.q, target))
        if not self._held:
            self.sync()

    def _bend(self) -> None:
        if self.elbow is None:
            return
        followed = self.elbow.at(self.elbow.longest * self._slider.value / PERCENT)
        self._take(followed)
        self._elbow_q = self._view.state.q  # still on the same curve
        self.sync()

    def _take(self, followed: Followed) -> None:
        self._view.state.move(followed.q)
        self._view.state.note = followed.note
        self._view.changed()

    def _add_base(self) -> None:
        self._base = self._controls("/base", scale=1.3 * GIZMO)
        _place(self._base, self._base_pose())

        def moved(event: Any) -> None:
            self._held = event.phase != "end"
            self._view.loop.ask("base", self._move_base)

        self._base.on_update(moved)
        box = self._view.server.gui.add_checkbox("move the base", True)
        box.on_update(lambda event: self._view.ask("base gizmo", event, lambda: _see(self._base, box.value)))

    def _move_base(self) -> None:
        self._view.state.place_base(pose_of(np.asarray(self._base.wxyz), np.asarray(self._base.position)))
        self._view.changed()
        self.sync()

    def _base_pose(self) -> Array:
        model, body = self._view.state.robot.model, self._view.state.base
        poses: Array = self._view.state.bodies
        return np.asarray(poses[next(i for i, each in enumerate(model.bodies) if each is body)])

    def _controls(self, name: str, scale: float = GIZMO, **options: Any) -> Any:
        size = scale * self._view.scene.size
        return self._view.server.scene.add_transform_controls(name, size, depth_test=False, **options)


def _place(handle: Any, T: Array) -> None:
    if np.isfinite(T).all():
        handle.position, handle.wxyz = T[:3, 3], SO3.from_matrix(T[:3, :3]).wxyz


def _see(handle: Any, visible: bool) -> None:
    handle.visible = visible
