"""The scene of a robot: its shapes along a motion, with marks from its closed forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import ArgumentError, shorten
from ..forms import Variant
from ..model import Model
from ..programs import evaluate, trace
from ..rotations import pose
from ..shapes import Shapes
from ..shapes.skeleton import mass_of
from ..shapes.solids import along, rounded_cylinder
from ..sticks import StickFigure, stick_figure
from ..svg import svg
from .extent import Extent, extent, views
from .motion import Shown, read_ghost, read_motion
from .parts import CentreOfMass, Effort, Marks, Placed, Solid, placed_vertices
from .scene import Scene

MOST_BODIES = 500
"""Bodies of a scene."""

GHOST = (0.92, 0.45, 0.12, 1.0)
"""Colour of a second robot, which is transparent."""

POST = (0.55, 0.58, 0.62, 1.0)
"""Colour of what a robot stands on if it reaches below its base."""

LOW = (0.03, 0.3)
"""Heights of a base above the lowest point, relative to the size of the scene, that a post bridges."""

ELLIPSOID = 0.14
"""Longest half axis of the manipulability ellipsoid, relative to the size of the scene."""


def robot_scene(
    model: Model, shapes: Shapes, motion: Any, t: Any, tau: Any, ghost: Any, tool: str | None
) -> Scene:
    """Return the scene of a model along a motion."""
    bodies = len(model.bodies)
    if bodies > MOST_BODIES:
        raise ArgumentError(f"scene: {bodies} bodies; at most {MOST_BODIES} are drawn")
    end = model.frame(tool)
    rows = bodies * (1 if ghost is None else 2)
    shown = read_motion(model, motion, t, tau, rows)
    program = trace(model, "body_poses")
    poses = np.asarray(evaluate(program, shown.q)).reshape(len(shown.q), bodies, 4, 4)
    solids = _solids(model, shapes, 0)
    figure = stick_figure(model, poses)
    if ghost is not None:
        q = read_ghost(model, ghost, _given(motion, shown), rows)
        beside = np.broadcast_to(np.asarray(evaluate(program, q)).reshape(-1, bodies, 4, 4), poses.shape)
        poses = np.concatenate([poses, beside], axis=1)
        solids += _solids(model, shapes, bodies, GHOST)
    room = extent(_up(figure, model), poses, solids, (), figure.points)
    post = _post(model, solids, room)
    marks = _marks(model, shown, poses, room.size, end.name)
    return Scene(
        name=model.name,
        t=shown.t,
        poses=poses,
        solids=(*solids, *post),
        tubes=(),
        marks=marks,
        extent=room,
        views=views(room.turn, figure.eye, figure.flat),
        still=_still(model, figure, poses, end.name),
        warnings=shapes.warnings,
    )


def _given(motion: Any, shown: Shown) -> int:
    """Return how many configurations the caller gave, of which some are shown."""
    given = getattr(motion, "q", motion)
    return len(shown.q) if given is None or callable(given) else len(np.atleast_2d(given))


def _up(figure: StickFigure, model: Model) -> Array:
    """Return the direction against gravity; z without one."""
    strength = float(np.linalg.norm(model.gravity))
    return -np.asarray(model.gravity) / strength if strength else np.array([0.0, 0.0, 1.0])


def _solids(model: Model, shapes: Shapes, first: int, colour: Any = None) -> list[Solid]:
    """Return the pieces on the rows of their bodies, the first of them `first`; given a colour, as ghosts."""
    frames = {frame.name: frame for frame in model.frames}
    solids = []
    for piece in shapes.pieces:
        frame = frames[piece.frame]
        ghost = colour is not None
        if not len(piece.faces) or (ghost and frame.body < 0):
            continue
        vertices = placed_vertices(piece.vertices, frame.placement @ piece.placement)
        row = frame.body + first if frame.body >= 0 else -1
        solids.append(Solid(row, vertices, piece.faces, colour or piece.colour, piece.frame, ghost))
    return solids


def _post(model: Model, solids: Sequence[Solid], room: Extent) -> tuple[Solid, ...]:
    """Return what a robot stands on if its motion goes a little below its base."""
    if any(body.joint.floats for body in model.bodies):
        return ()
    fixed = [solid.vertices for solid in solids if solid.row < 0] or [np.zeros((1, 3))]
    foot = np.concatenate(fixed) @ room.turn.T
    gap = float(foot[:, 2].min() - room.low[2])
    if not LOW[0] * room.size < gap < LOW[1] * room.size:
        return ()
    radius = 0.05 * room.size
    vertices, faces = rounded_cylinder(radius, gap, 0.1 * radius)
    low = foot[foot[:, 2] < foot[:, 2].min() + 0.05 * room.size]
    x, y = (low.min(axis=0) + low.max(axis=0))[:2] / 2
    middle = np.array([x, y, room.low[2] + gap / 2]) @ room.turn
    up = room.turn[2]
    return (Solid(-1, placed_vertices(vertices, along(up, middle)), faces, POST, "post", False),)


def _marks(model: Model, shown: Shown, poses: Array, size: float, tool: str) -> Marks:
    """Return what is shown on request."""
    frames = tuple(Placed(frame.name, frame.body, frame.placement) for frame in model.frames)
    end = model.frame(tool)
    T = poses[:, end.body] @ end.placement if end.body >= 0 else np.tile(end.placement, (len(poses), 1, 1))
    weighs = model.has_inertia and np.isfinite(model.phi).all() and model.mass > 0
    return Marks(
        frames=frames,
        centres=_centres(model) if weighs else (),
        centre=np.asarray(evaluate(trace(model, "center_of_mass"), shown.q)) if weighs else None,
        ellipsoids=_ellipsoids(model) if weighs else (),
        efforts=_efforts(model, shown.tau) if shown.tau is not None else (),
        tool=tool,
        path=T[:, :3, 3],
        manipulability=_manipulability(model, shown.q, tool, size),
    )


def _centres(model: Model) -> tuple[CentreOfMass, ...]:
    masses = ((i, body, mass_of(body.phi)) for i, body in enumerate(model.bodies))
    return tuple(
        CentreOfMass(body.name, i, mass.centre, float(body.phi[9]))
        for i, body, mass in masses
        if mass is not None
    )


def _ellipsoids(model: Model) -> tuple[Placed, ...]:
    """Return ellipsoids of even density that have the mass and the inertia of the bodies.

    The second moments of one with half axes a are m a^2 / 5, those of a box with half edges h are m h^2 / 3.
    """
    found = []
    for i, body in enumerate(model.bodies):
        mass = mass_of(body.phi)
        if mass is not None and mass.half.max() > 0:
            half = np.maximum(np.sqrt(5 / 3) * mass.half, 1e-3 * mass.half.max())
            found.append(Placed(body.name, i, pose(mass.axes * half, mass.centre)))
    return tuple(found)


def _efforts(model: Model, tau: Array) -> tuple[Effort, ...]:
    """Return the forces of joints with one degree of freedom."""
    found = []
    for i, body in enumerate(model.bodies):
        if body.joint.nv != 1 or body.coupling is not None:
            continue
        X, values = np.asarray(body.joint.X)[:, 0], tau[:, body.iv]
        slides = not np.any(X[:3])
        axis = X[3:] if slides else X[:3]
        point = np.zeros(3) if slides else np.cross(X[:3], X[3:]) / (X[:3] @ X[:3])
        limit = float(body.limits.effort)
        limited = 0 < limit < np.inf
        most = limit if limited else float(np.abs(values).max()) or 1.0
        unit_axis = axis / np.linalg.norm(axis)
        found.append(Effort(body.joint_name, i, point, unit_axis, slides, values, most, limited))
    return tuple(found)


def _manipulability(model: Model, q: Array, tool: str, size: float) -> Array | None:
    """Return sqrt(J J^T), which maps the unit ball to velocities of the tool; None without driven joints.

    Joints that no motor drives do not count. The longest half axis of all is a part of the scene's size.
    """
    driven = np.ones(model.nv, dtype=bool)
    for body in model.independent:
        driven[body.velocities] = not body.joint.floats
    if not driven.any():
        return None
    J = evaluate(trace(model, "jacobian", Variant(frame=tool, reference="world_aligned")), q)
    J = np.asarray(J)[:, 3:, driven]
    squares, axes = np.linalg.eigh(J @ np.swapaxes(J, 1, 2))
    half = np.sqrt(np.maximum(squares, 0.0))
    largest = float(half.max())
    if not largest > 0:
        return None
    half = np.maximum(half / largest, 5e-3) * ELLIPSOID * size  # one without thickness cannot be seen
    return np.asarray((axes * half[:, None, :]) @ np.swapaxes(axes, 1, 2))


def _still(model: Model, figure: StickFigure, poses: Array, tool: str) -> str:
    """Return a posture as sticks, the first that is not a straight line; "" without sticks."""
    if not figure.sticks:
        return ""
    k = next((k for k in range(0, len(poses), 8) if not figure.straight(k)), 0)
    ends = [model.frames[0], model.frame(tool)]
    triads = np.stack([poses[k, e.body] @ e.placement if e.body >= 0 else e.placement for e in ends])
    return svg(figure, k, triads, shorten(model.name, 40))
