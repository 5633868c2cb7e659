"""Numbers of a scene in few bytes: corners as whole numbers, and all arrays compressed in one text."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from .parts import Solid

ALIGNED = 4
"""Arrays start at multiples of this many bytes, as a browser wants them."""

STEPS = 65_535
"""Whole numbers over the longest side of a solid: of one of a metre, they are 15 micrometres apart."""

SHORT = 65_535
"""Most vertices of a solid whose triangles are numbered in two bytes."""


def compressed(data: bytes) -> str:
    """Return bytes as text, which a browser inflates."""
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def packed(arrays: Mapping[str, NDArray[Any]]) -> tuple[dict[str, Any], str]:
    """Return where each array is among the bytes, and the bytes of all as text."""
    layout, parts, start = {}, [], 0
    for name, array in arrays.items():
        data = array.tobytes()
        layout[name] = {"type": array.dtype.name, "start": start, "count": array.size}
        gap = -len(data) % ALIGNED
        parts += [data, bytes(gap)]
        start += len(data) + gap
    return layout, compressed(b"".join(parts))


def packed_solids(solids: Sequence[Solid]) -> tuple[list[dict[str, Any]], dict[str, NDArray[Any]]]:
    """Return solids in words, and the arrays of their corners and triangles one after another."""
    words: list[dict[str, Any]] = []
    corners: list[NDArray[Any]] = [np.zeros((0, 3))]
    short: list[NDArray[Any]] = [np.zeros((0, 3))]
    long: list[NDArray[Any]] = [np.zeros((0, 3))]
    first = 0
    for solid in solids:
        lower = solid.vertices.min(axis=0)
        step = max(float((solid.vertices - lower).max()) / STEPS, 1e-12)
        corners.append(np.rint((solid.vertices - lower) / step) - 32_768)
        is_long = len(solid.vertices) > SHORT
        triangles = long if is_long else short
        start = sum(map(len, triangles))
        triangles.append(solid.faces)
        words.append(
            {
                "row": solid.row,
                "name": solid.name,
                "colour": [round(float(each), 4) for each in solid.colour],
                "ghost": solid.ghost,
                "lower": [float(each) for each in lower],
                "step": step,
                "vertices": [first, len(solid.vertices)],
                "faces": [start, len(solid.faces), is_long],
            }
        )
        first += len(solid.vertices)
    arrays: dict[str, NDArray[Any]] = {
        "corners": np.concatenate(corners).astype(np.int16),
        "triangles": np.concatenate(short).astype(np.uint16),
        "long_triangles": np.concatenate(long).astype(np.uint32),
    }
    return words, arrays


def packed_poses(poses: Array) -> NDArray[np.float32]:
    """Return poses (n, rows, 4, 4) as positions and quaternions (x, y, z, w), (n, rows, 7).

    A quaternion and its negative are one rotation; neighbours in time have the signs that are near.
    """
    from scipy.spatial.transform import Rotation  # noqa: PLC0415 (takes a while, and not every scene has poses)

    n, rows = poses.shape[:2]
    if not n * rows:
        return np.zeros((n, rows, 7), np.float32)
    q = Rotation.from_matrix(poses[..., :3, :3].reshape(-1, 3, 3)).as_quat().reshape(n, rows, 4)
    turned = (q[1:] * q[:-1]).sum(-1) < 0
    q[1:] *= np.where(np.cumsum(turned, axis=0) % 2, -1.0, 1.0)[..., None]
    return np.concatenate([poses[..., :3, 3], q], axis=-1).astype(np.float32)
