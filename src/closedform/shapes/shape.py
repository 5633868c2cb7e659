"""What a robot looks like: rigid pieces of triangles, each in a frame of the robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array

Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity, from 0 to 1."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A piece that is drawn: `vertices` (V, 3) in metres, `faces` (F, 3) counter-clockwise from outside.

    `placement` (4, 4) is its pose in `frame`, a frame of the robot. `origin` is "mesh", "primitive" or
    "made" (of joints and inertias, if a file says nothing); `name` is that of the mesh or geometry.
    Vertices at a sharp edge are there once for each of its sides, so that shading by vertices shows it.
    """

    frame: str
    placement: Array
    vertices: NDArray[np.float32]
    faces: NDArray[np.int32]
    colour: Colour
    origin: str
    name: str


@dataclass(frozen=True, eq=False)
class Shapes:
    """The pieces of a robot, and one line for each that is not drawn as its file says.

    >>> import closedform as cf
    >>> looks = cf.load("iiwa14").shapes()
    >>> looks.pieces[0].frame, looks.pieces[0].origin, looks.warnings
    ('base', 'made', ())
    """

    pieces: tuple[Shape, ...]
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        triangles, warnings = self.triangles, len(self.warnings)
        return f"<Shapes: {len(self.pieces)} pieces, {triangles} triangles, {warnings} warnings>"

    @property
    def triangles(self) -> int:
        """Number of triangles of all pieces."""
        return sum(len(piece.faces) for piece in self.pieces)


def piece(
    frame: str, placement: Any, mesh: tuple[Any, Any], colour: Colour, origin: str = "made", name: str = ""
) -> Shape:
    """Return a piece of vertices and faces, its arrays not to be written to."""
    vertices, faces = mesh
    arrays = np.array(placement, dtype=float), np.asarray(vertices, np.float32), np.asarray(faces, np.int32)
    for array in arrays:
        array.flags.writeable = False
    return Shape(frame, *arrays, colour, origin, name or origin)
