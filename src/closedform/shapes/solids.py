"""Solids as triangles about their centres, along z: boxes, cylinders, spheres, ellipsoids and capsules."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..arrays import Array
from ..rotations import pose, unit

Mesh = tuple[Array, Array]
"""Vertices (V, 3), and faces (F, 3) counter-clockwise seen from outside."""

SIDES = 24
"""Corners of a circle; a sphere has a quarter as many steps from its equator to a pole."""


def box(x: float, y: float, z: float) -> Mesh:
    """Return a box of these edges."""
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    vertices: list[Array] = []
    faces: list[list[list[int]]] = []
    for axis in range(3):
        for side in (-0.5, 0.5):
            corner = np.insert(corners, axis, side, axis=1)
            flipped = (side < 0) != (axis == 1)  # inserting y turns the corners round
            vertices.append(corner[::-1] if flipped else corner)
            start = 4 * len(faces)
            faces.append([[start, start + 1, start + 2], [start, start + 2, start + 3]])
    return np.concatenate(vertices) * (x, y, z), np.concatenate(faces)


def cylinder(radius: float, length: float, sides: int = SIDES) -> Mesh:
    """Return a cylinder."""
    r, h = radius, length / 2
    return revolved([[(0, -h), (r, -h)], [(r, -h), (r, h)], [(r, h), (0, h)]], sides)


def rounded_cylinder(radius: float, length: float, edge: float, sides: int = SIDES) -> Mesh:
    """Return a cylinder whose two edges are chamfered by `edge`."""
    r, h, e = radius, length / 2, min(edge, radius, length / 2)
    profile = [(0, -h), (r - e, -h), (r, e - h), (r, h - e), (r - e, h), (0, h)]
    return revolved([list(pair) for pair in pairwise(profile)], sides)


def sphere(radius: float, sides: int = SIDES) -> Mesh:
    """Return a sphere."""
    return capsule(radius, 0.0, sides)


def ellipsoid(x: float, y: float, z: float, sides: int = SIDES) -> Mesh:
    """Return an ellipsoid of these half axes."""
    vertices, faces = sphere(1.0, sides)
    return vertices * (x, y, z), faces


def capsule(radius: float, length: float, sides: int = SIDES, tip: float | None = None) -> Mesh:
    """Return a cylinder of a length between half spheres; with `tip` the radius there, at +z, differs."""
    tip, rings = radius if tip is None else tip, max(2, sides // 4) + 1
    down, up = np.linspace(-np.pi / 2, 0, rings), np.linspace(0, np.pi / 2, rings)
    lower = np.stack([radius * np.cos(down), radius * np.sin(down) - length / 2], 1)
    upper = np.stack([tip * np.cos(up), tip * np.sin(up) + length / 2], 1)
    lower[0, 0] = upper[-1, 0] = 0.0  # exactly on the axis
    return revolved([np.concatenate([lower, upper if length else upper[1:]])], sides)


def revolved(profiles: list[Array] | list[list[tuple[float, float]]], sides: int = SIDES) -> Mesh:
    """Return profiles (radius, height), listed upwards on the outside, turned about z; each is smooth."""
    angle = np.arange(sides) * (2 * np.pi / sides)
    around = np.stack([np.cos(angle), np.sin(angle)], 1)
    vertices, faces, start = [], [], 0
    for profile in profiles:
        points = np.asarray(profile, dtype=float)
        r, z = points[:, :1, None], points[:, 1:, None]
        rings = np.concatenate([r * around, np.broadcast_to(z, (len(points), sides, 1))], axis=2)
        low = start + np.arange(len(points) - 1)[:, None] * sides + np.arange(sides)
        high, right = low + sides, np.roll(low, -1, axis=1)
        quads = np.stack([low, right, right + sides, low, right + sides, high], -1).reshape(-1, 2, 3)
        flat = np.repeat(points[:, 0] == 0, sides)  # a point on the axis: one of two triangles has no area
        on_axis = flat[quads - start]
        kept = quads[on_axis.sum(-1) < 2]
        vertices.append(rings.reshape(-1, 3))
        faces.append(kept)
        start += len(points) * sides
    return np.concatenate(vertices), np.concatenate(faces)


def along(direction: Array, p: Array) -> Array:
    """Return a pose at p whose z axis has a direction; for none, that of the frame."""
    z = unit(direction)
    if z is None:
        return pose(None, p)
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return pose(np.stack([x, np.cross(z, x), z], 1), p)
