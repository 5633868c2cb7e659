"""Tubes along points, as meshes."""

from __future__ import annotations

import numpy as np

from ..arrays import Array

SIDES = 12
"""Corners around a tube."""


def tube(points: Array, radii: Array) -> tuple[Array, Array]:
    """Return vertices and faces of a closed tube along points (k, 3), with a radius at each.

    >>> import numpy as np
    >>> vertices, faces = tube(np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0.1]]), np.array([0.1, 0.1, 0.1]))
    >>> vertices.shape, int(faces.max()) + 1 == len(vertices)
    ((38, 3), True)
    """
    along = np.gradient(points, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    helper = np.eye(3)[np.argmin(np.abs(along).max(axis=0))]
    side = np.cross(along, helper)
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-300)
    other = np.cross(along, side)
    angles = 2 * np.pi * np.arange(SIDES) / SIDES
    ring = np.cos(angles)[None, :, None] * side[:, None] + np.sin(angles)[None, :, None] * other[:, None]
    vertices = (points[:, None] + radii[:, None, None] * ring).reshape(-1, 3)
    return np.concatenate([vertices, points[[0, -1]]]), tube_faces(len(points))


def capsule(length: float, radius: float) -> tuple[Array, Array]:
    """Return vertices and faces of a tube along x from 0 to a length, with round ends beyond both."""
    angles = np.linspace(0.0, np.pi / 2, 5)
    beyond, radii = radius * np.cos(angles), radius * np.sin(angles)
    x = np.concatenate([-beyond, length + beyond[::-1]])
    points = np.stack([x, np.zeros_like(x), np.zeros_like(x)], axis=1)
    return tube(points, np.concatenate([radii, radii[::-1]]))


def tube_faces(count: int) -> Array:
    """Return the faces of a tube along that many points, seen counter-clockwise from outside."""
    k, j = np.meshgrid(np.arange(count - 1), np.arange(SIDES), indexing="ij")
    a, b = k * SIDES + j, k * SIDES + (j + 1) % SIDES
    c, d = a + SIDES, b + SIDES
    wall = np.stack([np.stack([a, b, c], -1), np.stack([b, d, c], -1)]).reshape(-1, 3)
    rim, last = np.arange(SIDES), (count - 1) * SIDES
    following, first_end, last_end = (rim + 1) % SIDES, count * SIDES, count * SIDES + 1
    caps = [
        np.stack([np.full(SIDES, first_end), following, rim], -1),
        np.stack([np.full(SIDES, last_end), last + rim, last + following], -1),
    ]
    return np.concatenate([wall, *caps])
