"""A mesh as it comes from a file: parts of one colour each, their numbers checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..errors import ClosedFormError

MAX_TRIANGLES = 1_000_000
"""Triangles of one mesh file, every copy counted."""

MAX_COORDINATE = 1e6
"""Metres, or whatever a file measures in, from the origin of a mesh."""


ODD = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
"""Factors that spread the bits of three numbers over one of 64 bits."""


class MeshError(ClosedFormError):
    """A mesh that cannot be drawn; the message says why, in few words."""


@dataclass(frozen=True, eq=False)
class Part:
    """Triangles of one colour; None if the file gives none."""

    vertices: Array
    faces: NDArray[np.int64]
    colour: tuple[float, float, float, float] | None = None

    def checked(self) -> Part:
        """Return the part with equal points joined and without triangles of no area, or raise an error."""
        require_count(len(self.faces))
        own = self.compact()
        if not (np.abs(own.vertices) <= MAX_COORDINATE).all():
            raise MeshError(f"has coordinates that are not finite, or beyond {MAX_COORDINATE:g}")
        points, index = _joined(own.vertices)
        faces = index[own.faces]
        a, b, c = faces.T
        faces = faces[(a != b) & (b != c) & (c != a)]
        edges = points[faces[:, 1:]] - points[faces[:, :1]]
        area = np.cross(edges[:, 0], edges[:, 1])
        return Part(points, faces[area.any(axis=1)], self.colour).compact()

    def compact(self) -> Part:
        """Return the part with the points of its triangles alone."""
        if len(self.faces) and not 0 <= self.faces.min() <= self.faces.max() < len(self.vertices):
            raise MeshError("has triangles of points that are not there")
        used = np.zeros(len(self.vertices), dtype=bool)
        used[self.faces] = True
        index = np.cumsum(used) - 1
        return Part(self.vertices[used], index[self.faces], self.colour)

    def moved(self, linear: Array, shift: Array | None = None) -> Part:
        """Return the part under x -> linear x + shift; a mirrored one is turned inside in again."""
        vertices = self.vertices @ linear.T + (0.0 if shift is None else shift)
        return Part(vertices, self.faces[:, ::-1] if np.linalg.det(linear) < 0 else self.faces, self.colour)


def require_count(triangles: int) -> None:
    """Refuse more triangles than a mesh may have."""
    if triangles > MAX_TRIANGLES:
        raise MeshError(f"has {triangles} triangles; the limit is {MAX_TRIANGLES}")


def _joined(points: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return the points that differ as float32, and which of these each point is.

    Points are told apart by 64 bits mixed of theirs: sorting these is ten times as fast as sorting points.
    """
    single = np.ascontiguousarray(points, dtype=np.float32) + np.float32(0)  # no -0, which has other bytes
    bits = single.view(np.uint32).astype(np.uint64)
    mixed = bits * np.array(ODD, dtype=np.uint64)  # modulo 2^64
    keys = (
        mixed[:, 0]
        ^ (mixed[:, 1] >> np.uint64(7))
        ^ mixed[:, 1]
        ^ (mixed[:, 2] >> np.uint64(13))
        ^ mixed[:, 2]
    )
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    return points[first], index.astype(np.int64)


def by_colour(parts: list[Part]) -> list[Part]:
    """Return parts with those of one colour made one."""
    found: dict[object, list[Part]] = {}
    for part in parts:
        found.setdefault(part.colour, []).append(part.compact())
    merged = []
    for same in found.values():
        starts = np.cumsum([0, *(len(part.vertices) for part in same)])
        faces = [part.faces + start for part, start in zip(same, starts[:-1], strict=True)]
        merged.append(
            Part(np.concatenate([part.vertices for part in same]), np.concatenate(faces), same[0].colour)
        )
    return merged
