"""What a scene is made of: rigid solids on rows of poses, tubes that bend, and marks of what numbers say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from ..shapes.shape import Colour


@dataclass(frozen=True, eq=False)
class Solid:
    """Triangles that move with a row of poses, -1 if they stay: vertices (V, 3) in its frame, faces (F, 3).

    A `ghost` is transparent and has no shadow.
    """

    row: int
    vertices: NDArray[Any]
    faces: NDArray[Any]
    colour: Colour
    name: str
    ghost: bool = False


@dataclass(frozen=True, eq=False)
class Tube:
    """A round tube along a curve that bends: its points (n, stations, 3) over the instants."""

    curve: Array
    radius: float
    colour: Colour
    name: str
    ghost: bool = False


@dataclass(frozen=True, eq=False)
class Placed:
    """Something at a pose (4, 4) in the frame of a row of poses, -1 if it stays."""

    name: str
    row: int
    placement: Array


@dataclass(frozen=True, eq=False)
class CentreOfMass:
    """The centre of mass of a body, in the frame of its row."""

    name: str
    row: int
    centre: Array
    mass: float


@dataclass(frozen=True, eq=False)
class Effort:
    """A torque about an axis through a point, or a force along it if the joint slides; values (n,).

    `most` is what it is shown relative to: the limit of the drive if `limited`, else the largest of the
    motion.
    """

    name: str
    row: int
    point: Array
    axis: Array
    slides: bool
    values: Array
    most: float
    limited: bool

    @property
    def unit(self) -> str:
        """Unit of the values."""
        return "N" if self.slides else "N m"

    @property
    def shares(self) -> Array:
        """The values relative to `most`."""
        return self.values / self.most


@dataclass(frozen=True, eq=False)
class Marks:
    """What can be shown beside the robot; what it has no numbers for is left out.

    `centre` (n, 3) is that of all bodies. `ellipsoids` place unit balls. `manipulability` (n, 3, 3) maps a
    unit ball to the ellipsoid of velocities at the tool, whose path is (n, 3).
    """

    frames: tuple[Placed, ...] = ()
    centres: tuple[CentreOfMass, ...] = ()
    centre: Array | None = None
    ellipsoids: tuple[Placed, ...] = ()
    efforts: tuple[Effort, ...] = ()
    tool: str = ""
    path: Array | None = None
    manipulability: Array | None = None

    @property
    def limited(self) -> bool:
        """Whether every effort is relative to a limit."""
        return all(each.limited for each in self.efforts)


def placed_vertices(vertices: NDArray[Any], placement: Array) -> Array:
    """Return vertices (V, 3) of a frame of this placement (4, 4) in the frame around it."""
    return np.asarray(vertices @ placement[:3, :3].T + placement[:3, 3])
