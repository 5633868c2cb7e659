"""A robot in viser's scene: a node per body with all that is fixed to it, so that it moves by few poses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from viser.transforms import SO3

from ..arrays import Array
from ..robot import Robot
from .ellipsoids import Ellipsoid, inertia_ellipsoids
from .state import ViewState

if TYPE_CHECKING:
    from viser import ViserServer

    from ..shapes import Shapes

MOST_FRAMES = 300
"""Frames that are drawn."""

WHOLE = 0.999
"""Opacity from which a piece is drawn as opaque, which is faster."""

INERTIA, MANIPULABILITY, COM = (155, 95, 192), (47, 158, 110), (240, 180, 20)
"""Colours of the ellipsoids and of the centre of mass."""

PARTS = ("robot", "frames", "inertias", "com", "manipulability")
"""What can be shown and hidden."""


class RobotScene:
    """The nodes of a robot: pieces, frames, ellipsoids of inertia and of manipulability, centre of mass."""

    def __init__(self, server: ViserServer, state: ViewState, shapes: Shapes) -> None:
        self._server, self._state = server, state
        self.robot: Robot = state.robot
        model = self.robot.model
        self._nodes = {
            body: server.scene.add_frame(f"/robot/{body + 1}", show_axes=False)
            for body in range(-1, len(model.bodies))
        }
        self._parts: dict[str, list[Any]] = {part: [] for part in PARTS}
        self._last: Array | None = None
        low, high = self._pieces(shapes)
        self.size = float(np.clip(np.linalg.norm(high - low), 0.05, 1e4))
        self.middle = (low + high) / 2
        self._frames()
        self._inertias()
        sphere = server.scene.add_icosphere
        self._com = sphere("/com", radius=0.03 * self.size, color=COM, visible=False)
        self._gauge = sphere("/manipulability", color=MANIPULABILITY, opacity=0.35, visible=False)
        self._parts["com"].append(self._com)
        self._parts["manipulability"].append(self._gauge)
        self._surroundings(low, high)

    def place(self, bodies: Array) -> None:
        """Move the bodies to their poses (bodies, 4, 4), those that have changed."""
        if not np.isfinite(bodies).all():
            return
        turns = SO3.from_matrix(bodies[:, :3, :3]).wxyz if len(bodies) else np.zeros((0, 4))
        for k, T in enumerate(bodies):
            if self._last is None or not np.array_equal(T, self._last[k]):
                node = self._nodes[k]
                node.position, node.wxyz = T[:3, 3], turns[k]
        self._last = np.array(bodies)

    def mark_com(self, com: Array | None) -> None:
        """Move the centre of mass."""
        if com is not None and np.isfinite(com).all():
            self._com.position = com

    def mark_manipulability(self, gauge: Ellipsoid | None) -> None:
        """Move the manipulability ellipsoid."""
        if gauge is not None and np.isfinite(gauge.placement).all():
            self._gauge.position = gauge.placement[:3, 3]
            self._gauge.wxyz = SO3.from_matrix(gauge.placement[:3, :3]).wxyz
            self._gauge.scale = tuple(gauge.axes.tolist())

    def show(self, part: str, visible: bool) -> None:
        """Show or hide a part of the picture."""
        for handle in self._parts[part]:
            handle.visible = visible

    def shown(self, part: str) -> bool:
        """Return whether a part is shown."""
        return any(handle.visible for handle in self._parts[part])

    def _pieces(self, shapes: Shapes) -> tuple[Array, Array]:
        """Add the pieces of the robot; return the box around them at the first posture."""
        model, poses = self.robot.model, np.asarray(self._state.bodies)
        corners = [np.zeros((1, 3))] if model.frames[0].body < 0 else []
        for k, piece in enumerate(shapes.pieces):
            frame = model.frame(piece.frame)
            T = frame.placement @ piece.placement
            red, green, blue, opacity = piece.colour
            handle = self._server.scene.add_mesh_simple(
                f"/robot/{frame.body + 1}/piece{k}",
                piece.vertices,
                piece.faces,
                color=(round(255 * red), round(255 * green), round(255 * blue)),
                opacity=None if opacity >= WHOLE else opacity,
                flat_shading=piece.origin == "mesh",
                side="double" if piece.origin == "mesh" else "front",
                position=T[:3, 3],
                wxyz=SO3.from_matrix(T[:3, :3]).wxyz,
            )
            self._parts["robot"].append(handle)
            T = T if frame.body < 0 else poses[frame.body] @ T
            corners.append(np.asarray(piece.vertices) @ T[:3, :3].T + T[:3, 3])
        corners += [poses[:, :3, 3]]
        cloud = np.concatenate(corners)
        return cloud.min(axis=0), cloud.max(axis=0)

    def _frames(self) -> None:
        for k, frame in enumerate(self.robot.model.frames[:MOST_FRAMES]):
            axes = self._server.scene.add_frame(
                f"/robot/{frame.body + 1}/frame{k}",
                axes_length=0.08 * self.size,
                axes_radius=0.004 * self.size,
                position=frame.placement[:3, 3],
                wxyz=SO3.from_matrix(frame.placement[:3, :3]).wxyz,
                visible=False,
            )
            self._parts["frames"].append(axes)

    def _inertias(self) -> None:
        if not self.robot.model.has_inertia:
            return
        for body, each in inertia_ellipsoids(self.robot.model).items():
            handle = self._server.scene.add_icosphere(
                f"/robot/{body + 1}/inertia",
                color=INERTIA,
                opacity=0.45,
                scale=tuple(each.axes.tolist()),
                position=each.placement[:3, 3],
                wxyz=SO3.from_matrix(each.placement[:3, :3]).wxyz,
                visible=False,
            )
            self._parts["inertias"].append(handle)

    def _surroundings(self, low: Array, high: Array) -> None:
        """Add the ground under the robot, and put the camera where all of it is seen."""
        gravity = self.robot.gravity
        strength = float(np.linalg.norm(gravity))
        up = -gravity / strength if strength else np.array([0.0, 0.0, 1.0])
        surroundings(self._server, low, high, up)


def surroundings(server: ViserServer, low: Array, high: Array, up: Array) -> None:
    """Add a ground below a box, and a camera that sees the box."""
    scene, middle = server.scene, (low + high) / 2
    size = max(float(np.linalg.norm(high - low)), 0.05)
    axis = int(np.argmax(np.abs(up)))
    ground = middle.copy()
    ground[axis] = low[axis] if up[axis] > 0 else high[axis]
    cell = _round_length(size / 6)
    scene.set_up_direction(tuple(up.tolist()))
    scene.configure_environment_map(None)  # pictures of rooms cost a third of a frame without a graphics card
    scene.add_light_hemisphere("/sky", sky_color=(255, 255, 255), ground_color=(170, 175, 185), intensity=2.0)
    scene.add_grid(
        "/ground",
        width=24 * cell,
        height=24 * cell,
        plane=("yz", "xz", "xy")[axis],
        cell_size=cell,
        section_size=4 * cell,
        cell_color=(215, 220, 226),
        section_color=(185, 192, 200),
        shadow_opacity=0.3,
        position=ground,
    )
    side = np.roll(np.eye(3)[axis] * np.sign(up[axis]), 1)
    across = np.cross(up, side)
    server.initial_camera.position = middle + 1.05 * size * (0.85 * side + 0.75 * across + 0.35 * up)
    server.initial_camera.look_at = middle
    server.initial_camera.up = up


def _round_length(length: float) -> float:
    """Return the largest of 1, 2, 5, 10, ... that is not above a length."""
    power = float(10 ** np.floor(np.log10(length)))
    return next(step * power for step in (5.0, 2.0, 1.0) if step * power <= length * (1 + 1e-9))
