"""Fewer triangles for the same look: a budget shared by size, decimation, and sharp edges kept sharp."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..arrays import Array
from .part import Part

LEAST = 60
"""Triangles that a part is left with at least."""

BETWEEN = 1.25
"""Power of the extent of a part that its triangles go with: areas would starve small parts."""

CREASE = np.cos(np.radians(35.0))
"""Cosine of the angle between triangles from which on the edge between them is sharp."""

FINER = (16, 4)
"""How many times the triangles that are asked for decimation starts with, at first and if it is stuck."""

HASTE = (3, 7)
"""How fast decimation raises the error that it allows, at first and if that is not enough. More haste at
first loses thin parts."""


def shared(budget: int, parts: Sequence[Part]) -> list[int]:
    """Return how many triangles each part may have: by its extent; what one spares goes to others."""
    counts = np.array([len(part.faces) for part in parts])
    extents = np.array([max(float(np.linalg.norm(np.ptp(part.vertices, axis=0))), 1e-9) for part in parts])
    weights = (extents / extents.max()) ** BETWEEN
    given = np.zeros(len(parts))
    open_ = np.ones(len(parts), dtype=bool)
    left = float(budget)
    while open_.any():
        share = np.maximum(left * weights / weights[open_].sum(), LEAST)
        full = open_ & (counts <= share)
        if not full.any():
            given[open_] = share[open_]
            break
        given[full] = counts[full]
        left -= counts[full].sum()
        open_ &= ~full
    return [int(each) for each in given]


def decimated(part: Part, most: int) -> Part:
    """Return a part of about so many triangles at most, by quadric errors [GarlandHeckbert1997] if it can be.

    Points near to each other are joined first if there are far more: that is fast, closes gaps that
    decimation could not cross, and costs no more than what it takes away afterwards.
    """
    if len(part.faces) <= most:
        return part
    package = decimation()
    if package is None:
        return _clustered(part, most)
    for finer in FINER:
        start = _clustered(part, finer * most)
        vertices, faces = start.vertices, start.faces
        for haste in HASTE:
            if len(faces) > most:
                vertices, faces = package.simplify(
                    np.ascontiguousarray(vertices, dtype=np.float32),
                    np.ascontiguousarray(faces, dtype=np.int32),
                    target_count=most,
                    agg=haste,
                )
        if 0 < len(faces) <= 1.3 * most and np.isfinite(vertices).all():
            return Part(np.asarray(vertices, dtype=float), np.asarray(faces, dtype=np.int64), part.colour)
    return _clustered(part, most)


def decimation() -> Any:
    """Return the optional package fast-simplification, or None."""
    try:
        return import_module("fast_simplification")
    except ImportError:
        return None


def _clustered(part: Part, most: int) -> Part:
    """Return a part whose points are joined in the cells of the finest grid that leaves so few triangles."""
    low = part.vertices.min(axis=0)
    size = float(np.ptp(part.vertices, axis=0).max()) or 1.0
    cells, found = int(2 * np.sqrt(most)) + 2, part
    while len(found.faces) > most and cells > 1:
        cell = np.minimum((part.vertices - low) * (cells / size), cells - 1).astype(np.int64)
        _, index = np.unique(cell @ (1, cells, cells * cells), return_inverse=True)
        faces = index[part.faces]
        a, b, c = faces.T
        faces = faces[(a != b) & (b != c) & (c != a)]
        number = int(index.max()) + 1
        turned = (np.argmin(faces, axis=1)[:, None] + np.arange(3)) % 3  # equal ones, but not their backs
        faces = np.take_along_axis(faces, turned, axis=1)
        _, first = np.unique(faces @ (1, number, number * number), return_index=True)
        if not len(first):
            break
        total = np.stack([np.bincount(index, part.vertices[:, k]) for k in range(3)], axis=1)
        found = Part(total / np.bincount(index)[:, None], faces[first], part.colour).compact()
        cells = int(0.85 * cells)
    return found


def creased(part: Part) -> tuple[Array, NDArray[np.int64]]:
    """Return vertices and faces in which a point at a sharp edge is there once for each of its sides.

    Corners of neighbouring triangles are one vertex if the edge between them is not sharp.
    """
    faces, count = part.faces, len(part.faces)
    v = part.vertices[faces]
    normals = np.cross(v[:, 1] - v[:, 0], v[:, 2] - v[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), np.finfo(float).tiny)
    face = np.repeat(np.arange(count), 3)
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    low, high = np.minimum(start, end), np.maximum(start, end)
    order = np.lexsort((high, low))
    same = (low[order[1:]] == low[order[:-1]]) & (high[order[1:]] == high[order[:-1]])
    one, other = order[:-1][same], order[1:][same]  # two half edges of one edge
    smooth = np.einsum("ij,ij->i", normals[face[one]], normals[face[other]]) > CREASE
    one, other = one[smooth], other[smooth]
    following = np.arange(3 * count).reshape(-1, 3)[:, [1, 2, 0]].ravel()
    against = start[one] == end[other]  # as it should be; else the triangles face opposite ways
    ends = np.where(against, following[other], other), np.where(against, other, following[other])
    rows, columns = np.concatenate([one, following[one]]), np.concatenate(ends)
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(3 * count, 3 * count))
    number, label = connected_components(graph, directed=False)
    vertices = np.empty((number, 3))
    vertices[label] = v.reshape(-1, 3)
    return vertices, label.reshape(-1, 3).astype(np.int64)
